"""Who writes the summaries, how often models are asked, and whether room is made by itself."""

from __future__ import annotations

import asyncio
import re
import time

import pytest
from msgspec.structs import replace
from test_summarize import answer, chat

from desktop_app.chat.compaction.optimize import apply_optimization, plan_optimization, plan_optimize, write_summary
from desktop_app.chat.compaction.snapshot import snapshot_of
from desktop_app.chat.compaction.summarize import SummaryService, strategy_for
from desktop_app.chat.compaction.summary_way import cost_of, with_cheaper
from desktop_app.chat.ports import Price
from desktop_app.context.policy import BALANCED
from desktop_app.context.summary.model_summary import Estimate
from desktop_app.conversation.events import (
    OperationRow,
    RoomEnded,
    RoomProgressed,
    TextDelta,
    TurnFinished,
    ViewChanged,
)
from desktop_app.conversation.listing import ModelInfo, Writer
from desktop_app.conversation.message import Message, Role, Text
from desktop_app.conversation.transcript import Trigger
from provider import Hang, Reply
from slowness import slowness
from summary_prompts import PROMPTS
from texts import NO_MODEL


@pytest.mark.parametrize(
    ("strategy", "is_builtin", "summaries", "expected"),
    [
        ("auto", False, "auto", "llm"),
        ("auto", True, "auto", "extractive"),
        ("llm", True, "auto", "extractive"),
        ("extractive", False, "auto", "extractive"),
        ("last_messages", True, "extractive", "last_messages"),
        ("llm", False, "extractive", "extractive"),
    ],
)
def test_the_built_in_model_writes_no_summaries_and_with_code_alone_none_does(
    strategy, is_builtin: bool, summaries, expected: str
) -> None:
    model = ModelInfo("m/m", "M", 8_192, 512, is_builtin=is_builtin)
    assert strategy_for(replace(BALANCED, strategy=strategy), model, summaries) == expected


def choose(home, **changes) -> None:
    home.chats.change_settings(replace(home.chats.settings, **changes))


def rows_of(home) -> list[OperationRow]:
    return [row for changed in home.of(ViewChanged) for row in changed.operations]


async def test_with_code_alone_an_open_conversation_sends_nothing_but_the_turn(talk) -> None:
    home, session = await talk([Reply("Here.")], prompts=PROMPTS, messages=chat(70))
    choose(home, summaries="extractive")
    session = await home.chats.open(session.id)
    await home.turn(session, "Where are we?")
    (request,) = home.provider.requests
    assert request.messages[-1]["content"].endswith("Where are we?")
    assert home.of(ViewChanged)[0].cause is Trigger.BEFORE_REQUEST
    assert session.counter.gauge().share < 0.75
    (row,) = [row for row in rows_of(home) if row.strategies.keys() == {"extractive"}]
    assert (row.model, row.usage, row.note) == ("", None, "")


async def test_code_alone_chosen_while_a_model_writes_ends_its_work(talk) -> None:
    slow = Reply("word " * 3_000, pause=0.02, size=5)  # a minute, for each half
    home, session = await talk([slow, slow, Reply("Here.")], prompts=PROMPTS, messages=chat(70))
    await home.chats.turns.send(session, "Where are we?")
    await home.until(lambda: bool(home.of(RoomProgressed)))
    choose(home, summaries="extractive")
    began = time.monotonic()
    await home.until(lambda: bool(home.of(TurnFinished)))
    assert time.monotonic() - began < 8 * slowness()
    assert len(home.provider.requests) == 3, "what was begun, and the turn's own"
    left = await asyncio.to_thread(home.provider.client_left.wait, 10)  # the server hears of it a little later
    assert left, "what was begun is not paid for to its end"
    (row,) = [row for row in rows_of(home) if row.strategies.keys() == {"extractive"}]
    assert "switched off" in row.note
    assert session.view.items[-1].message.text == "Here."


async def test_with_code_alone_a_model_may_still_be_asked_by_hand(talk) -> None:
    home, session = await talk([answer()], prompts=PROMPTS, repeat_last=True, messages=chat())
    choose(home, summaries="extractive")
    assert (await home.services.summaries.request_for(session.counter)).strategy == "extractive", (
        "what a plan begins with"
    )
    plan = plan_optimize(snapshot_of(session.counter), strategy="llm")
    assert (await home.services.summaries.writer(session, plan.unwritten)).refusal == ""
    order = await home.services.summaries.request_for(session.counter, "llm")
    await apply_optimization(session, home.services, await write_summary(plan, order), home.publish)
    assert session.operations()[-1].strategies.keys() == {"llm"}


@pytest.mark.parametrize(
    ("is_builtin", "strategy", "writer"), [(False, "llm", "Scripted"), (True, "extractive", "rules")]
)
async def test_what_takes_the_place_of_a_missing_model_is_named(
    house, is_builtin: bool, strategy: str, writer: str
) -> None:
    home = await house([*([] if is_builtin else [answer(), answer()]), Reply("Here.")], prompts=PROMPTS)
    home.models.info = replace(home.models.info, is_builtin=is_builtin)
    session = await home.chats.create("Long", chat(70))
    choose(home, utility_model="scripted/gone")
    session = await home.chats.open(session.id)
    found = await home.services.summaries.writer(session, None)
    assert (found.label, bool(found.refusal)) == ("Scripted (in place of scripted/gone)", is_builtin)
    await home.turn(session, "Where are we?")
    (row,) = [row for row in rows_of(home) if row.strategies.keys() == {strategy}]
    assert row.note.startswith(NO_MODEL.format(model="scripted/gone"))
    assert writer in row.note


@pytest.mark.long
async def test_a_conversation_in_which_room_is_being_made_is_not_opened_a_second_time(talk) -> None:
    home, session = await talk(
        [Reply("First."), answer(delay=0.5), Reply("Second.")], window=20_000, prompts=PROMPTS, messages=chat(136)
    )
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
    assert again.counter.policy.name == "relaxed"
    assert (await home.chats.open(session.id)).model is again.model


async def test_a_decision_knows_how_long_ago_the_provider_was_asked(talk) -> None:
    _, session = await talk([])
    assert snapshot_of(session.counter).seconds_since_request is None
    said = Message(id="q", role=Role.ASSISTANT, parts=(Text("b"),), model="another/model", at=time.time() - 200)
    await session.record_message(said)
    assert snapshot_of(session.counter).seconds_since_request is None, (
        "the cache of another model is no use to this one"
    )
    await session.record_message(replace(said, id="r", model="scripted/scripted", at=time.time() - 100))
    assert snapshot_of(session.counter).seconds_since_request == pytest.approx(100, abs=20)
    await session.record_message(replace(said, id="s", model="scripted/scripted (research)", at=time.time()))
    assert snapshot_of(session.counter).seconds_since_request == pytest.approx(100, abs=20), (
        "its own cache is as warm as it was"
    )


async def test_after_so_many_code_writes_in_every_conversation_and_says_until_when(house) -> None:
    home = await house([answer(), answer(), Reply("Here."), Reply("There.")], prompts=PROMPTS)
    once = replace(BALANCED, max_spend=1)
    for title in ("One", "Two"):
        session = await home.chats.create(title, chat(70))
        session.counter.chosen_policy = once
        await home.turn(session, "Where are we?")
    first, second = [row for row in rows_of(home) if row.kind == "compaction"]
    assert (first.strategies.keys(), first.note) == ({"llm"}, "")
    assert second.strategies.keys() == {"extractive"}
    said = re.search(r"until (\d\d:\d\d): 1 ", second.note)
    ends = {time.strftime("%H:%M", time.localtime(time.time() + seconds)) for seconds in (480, 540, 600, 660)}
    assert said is not None
    assert said[1] in ends
    assert len(home.provider.requests) == 4, "two for the summary, and those of the turns"


async def test_the_twenty_fifth_waits_and_the_users_own_never_does(talk) -> None:
    home, session = await talk([Reply("Here.")], prompts=PROMPTS, messages=chat())
    now = [1_000_000.0]
    service = SummaryService(home.chats.models, lambda: home.chats.settings, lambda: PROMPTS, lambda: now[0])

    async def automatic() -> str:
        return (await service.request_for(session.counter, trigger=Trigger.AFTER_TURN)).strategy

    for _ in range(24):
        assert await automatic() == "llm"
        now[0] += 20
    assert await automatic() == "extractive"
    assert (await service.request_for(session.counter)).strategy == "llm", "what a plan begins with"
    assert (await service.request_for(session.counter, "llm")).strategy == "llm", "asked for by hand"
    assert (await service.request_for(session.counter, trigger=Trigger.USER)).strategy == "llm"
    now[0] = 1_000_000.0 + 600
    assert await automatic() == "llm", "the first is ten minutes ago"
    assert await automatic() == "extractive", "the second is not"


class Priced:
    """Models of a catalogue, and what a token of each costs."""

    def __init__(self, **prices: float | None) -> None:
        self._prices = prices

    def infos(self) -> tuple[ModelInfo, ...]:
        small = ModelInfo("s/narrow", "narrow", 2_000, 500)
        return (small, *(ModelInfo(f"s/{name}", name, 64_000, 4_000) for name in self._prices))

    def price(self, model_id: str) -> Price | None:
        each = self._prices.get(model_id.partition("/")[2], 0.0001)
        return None if each is None else Price(each, each)


@pytest.mark.parametrize(
    ("prices", "proposed"),
    [
        ({"opus": 1.0, "haiku": 0.1, "sonnet": 0.4}, "haiku"),
        ({"opus": 1.0, "sonnet": 0.6}, None),
        ({"opus": 1.0, "local": None, "free": 0.0}, None),
        ({"opus": 1.0, "half": 0.5}, "half"),
    ],
    ids=["the cheapest", "hardly cheaper", "unknown and free", "half"],
)
def test_the_cheapest_model_that_is_set_up_is_proposed_if_it_costs_at_most_half(prices, proposed) -> None:
    estimate = Estimate(calls=1, prompt_tokens=3_000, reply_tokens=500)
    writer = Writer("Opus", "", 1, 3_000, 500, cost_of(estimate, Price(1.0, 1.0)))
    found = with_cheaper(writer, Priced(**prices))
    assert (found.cheaper_label or None, bool(found.cheaper)) == (proposed, proposed is not None)
    assert found.cheaper_dollars == pytest.approx(3_500 * prices[proposed] if proposed else 0)
    assert with_cheaper(replace(writer, dollars=None), Priced(**prices)).cheaper == ""


async def test_no_model_is_proposed_where_the_user_has_chosen_one(talk) -> None:
    home, session = await talk([], prompts=PROMPTS, messages=chat(70))
    models = home.models
    models.others["scripted/small"] = replace(models.info, id="scripted/small", label="Small")
    models.infos = lambda: (models.info, *models.others.values())
    models.price = lambda model_id: Price(0.001, 0.002) if model_id == models.info.id else Price(0.0001, 0.0001)
    plan = await plan_optimization(session.counter, None, "llm")
    writer = await home.services.summaries.writer(session, plan.unwritten)
    assert (writer.cheaper, 0 < writer.cheaper_dollars < writer.dollars / 9) == ("scripted/small", True)
    chosen = replace(home.chats.settings, utility_model="scripted/scripted")
    home.chats.settings = chosen
    assert (await home.services.summaries.writer(session, plan.unwritten)).cheaper == ""
