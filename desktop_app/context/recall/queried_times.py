"""Understand the time that a query names, such as "last spring", as search does. No clock."""

from __future__ import annotations

from datetime import date

import msgspec

from desktop_app.context.search.question import question_of
from desktop_app.context.search.times import TimeSpan, days_in, time_in

from .outline import Outline
from .query import MAX_QUERY


class QueryReading(msgspec.Struct, frozen=True):
    """One way to understand a query."""

    words: str
    span: TimeSpan | None = None
    """The days on which it was said; None for any."""


def readings_of(query: str, today: date) -> tuple[QueryReading, ...]:
    """Return how a query may be understood, the likeliest first: with its time as a filter, and as it stands.

    A date, such as 8 May 2023, filters nothing, but "before 2023" does: it is mostly the date of what happened, which
    was told on another day.
    """
    text = query[:MAX_QUERY]
    span = time_in(text, today)
    if span is None or (span.first and span.last and days_in(text[span.start : span.end])):
        return (QueryReading(query),)
    return QueryReading(f"{text[: span.start]} {text[span.end :]}", span), QueryReading(query)


def readings_of_message(text: str, today: date) -> tuple[QueryReading, ...]:
    """Return how a user's message may be understood: only a question asks for what was said at a time."""
    return readings_of(text, today) if question_of(text).is_question else (QueryReading(text),)


def indexes_within(outline: Outline, span: TimeSpan) -> frozenset[int]:
    """Return the indexes of the messages whose session began on one of those days."""
    sessions = {session for session, told in enumerate(outline.days) if _is_within(told, span)}
    return frozenset(index for index, session in enumerate(outline.sessions) if session in sessions)


def _is_within(told: str, span: TimeSpan) -> bool:
    for day in days_in(told):
        try:
            said = date(*day)
        except ValueError:  # no year, or no day
            continue
        return (span.first or date.min) <= said <= (span.last or date.max)
    return False
