"""Recall over several conversations: which of them hold a query's words, whatever was deleted, appended or damaged."""

from __future__ import annotations

from pathlib import Path

import pytest
from archive_messages import said

from desktop_app.archive import recall_search
from desktop_app.context.recall.query import parse_query
from desktop_app.context.recall.rank import CHOSEN, Candidates
from desktop_app.conversation.listing import ConversationInfo
from stores import Store


def create(store: Store, name: str, *texts: str) -> None:
    store.create(
        ConversationInfo(name, f"About {name}", 1.0, 1.0), [said(f"{name}-{n}", t) for n, t in enumerate(texts)]
    )


def found(store: Store, query: str, project: str | None = None, without: str = "") -> Candidates:
    while store.read_rows():
        pass
    return store.find_candidates(parse_query(query).words, project, without)


def names(candidates: Candidates) -> list[str]:
    return [candidate.id for candidate in candidates.conversations]


@pytest.fixture
def several(store: Store) -> Store:
    create(store, "tea", "we drink tea", "the ledger stands in the kitchen", "green tea")
    create(store, "books", "the ledger is split in two, says the ledger", "and the ledgers are blue")
    create(store, "cats", "a cat", "two cats")
    return store


def test_the_conversations_with_the_words_are_found(several: Store) -> None:
    candidates = found(several, "the ledger in the kitchen")
    assert names(candidates) == ["tea", "books"]
    assert candidates.conversations[0].title == "About tea"
    assert candidates.rarity.texts == 7
    assert candidates.rarity.held["ledger"] == 3
    assert names(found(several, "zeppelin")) == []
    assert names(found(several, "kitchen", without="tea")) == []
    assert names(found(several, "itche")) == ["tea"], "inside of a word, as no message has the word"


def test_a_deleted_conversation_is_not_found_and_one_that_was_put_away_is(several: Store) -> None:
    several.change("tea", is_put_away=True)
    several.change("books", is_deleted=True)
    candidates = found(several, "ledger")
    assert names(candidates) == ["tea"]
    assert candidates.rarity.held["ledger"] == 1, "nor do its words count"
    assert candidates.rarity.texts == 5
    several.change("books", is_deleted=False)
    assert set(names(found(several, "ledger"))) == {"tea", "books"}


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_what_is_written_later_is_found_whatever_the_slices(
    several: Store, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(recall_search, "SLICE", size)
    assert names(found(several, "ledger"))[0] == "books"
    several.append("cats", said("late", "the cat sat on the ledger"))
    create(several, "new", "a new ledger")
    candidates = found(several, "ledger")
    assert set(names(candidates)) == {"tea", "books", "cats", "new"}
    assert candidates.rarity.texts == 9
    assert found(several, "ledger") == candidates, "a row is read once"


def test_what_is_written_while_the_rows_are_read_is_found(several: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall_search, "SLICE", 2)
    several.read_rows()
    several.append("books", said("meanwhile", "a red ledger"))
    create(several, "apples", "an apple ledger")  # its name is before those that were read
    assert set(names(found(several, "ledger"))) == {"tea", "books", "apples"}
    assert found(several, "ledger").rarity.texts == 9


def test_no_more_conversations_are_looked_into_than_is_quick(store: Store) -> None:
    for number in range(CHOSEN + 5):
        create(store, f"c{number}", "the ledger", *["and more"] * number)
    assert len(found(store, "ledger").conversations) == CHOSEN
    assert found(store, "").conversations == ()


def test_a_row_that_cannot_be_is_no_message(several: Store) -> None:
    row = "INSERT INTO entries (number, conversation, position, message_index, id, kind, at, body) VALUES"
    several.database.execute_sql(f"{row} (50, 'tea', 50, 'zero', 'x', 'message', 1.0, '{{}}')")
    several.database.execute_sql(f"{row} (51, 'tea', 51, 90000, 'y', 'message', 1.0, '{{}}')")
    assert names(found(several, "kitchen")) == ["tea"]
    assert found(several, "kitchen").rarity.texts == 7


def test_an_archive_that_is_only_read_is_searched_too(several: Store, tmp_path: Path) -> None:
    path = several.path
    several.close()
    read_only = Store(path, read_only=True)
    assert names(found(read_only, "kitchen")) == ["tea"]
    read_only.close()


def test_a_conversation_that_takes_the_rows_of_an_erased_one_is_found(several: Store) -> None:
    assert names(found(several, "cat")) == ["cats"]
    several.change("cats", is_deleted=True)
    several.erase(["cats"])
    create(several, "dogs", "a dog", "the dog and the ledger")
    assert names(found(several, "dog")) == ["dogs"]
    assert names(found(several, "cat")) == []
    assert found(several, "dog").rarity.texts == 7
