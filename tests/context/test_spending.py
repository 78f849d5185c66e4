"""The spend guard: never more than so many within its time, and no pause that is longer than it has to be."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from desktop_app.context.policy import BALANCED, ContextPolicy
from desktop_app.context.summary.model_summary import Spending

STEPS = st.lists(st.integers(0, 400), max_size=80)
POLICIES = st.builds(
    lambda most, seconds: replace(BALANCED, max_spend=most, spend_seconds=seconds),
    st.integers(1, 6),
    st.integers(1, 900),
)


def is_paused(spending: Spending, now: float, policy: ContextPolicy) -> bool:
    return spending.paused_until(now, policy) is not None


def begun(steps: list[int], policy: ContextPolicy) -> tuple[list[float], list[float], Spending]:
    """When one was begun, when that was refused, and what is known at the end; each step is so long after the last."""
    spending, now, allowed, refused = Spending(), 1_000.0, list[float](), list[float]()
    for step in steps:
        now += step
        if is_paused(spending, now, policy):
            refused.append(now)
        else:
            spending = spending.after(now, policy)
            allowed.append(now)
    return allowed, refused, spending


@given(STEPS, POLICIES)
def test_never_more_than_that_many_within_that_time(steps: list[int], policy: ContextPolicy) -> None:
    allowed, _, spending = begun(steps, policy)
    for start in allowed:
        assert sum(start <= time < start + policy.spend_seconds for time in allowed) <= policy.max_spend
    assert len(spending.times) <= policy.max_spend, "what does not count any more is forgotten"


@given(STEPS, POLICIES)
def test_nothing_is_refused_without_need(steps: list[int], policy: ContextPolicy) -> None:
    allowed, refused, _ = begun(steps, policy)
    for now in refused:
        assert sum(now - policy.spend_seconds < time <= now for time in allowed) == policy.max_spend


@given(STEPS, POLICIES, st.integers(0, 2_000))
def test_a_pause_ends_when_it_says_and_not_before(steps: list[int], policy: ContextPolicy, later: int) -> None:
    allowed, _, spending = begun(steps, policy)
    now = (allowed[-1] if allowed else 0.0) + later
    until = spending.paused_until(now, policy)
    if until is not None:
        assert now < until <= now + policy.spend_seconds
        assert is_paused(spending, until - 0.001, policy)
        assert not is_paused(spending, until, policy)


def test_neither_a_clock_that_is_set_back_nor_a_limit_of_zero_pauses() -> None:
    assert begun([1] * 80, replace(BALANCED, max_spend=0))[1] == []
    _, _, spending = begun([1] * 24, BALANCED)
    now = spending.times[-1]
    assert is_paused(spending, now, BALANCED)
    assert not is_paused(spending, now - 365 * 86_400.0, BALANCED)
