from __future__ import annotations

import msgspec
import pytest

from desktop_app.context.policy import AGGRESSIVE, BALANCED, PRESETS, RELAXED, Budget, budget_for, policy_for_target


@pytest.mark.parametrize("policy", PRESETS.values(), ids=lambda policy: policy.name)
def test_the_steps_of_the_ladder_come_in_their_order(policy) -> None:
    assert 0 < policy.target < policy.background_at <= policy.prune_at <= policy.compact_at < policy.blocked_at <= 1
    assert policy.thresholds == (policy.background_at, policy.prune_at, policy.compact_at, policy.blocked_at)


def test_the_presets_go_from_late_to_early() -> None:
    assert RELAXED.background_at > BALANCED.background_at > AGGRESSIVE.background_at
    assert RELAXED.target > BALANCED.target > AGGRESSIVE.target
    assert set(PRESETS) == {"relaxed", "balanced", "aggressive"}


def test_balanced_has_the_numbers_of_the_feature_table() -> None:
    assert (BALANCED.background_at, BALANCED.prune_at, BALANCED.compact_at, BALANCED.blocked_at) == (
        0.75,
        0.8,
        0.9,
        0.95,
    )
    assert (BALANCED.tail_most, BALANCED.summary_most, BALANCED.summary_share_of_head) == (20_000, 2_000, 0.2)
    assert (BALANCED.protect_newest, BALANCED.prune_least, BALANCED.protect_user_turns) == (40_000, 20_000, 2)


@pytest.mark.parametrize(
    ("window", "max_output", "reserve"),
    [
        (8_192, 0, 1_638),  # a fifth of the window
        (200_000, 0, 16_384),  # never more than this
        (200_000, 4_096, 4_096),  # nor than the model can write
        (4_000, 0, 1_000),  # at least a thousand
        (200_000, 300, 1_000),
        (1_500, 0, 750),  # and never more than half of the window
        (1, 0, 0),
    ],
)
def test_the_reserve_for_the_reply(window: int, max_output: int, reserve: int) -> None:
    assert budget_for(BALANCED, window, max_output) == Budget(window, reserve)


def test_shares_are_of_what_can_be_used() -> None:
    assert Budget(1_000, 200).share(400) == 0.5
    assert Budget(1_000, 1_000).share(1) == float("inf")


def test_a_target_is_used_up_and_the_policy_itself_stays_as_it_was() -> None:
    policy = policy_for_target(BALANCED)
    assert policy.target == policy.blocked_at == 1.0
    assert policy.is_filling
    assert not BALANCED.is_filling
    with pytest.raises(AttributeError):
        policy.target = 0.5  # type: ignore[misc]
    assert msgspec.json.decode(msgspec.json.encode(policy), type=type(policy)) == policy
