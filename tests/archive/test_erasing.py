"""Erasing deleted conversations for good, and making the file smaller."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from archive_messages import said
from msgspec.structs import replace

from desktop_app.archive import backups, erasing
from desktop_app.archive.damage import examine
from desktop_app.archive.erasing import deleted_conversations, unused_room
from desktop_app.conversation.events import ArchiveError
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.message import MessageDraft
from desktop_app.conversation.unsent import UnsentMessages
from stores import Store
from texts import NOT_SMALLER

SECRET = "xylophone"


@pytest.fixture
def gone(store: Store) -> str:
    """A conversation that was deleted, with all that can be stored of one."""
    store.append("c", replace(said("c1", "hello tea"), model="here"))
    store.create(
        ConversationInfo("gone", "Gone", 1.0, 1.0),
        [replace(said(f"g{n}", f"{SECRET} {n} " * 50), model="there") for n in range(200)],
    )
    store.append("gone", archived=["g1", "g2"])
    store.store_partial("gone", said("gp", SECRET))
    store.store_unsent("gone", UnsentMessages(MessageDraft(SECRET)))
    own = Memory("m1", f"{SECRET} here", 1.0, 1.0, conversation="gone", scope="conversation")
    store.store_memories(own, Memory("m2", "Tea is hot", 1.0, 1.0, conversation="gone", scope="user"))
    store.change("gone", is_deleted=True)
    return "gone"


def files_with(folder: Path, word: str) -> set[str]:
    return {path.name for path in folder.iterdir() if path.is_file() and word.encode() in path.read_bytes().lower()}


def test_all_of_it_goes_and_nothing_else(store: Store, gone: str, path: Path) -> None:
    (item,) = store.read(deleted_conversations)
    assert (item.key, item.name, item.messages) == ("conversation:gone", "Gone", 200)
    assert item.size > 100_000
    store.erase([gone])
    store.compact()
    assert not store.read(deleted_conversations)
    assert not store.search(SECRET)
    assert store.search_values().models == ("here",), "no filter names what was used there alone"
    assert [hit.message for hit in store.search("tea")] == ["c1"]
    assert [memory.id for memory in store.memories()] == ["m2"]
    health = store.read(examine)
    assert (health.damage, health.unreadable, health.unsearchable, health.entries) == ((), (), (), 1)
    assert not files_with(path.parent, SECRET), "not in the search index, the log or an unused page either"


def test_the_record_is_guarded_as_before(store: Store, gone: str) -> None:
    store.erase([gone])
    for statement in ("DELETE FROM entries", "DELETE FROM conversations", "DELETE FROM memories"):
        with pytest.raises(sqlite3.IntegrityError, match=r"append-only|never erased"):
            store.database.connection().execute(statement)


def test_one_on_the_list_is_refused_and_nothing_goes(store: Store, gone: str) -> None:
    with pytest.raises(ArchiveError) as raised:
        store.erase([gone, "c"])
    assert raised.value.failure.kind == "stale"
    assert [item.key for item in store.read(deleted_conversations)] == ["conversation:gone"]
    with pytest.raises(sqlite3.IntegrityError):
        store.database.connection().execute("DELETE FROM entries")
    store.change(gone, is_deleted=False)
    assert len(store.entries(gone)) == 200
    assert len(store.search(SECRET)) > 0


def test_the_next_start_misses_nothing(store: Store, gone: str, path: Path) -> None:
    store.erase([gone])
    store.close()
    with closing(Store(path)) as again:
        assert [info.id for info in again.conversations()] == ["c"]
        again.append("c", said("c2"))
        assert [entry.id for entry in again.entries("c")] == ["c1", "c2"]


def test_a_compacted_file_is_smaller_and_is_written_on(store: Store, gone: str, path: Path) -> None:
    store.erase([gone])
    assert store.read(unused_room) > 100_000
    store.database.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    before, told = path.stat().st_size, list[tuple[int, int]]()
    store.compact(lambda done, whole: told.append((done, whole)))
    assert path.stat().st_size < before / 3
    assert store.read(unused_room) == 0
    assert all(done <= whole for done, whole in told)
    store.append("c", said("c2", "more tea"))
    assert [hit.message for hit in store.search("more")] == ["c2"]
    assert store.database.execute_sql("PRAGMA journal_mode").fetchone() == ("wal",)
    assert not backups.compacted_file(path).exists()


def test_a_compaction_that_is_stopped_or_fails_changes_nothing(
    store: Store, gone: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(Exception):
        pass

    def stop(done: int, whole: int) -> None:
        if whole:
            raise Stopped

    store.erase([gone])
    monkeypatch.setattr(erasing, "STEPS", 1)
    with pytest.raises(Stopped):
        store.compact(stop)
    assert not backups.compacted_file(path).exists()
    monkeypatch.setattr(erasing, "VACUUM", "ATTACH '/nowhere/at/all' AS ?")
    with pytest.raises(ArchiveError) as raised:
        store.compact()
    assert NOT_SMALLER in raised.value.failure.title
    assert not backups.compacted_file(path).exists()
    store.append("c", said("c2"))
    assert [entry.id for entry in store.entries("c")] == ["c1", "c2"]
