from __future__ import annotations

import re
from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from preset_conversations import has

from desktop_app.context.fitting import (
    MIN_DUE_SHARE,
    acting_policy,
    fit_policy,
    stream_grace,
    unasked_room,
)
from desktop_app.context.policy import BALANCED, NO_LIMIT, Budget, ContextPolicy, budget_for, policy_for_target
from desktop_app.context.policy_fields import GROUPS, share_in_tokens
from desktop_app.context.presets import AGGRESSIVE, FOR_PEOPLE, PRESETS, RELAXED, SUMMARIES

NAMES = st.sampled_from(sorted(PRESETS))
WINDOWS = st.integers(1_000, 2_000_000) | st.sampled_from([1_000, 4_096, 8_192, 32_768, 128_000, 200_000, 1_000_000])


@given(NAMES, WINDOWS, st.integers(0, 128_000))
def test_no_preset_gives_nonsense_for_any_window(name: str, window: int, max_output: int) -> None:
    budget = budget_for(PRESETS[name], window, max_output)
    policy = fit_policy(PRESETS[name], budget)
    assert budget.reserve > 0
    assert 0 < budget.usable == min(window, PRESETS[name].max_window) - budget.reserve
    assert budget.usable + budget.spare == budget.limit == window - budget.reserve
    used = budget.window
    assert budget.usable >= (min(used / 2, 8_000) if PRESETS[name].reserve_tokens else used / 2)
    assert MIN_DUE_SHARE <= policy.background_at <= policy.compact_at <= policy.blocked_at <= 1
    assert policy.prune_at == 0 or MIN_DUE_SHARE <= policy.prune_at <= policy.compact_at
    assert 0 < policy.target < min(policy.background_at, policy.compact_at)
    assert list(policy.thresholds) == sorted(policy.thresholds)
    assert fit_policy(policy, budget) == policy, "fitting again changes nothing"


@given(st.sampled_from(FOR_PEOPLE), WINDOWS)
def test_shares_of_what_can_be_used_are_taken_as_they_are(policy: ContextPolicy, window: int) -> None:
    made = fit_policy(policy, budget_for(policy, window))
    assert replace(made, truncate_bytes=policy.truncate_bytes, target=policy.target) == policy
    assert fit_policy(made, budget_for(policy, window)) == made


@pytest.mark.parametrize("policy", FOR_PEOPLE, ids=lambda policy: policy.name)
def test_the_steps_of_the_ladder_come_in_their_order(policy: ContextPolicy) -> None:
    assert 0 < policy.target < policy.background_at <= policy.prune_at <= policy.compact_at < policy.blocked_at <= 1
    assert policy.thresholds == (policy.background_at, policy.prune_at, policy.compact_at, policy.blocked_at)


def test_the_presets_go_from_late_to_early() -> None:
    assert RELAXED.background_at > BALANCED.background_at > AGGRESSIVE.background_at
    assert RELAXED.target > BALANCED.target > AGGRESSIVE.target
    assert RELAXED.keep_user_tokens == 20_000 > BALANCED.keep_user_tokens


def test_balanced_has_the_numbers_of_the_feature_table_that_no_other_test_holds() -> None:
    has(
        BALANCED,
        limit_without_window=128_000,
        thresholds=(0.75, 0.80, 0.90, 0.95),
        spill_above=200_000,
        spill_days=30,
        hard_clear_age=8,
        protect_newest=40_000,
        protect_share_of_window=0.25,
        protect_user_turns=2,
        min_prune=20_000,
        prune_least_share_of_window=0.10,
        prune_runway=0.25,
        target=0.30,
        min_target=3_200,
        summary_share_of_target=0.60,
        tail_assistant_turns=5,
        max_summary=2_000,
        summary_share_of_head=0.50,
        repair_calls=1,
        call_seconds=60,
        compaction_seconds=300,
        max_spend=24,
        spend_seconds=600,
        is_automatic=True,
        stream_restarts=2,
        overflow_shed=(0.10, 0.20, 0.50, 1.00),
        flush_distance=4_000,
        max_memory=1_000,
        max_recall=4_000,
    )


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


def test_a_fixed_reserve_stands_for_the_share() -> None:
    fixed = replace(BALANCED, reserve_tokens=30_000)
    assert budget_for(fixed, 200_000).reserve == 30_000
    assert budget_for(fixed, 200_000, 8_192).reserve == 30_000, "it was asked for, whatever the model writes"
    assert budget_for(fixed, 40_000).reserve == 30_000
    assert budget_for(fixed, 36_000).reserve == 28_000, "8,000 are always left"
    assert budget_for(fixed, 12_000).reserve == 6_000, "or half of the window"


@given(st.integers(1, 100_000), WINDOWS, st.integers(1, 5_000), st.integers(0, 128_000))
def test_a_larger_window_never_has_less_to_use(reserve: int, window: int, more: int, max_output: int) -> None:
    fixed = replace(BALANCED, reserve_tokens=reserve)
    before, after = budget_for(fixed, window, max_output), budget_for(fixed, window + more, max_output)
    assert before.usable <= after.usable
    assert before.usable >= min(window // 2, 8_000)
    assert before.reserve <= max(reserve, fixed.min_reserve)


def test_shares_are_of_what_can_be_used() -> None:
    assert Budget(1_000, 200).share(400) == 0.5
    assert Budget(1_000, 1_000).share(1) == float("inf")


def test_shares_of_the_window_become_shares_of_what_can_be_used() -> None:
    of_window = replace(BALANCED, shares_of="window", background_at=0.5, prune_at=0.6, compact_at=0.72, target=0.4)
    of_window = replace(of_window, min_target=0, target_share_of_due=0.9)
    made = fit_policy(of_window, Budget(1_000, 200))
    assert (made.background_at, made.prune_at, made.compact_at, made.target) == pytest.approx((0.625, 0.75, 0.9, 0.5))
    assert made.blocked_at == 1, "95 % of the window is more than can be used"
    assert made.shares_of == "usable"


def test_a_budget_for_counts_that_are_short() -> None:
    assert Budget(200_000, 20_000).counted_with(1.25) == Budget(160_000, 16_000)
    assert Budget(200_000, 20_000).counted_with(1.0) == Budget(200_000, 20_000)
    odd = Budget(1_001, 334).counted_with(1.28)
    assert odd.usable * 1.28 <= 667, "rounded to the safe side"


def test_where_nobody_knows_the_window_a_request_takes_what_the_policy_says_or_messages_are_counted() -> None:
    limited = replace(BALANCED, limit_without_window=20_000)
    assert budget_for(limited, 128_000, 4_096, is_assumed=True) == Budget(24_096, 4_096)
    assert budget_for(limited, 128_000, 4_096) == Budget(128_000, 4_096), "that one is known"
    assert budget_for(limited, 16_000, is_assumed=True).window == 16_000, "never more than was assumed"
    assert budget_for(BALANCED, 128_000, is_assumed=True) == budget_for(BALANCED, 128_000)
    counting = replace(BALANCED, limit_without_window=0)
    assert budget_for(counting, 128_000, is_assumed=True).max_messages == 50
    assert budget_for(counting, 128_000).max_messages == NO_LIMIT
    assert budget_for(counting, 128_000, is_assumed=True).counted_with(1.25).max_messages == 50


@pytest.mark.parametrize("chosen", PRESETS.values(), ids=lambda policy: policy.name)
def test_a_target_is_used_up_and_the_policy_itself_stays_as_it_was(chosen: ContextPolicy) -> None:
    policy = policy_for_target(chosen)
    assert policy.target == policy.blocked_at == 1.0
    assert policy.summary_share_of_target == 1.0
    assert policy.summary_share_of_head < 1, "what the tail leaves is divided by what is left of it"
    with pytest.raises(AttributeError):
        policy.target = 0.5  # type: ignore[misc]
    assert msgspec.json.decode(msgspec.json.encode(policy), type=type(policy)) == policy


SOURCES = [source for group in GROUPS for source in group.sources]


def test_every_number_has_exactly_one_source_that_names_a_row_and_who_asked() -> None:
    fields = Counter(field.name for field in msgspec.structs.fields(ContextPolicy) if field.name != "name")
    assert Counter(source.field for source in SOURCES) == fields
    for source in SOURCES:
        assert re.fullmatch(r"[CTPKSWL]\d{1,2}(-[CTPKSWL]\d{1,2})?", source.number.row), source.field
        assert source.number.documents, source.field
        assert set(source.number.documents.split()) <= {"0", "1", "2", "3", "4", "+"}, source.field
        assert source.meaning, source.field


def test_every_preset_has_a_line_of_its_own_and_shares_that_are_parts() -> None:
    assert SUMMARIES.keys() == PRESETS.keys()
    assert all(0 < len(words) < 100 for words in SUMMARIES.values())
    shares = [source.field for source in SOURCES if source.unit == "share"]
    assert len(shares) > 15
    assert all(0 <= getattr(policy, share) <= 1 for policy in PRESETS.values() for share in shares)


def test_a_recall_that_nobody_asked_for_has_enough_room_or_none() -> None:
    assert unasked_room(BALANCED, Budget(32_000, 6_000)) == 520
    assert unasked_room(BALANCED, Budget(30_000, 6_000)) == 0
    assert unasked_room(BALANCED, Budget(1_000_000, 0)) == BALANCED.max_recall
    assert acting_policy(BALANCED, Budget(30_000, 6_000)).recall_unasked_share == 0
    assert acting_policy(BALANCED, Budget(32_000, 6_000)).recall_unasked_share == BALANCED.recall_unasked_share


OF_SOMETHING_ELSE = {
    *("buffer_share_of_rest", "target_share_of_due", "summary_share_of_head", "summary_share_of_target", "prune_runway")
}
"""Shares of what is no number of tokens of a window: of a head, of what is free just now."""


def test_every_share_is_given_in_tokens_or_limits_a_number_that_is() -> None:
    numbers = {source.field: source.number for source in SOURCES if source.unit == "share"}
    assert {field for field, number in numbers.items() if not number.of and not number.limits} == OF_SOMETHING_ELSE
    assert not [field for field, number in numbers.items() if number.of and number.limits]
    limited = [number.limits for number in numbers.values() if number.limits]
    assert len(limited) == len(set(limited))
    assert set(limited) <= {source.field for source in SOURCES}


def test_the_tail_acts_up_to_the_target() -> None:
    assert acting_policy(BALANCED, Budget(100_000, 0)).max_tail == 30_000
    assert acting_policy(replace(BALANCED, max_tail=9_000), Budget(100_000, 0)).max_tail == 9_000
    assert acting_policy(replace(BALANCED, tail_share=0.1), Budget(100_000, 0)).max_tail == 10_000
    assert acting_policy(replace(BALANCED, max_tail=0), Budget(100_000, 0)).max_tail == 0, "by messages"


@pytest.mark.parametrize(
    ("window", "tokens"),
    [
        (
            8_192,
            {"compact_at": 5_899, "stream_stop_at": 7_373},
        ),
        (32_768, {"compact_at": 23_593, "stream_stop_at": 29_491}),
        (200_000, {"compact_at": 165_254, "stream_stop_at": 180_000}),
    ],
)
def test_a_share_is_so_many_tokens_in_a_window(window: int, tokens: dict[str, int]) -> None:
    budget = budget_for(BALANCED, window)
    acting = acting_policy(BALANCED, budget)
    assert {field: share_in_tokens(field, acting, budget) for field in tokens} == tokens


def test_a_reply_that_is_stopped_may_end_its_line_in_a_share_of_a_small_window() -> None:
    assert [stream_grace(window) for window in (50, 2_000, 200_000)] == [1, 20, 64]
