from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.context.recall.times import days_of, time_in

TODAY = date(2026, 11, 23)  # a Monday

SAID = [
    ("what did we decide about the index last spring?", "last spring", "2026-03-01", "2026-05-31"),
    ("in March what was it", "in March", "2026-03-01", "2026-03-31"),
    ("errors of last December", "last December", "2025-12-01", "2025-12-31"),
    ("last winter", "last winter", "2025-12-01", "2026-02-28"),
    ("in the summer of 2025", "in the summer of 2025", "2025-06-01", "2025-08-31"),
    ("in autumn", "in autumn", "2026-09-01", "2026-11-30"),
    ("yesterday", "yesterday", "2026-11-22", "2026-11-22"),
    ("the flight two weeks ago", "two weeks ago", "2026-11-06", "2026-11-12"),
    ("since May 2025 errors", "since May 2025", "2025-05-01", None),
    ("after last summer", "after last summer", "2026-09-01", None),
    ("before 2024 parser", "before 2024", None, "2023-12-31"),
    ("until June", "until June", None, "2026-06-30"),
    ("what happened on 3 March", "on 3 March", "2026-03-03", "2026-03-03"),
    ("on December 24", "on December 24", "2025-12-24", "2025-12-24"),
    ("on March 3, 2025", "on March 3, 2025", "2025-03-03", "2025-03-03"),
    ("in 2024", "in 2024", "2024-01-01", "2024-12-31"),
    ("last week", "last week", "2026-11-16", "2026-11-22"),
    ("last month", "last month", "2026-10-01", "2026-10-31"),
    ("this year", "this year", "2026-01-01", "2026-11-23"),
    ("in the last 30 days", "in the last 30 days", "2026-10-24", "2026-11-23"),
    ("last Tuesday", "last Tuesday", "2026-11-17", "2026-11-17"),
    ("on Monday", "on Monday", "2026-11-16", "2026-11-16"),
    ("was haben wir letzten Frühling beschlossen", "letzten Frühling", "2026-03-01", "2026-05-31"),
    ("im März", "im März", "2026-03-01", "2026-03-31"),
    ("vor zwei Wochen", "vor zwei Wochen", "2026-11-06", "2026-11-12"),
    ("seit letztem Jahr", "seit letztem Jahr", "2025-01-01", None),
    ("vor dem Sommer 2025", "vor dem Sommer 2025", None, "2025-05-31"),
    ("notes between March and May", "between March and May", "2026-03-01", "2026-05-31"),
    ("from 3 May to 5 June 2025?", "from 3 May to 5 June 2025", "2025-05-03", "2025-06-05"),
    ("vom 3. Mai bis zum 5. Juni 2025", "vom 3. Mai bis zum 5. Juni 2025", "2025-05-03", "2025-06-05"),
    ("昨天我们说了什么", "昨天", "2026-11-22", "2026-11-22"),
    ("上个月的会议", "上个月", "2026-10-01", "2026-10-31"),
]
"""A query, the words that name a time in it, and its first and last day."""

NO_TIMES = [
    "may I ask", "march of time", "fall back to default", "index 2024-118", "version 2024-03-14 x",
    '"last spring" report',
    "on 31 February", "the second half", "winter is coming", "src/2024/march.py", "in 2030", "", "ports 2024 and 2025",
    "from English to German", "between one day and two weeks",
]  # fmt: skip


@pytest.mark.parametrize(("query", "words", "first", "last"), SAID, ids=[query for query, *_ in SAID])
def test_times_in_plain_words(query: str, words: str, first: str | None, last: str | None) -> None:
    span = time_in(query, TODAY)
    assert span is not None
    assert query[span.start : span.end] == words
    told = [day and day.isoformat() for day in (span.first, span.last)]
    assert told == [first, last]


@pytest.mark.parametrize("query", NO_TIMES)
def test_what_is_no_time(query: str) -> None:
    assert time_in(query, TODAY) is None


@pytest.mark.parametrize(
    ("value", "first", "last"),
    [
        ("2024", "2024-01-01", "2024-12-31"),
        ("2025-3", "2025-03-01", "2025-03-31"),
        ("2025-03-14", "2025-03-14", "2025-03-14"),
        ("march", "2026-03-01", "2026-03-31"),
        ("last_spring", "2026-03-01", "2026-05-31"),
        ("3_weeks", "2026-11-02", "2026-11-23"),
        ("monday", "2026-11-16", "2026-11-16"),
    ],
)
def test_the_value_of_a_filter(value: str, first: str, last: str) -> None:
    days = days_of(value, TODAY)
    assert days is not None
    assert [day.isoformat() for day in days] == [first, last]


@pytest.mark.parametrize("value", ["soonish", "", "2025-13", "2025-02-30", "the index"])
def test_a_value_that_is_no_time(value: str) -> None:
    assert days_of(value, TODAY) is None


@given(text=st.text(max_size=80), today=st.dates(date(1971, 1, 1), date(2100, 1, 1)))
def test_nothing_that_is_typed_breaks_it(text: str, today: date) -> None:
    span = time_in(text, today)
    assert span is None or 0 <= span.start < span.end <= len(text)
    days_of(text, today)


@given(st.sampled_from([query for query, *_ in SAID]), st.dates(date(1971, 1, 1), date(2100, 1, 1)))
def test_a_time_has_begun_and_its_days_are_in_order(query: str, today: date) -> None:
    span = time_in(query, today)
    if span is not None and span.first and span.last:
        assert span.first <= span.last
        assert span.first <= today
