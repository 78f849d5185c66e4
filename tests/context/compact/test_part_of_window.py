"""A part of a large window: room is made as if it were all; what cannot be shorter may use the rest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import letters, model, record, tokens, user
from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.context.compact.room_decision import WindowTooSmall, next_step
from desktop_app.context.fitting import fit_policy
from desktop_app.context.policy import BALANCED, Budget, budget_for
from desktop_app.context.presets import PRESETS
from desktop_app.context.view.view import View, view_of
from desktop_app.conversation.transcript import Trigger

TRIGGERS = st.sampled_from([Trigger.BEFORE_REQUEST, Trigger.TOOL_RESULT, Trigger.AFTER_TURN])


def chat(turns: int, last: str = "go on") -> View:
    said = [m for n in range(turns) for m in (user(f"question {n} " * 8), model(f"answer {n} " * 8))]
    return view_of(record(*said, user(last)))


@given(st.integers(16_000, 2_000_000), st.integers(8_000, 2_000_000), st.integers(0, 128_000))
def test_the_parts_of_a_budget_are_the_window(window: int, most: int, max_output: int) -> None:
    budget = budget_for(BALANCED, window, max_output, max_window=most)
    assert budget.window == min(window, most)
    assert budget.whole_window == budget.window + budget.spare == window
    assert budget.limit + budget.reserve == window
    assert budget.usable + budget.reserve == budget.window
    assert budget.reserve == budget_for(BALANCED, min(window, most), max_output).reserve, "as of a window of that size"


@given(st.integers(20, 60), st.floats(0.3, 0.94), st.integers(1, 100_000), TRIGGERS)
def test_below_the_part_each_step_is_that_of_a_window_of_its_size(
    turns: int, share: float, spare: int, trigger: Trigger
) -> None:
    view = chat(turns)
    window = round(tokens(view) / share)
    small, part = Budget(window, 0), Budget(window, 0, spare=spare)
    alone, here = (next_step(view, BALANCED, budget, letters(), trigger) for budget in (small, part))
    assert type(alone) is type(here)
    if isinstance(alone, CompactionPlan) and isinstance(here, CompactionPlan):
        assert alone.archived == here.archived
        assert alone.projected <= here.projected <= small.usable, "only the summary's room may be larger"


@given(st.integers(0, 3_000), TRIGGERS)
def test_what_cannot_be_shorter_is_refused_only_above_the_whole_window(spare: int, trigger: Trigger) -> None:
    view = chat(0, "x" * 8_000)
    budget, total = Budget(1_000, 0, spare=spare), tokens(view)
    if total > budget.limit:
        with pytest.raises(WindowTooSmall) as caught:
            next_step(view, BALANCED, budget, letters(), trigger)
        assert caught.value.usable == budget.limit
    else:
        assert next_step(view, BALANCED, budget, letters(), trigger) is None


def test_the_last_mark_is_where_the_whole_window_is_full() -> None:
    budget = budget_for(BALANCED, 1_000_000, 8_000, max_window=200_000)
    *due, blocked = budget.thresholds(fit_policy(BALANCED, budget))
    assert due == [0.75, 0.80, 0.90]
    assert blocked * budget.usable == pytest.approx(0.95 * (1_000_000 - 8_000))


def test_a_number_for_the_model_goes_before_the_policys() -> None:
    aggressive = PRESETS["aggressive"]
    assert budget_for(aggressive, 1_000_000).window == aggressive.max_window == 200_000
    assert budget_for(aggressive, 1_000_000, max_window=500_000).window == 500_000
    assert budget_for(aggressive, 1_000_000, max_window=1_000_000).spare == 0
    assert budget_for(replace(BALANCED, max_window=300_000), 128_000).spare == 0
