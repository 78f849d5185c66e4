"""Every count of a plan is looked for again, in another way, in the request that it leads to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from desk import Desk

from desktop_app.chat.compaction import optimize
from desktop_app.chat.session import Session
from desktop_app.context.compact.compaction import CompactionPlan, plan_compaction, recorded_messages
from desktop_app.context.ledger.ledger import facts_to_keep
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.context.view.items import SUMMARY_HEADING
from desktop_app.context.view.view import assemble
from desktop_app.conversation.events import MessageState
from desktop_app.conversation.message import Role
from desktop_app.conversation.transcript import Compaction, Transcript
from desktop_app.engine import protocol as p
from imported import import_all
from real_conversations import FOLDERS, real_conversations

POSITIONS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Of the tail slider, from its least to its most."""
MANY = 200
"""Facts; of more, only some are named."""


def is_in(fact: str, text: str) -> bool:
    """Whether a reader who looks for that fact finds it: a number inside of a longer one is another number."""
    before = r"(?<!\w)" if re.match(r"\w", fact) else ""
    behind = r"(?!\w)" if re.search(r"\w\Z", fact) else ""
    return re.search(before + re.escape(fact) + behind, text) is not None


def searched(session: Session, before: Transcript) -> dict[str, object]:
    """What the plan should have said, from the request as it is now. before: the record without the plan."""
    compaction = session.view.summary
    assert isinstance(compaction, Compaction)
    summary, others = "", []
    for message in assemble(session.view):
        lead, heading, rest = message.text.partition(SUMMARY_HEADING)
        summary = compaction.summary if heading else summary
        others.append(lead + rest.replace(compaction.summary, "", 1) if heading else message.text)
    around = "\n".join(others)
    head = recorded_messages(compaction.archived, before)
    said = {rule for m in head if m.role is Role.USER for rule in Reading().of(m).rules}
    rules = {rule.text for rule in compaction.ledger.rules} | said - {old.text for old in compaction.ledger.superseded}
    facts = facts_to_keep(head, Reading()).keys() | rules
    verbatim = {fact for fact in facts if is_in(fact, around)}
    in_summary = {fact for fact in facts - verbatim if is_in(fact, summary)}
    left = facts - verbatim - in_summary
    rows = session.rows([item.message.id for item in session.view.items])
    return {
        "rules": len(rules & (verbatim | in_summary)),
        "all rules": len(rules),
        "verbatim": len(verbatim),
        "in summary": len(in_summary),
        "recallable": len(left),
        "left": left if len(left) <= MANY else set(),
        "kept": sum(row.state is MessageState.IN_VIEW and row.message.role is not Role.SYSTEM for row in rows),
        "archived": sum(row.state is MessageState.ARCHIVED for row in session.rows(session.view.statuses)),
        "tokens": session.counter.gauge().total,
    }


def said(plan: p.Plan) -> dict[str, object]:
    """What the plan says of the same."""
    fidelity = plan.fidelity
    assert fidelity.lost == 0, "what is archived can be recalled"
    return {
        "rules": plan.rules,
        "all rules": fidelity.rules,
        "verbatim": fidelity.verbatim,
        "in summary": fidelity.in_summary,
        "recallable": fidelity.recallable,
        "left": {*fidelity.recallable_rules, *fidelity.recallable_facts} if fidelity.recallable <= MANY else set(),
        "kept": plan.kept,
        "archived": plan.archived_total,
        "tokens": plan.after.total,
    }


async def counts_are_true(desk: Desk, file: Path, positions: tuple[float, ...]) -> int:
    """Applies a plan for each position, looks, and takes it back. Returns how many plans archived something."""
    name = await import_all(desk.ask, file)
    session = await desk.engine.conversations.open(name)
    whole, sent, cases = session.transcript, assemble(session.view), 0
    first = await desk.ask(p.PlanOptimize(name, None, "extractive"))
    kept = -1
    for position in positions:
        tail = round(first.min_tail + position * (first.max_tail - first.min_tail))
        plan = await desk.ask(p.PlanOptimize(name, tail, "extractive"))
        assert plan.kept >= kept, f"{file.name}: a longer tail of {tail} tokens keeps less"
        kept = plan.kept
        if not plan.archived:
            continue
        cases += 1
        await desk.ask(p.ApplyPlan(name, plan.id, plan.summary))
        where = f"{file.name} at {tail}"
        assert {"where": where, **said(plan)} == {"where": where, **searched(session, whole)}
        (row,) = [row for row in session.operations() if not row.is_undone]
        assert (row.tokens_after, row.fidelity) == (session.counter.gauge().total, plan.fidelity), where
        await desk.ask(p.UndoOperation(name, row.id))
        assert assemble(session.view) == sent, where
    return cases


@pytest.mark.wire
@pytest.mark.parametrize("name", ["migration.jsonl", "interview.jsonl"])
async def test_each_count_of_a_sample_is_found_in_the_request(desk: Desk, samples: Path, name: str) -> None:
    assert await counts_are_true(desk, samples / name, POSITIONS) >= 3


@pytest.mark.wire
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
async def test_each_count_of_a_real_conversation_is_found_in_the_request(desk: Desk, folder: Path) -> None:
    files = real_conversations(folder)
    cases = [await counts_are_true(desk, file, POSITIONS) for file in files]
    assert sum(cases) >= 4 * len(files)


@pytest.mark.long
async def test_the_rules_that_do_not_fit_are_counted_and_named(desk: Desk, samples: Path) -> None:
    name = await import_all(desk.ask, samples / "migration.jsonl")
    plan = await desk.ask(p.PlanOptimize(name, 4_480, "extractive"))
    left = plan.fidelity.rules - plan.rules
    assert left > 5
    named = plan.fidelity.recallable_rules
    assert len(named) == left
    assert all(rule not in plan.summary for rule in named)
    longer = f"{plan.summary}\n- {named[0]}\n- {named[1]}"
    edited = await desk.ask(p.CheckSummary(name, plan.id, longer))
    assert edited.rules == plan.rules + 2, "what is typed counts at once"
    assert edited.fidelity.in_summary >= plan.fidelity.in_summary + 2
    assert set(named) - set(edited.fidelity.recallable_rules) == set(named[:2])


@pytest.mark.long
async def test_the_slider_stands_where_the_tail_is(desk: Desk, samples: Path) -> None:
    name = await import_all(desk.ask, samples / "migration.jsonl")
    plan = await desk.ask(p.PlanOptimize(name, None, "extractive"))
    assert plan.tail_tokens == plan.tail_kept
    again = await desk.ask(p.PlanOptimize(name, plan.tail_tokens, "extractive"))
    assert (again.kept, again.tail_kept) == (plan.kept, plan.tail_kept)
    longest = await desk.ask(p.PlanOptimize(name, plan.max_tail, "extractive"))
    assert longest.tail_kept == plan.max_tail


@pytest.mark.long
async def test_a_move_of_the_slider_plans_once(desk: Desk, samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = await import_all(desk.ask, samples / "migration.jsonl")
    first = await desk.ask(p.PlanOptimize(name, None, "extractive"))
    plans: list[int | None] = []

    def counted(*args: Any) -> CompactionPlan | None:
        plans.append(args[-1])
        return plan_compaction(*args)

    monkeypatch.setattr(optimize, "plan_compaction", counted)
    tails = [round(first.min_tail + place * (first.max_tail - first.min_tail)) for place in POSITIONS]
    moved = [await desk.ask(p.PlanOptimize(name, tail, "extractive")) for tail in tails]
    assert plans == tails
    assert len({plan.kept for plan in moved}) > 1
    await desk.ask(p.ApplyPlan(name, moved[0].id, moved[0].summary))
    plans.clear()
    await desk.ask(p.PlanOptimize(name, first.min_tail, "extractive"))
    assert len(plans) > 1, "the plans of the earlier view are of no use"
