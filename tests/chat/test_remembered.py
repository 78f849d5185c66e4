"""What was flushed is told, corrected, taken back, and the user's own to change."""

# ruff: noqa: F811 - the fixture is imported, and named by the tests

from __future__ import annotations

import pytest
from msgspec.structs import replace
from remembering import TEA, made, save, saving  # noqa: F401 - a fixture
from test_summarize import chat

from builders import user
from desktop_app.chat.memory_flusher import redo_flush, undo_flush, write_memory
from desktop_app.context.memory.memories import MAX_NOTE_CHARACTERS
from desktop_app.conversation.events import ArchiveError, Failure
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.transcript import Compaction, Trigger
from provider import Reply


async def test_what_is_sent_of_the_memories_stays_the_same_whatever_is_said(made) -> None:
    home = await made([])
    await write_memory(home.archive, Memory("", TEA, 0.0, 0.0))
    text = await home.keeper.text(home.session)
    await home.session.record(user("What is the weather like? " * 50, id="x1"), user("Thanks.", id="x2"))
    assert await home.keeper.text(home.session) == text
    await write_memory(home.archive, Memory("", "The user has a dog.", 0.0, 0.0))
    assert (await home.keeper.text(home.session)).startswith(text)


async def test_what_is_known_is_told_and_a_correction_takes_its_place(made) -> None:
    home = await made([Reply(calls=(save("The user drinks coffee now.", replaces=TEA),))])
    await home.archive.store_memories(Memory("tea", TEA, 0.0, 0.0, author="model"))
    await home.flushed()
    assert f"Remembered already:\n- {TEA}" in home.requests[0].text
    assert await home.texts() == ["The user drinks coffee now."]


async def test_a_flush_can_be_undone_and_redone_with_what_it_replaced(made) -> None:
    home = await made([Reply(calls=(save("The user's name is Bob."), save(TEA)))])
    await home.archive.store_memories(Memory("name", "The user's name is Ann.", 0.0, 0.0, author="model"))
    await home.flushed()
    after = await home.texts()
    assert sorted(after) == [TEA, "The user's name is Bob."]
    flush_id = home.flushes[0].id
    for _ in range(2):  # repeating it changes nothing
        await undo_flush(home.session, home.archive, flush_id)
        assert await home.texts() == ["The user's name is Ann."]
    for _ in range(2):
        await redo_flush(home.session, home.archive, flush_id)
        assert await home.texts() == after
    await undo_flush(home.session, home.archive, flush_id)
    assert await home.texts() == ["The user's name is Ann."]
    assert len(home.session.transcript.entries) == len(chat(8)) + 1 + 3


async def test_what_was_taken_back_is_not_kept_by_the_next_flush(made) -> None:
    home = await made([saving(TEA), saving(TEA, "The user has a dog.")])
    await home.flushed()
    await undo_flush(home.session, home.archive, home.flushes[0].id)
    compaction = Compaction(id="c", trigger=Trigger.USER, strategy="extractive", archived=(), summary="S")
    await home.session.record(user("Hello again.", id="x1"), compaction)
    await home.flushed()
    assert await home.texts() == ["The user has a dog."]


async def test_memories_that_were_stored_without_their_flush_are_recorded_and_not_asked_for_again(
    made, monkeypatch
) -> None:
    """As when the engine is killed between the two."""
    home = await made([saving(TEA, "The user has a dog.")])

    async def refuse(*_: object, **__: object) -> None:
        raise ArchiveError(Failure("disk", "Killed"))

    with monkeypatch.context() as killed:
        killed.setattr(home.archive, "append", refuse)
        assert await home.flushed() == []
    saved = await home.archive.memories()
    assert [memory.text for memory in saved] == [TEA, "The user has a dog."]
    assert home.flushes == []
    assert await home.flushed()
    assert await home.flushed(Trigger.OVERFLOW) == []
    assert len(home.requests) == 1, "nobody is asked a second time"
    assert await home.archive.memories() == saved
    (flush,) = home.flushes
    assert flush.memories == tuple(memory.id for memory in saved)
    assert flush.before == home.session.view.items[-1].message.id


async def test_an_archive_that_cannot_write_does_not_stop_the_conversation(made, caplog) -> None:
    home = await made([saving(TEA), saving(TEA)])
    await home.archive.run(lambda store: store.database.execute_sql("PRAGMA query_only = 1"))
    assert await home.flushed() == []
    assert "no memory was kept" in caplog.text
    await home.archive.run(lambda store: store.database.execute_sql("PRAGMA query_only = 0"))
    assert await home.flushed()
    assert await home.texts() == [TEA]


async def test_the_users_own_word_on_memories(made) -> None:
    home = await made([])
    tea = await write_memory(home.archive, Memory("", f"  {TEA} ", 0.0, 0.0))
    assert (tea.text, tea.author) == (TEA, "user")
    assert tea.at == tea.changed_at > 1e9
    edited = await write_memory(home.archive, replace(tea, text="The user drinks coffee."))
    assert (edited.id, edited.at) == (tea.id, tea.at)
    await write_memory(home.archive, replace(edited, is_on=False))
    assert await home.keeper.text(home.session) == ""
    await write_memory(home.archive, replace(edited, is_on=True, is_deleted=True))
    assert await home.texts() == []
    await write_memory(home.archive, edited)
    assert await home.texts() == ["The user drinks coffee."]


@pytest.mark.parametrize("text", ["", "  \n", "x" * (MAX_NOTE_CHARACTERS + 1)])
async def test_a_memory_that_says_nothing_or_too_much_is_refused(made, text: str) -> None:
    home = await made([])
    with pytest.raises(Exception, match="A memory ") as caught:
        await write_memory(home.archive, Memory("", text, 0.0, 0.0))
    assert caught.value.failure.kind == "bad_input"  # type: ignore[attr-defined]
    assert await home.texts() == []
