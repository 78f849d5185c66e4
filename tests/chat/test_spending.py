"""Limits of money: what a conversation and a day may cost, asked about before a request passes them."""

from __future__ import annotations

import asyncio
import dataclasses
import time

import pytest
from msgspec.structs import replace
from researching import furnish, looking, researched, search, web_server
from test_prefix_ride import COUNT, SUMMARY, chat
from test_prefix_ride import PRICE as RIDE_PRICE

from desktop_app.chat.conversations import Conversations
from desktop_app.chat.ports import Price
from desktop_app.chat.session import Session, stamp
from desktop_app.chat.spending import MoneyLimits, dollars_of, next_request_dollars
from desktop_app.chat.turn.take_turn import TurnOptions
from desktop_app.conversation.events import TurnFailed
from desktop_app.conversation.message import Message, Role, Text, Usage
from desktop_app.conversation.transcript import AuxiliaryUsage, StandingSummary, Trigger
from provider import Reply
from summary_prompts import PROMPTS

PRICE = Price(prompt=0.001, reply=0.002, cached=0.0001)
"""A thousand tokens cost a dollar."""


def paid(dollars: float) -> AuxiliaryUsage:
    return stamp(AuxiliaryUsage(purpose="title", model="m/m", usage=Usage(1, 1, dollars=dollars)))


async def limited(house, **limits: float):
    made = await house([Reply("Yes.", usage=None)], repeat_last=True)
    made.models.cost = PRICE
    made.furnish(money=MoneyLimits(made.archive.dollars_after, made.models, made.settings))
    made.chats.settings = replace(made.chats.settings, **limits)
    return made, await made.chats.create()


def limit_money(made, **limits: float) -> None:
    """Puts the limits into a house that is furnished already. Its conversations are opened again."""
    settings = replace(made.chats.settings, **limits)
    made.services = dataclasses.replace(
        made.services, money=MoneyLimits(made.archive.dollars_after, made.models, made.settings)
    )
    made.chats = Conversations(made.archive, settings, made.services, made.publish, lambda: None)


def kinds(made) -> list[str]:
    return [event.failure.kind for event in made.of(TurnFailed)]


async def go_on(made, session: Session) -> None:
    await made.chats.turns.go_on(session, TurnOptions(is_forced=True))
    await made.chats.turns.wait_until_idle(session.id)


async def test_without_a_limit_nothing_is_asked(house) -> None:
    made, session = await limited(house)
    await session.record_operation(paid(1_000.0))
    await made.turn(session, "Hello")
    assert not kinds(made)


async def test_a_conversation_is_not_continued_beyond_its_limit_until_the_user_says_so(house) -> None:
    made, session = await limited(house, max_dollars=5.0)
    await made.turn(session, "Hello")
    assert not kinds(made)
    await session.record_operation(paid(4.99))
    await made.turn(session, "And now?")
    assert kinds(made) == ["spending"]
    failure = made.of(TurnFailed)[0].failure
    assert "$5.00" in failure.title
    assert "$4.99" in failure.detail
    assert len(made.provider.requests) == 1, "nothing was sent"
    assert session.view.items[-1].message.text == "And now?", "the message is kept"
    await go_on(made, session)
    assert len(made.provider.requests) == 2
    await made.turn(session, "More?")
    assert kinds(made) == ["spending"], "another five dollars are allowed"
    await session.record_operation(paid(5.0))
    await made.turn(session, "Still?")
    assert kinds(made) == ["spending", "spending"]


async def test_a_day_counts_all_conversations_once(house) -> None:
    made, session = await limited(house, max_dollars_a_day=5.0)
    for number in range(3):
        other = await made.chats.create(f"{number}", [])
        await other.record_operation(paid(1.5))
    await made.turn(session, "Hello")
    assert not kinds(made), "4.50 were spent"
    await made.turn(session, "And?")
    assert not kinds(made), "and are not counted again"
    await session.record_operation(paid(0.5))
    await made.turn(session, "Now?")
    assert kinds(made) == ["spending"]
    await go_on(made, session)
    await made.turn(session, "More?")
    assert kinds(made) == ["spending"]


async def test_a_model_without_a_price_is_never_refused(house) -> None:
    made, session = await limited(house, max_dollars=0.01, max_dollars_a_day=0.01)
    made.models.cost = None
    await made.turn(session, "Hello")
    assert not kinds(made)


async def test_the_next_request_is_estimated_by_the_cache_and_the_length_of_the_last_one(house) -> None:
    made, session = await limited(house)
    await made.turn(session, "Hello " * 200)
    total = session.counter.gauge().total
    assert next_request_dollars(session, PRICE) == pytest.approx(total * PRICE.prompt)
    name = session.model.info.record_name
    usage = Usage(1_000, 50, cached_tokens=800)
    await session.record_message(stamp(Message(role=Role.ASSISTANT, parts=(Text("Yes."),), model=name, usage=usage)))
    total = session.counter.gauge().total
    by_hand = 0.2 * total * 0.001 + 0.8 * total * 0.0001 + 50 * 0.002
    assert next_request_dollars(session, PRICE) == pytest.approx(by_hand, rel=0.01)
    assert dollars_of(session) == 0.0


async def test_a_day_begins_at_midnight(house) -> None:
    made, session = await limited(house)
    await session.record_operation(paid(2.0))
    old = replace(paid(40.0), id="old", at=time.time() - 3 * 86_400)
    await session.record_operation(old)
    now = [time.time()]
    money = MoneyLimits(made.archive.dollars_after, made.models, made.settings, lambda: now[0])
    assert await money.today() == pytest.approx(2.0)
    assert await money.today() == pytest.approx(2.0)
    await session.record_operation(paid(0.25))
    assert await money.today() == pytest.approx(2.25)
    now[0] += 86_400
    assert await money.today() == 0.0


async def test_two_turns_at_the_same_time_count_a_day_once(house) -> None:
    made, session = await limited(house)
    await session.record_operation(paid(2.0))
    money = MoneyLimits(made.archive.dollars_after, made.models, made.settings)
    assert await asyncio.gather(money.today(), money.today(), money.today()) == pytest.approx([2.0] * 3)


async def test_a_turn_that_was_allowed_once_asks_again_before_it_passes_the_limit_once_more(house, tmp_path) -> None:
    async with web_server() as web:
        made = await house([looking(search("tea"), usage=(5_000, 1, 0)), Reply("Tea.", usage=(10, 1, 0))])
        furnish(made, tmp_path, web)
        made.models.cost = PRICE
        limit_money(made, max_dollars=5.0)
        session = await made.chats.create()
        await session.record_operation(paid(4.99))
        await made.turn(session, "Hello")
        assert kinds(made) == ["spending"]
        await go_on(made, session)
        assert kinds(made) == ["spending", "spending"], "its first request cost five dollars"
        assert len(made.provider.requests) == 1


async def test_a_research_stops_before_the_request_that_would_pass_a_limit_until_the_user_allows_it(
    house, tmp_path
) -> None:
    async with web_server() as web:
        script = [looking(search("tea"), usage=(4_000, 1, 0)), looking(search("tea"), usage=(900, 1, 0))]
        made = await house([*script, Reply("In 1610.", usage=(900, 1, 0))])
        furnish(made, tmp_path, web)
        made.models.cost = PRICE
        limit_money(made, max_dollars=5.0)
        session = await made.chats.create()
        message = await researched(made, session, "When did tea come?")
        assert kinds(made) == ["spending"]
        assert "$5.00" in made.of(TurnFailed)[0].failure.title
        asked = len(made.provider.requests)
        assert asked in (1, 2), "not the one that would pass it"
        assert message.is_interrupted
        assert dollars_of(session) > 4.0, "what it has cost so far is recorded"
        await go_on(made, session)
        await made.chats.turns.wait_until_idle(session.id, with_room=True)
        assert kinds(made) == ["spending"], "another five dollars are allowed"
        assert session.view.items[-1].message.text.startswith("In 1610."), "the research, not the chat, has answered"


@pytest.mark.parametrize("limit", ["max_dollars", "max_dollars_a_day"])
async def test_no_summary_is_written_ahead_or_in_the_background_beyond_a_limit(talk, limit) -> None:
    for dollars, is_written in ((0.0, True), (1_000.0, True), (0.07, False)):
        said = chat(188)
        usage = sum(COUNT(message.text) + 4 for message in said) + 20, 10, 0
        script = [Reply("Here.", usage=usage), SUMMARY]
        home, session = await talk(script, prompts=PROMPTS, messages=said, window=30_000)
        home.models.cost = RIDE_PRICE
        limit_money(home, **{limit: dollars})
        session = await home.chats.open(session.id)
        await home.turn(session, "Where are we?")
        while home.chats.turns.is_busy(session.id):
            await asyncio.sleep(0.01)
        ahead = [entry for entry in session.transcript.entries if isinstance(entry, StandingSummary)]
        assert bool(ahead) == is_written, dollars
        assert (len(home.provider.requests) == 2) == is_written
        if not is_written:
            await home.make_room(session, Trigger.OVERFLOW)
            assert len(home.provider.requests) == 1
            assert session.view.summary is not None
            assert session.view.summary.strategy == "extractive"
            assert "$0.07" in session.view.summary.note
