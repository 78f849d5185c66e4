"""The user's message is stored, whatever becomes of what comes before it."""

from __future__ import annotations

import asyncio

from desktop_app.chat.session import Session
from desktop_app.conversation.events import MessageRecorded, TurnFailed, TurnFinished
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Recalled
from provider import Reply


async def test_who_stops_while_the_archive_is_searched_finds_the_message_stored(house) -> None:
    home, searching = await house([Reply("Never.")]), asyncio.Event()

    async def recall(session: Session, message: Message) -> Recalled | None:
        searching.set()
        await asyncio.sleep(60)
        return None

    home.furnish(recall=recall)
    session = await home.chats.create()
    await home.chats.turns.send(session, "Remember?")
    await searching.wait()
    await home.chats.turns.stop(session.id)
    assert [event.row.message.text for event in home.of(MessageRecorded)] == ["Remember?"]
    assert [entry.text for entry in await home.archive.entries(session.id)][-1] == "Remember?"
    assert [event.reason for event in home.of(TurnFinished)] == ["stopped"]
    assert home.provider.requests == []


async def test_a_bug_in_the_search_does_not_cost_the_message(house) -> None:
    home = await house([Reply("Never.")])

    async def recall(session: Session, message: Message) -> Recalled | None:
        raise RuntimeError("of its own")

    home.furnish(recall=recall)
    session = await home.chats.create()
    await home.turn(session, "Remember?")
    await asyncio.sleep(0.05)
    assert [entry.text for entry in await home.archive.entries(session.id)][-1] == "Remember?"
    assert [event.failure.kind for event in home.of(TurnFailed)] == ["bug"]
    assert [str(bug) for bug in home.bugs] == ["of its own"]
    home.bugs.clear()
