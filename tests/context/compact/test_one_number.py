"""The number that the gauge shows is the one that decides, whatever is counted here."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import MODEL, letters, model, record, user
from builders import gauge as gauge_of
from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.context.compact.room_decision import WindowTooSmall, due_shares, is_due, next_step
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.fitting import fit_policy
from desktop_app.context.policy import BALANCED, Budget
from desktop_app.context.view.view import View, view_of
from desktop_app.conversation.message import Usage
from desktop_app.conversation.transcript import Prune, Trigger
from examples import examples

PHASES = [Trigger.BEFORE_REQUEST, Trigger.TOOL_RESULT, Trigger.STREAMING, Trigger.AFTER_TURN, Trigger.USER]


def measured_chat(turns: int, factor: float) -> View:
    """A chat whose newest reply says what the provider counted: `factor` times what is counted here."""
    said = [m for n in range(turns) for m in (user(f"question {n} " * 12), model(f"answer {n} " * 12))]
    counted = request_tokens(view_of(record(*said)), letters())
    usage = Usage(max(round(counted * factor), 1), 10)
    return view_of(record(*said, model("yes", model=MODEL.record_name, usage=usage)))


@given(
    turns=st.integers(4, 40),
    factor=st.floats(0.52, 1.95),
    share=st.floats(0.2, 1.4),
    trigger=st.sampled_from(PHASES),
)
@settings(max_examples=examples(200), deadline=None)
def test_a_step_is_made_exactly_if_the_gauge_has_reached_the_share(
    turns: int, factor: float, share: float, trigger: Trigger
) -> None:
    view, counts = measured_chat(turns, factor), letters()
    total = gauge_of(view, counts).total
    budget = Budget(max(round(total / share), 2), 0)
    policy = fit_policy(BALANCED, budget)
    prune_at, compact_at = due_shares(trigger, policy, budget)
    shown = gauge_of(view, counts, budget=budget).share
    assert is_due(view, total, policy, budget, trigger) is (shown >= min(prune_at, compact_at))
    try:
        step = next_step(view, policy, budget, counts, trigger, total=total)
    except WindowTooSmall:
        assert shown > 1.0
        return
    # There are no results to prune, and enough turns to archive some.
    assert (step is not None) is (shown >= compact_at)
    if isinstance(step, CompactionPlan):
        counted = request_tokens(view, counts)
        assert step.total == counted
        assert step.projected * total / counted <= budget.usable + 1, "what fits by the plan fits by the gauge"


@pytest.mark.parametrize("factor", [0.76, 1.0, 1.31])
def test_no_room_is_made_below_the_share_that_the_gauge_shows(factor: float) -> None:
    """Room was made at a measured 76 %, since the count of this program had reached the 90 %."""
    view, counts = measured_chat(30, factor), letters()
    total, counted = gauge_of(view, counts).total, request_tokens(view, counts)
    assert total == pytest.approx(counted * factor, rel=0.02)
    budget = Budget(round(total / 0.74), 0)
    for trigger in (Trigger.BEFORE_REQUEST, Trigger.TOOL_RESULT, Trigger.AFTER_TURN):
        assert next_step(view, BALANCED, budget, counts, trigger, total=total) is None
    full = Budget(round(total / 0.93), 0)
    step = next_step(view, BALANCED, full, counts, Trigger.BEFORE_REQUEST, total=total)
    assert isinstance(step, Prune | CompactionPlan)
