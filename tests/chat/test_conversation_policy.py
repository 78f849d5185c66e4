"""Which policy a conversation has: its own, that of the settings, or one that the user made."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from desktop_app.chat.ports import WorldError
from desktop_app.context.presets import AGGRESSIVE, RELAXED
from desktop_app.conversation.events import GaugeChanged
from desktop_app.conversation.setup import OwnPolicy

MINE = OwnPolicy("mine", "relaxed", {"compact_at": 0.85, "prune_at": 0.85, "background_at": 0.7})


def marks(session) -> tuple[float, ...]:
    return session.counter.gauge().thresholds


async def test_a_conversation_keeps_the_policy_that_was_chosen_for_it(house) -> None:
    home = await house([])
    one, other = await home.chats.create("One"), await home.chats.create("Other")
    before = marks(one)
    await home.chats.choose_policy(one.id, "aggressive")
    assert marks(one) == AGGRESSIVE.thresholds != before == marks(other)
    assert (await home.archive.conversation(one.id)).policy == one.info.policy == "aggressive"
    home.chats.change_settings(replace(home.settings(), policy="relaxed"))
    assert (marks(one), marks(other)) == (AGGRESSIVE.thresholds, RELAXED.thresholds)
    assert [event.conversation for event in home.of(GaugeChanged)] == [other.id], "only where something has changed"
    home.furnish(home.settings())
    assert marks(await home.chats.open(one.id)) == AGGRESSIVE.thresholds, "also after a new start"
    await home.chats.choose_policy(one.id, "")
    assert marks(await home.chats.open(one.id)) == RELAXED.thresholds


async def test_a_policy_of_ones_own_can_be_chosen_and_changed_and_taken_away(house) -> None:
    home = await house([])
    home.chats.change_settings(replace(home.settings(), policies=(MINE,)))
    session = await home.chats.create("One")
    await home.chats.choose_policy(session.id, "mine")
    assert marks(session) == (0.7, 0.85, 0.85, RELAXED.blocked_at)
    changed = replace(MINE, numbers={**MINE.numbers, "compact_at": 0.88})
    home.chats.change_settings(replace(home.settings(), policies=(changed,)))
    assert marks(session)[2] == 0.88
    home.chats.change_settings(replace(home.settings(), policies=(), policy="aggressive"))
    assert marks(session) == AGGRESSIVE.thresholds, "that of the settings stands in for one that is gone"


async def test_an_unknown_policy_is_refused(house) -> None:
    home = await house([])
    session = await home.chats.create("One")
    before = marks(session)
    with pytest.raises(WorldError, match="cautious"):
        await home.chats.choose_policy(session.id, "cautious")
    assert (marks(session), session.info.policy) == (before, "")
