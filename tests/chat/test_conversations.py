"""A conversation that is deleted goes quiet at once, and is one again when it is restored; one that was imported."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from desktop_app.chat import operations
from desktop_app.chat.compaction.optimize import stale_plan
from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import stamp
from desktop_app.conversation.events import ModelChanged, TurnFinished
from desktop_app.conversation.listing import ConversationInfo, ModelInfo
from desktop_app.conversation.message import Message, Role, user_message
from provider import Reply


async def begun(talk, queued: int) -> tuple[Any, Any]:
    """A conversation whose reply is under way, and messages that wait for its end."""
    made, session = await talk([Reply("one " * 400, pause=0.02), Reply("Yes.")], repeat_last=True)
    await made.chats.turns.send(session, "Begin")
    while not made.provider.requests:
        await asyncio.sleep(0.01)
    for number in range(queued):
        await made.chats.turns.send(session, f"Queued {number}")
    return made, session


@pytest.mark.long
@pytest.mark.parametrize("queued", [1, 3])
async def test_what_was_queued_is_not_sent(talk: Callable[..., Any], queued: int) -> None:
    made, session = await begun(talk, queued)
    assert len(made.chats.turns.queue.state(session.id).queue) == queued
    await made.chats.delete(session.id)
    assert not (await made.archive.unsent(session.id)).queue
    assert not made.chats.turns.is_busy(session.id)
    await made.chats.restore(session.id)
    await asyncio.sleep(0.2)
    assert len(made.provider.requests) == 1
    again = await made.chats.open(session.id)
    said = [e for e in again.transcript.entries if isinstance(e, Message) and e.role is not Role.SYSTEM]
    assert [message.text for message in said if message.role is Role.USER] == ["Begin"]
    assert said[-1].is_interrupted, "what had arrived of the reply is kept"


async def test_after_restore_one_session_writes_the_record(talk: Callable[..., Any]) -> None:
    made, session = await begun(talk, 0)
    await made.chats.delete(session.id)
    await made.chats.restore(session.id)
    again = await made.chats.open(session.id)
    assert again is not session
    with pytest.raises(WorldError):
        await session.record(stamp(user_message("I am the old one")))
    with pytest.raises(WorldError):
        await operations.pin(session, session.view.last_user_id)
    await made.turn(again, "Are you there?")
    stored = await made.archive.entries(session.id)
    assert list(stored) == list(again.transcript.entries)


async def test_a_message_sent_while_it_is_deleted_is_refused(talk: Callable[..., Any]) -> None:
    made, session = await begun(talk, 0)
    deleting = asyncio.ensure_future(made.chats.delete(session.id))
    await asyncio.sleep(0)
    with pytest.raises(WorldError):
        await made.chats.turns.send(session, "Too late")
    await deleting
    with pytest.raises(WorldError):
        await made.chats.open(session.id)


async def test_a_deletion_that_fails_changes_nothing(talk: Callable[..., Any], monkeypatch) -> None:
    made, session = await begun(talk, 0)
    failing = made.archive.change

    async def refuse(*_: object, **__: object) -> None:
        monkeypatch.setattr(made.archive, "change", failing)
        raise WorldError(stale_plan().failure)

    monkeypatch.setattr(made.archive, "change", refuse)
    with pytest.raises(WorldError):
        await made.chats.delete(session.id)
    assert (await made.chats.open(session.id)) is session
    await made.turn(session, "Are you there?")
    assert session.view.items[-1].message.text == "Yes."


async def test_what_the_command_line_imported_is_answered_by_the_model_of_new_conversations(
    house: Callable[..., Any],
) -> None:
    made = await house([Reply("Yes.")])
    info = ConversationInfo("1" * 32, "Imported", 1.0, 2.0, 1)
    await made.archive.create(info, [stamp(user_message("Hi"))])
    before = await made.archive.conversation(info.id)
    assert not before.model
    session = await made.chats.open(info.id)
    kept = await made.archive.conversation(info.id)
    assert (kept.model, kept.updated_at) == ("scripted/scripted", before.updated_at)
    assert kept.share > 0, "the list shows how full the window is"
    assert session.counter.gauge().window == 8_192
    await made.turn(session, "Are you there?")
    assert session.view.items[-1].message.text == "Yes."


async def test_a_message_sent_while_a_model_is_chosen_is_answered_by_that_model(house, monkeypatch) -> None:
    made = await house([Reply("Yes.")])
    made.models.others["scripted/other"] = ModelInfo("scripted/other", "Other", 8_192, 1_000)
    session = await made.chats.create()
    change, storing, stored = made.archive.change, asyncio.Event(), asyncio.Event()

    async def slowly(conversation: str, **changes: Any) -> None:
        if "model" in changes:
            storing.set()
            await stored.wait()
        await change(conversation, **changes)

    monkeypatch.setattr(made.archive, "change", slowly)
    choosing = asyncio.ensure_future(made.chats.choose_model(session.id, "scripted/other"))
    await storing.wait()
    sending = asyncio.ensure_future(made.chats.turns.send(session, "Are you there?"))
    await asyncio.sleep(0.05)
    stored.set()
    await asyncio.gather(choosing, sending)
    await made.until(lambda: bool(made.of(TurnFinished)))
    assert session.model.info.id == session.info.model == "scripted/other"
    reply = session.view.items[-1].message
    assert (reply.text, reply.model) == ("Yes.", session.model.info.record_name)
    assert not made.chats.turns.queue.state(session.id).queue, "nothing else would send it"
    assert not made.of(ModelChanged), "the answer to the choice has told it"


async def test_a_model_that_is_chosen_while_an_import_adds_to_it_answers_in_what_has_grown(house, monkeypatch) -> None:
    made = await house([])
    made.models.others["scripted/other"] = ModelInfo("scripted/other", "Other", 8_192, 1_000)
    session = await made.chats.create()
    resolve, asking, told = made.models.resolve_model, asyncio.Event(), asyncio.Event()

    async def slowly(model: str) -> Any:
        asking.set()
        await told.wait()
        return await resolve(model)

    monkeypatch.setattr(made.models, "resolve_model", slowly)
    choosing = asyncio.ensure_future(made.chats.choose_model(session.id, "scripted/other"))
    await asking.wait()
    async with made.chats.sessions.unopened(session.id):
        await made.archive.append(session.id, stamp(user_message("imported")))
    grown = await made.chats.open(session.id)
    told.set()
    assert await choosing is grown
    assert grown.model.info.id == grown.info.model == "scripted/other"
