"""Conversations that were opened leave memory again, but for the newest; what is running or has learned does not."""

from __future__ import annotations

import asyncio
import gc
import weakref

import pytest
from msgspec.structs import replace

from builders import exchange, message
from desktop_app.chat import open_sessions, operations
from desktop_app.chat.open_sessions import MAX_KEPT
from desktop_app.chat.ports import ModelError, WorldError
from desktop_app.chat.session import Session, stamp
from desktop_app.conversation.events import Failure, GaugeChanged, TurnFinished
from desktop_app.conversation.message import Message, Role, user_message
from desktop_app.conversation.transcript import Trigger
from provider import Reply

MANY = 200


def said(number: int) -> list[Message]:
    return exchange(f"{number}: message {n}" for n in range(8))


async def written(home, count: int) -> list[str]:
    """Return the ids of so many conversations that nobody has opened."""
    ids = [(await home.chats.create(f"Talk {number}", said(number))).id for number in range(count)]
    home.furnish()
    return ids


async def open_others(home, count: int = MAX_KEPT + 2) -> None:
    """Open so many that those of before are let go."""
    for number in range(count):
        await home.chats.create(f"Other {number}", said(number))
    gc.collect()


def shown(session: Session) -> tuple:
    """Return what the window shows of it."""
    page = session.page(session.total, 60)
    return page, session.total, session.operations(), session.pins(), session.counter.gauge(), session.totals()


async def test_a_record_that_is_imported_into_has_no_session_meanwhile(talk) -> None:
    home, session = await talk([Reply("Yes."), Reply("And yes.")], messages=said(1))
    more = stamp(user_message("imported"))
    await home.chats.turns.send(session, "Are you there?")
    async with home.chats.sessions.unopened(session.id):
        assert home.of(TurnFinished), "the turn ends first"
        opening = asyncio.ensure_future(home.chats.open(session.id))
        with pytest.raises(WorldError, match="An import added"):
            await session.record(stamp(user_message("by whoever has the old session")))
        await home.archive.append(session.id, more)
        assert not opening.done()
    again = await opening
    assert again is not session
    assert [m.text for m in again.recorded.branch][-3:] == ["Are you there?", "Yes.", "imported"]
    with pytest.raises(WorldError, match="An import added"):
        await home.chats.turns.send(session, "Hello?")
    await home.turn(again, "And now?")
    assert again.recorded.branch[-1].text == "And yes."


@pytest.mark.wire
async def test_few_of_very_many_opened_conversations_stay_in_memory(house) -> None:
    home = await house([])
    alive: weakref.WeakSet[Session] = weakref.WeakSet()
    most = 0
    for conversation in await written(home, MANY):
        alive.add(await home.chats.open(conversation))
        gc.collect(1)
        most = max(most, len(alive))
    gc.collect()
    assert len(alive) == MAX_KEPT
    assert most <= MAX_KEPT + 2, "they are let go on the way, not at the end"


async def test_those_that_are_opened_last_are_the_same_again(house) -> None:
    home = await house([])
    ids = await written(home, MAX_KEPT)
    opened = [weakref.ref(await home.chats.open(conversation)) for conversation in ids]
    await home.chats.open(ids[0])
    await open_others(home, 1)
    assert [one() is not None for one in opened] == [True, False, *[True] * (MAX_KEPT - 2)]


async def test_the_conversation_that_is_shown_stays_and_follows_the_settings(house) -> None:
    home = await house([])
    first, second = [(await home.chats.create(f"Talk {n}", said(n))).id for n in range(2)]
    home.chats.sessions.cache.note_shown(first)
    await open_others(home)
    assert (first in home.chats.sessions.cache, second in home.chats.sessions.cache) == (True, False)
    home.events.clear()
    home.chats.change_settings(replace(home.settings(), policy="relaxed"))
    assert first in {event.conversation for event in home.of(GaugeChanged)}
    home.chats.sessions.cache.note_shown(second)
    await open_others(home, 1)
    assert first not in home.chats.sessions.cache


async def test_a_forgotten_conversation_is_opened_as_it_was(talk) -> None:
    home, session = await talk([Reply("Yes.")], messages=said(1))
    await home.turn(session, "Are you there?")
    await operations.pin(session, session.recorded.branch[0].id)
    await home.chats.turns.wait_until_idle(session.id, with_room=True)
    conversation, before, known = session.id, shown(session), weakref.ref(session)
    del session
    await open_others(home)
    assert known() is None
    assert shown(await home.chats.open(conversation)) == before


@pytest.mark.long
async def test_what_is_running_is_not_forgotten(talk) -> None:
    home, session = await talk([Reply("one " * 200, pause=0.02)], messages=said(1))
    conversation, running = session.id, weakref.ref(session)
    await home.chats.turns.send(session, "Begin")
    del session
    await open_others(home)
    assert home.chats.turns.is_running(conversation)
    assert running() is not None
    assert await home.chats.open(conversation) is running()
    await home.until(lambda: bool(home.of(TurnFinished)))
    again = await home.chats.open(conversation)
    assert list(await home.archive.entries(conversation)) == list(again.transcript.entries)
    assert again.view.items[-1].message.text.startswith("one one")


async def test_whoever_still_has_the_session_and_whoever_opens_it_have_the_same(talk) -> None:
    """Two would both write the record, and neither would have what the other wrote."""
    home, session = await talk([], messages=said(1))
    await open_others(home)
    assert await home.chats.open(session.id) is session
    await session.record(stamp(user_message("Still here")))
    assert list(await home.archive.entries(session.id)) == list(session.transcript.entries)


@pytest.mark.parametrize("is_learned", [True, False])
async def test_a_window_that_was_learned_is_not_forgotten(talk, is_learned: bool) -> None:
    home, session = await talk([], window=64_000, messages=said(1))
    if is_learned:
        session.counter.learned.learn(ModelError(Failure("overflow", "Too long"), is_overflow=True, limit=9_000))
    else:
        session.counter.learned.trust_stated()
    conversation, gauge = session.id, session.counter.gauge()
    del session
    await open_others(home)
    again = await home.chats.open(conversation)
    assert again.counter.gauge() == gauge
    assert again.counter.learned.suspect(5_000) is is_learned, "what the user said of it holds"


async def test_new_settings_reach_those_that_stayed_and_those_that_are_read_again(house) -> None:
    home = await house([])
    ids = await written(home, MAX_KEPT + 2)
    for conversation in ids:
        await home.chats.open(conversation)
    gc.collect()
    settings = home.chats.settings
    home.chats.change_settings(type(settings)(chat_model=settings.chat_model, policy="aggressive"))
    policies = {(await home.chats.open(conversation)).counter.policy.name for conversation in ids}
    assert policies == {"aggressive"}


async def test_a_changed_window_is_published_by_the_request_that_first_uses_it(talk) -> None:
    home, session = await talk([], window=400_000, messages=said(1))
    home.models.info = replace(home.models.info, max_window=200_000)
    home.chats.change_settings(replace(home.settings(), font_scale=1.2))
    home.events.clear()
    await home.chats.open(session.id)  # a request of the window, before the servers have answered
    await home.chats.use_what_is_known()
    assert [event.gauge.window for event in home.of(GaugeChanged)] == [200_000]


async def test_what_is_kept_is_bounded_in_bytes_too(house, monkeypatch) -> None:
    home = await house([])
    ids = await written(home, MAX_KEPT)
    size = (await home.chats.open(ids[0])).recorded.size
    monkeypatch.setattr(open_sessions, "MAX_BYTES", int(2.5 * size))
    opened = [weakref.ref(await home.chats.open(conversation)) for conversation in ids]
    gc.collect()
    assert [one() is not None for one in opened] == [False] * (MAX_KEPT - 2) + [True] * 2
    monkeypatch.setattr(open_sessions, "MAX_BYTES", 1)
    await home.chats.open(ids[-1])
    gc.collect()
    assert [one() is not None for one in opened] == [False] * (MAX_KEPT - 1) + [True], "the one in use stays"


async def test_what_was_counted_and_read_of_archived_messages_is_forgotten(house) -> None:
    home = await house([])
    many = [message(Role.ASSISTANT if n % 2 else Role.USER, f"{n}: " + "so it was said " * 40) for n in range(80)]
    session = await home.chats.create("Talk", many)
    session.counter.gauge()
    counted = len(session.counter.counts._kept)
    assert counted >= len(many)
    assert await home.make_room(session, Trigger.USER)
    left = len(session.view.items)
    assert left < len(many) / 2
    gauge = session.counter.gauge()
    assert len(session.counter.counts._kept) <= left + 8
    assert all(kept.role is Role.USER for kept, _ in session.reading._kept.values())
    again = Session(
        session.info, tuple(session.transcript.entries), session.model, session.counter.policy, home.archive
    )
    assert gauge == again.counter.gauge()
    rows = session.page(len(many), 100)
    assert rows == again.page(len(many), 100), "what is shown of them is counted anew"


async def test_nothing_is_kept_of_a_deleted_conversation(house) -> None:
    home = await house([Reply("Yes.")], repeat_last=True)
    chats, queue, ids = home.chats, home.chats.turns.queue, []
    for number in range(3):
        session = await chats.create(f"Talk {number}")
        await queue.keep_draft(session.id, "Not sent", None)
        await home.turn(session, "Are you there?")
        await chats.turns.wait_until_idle(session.id, with_room=True)
        await chats.delete(session.id)
        ids.append(session.id)
        del session
    gc.collect()
    known = [
        one
        for one in gc.get_objects()
        if isinstance(one, dict | set) and any(conversation in one for conversation in ids)
    ]
    assert known == []
    await chats.restore(ids[0])
    await chats.open(ids[0])
    assert queue.draft(ids[0]).text == "Not sent"
