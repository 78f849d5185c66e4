"""What the first request will carry is counted before it is sent: tools, and what is remembered of the user."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest
import pytest_asyncio
from msgspec.structs import replace

from builders import model
from desktop_app.chat.conversations import Conversations
from desktop_app.chat.sent_requests import read_request
from desktop_app.chat.session import Session
from desktop_app.conversation.events import GaugeChanged, TurnEvent, TurnFinished
from desktop_app.conversation.gauge import PartKind, Segment
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.message import user_message
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import RequestContext
from desktop_app.engine import protocol as p
from desktop_app.engine.compose import compose_services
from desktop_app.engine.engine import Engine
from desktop_app.engine.event_coalescer import EventCoalescer
from desktop_app.engine.requests import respond
from desktop_app.engine.services import EngineServices
from desktop_app.models.tokens.tokenizers import tokenizer_for
from desktop_app.settings import Server, Settings
from provider import Reply, ScriptedProvider

pytestmark = pytest.mark.wire


class Desk(NamedTuple):
    services: EngineServices
    provider: ScriptedProvider
    events: list[TurnEvent]


@pytest_asyncio.fixture
async def desk(data_folder: Path, tmp_path: Path) -> AsyncIterator[Desk]:
    events: list[TurnEvent] = []
    bugs: list[BaseException] = []
    with ScriptedProvider([Reply("Yes.", usage=None)], repeat_last=True) as provider:
        server = Server("desk", provider.base_url, ("scripted",), 32_000)

        def changed(_: Settings) -> Settings:
            return Settings(chat_model="desk/scripted", servers=(server,), folder=str(tmp_path), system_prompt="Hi.")

        services = await compose_services(
            data_folder, events.append, lambda: None, bugs.append, changed, is_attended=False
        )
        await services.archive.store_memories(
            Memory("m1", "The user works with ledgers in Lisbon.", 1.0, changed_at=1.0)
        )
        yield Desk(services, provider, events)
        await services.close()
    assert not bugs


def restarted(desk: Desk) -> Conversations:
    """Return the conversations as a process finds them that has opened none."""
    chats = desk.services.conversations
    return Conversations(chats.archive, chats.settings, chats.services, desk.events.append, lambda: None)


async def test_the_gauge_before_the_first_message_is_the_request_s_but_for_it(desk: Desk) -> None:
    chats = desk.services.conversations
    session = await chats.create()
    before = session.counter.gauge()
    assert before.segments[Segment.SCHEMAS] > 300
    assert before.segments[Segment.MEMORY] > 5
    draft = tokenizer_for("scripted").count("Hello there") + session.counter.counts.tokenizer.overhead.message
    await chats.turns.send(session, "Hello there")
    await chats.turns.wait_until_idle(session.id)
    first = next(e.gauge for e in desk.events if isinstance(e, GaugeChanged) and e.gauge.segments.get(Segment.USER))
    assert first.total == before.total + draft
    assert first.segments[Segment.SCHEMAS] == before.segments[Segment.SCHEMAS]
    finished = next(event for event in desk.events if isinstance(event, TurnFinished))
    assert finished.tokens_estimated == first.total
    body = desk.provider.requests[0].body
    assert len(body["tools"]) == len(session.view.tools) > 0
    assert "Lisbon" in str(body["messages"][0])
    await chats.turns.send(session, "And now?")
    await chats.turns.wait_until_idle(session.id, with_room=True)
    entries = list(session.transcript.entries)
    assert [type(entry) for entry in entries].count(RequestContext) == 1
    assert list((await restarted(desk).open(session.id)).transcript.entries) == entries


async def test_it_is_counted_anew_where_tools_or_memories_change(desk: Desk) -> None:
    session = await desk.services.conversations.create()
    before = session.counter.gauge().segments
    engine = Engine(desk.services, EventCoalescer(lambda line: None))
    await respond(engine, p.WriteMemory(Memory("m2", "The user keeps three boats in a harbour there.", 1.0, 1.0)))
    told = [event.gauge for event in desk.events if isinstance(event, GaugeChanged)][-1]
    assert told == session.counter.gauge()
    assert told.segments[Segment.MEMORY] > before[Segment.MEMORY] + 5
    await desk.services.change_settings(replace(desk.services.settings, is_memory_on=False))
    told = [event.gauge for event in desk.events if isinstance(event, GaugeChanged)][-1]
    assert told == session.counter.gauge()
    assert told.segments[Segment.SCHEMAS] < before[Segment.SCHEMAS]
    assert not told.segments.get(Segment.MEMORY)


async def test_what_changes_while_it_is_counted_is_counted_too(desk: Desk, monkeypatch) -> None:
    chats, memory, gate = desk.services.conversations, desk.services.conversations.services.memory, asyncio.Event()
    session = await chats.create()
    assert memory is not None
    text_now = memory.text

    async def read_slowly(session: Session) -> str:
        text = await text_now(session)
        await gate.wait()
        return text

    monkeypatch.setattr(memory, "text", read_slowly)
    first = asyncio.ensure_future(chats.turns.getting_ready.equip(session))
    await asyncio.sleep(0.05)
    await desk.services.archive.store_memories(Memory("m2", "The user keeps three boats.", 1.0, changed_at=1.0))
    second = asyncio.ensure_future(chats.turns.getting_ready.equip(session))
    await asyncio.sleep(0.05)
    gate.set()
    await asyncio.gather(first, second)
    assert "boats" in session.view.request_context.memory


async def test_after_a_restart_too_and_with_another_folder(desk: Desk) -> None:
    chats = desk.services.conversations
    said = [user_message("Hello"), model("Hi.")]
    assert (await chats.create("Imported", said)).counter.gauge().segments[Segment.SCHEMAS] > 300
    session = await chats.create()
    known = session.counter.gauge().total
    chats = restarted(desk)
    again = await chats.open(session.id)
    assert again.counter.gauge().total == known
    await chats.choose_folder(again.id, "")
    assert again.counter.gauge().segments[Segment.SCHEMAS] < session.counter.gauge().segments[Segment.SCHEMAS]


async def test_a_server_that_renders_its_template_is_asked_and_no_turn_waits_for_it(desk: Desk, monkeypatch) -> None:
    chats, gate, asked = desk.services.conversations, asyncio.Event(), list[tuple[ToolSpec, ...]]()

    async def count_slowly(model_id: str, tools: tuple[ToolSpec, ...]) -> int:
        asked.append(tools)
        await gate.wait()
        return 12_345

    monkeypatch.setattr(chats.services.models, "count_tools", count_slowly)
    session = await chats.create()
    before = session.counter.gauge()
    await chats.turns.send(session, "Hello there")
    await chats.turns.wait_until_idle(session.id)
    assert session.counter.gauge().segments[Segment.SCHEMAS] == before.segments[Segment.SCHEMAS]
    gate.set()
    while session.counter.gauge().segments[Segment.SCHEMAS] != 12_345:
        await asyncio.sleep(0.01)
    assert asked[0] == session.view.tools
    told = [event.gauge for event in desk.events if isinstance(event, GaugeChanged)][-1]
    assert told.total == session.counter.gauge().total > 12_345
    parts = await read_request(session)
    assert sum(part.tokens for part in parts.parts if part.kind is PartKind.TOOLS) == 12_345
    assert session.counter.request().counted == told.total, "the decisions count them, too"


async def test_a_server_that_answers_after_a_deletion_changes_no_gauge(desk: Desk, monkeypatch) -> None:
    chats, gate, answered = desk.services.conversations, asyncio.Event(), asyncio.Event()

    async def count_slowly(model_id: str, tools: tuple[ToolSpec, ...]) -> int:
        try:
            await gate.wait()
        finally:
            answered.set()
        return 12_345

    monkeypatch.setattr(chats.services.models, "count_tools", count_slowly)
    session = await chats.create()
    await asyncio.sleep(0.05)
    await chats.delete(session.id)
    desk.events.clear()
    gate.set()
    await answered.wait()
    await asyncio.sleep(0.05)
    assert not [event for event in desk.events if isinstance(event, GaugeChanged)]


async def test_after_an_import_the_server_counts_for_the_session_that_is_open_then(desk: Desk, monkeypatch) -> None:
    chats, gate = desk.services.conversations, asyncio.Event()

    async def count_slowly(model_id: str, tools: tuple[ToolSpec, ...]) -> int:
        await gate.wait()
        return 12_345

    monkeypatch.setattr(chats.services.models, "count_tools", count_slowly)
    closed = await chats.create()
    await asyncio.sleep(0.05)
    async with chats.sessions.unopened(closed.id):
        pass
    session = await chats.open(closed.id)
    assert session is not closed
    gate.set()
    await asyncio.sleep(0.1)
    assert session.counter.gauge().segments[Segment.SCHEMAS] == 12_345
