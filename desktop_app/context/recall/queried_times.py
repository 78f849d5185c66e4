"""Interpret the time in a query, such as "last spring", as search does. No clock."""

from __future__ import annotations

from datetime import date

import msgspec

from .outline import Outline
from .query import MAX_QUERY
from .question import question_of
from .times import TimeSpan, days_in, time_in


class QueryReading(msgspec.Struct, frozen=True):
    """An interpretation of a query."""

    words: str
    span: TimeSpan | None = None
    """The days of the messages; None for any."""


def readings_of(query: str, today: date) -> tuple[QueryReading, ...]:
    """Return the interpretations of a query, the likeliest first: with its time as a filter, and unchanged.

    A date such as 8 May 2023 is not a filter, but "before 2023" is: a date is mostly when something happened, and the
    messages about it are from another day.
    """
    text = query[:MAX_QUERY]
    span = time_in(text, today)
    if span is None or (span.first and span.last and days_in(text[span.start : span.end])):
        return (QueryReading(query),)
    return QueryReading(f"{text[: span.start]} {text[span.end :]}", span), QueryReading(query)


def readings_of_message(text: str, today: date) -> tuple[QueryReading, ...]:
    """Return the interpretations of a user's message: only a question may ask for messages of a time."""
    return readings_of(text, today) if question_of(text).is_question else (QueryReading(text),)


def indexes_within(outline: Outline, span: TimeSpan) -> frozenset[int]:
    """Return the indexes of the messages whose session began within the span."""
    sessions = {session for session, day in enumerate(outline.days) if _is_within(day, span)}
    return frozenset(index for index, session in enumerate(outline.sessions) if session in sessions)


def _is_within(text: str, span: TimeSpan) -> bool:
    for parts in days_in(text):
        try:
            day = date(*parts)
        except ValueError:  # no year, or no day
            continue
        return (span.first or date.min) <= day <= (span.last or date.max)
    return False
