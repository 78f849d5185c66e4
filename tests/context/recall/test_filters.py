from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.context.recall.filters import (
    FilterNames,
    TypedQuery,
    completions,
    read_query,
    with_filter,
    without,
)
from desktop_app.conversation.listing import SearchFilters
from desktop_app.conversation.message import Role

TODAY = date(2026, 11, 23)
NAMES = FilterNames((("p1", "Billing"), ("p2", "My trip")), ("openai/gpt-5", "builtin/smollm"), ("bash", "read_file"))


def begins(day: date) -> float:
    return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()


def read(text: str) -> TypedQuery:
    return read_query(text, TODAY, begins, NAMES)


YEAR_2025 = begins(date(2025, 1, 1)), begins(date(2026, 1, 1))

TYPED = [
    ("index", "index", SearchFilters()),
    ("role:user index", "index", SearchFilters(role=Role.USER)),
    ("Role:ME index role:tool", "index", SearchFilters(role=Role.TOOL)),
    ('in:"my TRIP" flight', "flight", SearchFilters(project="p2")),
    ("project:Billing", "", SearchFilters(project="p1")),
    ("def has:code", "def", SearchFilters(has_code=True)),
    ("model:gpt tool:BASH", "", SearchFilters(model="gpt", tool="bash")),
    ("a on:2025 b", "a b", SearchFilters(since=YEAR_2025[0], until=YEAR_2025[1])),
    ("after:2024 before:2026", "", SearchFilters(since=YEAR_2025[0], until=YEAR_2025[1])),
    ("since:2025 until:2025", "", SearchFilters(since=YEAR_2025[0], until=YEAR_2025[1])),
    ("the plan in 2025", "the plan", SearchFilters(since=YEAR_2025[0], until=YEAR_2025[1])),
    ('"in 2025" plan', '"in 2025" plan', SearchFilters()),
    ("since:2025 in 2024", "in 2024", SearchFilters(since=YEAR_2025[0])),
    ("http://role:x a/tool:bash", "http://role:x a/tool:bash", SearchFilters()),
    ("role: index", "index", SearchFilters()),
]


@pytest.mark.parametrize(("text", "words", "filters"), TYPED, ids=[text for text, *_ in TYPED])
def test_filters_are_read_and_the_rest_is_looked_up(text: str, words: str, filters: SearchFilters) -> None:
    typed = read(text)
    assert (typed.words, typed.filters, typed.wrong) == (words, filters, None)


@pytest.mark.parametrize(
    ("text", "nearest"),
    [("tool:bsh x", "bash"), ("role:usr x", "user"), ("model:zebra x", ""), ("in:Biling x", "billing"),
     ("has:image x", ""), ("before:soonish x", "")],
)  # fmt: skip
def test_a_wrong_filter_is_told_and_filters_nothing(text: str, nearest: str) -> None:
    typed = read(text)
    assert typed.wrong is not None
    assert (typed.words, typed.filters, typed.wrong.nearest) == ("x", SearchFilters(), nearest)


def test_where_no_names_are_known_every_one_is_taken_as_it_stands() -> None:
    typed = read_query("tool:bsh model:zebra", TODAY, begins)
    assert typed.filters == SearchFilters(tool="bsh", model="zebra")


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("tool:", ("tool:bash ", "tool:read_file ")),
        ("x tool:re", ("x tool:read_file ",)),
        ("in:my", ('in:"My trip" ',)),
        ("model:gpt", ("model:openai/gpt-5 ",)),
        ("tool:bash", ()),
        ("tool:zebra", ()),
        ("tools", ()),
        ("tool:bash x", ()),
    ],
)
def test_what_is_being_typed_is_completed(text: str, offered: tuple[str, ...]) -> None:
    assert completions(text, len(text), NAMES)[1] == offered


def test_a_filter_takes_the_place_of_those_of_its_kind_and_can_be_removed() -> None:
    typed = read("plan role:user last spring")
    assert with_filter("plan role:user last spring", typed.typed, "role", "tool") == "plan last spring role:tool"
    assert with_filter("plan role:user last spring", typed.typed, "on", "today") == "plan role:user on:today"
    assert with_filter("plan", (), "in", "My trip") == 'plan in:"My trip"'
    assert without("plan role:user last spring", typed.typed) == "plan"


@given(st.text(st.sampled_from('role:tool in:"a" before:2025 xyz\n—'), max_size=60))
def test_nothing_that_is_typed_breaks_it(text: str) -> None:
    typed = read(text)
    assert all(0 <= each.start < each.end <= len(text) for each in typed.typed)
    for cursor in range(len(text) + 1):
        completions(text, cursor, NAMES)
