"""What Palimpsest asks of its own accord is counted as it is paid, in the totals and in its turn's figures (C10)."""

from __future__ import annotations

import asyncio

import pytest
import test_describe
import test_digests
import test_naming
from test_summarize import answer, chat

from desktop_app.chat.ports import Price
from desktop_app.chat.session import Session
from desktop_app.context.counting.totals import totals_of
from desktop_app.conversation.events import TurnFinished
from desktop_app.conversation.message import Usage
from desktop_app.conversation.transcript import AuxiliaryUsage, Prune, Transcript, Trigger
from provider import Reply
from summary_prompts import PROMPTS

PRICE = Price(prompt=0.001, reply=0.01, cached=0.0005)


async def stored(home, session: Session) -> Transcript:
    return Transcript().extend(await home.archive.entries(session.id))


async def test_images_count_and_so_does_the_turn_that_showed_them(house) -> None:
    home = await house([Reply("A cat.", usage=(100, 10, 40)), Reply("Bella.", usage=(200, 20, 0))])
    home.chats.models.cost = PRICE
    test_describe.furnish(home)
    session = await home.chats.create()
    await test_describe.asked(home, session, "Who is it?", test_describe.FAKE)
    totals = totals_of(await stored(home, session))
    assert totals.auxiliary == Usage(100, 10, 40, 0, 0.06 + 0.02 + 0.1)
    assert totals.replies == Usage(200, 20, 0, 0, 0.4)
    (finished,) = home.of(TurnFinished)
    assert finished.dollars == pytest.approx(0.58)
    assert finished.tokens_reported == 200, "it is held against the estimate of the turn's own requests"


async def test_a_title_counts_whether_it_is_taken_or_not(house) -> None:
    home = await house([Reply("In 1610."), Reply("far " * 40, usage=(50, 40, 0))])
    home.chats.models.cost = PRICE
    test_naming.furnish(home)
    session = await home.chats.create()
    await home.turn(session, test_naming.QUESTION)
    assert await test_naming.titled(home, session) == test_naming.QUESTION
    assert totals_of(await stored(home, session)).auxiliary == Usage(50, 40, 0, 0, 0.45)


async def test_a_digest_is_stored_with_the_prune_that_it_is_for(house) -> None:
    session, _ = await test_digests.pruned(house, Reply("- f0.py to f9.py define values", usage=(3_000, 30, 0)))
    upkeep, prune = session.transcript.entries[-2:]
    assert isinstance(upkeep, AuxiliaryUsage)
    assert isinstance(prune, Prune)
    assert totals_of(session.transcript).auxiliary == Usage(3_000, 30)


async def test_a_summary_has_its_price_and_what_was_cached(house) -> None:
    home = await house([answer(usage=(1_000, 100, 600))], window=20_000, prompts=PROMPTS)
    home.chats.models.cost = PRICE
    session = await home.chats.create("Long", chat(136))
    await home.make_room(session, Trigger.USER)
    spent = totals_of(await stored(home, session)).auxiliary
    assert spent.requests == 1
    assert (spent.prompt_tokens, spent.reply_tokens, spent.cached_tokens) == (1_000, 100, 600)
    assert spent.dollars == pytest.approx(0.4 + 0.3 + 1.0)


async def test_a_turn_counts_the_summary_that_it_waited_for(house) -> None:
    summary = answer(usage=(1_000, 100, 0))
    home = await house([summary, summary, Reply("Here.", usage=(5_000, 10, 0))], 20_000, prompts=PROMPTS)
    home.chats.models.cost = PRICE
    session = await home.chats.create("Long", chat(220))
    await home.turn(session, "And now?")
    await asyncio.sleep(0)
    (finished,) = home.of(TurnFinished)
    assert finished.reason == "finished"
    assert finished.dollars == pytest.approx(2 * (1.0 + 1.0) + 5.0 + 0.1), "the summary, its repair, and the reply"
