"""Search by meaning: below what has the words, marked, and within the filters."""

from __future__ import annotations

import pytest
from archive_messages import said

from desktop_app.archive.full_text_search import MANY, search_messages
from desktop_app.conversation.listing import ConversationInfo, SearchFilters, SearchResult
from stores import Store

TEXTS = (
    "The vehicle was towed away last night.",
    "She asked for a refund, and the shop agreed.",
    "We cooked dinner for eight guests.",
    "The index is kept in memory.",
    "She pays for the lamp.",
)


@pytest.fixture
def several(store: Store) -> Store:
    for number, text in enumerate(TEXTS):
        store.create(ConversationInfo(f"c{number}", f"About {number}", 1.0, 1.0), [said(f"m{number}", text)])
    return store


def found(store: Store, query: str, **options: object) -> tuple[SearchResult, ...]:
    return search_messages(store.database, query, **options)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("query", "message", "marked"),
    [
        ("car", "m0", "«vehicle»"),
        ("cars", "m0", "«vehicle»"),
        ("money back", "m1", "«refund»"),
        ("supper", "m2", "«dinner»"),
    ],
)
def test_a_message_with_other_words_of_the_same_meaning_is_found(
    several: Store, query: str, message: str, marked: str
) -> None:
    best = found(several, query)[0]
    assert (best.message, best.is_by_meaning) == (message, True)
    assert marked in best.snippet


def test_messages_with_the_words_come_first_and_are_not_marked(several: Store) -> None:
    several.append("c3", said("late", "A car is parked outside."))
    results = found(several, "car")
    assert [(result.message, result.is_by_meaning) for result in results[:2]] == [("late", False), ("m0", True)]
    assert len({result.message for result in results}) == len(results)


def test_quoted_words_are_meant_literally(several: Store) -> None:
    assert found(several, '"car"') == ()


def test_where_many_have_the_words_no_others_follow(several: Store) -> None:
    several.append("c3", *[said(f"late{n}", f"Car number {n} is parked outside.") for n in range(MANY)])
    results = found(several, "car", limit=50)
    assert len(results) == MANY
    assert not any(result.is_by_meaning for result in results)


def test_filters_and_deleted_conversations_count_for_it_too(several: Store) -> None:
    assert found(several, "car", filters=SearchFilters(until=0.5)) == ()
    assert [result.message for result in found(several, "car", conversation="c0")] == ["m0"]
    assert found(several, "car", conversation="c2") == ()
    several.change("c0", is_deleted=True)
    assert "m0" not in {result.message for result in found(several, "car")}


@pytest.mark.parametrize("query", ["xyzzy", "数据库", "12345", "(*&"])
def test_a_query_without_known_words_finds_nothing_by_meaning(several: Store, query: str) -> None:
    assert found(several, query) == ()
