"""A conversation to which nothing was sent yet counts the memories that are saved in others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from desk import RULE, Desk, open_desk

from desktop_app.conversation.events import GaugeChanged, Trigger
from desktop_app.conversation.gauge import Gauge, Segment
from desktop_app.conversation.message import Message, Role, Text, user_message
from desktop_app.engine import protocol as p
from desktop_app.settings import Server, Settings
from provider import Call, Reply, ScriptedProvider

SAVING = Reply("", calls=(Call("save_memory", '{"text": "Drinks tea."}'),), finish="tool_calls")


@pytest_asyncio.fixture
async def desk(data_folder: Path, tmp_path: Path) -> AsyncIterator[Desk]:
    """A desk whose conversations work in one folder, and whose model saves a memory."""
    with ScriptedProvider([SAVING, Reply("Saved.")]) as provider:
        server = Server("scripted", provider.base_url, ("scripted",), window=12_000, max_output=1_000)
        settings = Settings(
            chat_model="scripted/scripted", servers=(server,), folder=str(tmp_path), summaries="extractive"
        )
        made = await open_desk(data_folder, settings)
        yield made
        await made.close()


async def told(desk: Desk, conversation: str, has_memories: bool) -> Gauge:
    """Return the gauge that tells of memories there, or of none, once the window got it."""
    async with asyncio.timeout(60):
        while True:
            gauges = [e.gauge for e in desk.events() if isinstance(e, GaugeChanged) and e.conversation == conversation]
            if gauges and bool(gauges[-1].segments.get(Segment.MEMORY)) is has_memories:
                return gauges[-1]
            await asyncio.sleep(0.01)


async def unsent(desk: Desk) -> str:
    opened = await desk.ask(p.CreateConversation())
    assert opened.gauge is not None
    assert not opened.gauge.segments.get(Segment.MEMORY)
    return opened.conversation.id


@pytest.mark.wire
async def test_it_counts_what_a_model_saves(desk: Desk) -> None:
    waiting, other = await unsent(desk), await unsent(desk)
    await desk.ask(p.Send(other, "I drink tea."))
    gauge = await told(desk, waiting, has_memories=True)
    assert gauge.total == sum(gauge.segments.values())
    await desk.engine.conversations.turns.wait_until_idle(other)


async def test_it_counts_what_is_saved_before_messages_leave_the_view_and_what_is_undone_of_it(desk: Desk) -> None:
    waiting = await unsent(desk)
    talk = [user_message(f"{RULE} Let us begin.")]
    for n in range(50):
        talk.append(Message(role=Role.ASSISTANT, parts=(Text(f"Answer {n}. " + f"detail{n} said " * 15),)))
        talk.append(user_message(f"Go on with {n}, " + f"about topic{n} " * 15))
    session = await desk.engine.conversations.create("Long", talk)
    flusher = desk.engine.conversations.services.memory
    assert flusher is not None
    assert await flusher.flush(session, Trigger.USER)
    await told(desk, waiting, has_memories=True)
    (flush,) = [row.id for row in session.operations() if row.kind == "flush"]
    await desk.ask(p.UndoOperation(session.id, flush))
    await told(desk, waiting, has_memories=False)
    await desk.ask(p.RedoOperation(session.id, flush))
    await told(desk, waiting, has_memories=True)
