"""What a policy would do in an open conversation: now, and over its past. Nothing is changed by asking."""

from __future__ import annotations

import asyncio
import threading

import pytest
from msgspec.structs import replace
from test_replay import long_conversation

from builders import exchange, user
from desktop_app.chat import read_insights
from desktop_app.chat.compaction.making_room import decide_step
from desktop_app.chat.compaction.snapshot import snapshot_of
from desktop_app.chat.read_insights import policies_replayed, try_policy, usage_of
from desktop_app.context.policy import BALANCED, NO_LIMIT
from desktop_app.context.presets import AGGRESSIVE, PRESETS
from desktop_app.context.replay import replay
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.transcript import Trigger
from provider import Reply

EAGER = replace(BALANCED, background_at=0.30, prune_at=0.30, compact_at=0.30, target=0.10)


def spoken(count: int) -> list[Message]:
    return exchange(f"Number {n}. " + "word " * 60 for n in range(count))


async def test_what_it_would_archive_is_what_it_archives_once_it_is_chosen(talk) -> None:
    _, session = await talk([], messages=spoken(50))
    record = session.transcript
    assert (await try_policy(session, BALANCED, True)).archived == 0
    trial = await try_policy(session, EAGER, True)
    assert session.transcript is record
    session.counter.chosen_policy = EAGER
    plan = decide_step(snapshot_of(session.counter), Trigger.AFTER_TURN)
    assert trial.archived == len(plan.archived) > 10
    assert trial.tokens_after == plan.projected < session.counter.gauge().total
    assert trial.after == session.counter.gauge(), "its marks are those that the gauge has under it"


async def test_the_numbers_are_those_that_act_in_the_window(talk) -> None:
    _, session = await talk([], window=8_192, messages=spoken(4))
    trial = await try_policy(session, replace(BALANCED, max_tail=NO_LIMIT, reserve_share_of_window=0.1), True)
    assert trial.after.reserve == trial.acting.reserve_tokens == 1_000
    assert trial.acting.max_tail == 3_200, "what the target leaves, and not the whole window"


@pytest.mark.parametrize("is_automatic", [True, False])
async def test_what_may_not_act_unasked_would_do_nothing(talk, is_automatic: bool) -> None:
    _, session = await talk([], messages=spoken(50))
    trial = await try_policy(session, replace(EAGER, is_automatic=not is_automatic), is_automatic)
    assert (trial.archived, trial.pruned, trial.note) == (0, 0, "")


async def test_a_message_that_can_never_fit_is_told(talk) -> None:
    _, session = await talk([], window=2_000, messages=[user("word " * 5_000)])
    assert (await try_policy(session, BALANCED, True)).note


async def test_without_a_known_window_nothing_is_due(talk) -> None:
    _, session = await talk([], window=0, messages=spoken(20))
    trial = await try_policy(session, EAGER, True)
    assert (trial.archived, trial.after) == (0, session.counter.gauge())


async def test_the_past_under_two_policies(talk) -> None:
    _, session = await long_conversation(talk, turns=12)
    record = session.transcript
    before, after, seconds = await policies_replayed(session, BALANCED, AGGRESSIVE)
    assert before.requests == after.requests == 12
    assert 0 < before.compactions <= after.compactions
    assert after.share_after < before.share_after
    assert usage_of(after).prompt_tokens < usage_of(before).prompt_tokens
    assert usage_of(after).cached_tokens == after.tokens_cached
    assert seconds >= 0
    assert session.transcript is record


@pytest.mark.parametrize("name", sorted(PRESETS))
async def test_each_preset_can_be_tried_in_a_conversation_without_a_past(house, name: str) -> None:
    home = await house([Reply("Yes.")])
    session = await home.chats.create("Empty")
    await try_policy(session, PRESETS[name], True)
    before, after, _ = await policies_replayed(session, BALANCED, PRESETS[name])
    assert before.requests == after.requests == 0


@pytest.mark.long
async def test_a_replay_ends_soon_after_it_is_cancelled(talk, monkeypatch) -> None:
    """Its thread, too: nothing else could run on that processor."""
    _, session = await talk([], messages=spoken(4_000))
    begun, ended = threading.Event(), threading.Event()

    def watched(*of_replay):
        try:
            for replayed in replay(*of_replay):
                begun.set()
                yield replayed
            raise AssertionError("it was played to its end")
        finally:
            ended.set()

    monkeypatch.setattr(read_insights, "replay", watched)
    task = asyncio.ensure_future(policies_replayed(session, BALANCED, AGGRESSIVE))
    assert await asyncio.to_thread(begun.wait, 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(ended.wait, 60)


async def test_two_policies_that_are_the_same_are_played_once(talk, monkeypatch) -> None:
    _, session = await long_conversation(talk, turns=3)
    played = []

    def counted(*of_replay):
        played.append(of_replay)
        return replay(*of_replay)

    monkeypatch.setattr(read_insights, "replay", counted)
    before, after, _ = await policies_replayed(session, BALANCED, BALANCED)
    assert before == after
    assert len(played) == 1


async def test_the_past_is_told_in_the_tokens_that_the_provider_counts(talk) -> None:
    """A provider that counts half as much again: what was sent is what it has reported."""
    words = "Numbers and words. " * 40
    home, session = await talk([Reply(words, usage=(300 + 450 * n, 240, 0), size=400) for n in range(6)])
    for _ in range(6):
        await home.turn(session, words)
    plain, _, _ = await policies_replayed(session, BALANCED, BALANCED)
    replies = [entry for entry in session.view.path if isinstance(entry, Message) and entry.role is Role.ASSISTANT]
    factor = session.counter.calibration.factor
    assert factor > 1.05
    assert plain.tokens_replied == round(sum(map(session.counter.counts.total, replies)) * factor)
