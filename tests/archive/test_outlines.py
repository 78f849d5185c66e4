from __future__ import annotations

from pathlib import Path

import pytest
from archive_messages import said

from desktop_app.archive import archive as archive_thread
from desktop_app.archive.archive import Archive
from desktop_app.archive.reading import entries, entry_slice
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.transcript import Flush, Pin, Recalled, Rewind
from stores import Store

INFO = ConversationInfo("c", "A conversation", 1.0, 1.0)
ENTRIES = [
    said("m0", "One?"),
    Recalled(id="r0", at=1.0, for_message_id="m0", text="Long ago."),
    said("m1", "Two."),
    Flush(id="f0", at=1.0, memories=("a",)),
    said("m2", "Three?"),
    Rewind(id="b1", at=1.0, first_message_id="m2"),
    said("m3", "Four?"),
    Pin(id="p0", at=1.0, message_id="m3"),
]


def damage(store: Store, entry_id: str) -> None:
    store.database.execute_sql("DROP TRIGGER entries_never_change")
    store.database.execute_sql("UPDATE entries SET body = '{' WHERE id = ?", (entry_id,))


@pytest.fixture
def store(path: Path):
    made = Store(path)
    made.create(INFO, ENTRIES)
    yield made
    made.close()


def test_an_outline_has_what_was_done_and_the_messages_that_not_every_branch_has(store: Store) -> None:
    outline = store.record_outline("c")
    assert outline is not None
    assert [entry.id for entry in outline.entries] == ["m1", "f0", "m2", "b1", "m3", "p0"]
    assert (outline.numbers, outline.shared) == ({"m1": 1, "m2": 2, "m3": 3}, 2)


def test_messages_are_read_until_their_text_suffices(store: Store) -> None:
    read = store.messages("c", [3, 2, 0], 1_000)
    assert read is not None
    assert [message.text for message in read] == ["Four?", "Three?", "One?"]
    assert store.messages("c", [3, 2, 0], 5) == read[:1]
    assert store.message_index("c", "m3") == 3
    assert store.message_index("c", "p0") is None is store.message_index("c", "nothing")
    assert store.messages("c", [4], 10) is None


@pytest.mark.parametrize("entry_id", ["f0", "m3"])
def test_what_is_damaged_is_not_seen_but_read_with_the_whole(entry_id: str, store: Store) -> None:
    damage(store, entry_id)
    assert (store.record_outline("c") is None) == (entry_id == "f0")
    assert (store.messages("c", [3], 10) is None) == (entry_id == "m3")
    assert store.read(entry_slice, "c", 0, 99, 0) is None


@pytest.mark.parametrize("damaged", [None, "m1", "p0"])
async def test_a_long_record_is_read_in_slices_as_it_would_be_at_once(
    damaged: str | None, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_thread, "SLICE", 3)
    archive = await Archive.open(path)
    await archive.create(INFO, ENTRIES)
    if damaged:
        await archive.run(lambda store: damage(store, damaged))
    read = await archive.entries("c")
    assert read == await archive.run(lambda store: store.read(entries, "c"))
    assert len(read) == len(ENTRIES) - (damaged == "p0")
    await archive.close()
