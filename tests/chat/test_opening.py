"""A long conversation is seen before its record is read; what is done meanwhile waits, and nothing of it is lost."""

from __future__ import annotations

import asyncio
import threading

import pytest

from desktop_app.chat import open_sessions
from desktop_app.chat.branching import show_version
from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session, stamp
from desktop_app.conversation.events import (
    ArchiveError,
    Failure,
    FiguresCounted,
    MessageRecorded,
    TurnFailed,
    TurnFinished,
)
from desktop_app.conversation.message import Message, Role, Text, ToolCall
from desktop_app.conversation.transcript import Compaction, Trigger
from provider import Reply

SAID = [Message(role=Role.ASSISTANT if n % 2 else Role.USER, parts=(Text(f"Message {n}."),)) for n in range(200)]


class Gate:
    """An archive in which reading whole records waits until the gate is opened."""

    def __init__(self, archive) -> None:
        self._archive = archive
        self.opened = asyncio.Event()
        self.is_asked = False
        self.failure: Failure | None = None

    def __getattr__(self, name: str):
        return getattr(self._archive, name)

    async def entries(self, conversation: str):
        self.is_asked = True
        await self.opened.wait()
        if self.failure is not None:
            raise ArchiveError(self.failure)
        return await self._archive.entries(conversation)


@pytest.fixture
def long_talk(talk, monkeypatch):
    """A house whose conversation of 200 messages counts as a long one, as another process finds it, behind a gate."""
    monkeypatch.setattr(open_sessions, "LONG", 100)

    async def make(script: list):
        home, session = await talk(script, messages=SAID)
        home.archive = gate = Gate(home.archive)
        home.furnish()
        return home, gate, session

    return make


async def test_the_newest_messages_are_seen_first_and_the_figures_follow(long_talk) -> None:
    home, gate, before = await long_talk([])
    seen = await home.chats.sessions.open_partially(before.id)
    assert await seen.page(seen.total, 60) == before.page(before.total, 60)
    assert await seen.page(90, 60) == before.page(90, 60), "older ones can be scrolled to"
    assert not home.of(FiguresCounted)
    gate.opened.set()
    await home.until(lambda: home.of(FiguresCounted))
    (counted,) = home.of(FiguresCounted)
    session = await home.chats.open(before.id)
    assert (
        (counted.gauge, counted.totals)
        == (session.counter.gauge(), session.totals())
        == (before.counter.gauge(), before.totals())
    )
    assert await home.chats.sessions.open_partially(before.id) is None, "it is open now"


class NotingTokenizer:
    """Counts as another one does, and notes which texts."""

    def __init__(self, tokenizer) -> None:
        self._tokenizer = tokenizer
        self.counted: set[str] = set()

    def __getattr__(self, name: str):
        return getattr(self._tokenizer, name)

    def count(self, text: str) -> int:
        self.counted.add(text)
        return self._tokenizer.count(text)


async def test_what_is_archived_is_not_counted_to_open_it(long_talk, monkeypatch) -> None:
    """So no counts have to be kept: what a window holds is counted in a moment, however long the record is."""
    home, gate, before = await long_talk([])
    archived, shown = before.recorded.branch[:150], before.recorded.branch[150:]
    ids = tuple(message.id for message in archived)
    await before.record(stamp(Compaction(trigger=Trigger.USER, strategy="edited", archived=ids, summary="Much.")))
    model = home.models.model(before.info.model)
    model.tokenizer = noting = NotingTokenizer(model.tokenizer)
    monkeypatch.setattr(home.models, "model", lambda _: model)
    gate.opened.set()
    await home.chats.sessions.open_partially(before.id)
    assert (await home.chats.open(before.id)).counter.gauge() == before.counter.gauge()
    assert noting.counted >= {message.text for message in shown}
    assert noting.counted.isdisjoint(message.text for message in archived)


async def test_a_short_conversation_is_opened_at_once(talk) -> None:
    home, session = await talk([], messages=SAID)
    home.furnish()
    assert await home.chats.sessions.open_partially(session.id) is None
    assert (await home.chats.open(session.id)).counter.gauge() == session.counter.gauge()
    assert not home.of(FiguresCounted)


async def test_a_message_that_is_sent_meanwhile_waits_and_is_answered(long_talk) -> None:
    home, gate, before = await long_talk([Reply("Here.")])
    await home.chats.sessions.open_partially(before.id)

    async def send() -> None:
        await home.chats.turns.send(await home.chats.open(before.id), "Are you there?")

    sending = asyncio.ensure_future(send())
    await asyncio.sleep(0.05)
    assert not sending.done()
    gate.opened.set()
    await home.until(lambda: home.of(TurnFinished))
    await sending
    session = await home.chats.open(before.id)
    assert [row.message.text for row in session.page(session.total, 2)] == ["Are you there?", "Here."]
    assert session.total == 202


async def test_all_who_wait_get_the_same_session_and_one_of_them_may_leave(long_talk) -> None:
    home, gate, before = await long_talk([])
    await home.chats.sessions.open_partially(before.id)
    waiting = [asyncio.ensure_future(home.chats.open(before.id)) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    gate.opened.set()
    first, second = await asyncio.gather(*waiting[1:])
    assert first is second


async def test_another_conversation_goes_on_meanwhile(long_talk) -> None:
    home, gate, before = await long_talk([Reply("At once.")])
    gate.opened.set()
    other = await home.chats.create()
    gate.opened.clear()
    await home.chats.sessions.open_partially(before.id)
    await home.turn(other, "Hello?")
    assert not home.of(FiguresCounted)
    gate.opened.set()
    await home.until(lambda: home.of(FiguresCounted))


async def test_the_record_is_folded_beside_the_event_loop(long_talk, monkeypatch) -> None:
    home, gate, before = await long_talk([])
    threads: list[threading.Thread] = []

    def fold(*parts) -> Session:
        threads.append(threading.current_thread())
        return Session(*parts)

    monkeypatch.setattr(open_sessions, "Session", fold)
    gate.opened.set()
    await home.chats.open(before.id)
    assert threads
    assert threading.main_thread() not in threads


async def test_what_is_deleted_meanwhile_is_not_opened_and_can_be_restored(long_talk) -> None:
    home, gate, before = await long_talk([])
    await home.chats.sessions.open_partially(before.id)
    waiting = asyncio.ensure_future(home.chats.open(before.id))
    await asyncio.sleep(0)
    await home.chats.delete(before.id)
    with pytest.raises(WorldError):
        await waiting
    with pytest.raises(WorldError):
        await home.chats.open(before.id)
    await home.chats.restore(before.id)
    gate.opened.set()
    assert (await home.chats.open(before.id)).total == 200
    assert not home.of(FiguresCounted), "nobody looks at it"


async def test_the_end_of_the_engine_does_not_wait_for_it(long_talk) -> None:
    home, _, before = await long_talk([])
    await home.chats.sessions.open_partially(before.id)
    waiting = asyncio.ensure_future(home.chats.open(before.id))
    await asyncio.sleep(0)
    await home.archive.conversation(before.id)  # it waits for the record by now
    await home.chats.close()
    with pytest.raises(WorldError):
        await waiting


async def test_another_version_is_shown_once_it_is_open(long_talk) -> None:
    home, gate, before = await long_talk([Reply("Other.")])
    first = before.recorded.branch[100].id
    gate.opened.set()
    session = await home.chats.open(before.id)
    await home.chats.turns.edit(session, first, "Once more?", ())
    await home.until(lambda: home.of(TurnFinished))
    edited = session.page(session.total, 60)
    home.furnish()
    gate.opened.clear()
    seen = await home.chats.sessions.open_partially(before.id)
    assert await seen.page(seen.total, 60) == edited
    switching = asyncio.ensure_future(switch(home, before.id, first))
    gate.opened.set()
    shown = (await switching).page(999, 150)
    assert [row.message for row in shown] == [row.message for row in before.page(999, 150)]
    assert any(row.versions for row in shown)


async def switch(home, conversation: str, message_id: str) -> Session:
    return await show_version(home.chats, await home.chats.open(conversation), message_id)


async def test_a_result_for_a_call_that_a_crash_ended_follows_the_page(long_talk) -> None:
    call = Message(role=Role.ASSISTANT, model="scripted", parts=(ToolCall("c1", "read_file", "{}"),))
    home, gate, before = await long_talk([])
    await before.record(stamp(call))
    seen = await home.chats.sessions.open_partially(before.id)
    assert seen.total == 201
    gate.opened.set()
    await home.until(lambda: home.of(FiguresCounted))
    (recorded,) = home.of(MessageRecorded)
    assert (recorded.row.index, recorded.row.message.role) == (201, Role.TOOL)


async def test_a_record_that_cannot_be_read_is_a_failure_and_not_a_silence(long_talk) -> None:
    home, gate, before = await long_talk([])
    await home.chats.sessions.open_partially(before.id)
    gate.failure = Failure("disk", "The disk is gone")
    gate.opened.set()
    await home.until(lambda: home.of(TurnFailed))
    assert home.of(TurnFailed) == [TurnFailed(before.id, gate.failure)]
    gate.failure = None
    assert (await home.chats.open(before.id)).total == 200


@pytest.mark.parametrize("is_partial", [False, True], ids=["whole", "partial"])
async def test_an_opening_that_ends_while_another_begins_gives_the_only_session(long_talk, is_partial: bool) -> None:
    home, gate, before = await long_talk([])
    gate.opened.set()
    first, read = asyncio.ensure_future(home.chats.open(before.id)), home.archive.conversation
    while not gate.is_asked:
        await asyncio.sleep(0)

    async def read_late(conversation: str):
        info = await read(conversation)
        if asyncio.current_task() is second:
            await first
        return info

    gate.conversation = read_late
    second = asyncio.ensure_future((home.chats.sessions.open_partially if is_partial else home.chats.open)(before.id))
    assert await second is (None if is_partial else await first)
    assert await home.chats.open(before.id) is await first
