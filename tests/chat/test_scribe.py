"""Who writes the summaries, and whether room is made by itself."""

from __future__ import annotations

import asyncio
import time

import pytest
from msgspec.structs import replace
from test_summarize import answer, chat

from desktop_app.chat.compaction.optimize import apply_optimization, plan_optimize, write_summary
from desktop_app.chat.compaction.snapshot import snapshot_of
from desktop_app.chat.compaction.summary_service import strategy_for
from desktop_app.context.policy import BALANCED
from desktop_app.conversation.events import (
    OperationRow,
    RoomEnded,
    RoomProgressed,
    TextDelta,
    TurnFinished,
    ViewChanged,
)
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message, Role, Text
from provider import Hang, Reply
from summary_prompts import PROMPTS


@pytest.mark.parametrize(
    ("strategy", "is_builtin", "expected"),
    [
        ("auto", False, "llm"),
        ("auto", True, "extractive"),
        ("llm", False, "llm"),
        ("llm", True, "extractive"),
        ("extractive", False, "extractive"),
        ("last_messages", True, "last_messages"),
    ],
)
def test_the_built_in_model_writes_no_summaries(strategy, is_builtin: bool, expected: str) -> None:
    model = ModelInfo("m/m", "M", 8_192, 512, is_builtin=is_builtin)
    assert strategy_for(replace(BALANCED, strategy=strategy), model) == expected


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [("auto", "extractive"), ("llm", "extractive"), ("extractive", "extractive"), ("last_messages", "last_messages")],
)
def test_with_code_alone_no_policy_asks_a_model(strategy, expected: str) -> None:
    model = ModelInfo("m/m", "M", 8_192, 512)
    assert strategy_for(replace(BALANCED, strategy=strategy), model, "extractive") == expected


def choose(home, **changes) -> None:
    home.chats.change_settings(replace(home.chats.settings, **changes))


def rows_of(home) -> list[OperationRow]:
    return [row for changed in home.of(ViewChanged) for row in changed.operations]


async def test_with_code_alone_an_open_conversation_sends_nothing_but_the_turn(house) -> None:
    home = await house([Reply("Here.")], prompts=PROMPTS)
    session = await home.chats.create("Long", chat(70))
    choose(home, summaries="extractive")
    session = await home.chats.open(session.id)
    await home.turn(session, "Where are we?")
    assert len(home.provider.requests) == 1
    assert home.provider.requests[0].messages[-1]["content"].endswith("Where are we?")
    (row,) = [row for row in rows_of(home) if row.strategies.keys() == {"extractive"}]
    assert (row.model, row.usage, row.note) == ("", None, "")


async def test_with_code_alone_room_in_the_background_sends_nothing_either(house) -> None:
    home = await house([Reply("First.")], window=20_000, prompts=PROMPTS)
    session = await home.chats.create("Long", chat(136))
    choose(home, summaries="extractive")
    await home.turn(await home.chats.open(session.id), "One.")
    await home.until(lambda: bool(home.of(RoomEnded)))
    assert len(home.provider.requests) == 1
    assert rows_of(home)[-1].strategies.keys() == {"extractive"}


async def test_code_alone_chosen_while_a_model_writes_ends_its_work(house) -> None:
    slow = Reply("word " * 500, pause=0.02, size=5)  # ten seconds, and one more request for the other half
    home = await house([slow, Reply("Here.")], prompts=PROMPTS)
    session = await home.chats.create("Long", chat(70))
    await home.chats.turns.send(session, "Where are we?")
    await home.until(lambda: bool(home.of(RoomProgressed)))
    choose(home, summaries="extractive")
    await home.until(lambda: bool(home.of(TurnFinished)))
    assert len(home.provider.requests) == 2, "what was begun, and the turn's own"
    left = await asyncio.to_thread(home.provider.client_left.wait, 10)  # the server hears of it a little later
    assert left, "what was begun is not paid for to its end"
    (row,) = [row for row in rows_of(home) if row.strategies.keys() == {"extractive"}]
    assert "switched off" in row.note
    assert session.view.items[-1].message.text == "Here."


async def test_with_code_alone_a_model_may_still_be_asked_by_hand(house) -> None:
    home = await house([answer()], prompts=PROMPTS, repeat_last=True)
    session = await home.chats.create("Long", chat())
    choose(home, summaries="extractive")
    assert (await home.services.summaries.request_for(session)).strategy == "extractive", "what a plan begins with"
    plan = plan_optimize(snapshot_of(session), strategy="llm")
    assert (await home.services.summaries.offer(session, plan.unwritten)).refusal == ""
    order = await home.services.summaries.request_for(session, "llm")
    await apply_optimization(session, home.services, await write_summary(plan, order))
    assert session.operations()[-1].strategies.keys() == {"llm"}


async def test_the_model_that_takes_the_place_of_a_missing_one_is_named(house) -> None:
    home = await house([answer(), answer(), Reply("Here.")], prompts=PROMPTS)
    session = await home.chats.create("Long", chat(70))
    choose(home, utility_model="scripted/gone")
    session = await home.chats.open(session.id)
    offer = await home.services.summaries.offer(session, plan_optimize(snapshot_of(session), strategy="llm").unwritten)
    assert (offer.label, offer.refusal) == ("Scripted (in place of scripted/gone)", "")
    await home.turn(session, "Where are we?")
    (row,) = [row for row in rows_of(home) if row.strategies.keys() == {"llm"}]
    assert row.model == "scripted/scripted"
    assert row.note == "There is no model “scripted/gone”: Scripted wrote this summary instead."


async def test_code_that_takes_the_place_of_a_missing_model_is_named_too(house) -> None:
    home = await house([Reply("Here.")], prompts=PROMPTS)
    home.chats.models.info = replace(home.chats.models.info, is_builtin=True)
    session = await home.chats.create("Long", chat(70))
    choose(home, utility_model="scripted/gone")
    session = await home.chats.open(session.id)
    await home.turn(session, "Where are we?")
    (row,) = [row for row in rows_of(home) if row.strategies.keys() == {"extractive"}]
    assert row.note == "There is no model “scripted/gone”: code wrote this summary instead."


async def test_a_conversation_in_which_room_is_being_made_is_not_opened_a_second_time(house) -> None:
    home = await house([Reply("First."), answer(delay=0.5), Reply("Second.")], window=20_000, prompts=PROMPTS)
    session = await home.chats.create("Long", chat(136))
    await home.turn(session, "One.")
    while len(home.provider.requests) < 2:
        await asyncio.sleep(0.01)
    choose(home, theme="dark")
    again = await home.chats.open(session.id)
    await home.until(lambda: bool(home.of(RoomEnded)))
    assert [row.id for row in again.operations()] == [row.id for row in rows_of(home)], "it knows of the new summary"


async def test_settings_that_change_while_a_reply_is_written_hold_afterwards(house) -> None:
    home = await house([Hang("Half"), Reply("Whole.")])
    session = await home.chats.create("New")
    await home.chats.turns.send(session, "Hello")
    await home.until(lambda: bool(home.of(TextDelta)))
    before = session.model
    choose(home, policy="relaxed")
    assert (await home.chats.open(session.id)).model is before, "a turn ends with the model that it began with"
    await home.chats.turns.stop(session.id)
    again = await home.chats.open(session.id)
    assert again is session, "one conversation, one session: it knows of everything that is recorded"
    assert again.model is not before, "its server may have another address, or another key"
    assert again.policy.name == "relaxed"
    assert (await home.chats.open(session.id)).model is again.model


async def test_a_decision_knows_how_long_ago_the_provider_was_asked(house) -> None:
    home = await house([])
    session = await home.chats.create("New", [])
    assert snapshot_of(session).seconds_since_request is None
    said = Message(id="q", role=Role.ASSISTANT, parts=(Text("b"),), model="another/model", at=time.time() - 200)
    await session.record_message(said)
    assert snapshot_of(session).seconds_since_request is None, "the cache of another model is no use to this one"
    await session.record_message(replace(said, id="r", model="scripted/scripted", at=time.time() - 100))
    assert snapshot_of(session).seconds_since_request == pytest.approx(100, abs=20)
    await session.record_message(replace(said, id="s", model="scripted/scripted (research)", at=time.time()))
    assert snapshot_of(session).seconds_since_request == pytest.approx(100, abs=20), (
        "its own cache is as warm as it was"
    )


async def test_a_policy_may_switch_the_making_of_room_off(house) -> None:
    home = await house([])
    session = await home.chats.create("New", [])
    assert home.chats.turns.is_automatic(session)
    session.policy = replace(BALANCED, is_automatic=False)
    assert not home.chats.turns.is_automatic(session)


async def test_what_was_said_is_the_same_in_memory_and_in_the_archive(house) -> None:
    home = await house([])
    session = await home.chats.create("New", [])
    await session.record_message(Message(id="m", role=Role.USER, parts=(Text("a \ud800 b"),)))
    assert session.message("m") == (await home.archive.entries(session.id))[-1]
