from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import MODEL, call, letters, model, record, system, tokens, user
from builders import gauge as gauge_of
from desktop_app.context.compact.compaction import (
    CompactionPlan,
    compaction_of,
    plan_compaction,
    recorded_messages,
    split_turn_index,
)
from desktop_app.context.compact.room_decision import WindowTooSmall, due_shares, is_due, next_step
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.fitting import fit_policy
from desktop_app.context.policy import BALANCED, Budget, ContextPolicy, policy_for_target
from desktop_app.context.view.items import ItemKind
from desktop_app.context.view.view import View, view_of
from desktop_app.conversation.events import MessageState
from desktop_app.conversation.message import Message, Role, Usage
from desktop_app.conversation.transcript import Compaction, Prune, Transcript, Trigger
from examples import examples

FACTS = "The host is db-7.internal, port 5433, see `settings.toml`. Never restart it on Fridays."


def talk(turns: int) -> list[Message]:
    messages = [system("Be kind."), user(FACTS)]
    for number in range(turns):
        messages += [
            model(f"Step {number} is done, because the queue {number} was drained. " * 6),
            user(f"Now look at shard {number} and tell me what you find there, please. " * 3),
        ]
    return messages


def planned(view: View, window: int, tail: int | None = None, policy: ContextPolicy = BALANCED) -> CompactionPlan:
    plan = plan_compaction(view, policy, Budget(window, 0), letters(), tokens(view), Trigger.USER, tail)
    assert plan is not None
    return plan


def made(plan: CompactionPlan, transcript: Transcript, page: str | None = None) -> Compaction:
    compaction = compaction_of(plan, transcript, view_of(transcript), letters(), page)
    assert compaction is not None
    return replace(compaction, id="op")


def compacted(transcript: Transcript, window: int = 1_500, page: str | None = None) -> tuple[Transcript, View]:
    grown = transcript.append(made(planned(view_of(transcript), window), transcript, page))
    return grown, view_of(grown)


def test_the_head_goes_and_the_tail_stays() -> None:
    transcript = record(*talk(12))
    view = view_of(transcript)
    plan = planned(view, 2_300)
    assert plan.archived == tuple(f"m{n}" for n in range(1, 1 + len(plan.archived)))
    _, after = compacted(transcript, 2_300)
    kept = [item.message.id for item in after.items if item.kind is not ItemKind.SUMMARY]
    assert kept == ["m0", *(f"m{n}" for n in range(1 + len(plan.archived), 26))]
    assert tokens(after) <= 690, "the target is 30 % of what can be used"


def test_calls_that_are_running_stay_for_their_results() -> None:
    asked = model("I look.", call("bash"))
    for view in (view_of(record(*talk(4), asked)), view_of(record(user("Look."), asked))):
        plan = plan_compaction(view, BALANCED, Budget(1_500, 0), letters(), tokens(view), Trigger.USER, 0)
        assert view.items[-1].message.id not in (plan.archived if plan else ())


def test_what_a_plan_says_is_what_will_be() -> None:
    transcript = record(*talk(12))
    plan = planned(view_of(transcript), 1_500)
    compaction = made(plan, transcript)
    assert compaction.tokens_before == plan.total == tokens(view_of(transcript))
    assert compaction.tokens_after == tokens(view_of(transcript.append(compaction)))
    assert compaction.tokens_after <= plan.projected
    assert letters().text(compaction.summary) <= plan.summary_budget


def test_the_user_may_choose_how_much_of_the_end_stays() -> None:
    view = view_of(record(*talk(12)))
    none, some = planned(view, 6_000, tail=0), planned(view, 6_000, tail=1_000)
    assert none.tail == 0
    assert 0 < some.tail <= 1_000
    assert len(none.archived) > len(some.archived)


def test_nothing_leaves_when_everything_is_the_tail() -> None:
    for view, window in (
        (view_of(record(user("a"), model("b"), user("c"))), 10_000),
        (view_of(record(user("a" * 99_999))), 1_000),
    ):
        assert plan_compaction(view, BALANCED, Budget(window, 0), letters(), tokens(view), Trigger.USER) is None


def test_a_page_that_frees_nothing_is_refused() -> None:
    transcript = record(*talk(12))
    view = view_of(transcript)
    assert compaction_of(planned(view, 1_500), transcript, view, letters(), page="blah " * 5_000) is None


def test_a_page_of_the_user_is_taken_as_it_is() -> None:
    _, after = compacted(record(*talk(12)), page="\n## Mine\n- all fine\n")
    assert after.summary is not None
    assert (after.summary.strategy, after.summary.summary) == ("edited", "## Mine\n- all fine")
    assert after.summary.fidelity.in_summary == 0
    assert after.summary.fidelity.recallable > 0
    assert after.ledger.rules[0].text == "Never restart it on Fridays.", "the ledger is kept by code all the same"


def test_a_second_compaction_replaces_the_page_and_keeps_what_it_told() -> None:
    transcript, first = compacted(record(*talk(12)))
    for message in talk(12)[2:]:
        transcript = transcript.append(replace(message, id=f"n{len(transcript.entries)}"))
    view = view_of(transcript)
    plan = planned(view, 1_500)
    assert not set(plan.archived) & set(first.statuses)
    second = replace(made(plan, transcript), id="op2")
    after = view_of(transcript.append(second))
    assert sum(item.kind is ItemKind.SUMMARY for item in after.items) == 1
    assert "Never restart it on Fridays." in second.summary
    assert "5433" in second.summary
    assert {s.operation_id for s in after.statuses.values() if s.state is MessageState.ARCHIVED} == {"op", "op2"}


def test_a_reply_that_was_stopped_and_went_on_is_read_as_one() -> None:
    """Nobody reads the halves of a word for words: not who writes the page, and not the report."""
    said: list[Message] = []
    for message in talk(12):
        place = message.text.find("queue") + 2
        if message.role is Role.ASSISTANT:
            said.append(replace(model(message.text[:place]), is_interrupted=True))
            said.append(replace(model(message.text[place:]), continues=f"m{len(said) - 1}"))
        else:
            said.append(message)
    transcript = record(*said)
    assert [m.id for m in recorded_messages(("m1", "m2", "m3", "m4"), transcript)] == ["m1", "m2", "m4"]
    assert [m.text for m in recorded_messages(tuple(f"m{n}" for n in range(len(said))), transcript)] == [
        m.text for m in talk(12)
    ]
    page = compacted(transcript)[1].items[1].message.text
    assert page == compacted(record(*talk(12)))[1].items[1].message.text


def test_the_turn_that_is_cut_in_two_begins_behind_replies_that_went_on() -> None:
    parts = [model("The first half of it, and th"), replace(model("e second."), continues="m2")]
    transcript = record(system("Be kind."), user("What is it?"), *parts, user("And then?"), model("More of it."))
    plan = CompactionPlan(Trigger.USER, ("m1", "m2", "m3", "m4", "m5"), 100, 1_000, 500, 0, turn_at=3)
    head = recorded_messages(plan.archived, transcript)
    assert head[split_turn_index(plan, transcript)].text == "And then?"


def test_a_turn_may_be_cut_directly_behind_its_question() -> None:
    said = [m for n in range(3) for m in (user(f"question {n} " * 20), model(f"answer {n} " * 20))]
    view = view_of(record(*said, user("write " * 400), model("so be it " * 100), user("more")))
    plan = planned(view, 1_500, tail=letters().total(view.items[7].message))
    assert plan.archived == tuple(f"m{n}" for n in range(7))
    assert plan.turn_at == 6


OPEN = model("", *(call("bash", call_id=f"c{n}") for n in range(20)))


@pytest.mark.parametrize(("target", "said"), [(400, []), (800, []), (1_600, []), (1_600, [OPEN])])
def test_a_target_is_filled_and_never_passed(target: int, said: list[Message]) -> None:
    transcript = record(*talk(40), *said)
    plan = planned(view_of(transcript), target, policy=policy_for_target(BALANCED))
    compaction = made(plan, transcript)
    assert 0.8 * target <= compaction.tokens_after <= plan.projected <= target


# The number that the gauge shows is the one that decides, whatever is counted here.


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
