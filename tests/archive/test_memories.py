"""Memories in a real archive: kept, changed, replaced, taken back, and read where the file is damaged."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import peewee
import pytest
from archive_messages import overwrite_page
from msgspec.structs import replace

from desktop_app.archive.damage import examine
from desktop_app.conversation.memory import Memory
from stores import Store

TEA = Memory("tea", "The user drinks tea.", at=2.0, changed_at=2.0, conversation="c", author="model")
NAME = Memory("name", "The user's name is Ann.", at=1.0, changed_at=1.0)
COFFEE = Memory("coffee", "The user drinks coffee.", at=9.0, changed_at=9.0, author="rule")


def ids(store: Store) -> list[str]:
    return [memory.id for memory in store.memories()]


def test_memories_come_back_as_they_were_oldest_first_also_after_reopening(store: Store) -> None:
    placed = replace(COFFEE, is_on=False, scope="folder", folder="/work/b\u00fccher")
    store.store_memories(TEA, NAME, placed)
    assert store.memories() == (NAME, TEA, placed)
    again = Store(store.path, read_only=True)
    assert again.memories() == (NAME, TEA, placed)
    again.close()


def test_one_of_the_same_id_is_changed_deleted_and_restored(store: Store) -> None:
    store.store_memories(TEA)
    changed = replace(TEA, text="The user drinks green tea.", changed_at=5.0, author="user", is_on=False)
    store.store_memories(changed, NAME)
    assert store.memories() == (NAME, changed)
    store.store_memories(replace(TEA, is_deleted=True))
    assert store.memories() == (NAME,)
    assert store.memories(with_deleted=True) == (NAME, replace(TEA, is_deleted=True))
    store.store_memories(TEA)
    assert store.memories() == (NAME, TEA)


def test_a_memory_cannot_be_erased(store: Store) -> None:
    store.store_memories(TEA)
    with pytest.raises(peewee.IntegrityError, match="never erased"):
        store.database.execute_sql("DELETE FROM memories")
    assert ids(store) == ["tea"]


def test_taking_back_what_took_the_place_of_another_brings_that_one_again_and_redo_undoes_this(store: Store) -> None:
    store.store_memories(TEA, NAME)
    store.store_memories(COFFEE, replaced={"tea": "coffee"})
    assert ids(store) == ["name", "coffee"]
    for _ in range(2):  # repeating it changes nothing
        store.undo_memories(["coffee"], at=20.0)
        assert ids(store) == ["name", "tea"]
    for _ in range(2):
        store.redo_memories(["coffee"], at=30.0)
        assert ids(store) == ["name", "coffee"]
    assert {m.id: m.changed_at for m in store.memories(with_deleted=True)} == {"name": 1.0, "tea": 30.0, "coffee": 30.0}


def test_what_the_user_restored_by_hand_is_not_deleted_again(store: Store) -> None:
    store.store_memories(TEA)
    store.store_memories(COFFEE, replaced={"tea": "coffee"})
    store.store_memories(TEA)
    store.undo_memories(["coffee"], at=20.0)
    store.redo_memories(["coffee"], at=30.0)
    assert ids(store) == ["tea", "coffee"]


def test_what_is_new_and_what_it_replaces_are_stored_together_or_not_at_all(store: Store) -> None:
    store.store_memories(TEA)
    store.database.execute_sql(
        "CREATE TRIGGER no BEFORE UPDATE ON memories WHEN new.replaced_by = 'coffee'"
        " BEGIN SELECT RAISE(ABORT, 'refused'); END"
    )
    with pytest.raises(sqlite3.IntegrityError, match="refused"):
        store.store_memories(COFFEE, replaced={"tea": "coffee"})
    assert store.memories(with_deleted=True) == (TEA,)


def test_lone_surrogates_and_nul_are_kept_as_text_and_unknown_ids_change_nothing(store: Store) -> None:
    store.store_memories(replace(TEA, text="a \ud800 b \0 c"))
    store.store_memories()
    store.undo_memories(["nowhere"], at=1.0)
    store.redo_memories([], at=1.0)
    assert store.memories(with_deleted=True) == (replace(TEA, text="a \ufffd b \0 c"),)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE memories SET text = CAST(x'ff6162' AS TEXT) WHERE id = 'tea'",
        "UPDATE memories SET at = 'yesterday' WHERE id = 'tea'",
        "UPDATE memories SET changed_at = x'00' WHERE id = 'tea'",
        "UPDATE memories SET scope = 'galaxy' WHERE id = 'tea'",
    ],
)
def test_a_damaged_row_is_told_and_the_others_are_read(store: Store, damage: str, caplog) -> None:
    store.store_memories(NAME, TEA, COFFEE)
    store.database.execute_sql(damage)
    assert store.memories() == (NAME, COFFEE)
    assert "memory number 2 cannot be read" in caplog.text
    assert store.read(examine).unreadable == ("memory 2",)


def test_a_broken_page_costs_only_what_was_on_it(path: Path, caplog) -> None:
    store = Store(path)
    store.store_memories(*(Memory(f"m{n}", f"mark-{n:03} " * 30, float(n), float(n)) for n in range(100)))
    store.close()
    overwrite_page(path, "memories", b"mark-050 ")
    reader = Store(path, read_only=True)
    left = {memory.id for memory in reader.memories()}
    assert "m50" not in left
    assert len(left) > 80
    assert "read one by one" in caplog.text
    reader.close()
