"""A conversation that nobody uses is compacted shortly before its cache expires, if the user wants it."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace
from test_prefix_ride import COUNT, PAGE, SUMMARY, chat, is_question

from desktop_app.chat import operations
from desktop_app.chat.ports import Price
from desktop_app.chat.tasks import Job
from desktop_app.context.counting import prefix_cache
from desktop_app.context.policy import NO_LIMIT
from desktop_app.conversation.events import ViewChanged
from desktop_app.conversation.message import MessageDraft
from desktop_app.conversation.transcript import Compaction, Trigger
from provider import Reply
from summary_prompts import PROMPTS

PRICE = Price(3e-6, 15e-6, 3e-7, 3.75e-6)


class Clock:
    """A clock for the ages of caches and the sleeps of idle conversations: time passes when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.passed = 0.0
        self.sleeping: list[tuple[float, asyncio.Future[None]]] = []
        real = prefix_cache.cached_prefix
        monkeypatch.setattr(
            "desktop_app.chat.request_counter.cached_prefix",
            lambda path, model, life, now: real(path, model, life, now + self.passed),
        )
        monkeypatch.setattr("desktop_app.chat.turns.sleep", self.sleep)

    async def sleep(self, seconds: float) -> None:
        waiting = asyncio.get_running_loop().create_future()
        self.sleeping.append((self.passed + seconds, waiting))
        await waiting

    async def go_on(self, seconds: float) -> None:
        self.passed += seconds
        due, self.sleeping = (
            [s for s in self.sleeping if s[0] <= self.passed],
            [s for s in self.sleeping if s[0] > self.passed],
        )
        for _, waiting in due:
            if not waiting.done():
                waiting.set_result(None)
        await asyncio.sleep(0.05)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


async def half_full(talk, *script, wants: bool = True, least: int = 5_000, life: int = 300):
    """A conversation at half of its window, whose newest reply has just arrived, and whose cache is large."""
    said = chat(145)
    usage = sum(COUNT(message.text) + 4 for message in said) + 20, 10, 0
    home, session = await talk([Reply("Here.", usage=usage), *script], prompts=PROMPTS, messages=said, window=30_000)
    home.models.cost = PRICE
    home.models.info = replace(home.models.info, cache_seconds=life)
    home.chats.change_settings(replace(home.chats.settings, is_compacting_idle=wants))
    session = await home.chats.open(session.id)
    policy = session.counter.chosen_policy
    session.counter.chosen_policy = replace(policy, warn_cached=least, cache_seconds=life)
    await home.turn(session, "Where are we?")
    await settled(home, session)
    return home, session


async def settled(home, session) -> None:
    while home.chats.turns.is_busy(session.id):
        await asyncio.sleep(0.01)


def compactions(session) -> list[Compaction]:
    return [entry for entry in session.transcript.entries if isinstance(entry, Compaction)]


def is_waiting(home, session) -> bool:
    return home.chats._tasks.is_running(Job.IDLE.of(session.id))


@pytest.mark.wire
async def test_it_is_compacted_by_its_model_from_the_cache_shown_and_undoable(talk, clock: Clock) -> None:
    home, session = await half_full(talk, SUMMARY)
    await clock.go_on(269)
    assert not compactions(session), "there is still time"
    await clock.go_on(2)
    await settled(home, session)
    (done,) = compactions(session)
    assert (done.trigger, done.strategy) == (Trigger.IDLE, "llm")
    assert done.summary.startswith(PAGE)
    turn, asked = home.provider.requests
    assert is_question(asked)
    assert asked.messages[: len(turn.messages)] == turn.messages, "it is read from the cache"
    (row,) = session.operations()
    assert (row.kind, row.trigger) == ("compaction", Trigger.IDLE)
    assert [event.cause for event in home.of(ViewChanged) if event.operations][-1] is Trigger.IDLE
    assert not is_waiting(home, session), "and not again"
    before = done.tokens_before
    await operations.undo(session, done.id)
    assert session.counter.gauge().total == pytest.approx(before, rel=0.02)


@pytest.mark.parametrize("how", [{"wants": False}, {"least": 50_000}, {"life": 0}, {"life": NO_LIMIT}])
async def test_nothing_waits_where_it_is_not_wanted_or_would_not_pay(talk, clock: Clock, how) -> None:
    home, session = await half_full(talk, **how)
    assert not is_waiting(home, session)
    assert not clock.sleeping


async def test_a_turn_a_draft_or_a_cache_that_has_expired_ends_it(talk, clock: Clock) -> None:
    home, session = await half_full(talk, Reply("More.", usage=(14_500, 10, 14_000)), SUMMARY)
    await clock.go_on(100)
    await home.turn(session, "And then?")
    await settled(home, session)
    assert is_waiting(home, session), "from the newest reply on"
    await home.chats.turns.queue.keep_draft(session.id, "I am just wri", None)
    await clock.go_on(280)
    assert not compactions(session)
    assert home.chats.turns.queue.draft(session.id) != MessageDraft()


async def test_a_computer_that_slept_until_the_cache_had_expired_compacts_nothing(talk, clock: Clock) -> None:
    home, session = await half_full(talk, SUMMARY)
    await clock.go_on(3_000)
    await settled(home, session)
    assert not compactions(session)
    assert len(home.provider.requests) == 1
    assert not is_waiting(home, session)


async def test_without_a_models_summary_the_conversation_stays_as_it_is(talk, clock: Clock) -> None:
    weather = Reply('{"summary": "The weather is nice today, thanks."}')
    home, session = await half_full(talk, weather, weather)
    await clock.go_on(271)
    await settled(home, session)
    assert not compactions(session)
    assert not session.operations()


async def test_the_spend_guard_pauses_it(talk, clock: Clock) -> None:
    home, session = await half_full(talk, SUMMARY)
    session.counter.chosen_policy = replace(session.counter.chosen_policy, max_spend=1)
    await home.services.summaries.request_for(session.counter, trigger=Trigger.AFTER_TURN)
    await clock.go_on(271)
    await settled(home, session)
    assert not compactions(session)
    assert len(home.provider.requests) == 1
