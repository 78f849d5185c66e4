"""The engine's side of policies: what is told at the start, what is chosen for a conversation."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from desk import open_desk

from desktop_app.chat.ports import WorldError
from desktop_app.context.policy import BALANCED
from desktop_app.context.presets import AGGRESSIVE
from desktop_app.conversation.events import GaugeChanged
from desktop_app.conversation.setup import OwnPolicy
from desktop_app.engine import protocol as p
from desktop_app.settings import Settings

EARLY = {"background_at": 0.3, "prune_at": 0.3, "compact_at": 0.3}


async def test_wrong_numbers_are_told_at_the_start_and_stay_in_the_file(data_folder: Path) -> None:
    own = OwnPolicy("mine", "balanced", {"compact_at": 7, "max_summary": 3_000})
    desk = await open_desk(data_folder, Settings(policy="mine", policies=(own,)))
    (warning,) = (await desk.ask(p.Hello(p.VERSION))).warnings
    assert "compact_at" in warning.detail
    policy = desk.engine.conversations.policy
    assert (policy.max_summary, policy.compact_at) == (3_000, BALANCED.compact_at)
    settings = (await desk.ask(p.ReadSettings())).settings
    assert settings.policies == (own,)
    await desk.close()


async def test_the_gauge_changes_with_the_policy_of_the_conversation(long_desk) -> None:
    desk = await long_desk()
    await desk.ask(p.ChoosePolicy(desk.conversation, "aggressive"))
    *before, told = [e.gauge.thresholds for e in desk.events() if isinstance(e, GaugeChanged)]
    assert told == AGGRESSIVE.thresholds
    assert set(before) <= {BALANCED.thresholds}, "which counted what the first request will carry"
    assert (await desk.opened()).conversation.policy == "aggressive"


async def test_a_newer_replay_takes_the_place_of_an_older_one(long_desk) -> None:
    desk = await long_desk()
    before, after = OwnPolicy("before"), OwnPolicy("after", numbers=EARLY)
    first = asyncio.ensure_future(desk.ask(p.ReplayPolicy(desk.conversation, before, after)))
    await asyncio.sleep(0)
    second = await desk.ask(p.ReplayPolicy(desk.conversation, before, after))
    with pytest.raises(WorldError, match="cancelled"):
        await first
    assert second.before.requests == second.after.requests == 50
    assert second.before.compactions < second.after.compactions
    assert (second.dollars_before, second.dollars_after) == (None, None), "nobody knows what this model costs"


async def test_a_replay_that_nobody_wants_any_more_ends(long_desk) -> None:
    desk = await long_desk()
    replay = asyncio.ensure_future(desk.ask(p.ReplayPolicy(desk.conversation, OwnPolicy("before"), OwnPolicy("after"))))
    await asyncio.sleep(0)
    await desk.ask(p.CancelComputation(p.Computation.REPLAY, desk.conversation))
    with pytest.raises(WorldError, match="cancelled"):
        await replay
    await desk.ask(p.CancelComputation(p.Computation.REPLAY, desk.conversation))  # there is none, and nothing happens


async def test_a_policy_is_tried_and_wrong_numbers_of_it_are_left_out(long_desk) -> None:
    desk = await long_desk()
    draft = OwnPolicy("mine", "aggressive", {**EARLY, "target": 7, "max_summary": 3_000})
    tried = (await desk.ask(p.TryPolicy(desk.conversation, draft))).trial
    assert (tried.before, tried.after.thresholds) == (
        (await desk.opened()).gauge,
        (0.3, 0.3, 0.3, AGGRESSIVE.blocked_at),
    )
    assert (tried.acting.max_summary, tried.acting.target) == (3_000, 0.3 * AGGRESSIVE.target_share_of_due)
    assert tried.archived > 0
    assert tried.tokens_after < tried.after.total
    assert (await desk.opened()).conversation.policy == ""
