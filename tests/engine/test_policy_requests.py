"""The engine's side of policies: what is told at the start, what is chosen for a conversation."""

from __future__ import annotations

from pathlib import Path

from desk import open_desk

from desktop_app.context.policy import BALANCED
from desktop_app.context.presets import AGGRESSIVE
from desktop_app.conversation.events import GaugeChanged
from desktop_app.conversation.own_policy import OwnPolicy
from desktop_app.engine import protocol as p
from desktop_app.settings import Settings


async def test_wrong_numbers_are_told_at_the_start_and_stay_in_the_file(data_folder: Path) -> None:
    own = OwnPolicy("mine", "balanced", {"compact_at": 7, "summary_most": 3_000})
    desk = await open_desk(data_folder, Settings(policy="mine", policies=(own,)))
    (warning,) = (await desk.ask(p.Hello(p.VERSION))).warnings
    assert "compact_at" in warning.detail
    policy = desk.engine.conversations.policy
    assert (policy.summary_most, policy.compact_at) == (3_000, BALANCED.compact_at)
    settings = (await desk.ask(p.ReadSettings())).settings
    assert settings.policies == (own,)
    await desk.close()


async def test_the_gauge_changes_with_the_policy_of_the_conversation(long_desk) -> None:
    desk = await long_desk()
    await desk.ask(p.ChoosePolicy(desk.conversation, "aggressive"))
    assert [e.gauge.thresholds for e in desk.events() if isinstance(e, GaugeChanged)] == [AGGRESSIVE.thresholds]
    assert (await desk.opened()).conversation.policy == "aggressive"
