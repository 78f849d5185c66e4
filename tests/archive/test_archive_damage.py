"""Full disks, busy files and broken pages: said plainly, and what can be read is read."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from archive_messages import overwrite_page, said

from desktop_app.archive.damage import examine, list_names
from desktop_app.conversation.events import ArchiveError
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Pin
from stores import Store


def test_a_full_disk_is_said_plainly_and_nothing_stored_is_lost(store: Store) -> None:
    store.append("c", said("m1"))
    pages = store.database.execute_sql("PRAGMA page_count").fetchone()[0]
    store.database.execute_sql(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(ArchiveError) as caught:
        store.append("c", *(said(f"x{number}", "word " * 2_000) for number in range(20)))
    failure = caught.value.failure
    assert (failure.kind, failure.title) == ("disk", "The disk is full")
    assert all((failure.kept, failure.advice))
    assert [entry.id for entry in store.entries("c")] == ["m1"]
    store.database.execute_sql("PRAGMA max_page_count = 100000")
    store.append("c", said("m2"))
    assert [entry.id for entry in store.entries("c")] == ["m1", "m2"]


def test_another_program_that_holds_the_archive_is_said_plainly(store: Store) -> None:
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store.database.timeout = 0.05
    with pytest.raises(ArchiveError, match="Another program is using the archive") as caught:
        store.append("c", said("m1"))
    assert caught.value.failure.kind == "locked"
    other.execute("ROLLBACK")
    other.close()
    store.append("c", said("m1"))


def test_a_damaged_message_says_so_in_its_place_and_the_others_are_read(store: Store, caplog) -> None:
    store.append("c", said("m1"), said("m2"), Pin(id="p", at=2.0, message_id="m1"), said("m3"))
    store.database.execute_sql("DROP TRIGGER entries_never_change")  # a failing disk knows none
    store.database.execute_sql('UPDATE entries SET body = \'{"type":"mess\' WHERE id = "m2"')
    entries = store.entries("c")
    assert [entry.id for entry in entries] == ["m1", "m2", "p", "m3"]
    assert isinstance(entries[1], Message)
    assert "could not be read" in entries[1].text
    assert "entry m2 of conversation c cannot be read" in caplog.text
    assert store.read(examine).unreadable == ("m2",)


def test_a_partial_that_the_record_has_already_does_not_stop_the_others(store: Store) -> None:
    store.create(ConversationInfo("d", "Another", created_at=1.0, updated_at=1.0))
    store.append("c", said("r1"))
    store.store_partial("d", said("r2"))
    store.database.execute_sql("INSERT INTO partials SELECT 'c', 'x', body FROM entries WHERE id = 'r1'")
    assert store.recover_partials() == 1
    assert [entry.id for entry in store.entries("d")] == ["r2"]


def test_a_partial_that_cannot_be_read_stays_and_does_not_stop_the_others(store: Store, caplog) -> None:
    store.create(ConversationInfo("d", "Other", 1.0, 1.0))
    store.store_partial("c", said("r1"))
    store.store_partial("d", said("r2"))
    store.database.execute_sql("UPDATE partials SET body = '{' WHERE conversation = 'c'")
    assert store.recover_partials() == 1
    assert "partial reply of conversation c cannot be read" in caplog.text
    assert store.database.execute_sql("SELECT conversation FROM partials").fetchall() == [("c",)]


def test_a_broken_page_costs_only_what_was_on_it_and_the_file_is_never_overwritten(path: Path, caplog) -> None:
    store = Store(path)
    store.create(ConversationInfo("c", "Long", 1.0, 1.0), [said(f"m{n}", f"note-{n:03} " * 50) for n in range(100)])
    store.create(ConversationInfo("d", "Other", 1.0, 1.0), [said("d1")])
    store.close()
    content = overwrite_page(path, "entries", b"note-050 ")

    reader = Store(path, read_only=True)
    assert len(reader.conversations()) == 2
    entries = reader.entries("c")
    assert len(entries) == 100
    unread = [n for n, entry in enumerate(entries) if isinstance(entry, Message) and "could not be read" in entry.text]
    assert 50 in unread
    assert len(unread) < 12
    assert all(entries[n] == said(f"m{n}", f"note-{n:03} " * 50) for n in range(100) if n not in unread)
    assert "read one by one" in caplog.text
    assert reader.entries("d") == (said("d1"),)
    assert reader.read(examine).damage
    reader.close()
    assert path.read_bytes() == content


def test_an_archive_whose_beginning_is_broken_is_refused_and_left_alone(path: Path) -> None:
    Store(path).close()
    content = bytearray(path.read_bytes())
    content[100:4096] = b"\xa5" * 3996
    path.write_bytes(content)
    for read_only in (False, True):
        with pytest.raises(ArchiveError) as caught:
            Store(path, read_only)
        assert caught.value.failure.kind == "damaged"
        assert "doctor" in caught.value.failure.advice
    assert path.read_bytes() == bytes(content)


def test_health_knows_what_search_does_not(store: Store) -> None:
    store.append("c", said("m1"), said("m2"), said("m3"))
    assert store.read(examine).unsearchable == ()
    assert (store.read(examine).conversations, store.read(examine).entries) == (1, 3)
    store.database.execute_sql(
        "INSERT INTO words (words, rowid, text) SELECT 'delete', entry, text FROM message_texts WHERE entry = 0"
    )
    store.database.execute_sql("UPDATE message_texts SET text = 'other' WHERE entry = 2")
    assert store.read(examine).unsearchable == ("m1", "m3")
    assert list_names([str(number) for number in range(1_205)]) == "0, 1, 2, 3, 4 and 1,200 more"


@pytest.mark.long
def test_an_index_that_is_set_up_wrongly_is_damage_and_made_anew(path: Path) -> None:
    store = Store(path)
    store.create(ConversationInfo("c", "Title", 1.0, 1.0), [said("m1", "a needle")])
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE words_config SET v = 0 WHERE k = 'version'")
    connection.close()
    store = Store(path)
    assert store.warning is not None
    assert [result.message for result in store.search("needle")] == ["m1"]
    store.close()


def test_a_first_start_that_a_power_cut_ended_is_no_damage(path: Path) -> None:
    """Of the new file a part is there, and the journal with which SQLite goes back to nothing."""
    Store(path).close()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    header = bytes.fromhex("d9d505f920a163d7") + bytes(4) + bytes(4) + bytes(4)
    sizes = (512).to_bytes(4, "big") + (4_096).to_bytes(4, "big")
    path.with_name(f"{path.name}-journal").write_bytes((header + sizes).ljust(512, b"\0"))
    store = Store(path)
    assert (store.conversations(), store.warning) == ((), None)
    store.close()
