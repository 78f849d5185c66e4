"""The tail slider of **Optimize conversation**: a longer tail never keeps less."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations_made_up import Letters, histories, long_conversation
from desktop_app.chat.compaction.optimize import Optimization, plan_optimize
from desktop_app.chat.compaction.snapshot import ContextSnapshot
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.fitting import fit_policy
from desktop_app.context.policy import budget_for
from desktop_app.context.presets import PRESETS
from desktop_app.context.view.items import ItemKind
from desktop_app.context.view.view import view_of
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Chain, Transcript


def basis_for(messages: list[Message], window: int, preset: str = "balanced") -> ContextSnapshot:
    budget = budget_for(PRESETS[preset], window)
    transcript = Transcript(Chain(messages))
    return ContextSnapshot(
        transcript, view_of(transcript), fit_policy(PRESETS[preset], budget), budget, TokenCounts(Letters())
    )


def kept(plan: Optimization) -> set[str]:
    return {item.message.id for item in plan.views[-1].items if item.kind is ItemKind.MESSAGE}


@given(
    st.integers(1, 30),
    st.integers(3, 90),
    st.sampled_from([2_000, 8_192, 20_000, 64_000]),
    st.sampled_from(["balanced", "aggressive"]),
    st.lists(st.floats(0, 1.2), min_size=2, max_size=4),
)
@pytest.mark.long
def test_more_tail_tokens_never_keep_fewer_messages(
    seed: int, count: int, window: int, preset: str, places: list[float]
) -> None:
    basis = basis_for(long_conversation(count, seed), window, preset)
    first = plan_optimize(basis)
    assert kept(plan_optimize(basis, first.tail_tokens)) >= kept(first), "the slider stands where the tail is"
    before: set[str] = set()
    for place in sorted(places):
        plan = plan_optimize(basis, round(first.min_tail + place * (first.max_tail - first.min_tail)))
        assert kept(plan) >= before
        assert plan.compaction is None or plan.tail_kept <= plan.tail_tokens
        before = kept(plan)


def test_whoever_optimizes_where_there_is_room_gets_half_of_it() -> None:
    basis = basis_for(long_conversation(86, 13), 64_000)
    plan = plan_optimize(basis)
    assert plan.compaction is not None
    before, after = plan.compaction.tokens_before, plan.compaction.tokens_after
    assert before < basis.policy.target * basis.budget.usable, "the policy itself would leave it as it is"
    assert 0.4 * before < after < 0.8 * before
    short = plan_optimize(basis_for(long_conversation(4, 13), 64_000))
    assert short.compaction is None, "what is no longer than the shortest tail"


@given(histories(), st.sampled_from([300, 2_000, 8_192]))
def test_it_holds_for_any_history(messages: list[Message], window: int) -> None:
    basis = basis_for([_named(message, n) for n, message in enumerate(messages)], window)
    plans = [plan_optimize(basis, tokens) for tokens in (0, 20, 100, 400, 1_600, 6_400)]
    before: set[str] = set()
    for plan in plans:
        assert kept(plan) >= before
        # Where no summary of so few words is shorter than they are, nothing leaves; of a part of them one may be, since
        # the rest repeats what it says. So a plan that archives nothing does not bound the next one.
        before = kept(plan) if plan.compaction is not None else before


@given(
    histories(),
    st.sampled_from([300, 2_000, 8_192]),
    st.lists(st.tuples(st.integers(0, 3_000), st.sampled_from(["extractive", "llm", "none"])), min_size=2, max_size=4),
)
def test_a_move_of_the_slider_plans_what_a_new_plan_would(
    messages: list[Message], window: int, moves: list[tuple[int, str]]
) -> None:
    basis = basis_for([_named(message, n) for n, message in enumerate(messages)], window)
    before = plan_optimize(basis)
    for tokens, strategy in moves:
        before = plan_optimize(basis, tokens, strategy, before)
        new = plan_optimize(basis, tokens, strategy)
        figures = {field for field in new.__struct_fields__ if field not in ("id", "snapshot", "views")}
        assert {name: getattr(before, name) for name in figures} == {name: getattr(new, name) for name in figures}
        assert [view.items for view in before.views] == [view.items for view in new.views]


def _named(message: Message, number: int) -> Message:
    return Message(id=f"m{number}", role=message.role, parts=message.parts)
