"""One turn, through the real litellm and the real archive: however it ends, what had arrived is kept."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from builders import model
from desktop_app.chat.session import Session
from desktop_app.conversation.events import (
    GaugeChanged,
    MessageRecorded,
    MessageState,
    ReplyStarted,
    RoomRefused,
    TextDelta,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
    ViewChanged,
)
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.message import Message, Role, user_message
from desktop_app.conversation.transcript import Compaction, Pin, Trigger
from provider import Call, Hang, Reply, Status
from slowness import slowness


async def test_a_turn_tells_what_it_stores(talk) -> None:
    home, session = await talk([Reply("Hello there, **friend**.", usage=(20, 6, 0))])
    events = await home.turn(session, "Say hello")

    kinds = [type(event) for event in events if not isinstance(event, GaugeChanged)]
    assert kinds[0] is MessageRecorded
    assert kinds[1] is TurnStarted
    assert kinds[2] is ReplyStarted
    assert set(kinds[3:-2]) == {TextDelta}
    assert kinds[-2:] == [MessageRecorded, TurnFinished]
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == "Hello there, **friend**."
    stored = [entry for entry in await home.archive.entries(session.id) if isinstance(entry, Message)]
    assert [m.text for m in stored] == ["Be brief.", "Say hello", "Hello there, **friend**."]
    assert not stored[-1].is_interrupted
    assert [m["role"] for m in home.provider.requests[0].messages] == ["system", "user"]


async def test_reported_usage_makes_the_gauge_measured(talk) -> None:
    home, session = await talk([Reply("Fine.", usage=(100, 5, 0))])
    await home.turn(session, "How are you?")
    gauge = session.counter.gauge()
    assert gauge.provenance is Provenance.MEASURED
    assert gauge.total == 105 + session.counter.counts.tokenizer.overhead.around(Role.ASSISTANT)
    assert sum(gauge.segments.values()) == gauge.total


async def test_stopping_keeps_what_had_arrived(talk) -> None:
    home, session = await talk([Hang("Half a sen")])
    await home.chats.turns.send(session, "Tell me a story")
    await home.until(lambda: "".join(e.text for e in home.of(TextDelta)) == "Half a sen")
    await home.chats.turns.stop(session.id)
    assert home.of(TurnFinished)[-1].reason == "stopped"
    reply = (await home.archive.entries(session.id))[-1]
    assert (reply.text, reply.is_interrupted) == ("Half a sen", True)
    assert home.provider.client_left.wait(5)


@pytest.mark.long
async def test_a_stalled_reply_is_on_disk_within_half_a_second(talk, tmp_path: Path) -> None:
    home, session = await talk([Hang("Half a sen")])
    await home.chats.turns.send(session, "Tell me a story")
    await home.until(lambda: "".join(e.text for e in home.of(TextDelta)) == "Half a sen")

    def kept() -> bool:
        with sqlite3.connect(tmp_path / "0" / "archive.sqlite3") as database:
            return any("Half a sen" in str(row) for row in database.execute("select * from partials"))

    async with asyncio.timeout(2 * slowness()):
        while not kept():
            await asyncio.sleep(0.05)
    await home.chats.turns.stop(session.id)


async def test_an_error_of_the_provider_keeps_the_users_message(talk) -> None:
    home, session = await talk([Status(401, "no such key"), Reply("Now I can.")])
    await home.turn(session, "Please")
    assert [e.text for e in await home.archive.entries(session.id)] == ["Be brief.", "Please"]
    await home.chats.turns.regenerate(session)
    await home.until(lambda: len(home.of(TurnFinished)) == 2)
    assert (await home.archive.entries(session.id))[-1].text == "Now I can."


async def test_regenerate_keeps_the_earlier_answer_off_the_view(talk) -> None:
    home, session = await talk([Reply("First."), Reply("Second."), Reply("Third.")])
    await home.turn(session, "Which?")
    for count in (2, 3):
        await home.chats.turns.regenerate(session)
        await home.until(lambda n=count: len(home.of(TurnFinished)) == n)
    (newest,) = session.page(99, 1)
    rows = {row.message.text: row for row in session.rows(newest.versions)}
    assert {text: row.state for text, row in rows.items()} == {
        "First.": MessageState.ABANDONED,
        "Second.": MessageState.ABANDONED,
        "Third.": MessageState.IN_VIEW,
    }
    assert rows["First."].operation_id != rows["Second."].operation_id, "each is of another branch"
    assert [m["content"] for m in home.provider.requests[1].messages] == ["Be brief.", "Which?"]
    (info,) = await home.archive.conversations()
    assert info.messages == 2, "neither the system prompt nor the answer that was replaced is counted"


def long_chat(turns: int, words: int = 60) -> list[Message]:
    """A chat of that many turns, each about `words` tokens and as long an answer."""
    return [
        message
        for n in range(turns)
        for message in (
            user_message(f"Question {n}: " + f"about topic{n} " * (words // 4)),
            model(f"Answer {n}: " + f"detail{n} said " * (words // 4)),
        )
    ]


async def test_from_75_percent_room_is_made_after_the_turn(talk) -> None:
    home, session = await talk([Reply("Here.", usage=None)], window=8_192, messages=long_chat(55))
    assert 0.75 < session.counter.gauge().share < 0.9
    await home.turn(session, "And now?")
    await home.until(lambda: bool(home.of(ViewChanged)))
    assert home.of(ViewChanged)[0].cause is Trigger.AFTER_TURN
    assert len(home.provider.requests[0].messages) == 111
    assert session.counter.gauge().share < 0.6


@pytest.mark.long
async def test_two_futile_compactions_pause_the_automatic_ones_and_say_why(talk) -> None:
    home, session = await talk([Reply("Here.", usage=None)], window=8_192, repeat_last=True, messages=long_chat(60))
    archived = [item.message.id for item in session.view.items]
    for number in range(2):
        futile = Compaction(
            id=f"futile {number}",
            trigger=Trigger.AFTER_TURN,
            strategy="extractive",
            archived=(archived[number],),
            summary="Nothing much.",
            tokens_before=6_000,
            tokens_after=5_900,
        )
        await session.record_operation(futile)
    for item in list(session.view.items)[6:]:  # so that another one would free little, too
        await session.record_operation(Pin(id=f"pin {item.message.id}", message_id=item.message.id))
    assert session.counter.gauge().share > 0.75
    await home.turn(session, "And now?")
    await home.until(lambda: bool(home.of(RoomRefused)))
    assert "paused" in home.of(RoomRefused)[0].reason
    assert [row.kind for event in home.of(ViewChanged) for row in event.operations] == ["failed"]


async def test_a_conversation_with_a_missing_model_can_be_read(house) -> None:
    home = await house([])
    session = await home.chats.create("Old", long_chat(2), model="gone/model-9")
    assert session.model.info.label == "model-9"
    assert session.counter.gauge().total > 0
    events = await home.turn(session, "Still there?")
    (failed,) = [e for e in events if isinstance(e, TurnFailed)]
    assert "gone/model-9" in failed.failure.title


async def test_a_message_that_is_sent_while_an_answer_is_asked_for_anew_waits_for_it(talk) -> None:
    home, session = await talk([Reply("First."), Reply("Second."), Reply("Third.")])
    await home.turn(session, "Which?")
    again = asyncio.ensure_future(home.chats.turns.regenerate(session))
    await asyncio.sleep(0)
    await home.chats.turns.send(session, "And now?")
    await again
    await home.until(lambda: len(home.of(TurnFinished)) == 3)
    assert [item.message.text for item in session.view.items][1:] == ["Which?", "Second.", "And now?", "Third."]


async def test_where_there_are_no_tools_a_call_ends_the_turn(talk) -> None:
    call = Reply("I look.", calls=(Call("read", "{}"),), finish="tool_calls")
    home, session = await talk([call] * 3)
    events = await home.turn(session, "Look")
    assert events[-1].reason == "finished"
    assert len(home.provider.requests) == 1


@pytest.mark.parametrize("bug", [None, RuntimeError("of its own")], ids=["stopped", "bug"])
async def test_the_message_is_stored_whatever_becomes_of_the_search_before_it(house, bug) -> None:
    home, searching = await house([Reply("Never.")]), asyncio.Event()

    async def recall(session: Session, message: Message) -> None:
        searching.set()
        if bug is not None:
            raise bug
        await asyncio.sleep(60)

    home.furnish(recall=recall)
    session = await home.chats.create()
    await home.chats.turns.send(session, "Remember?")
    await searching.wait()
    await home.chats.turns.stop(session.id)
    assert [event.row.message.text for event in home.of(MessageRecorded)] == ["Remember?"]
    assert [entry.text for entry in await home.archive.entries(session.id)][-1] == "Remember?"
    assert [event.reason for event in home.of(TurnFinished)] == ["failed" if bug else "stopped"]
    assert [event.failure.kind for event in home.of(TurnFailed)] == ["bug"] * bool(bug)
    assert home.bugs == [bug] * bool(bug)
    home.bugs.clear()
    assert home.provider.requests == []


@pytest.mark.parametrize("step", [Reply("Hello."), Status(401)], ids=["finished", "failed"])
async def test_no_turn_runs_once_it_was_told_that_it_has_finished(house, step) -> None:
    home, still_running = await house([step, Reply("Once more.")]), []
    publish = home.publish

    def hear(event: TurnEvent) -> None:
        if isinstance(event, TurnFinished):
            loop = asyncio.get_running_loop()
            loop.call_soon(lambda: still_running.append(home.chats.turns.is_running(session.id)))
        publish(event)

    home.publish = hear
    home.furnish()
    session = await home.chats.create()
    await home.turn(session, "Hello")
    await home.chats.turns.regenerate(session)  # at once: it is not refused
    await home.until(lambda: len(home.of(TurnFinished)) == 2)
    assert still_running == [False, False]
