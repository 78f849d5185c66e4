"""Summaries that are written ahead, while the provider has the conversation cached, for the next compaction. Pure.

It covers the whole conversation at its time. A compaction keeps the newest messages, which are usually more than what
was said since, so the summary covers everything that it archives.
"""

from __future__ import annotations

from msgspec.structs import replace

from desktop_app.context.compact.compaction import CompactionPlan, compaction_of, plan_compaction, recorded_messages
from desktop_app.context.compact.room_decision import due_shares
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.ledger.ledger import ledger_of
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.view.items import ItemKind
from desktop_app.context.view.view import View
from desktop_app.conversation.message import Role
from desktop_app.conversation.transcript import (
    Compaction,
    StandingSummary,
    Transcript,
    Trigger,
    active_entries,
)

from .restore_facts import restore_names, restore_rules


def standing_in(view: View) -> StandingSummary | None:
    """Return the newest summary that was written ahead, if it was not undone and no compaction has followed it."""
    newest = next((e for e in reversed(active_entries(view.path)) if isinstance(e, StandingSummary)), None)
    return newest if newest is not None and newest.follows == _summary_id(view) else None


def _summary_id(view: View) -> str:
    return view.summary.id if view.summary else ""


def is_ahead_due(policy: ContextPolicy, budget: Budget, total: int) -> bool:
    """Return whether a request of `total` tokens is near enough to the first threshold for a summary ahead."""
    if not policy.ahead or not budget.window:
        return False
    triggers = (Trigger.AFTER_TURN, Trigger.BEFORE_REQUEST)
    first = min(due_shares(trigger, policy, budget).compact_at for trigger in triggers)
    return budget.share(total) >= first - policy.ahead


def plan_ahead(
    view: View, policy: ContextPolicy, budget: Budget, counts: TokenCounts, total: int
) -> CompactionPlan | None:
    """Return the plan for a summary of all messages; None if a standing one covers what a compaction would archive.

    total: by `counts`.
    """
    plan = plan_compaction(view, policy, budget, counts, total, Trigger.AFTER_TURN)
    if plan is None or covers(standing_in(view), plan):
        return None
    covered = tuple(
        item.message.id
        for item in view.items
        if item.kind is ItemKind.MESSAGE and item.message.id and item.message.role is not Role.SYSTEM
    )
    return replace(plan, archived=covered, turn_at=len(covered), cut_reply=0)


def covers(standing: StandingSummary | None, plan: CompactionPlan) -> bool:
    """Return whether the summary covers every message that the plan would archive."""
    return standing is not None and set(plan.archived).issubset(standing.message_ids)


def compaction_from(
    standing: StandingSummary | None,
    plan: CompactionPlan,
    transcript: Transcript,
    view: View,
    counts: TokenCounts,
    reading: Reading | None = None,
) -> Compaction | None:
    """Return the compaction with the summary that was written ahead; None if it does not cover the plan, or not fit."""
    if standing is None or not plan.archived or not covers(standing, plan):
        return None
    if counts.text(standing.summary) > plan.summary_budget:
        return None
    head = recorded_messages(plan.archived, transcript)
    ledger = ledger_of(head, view.ledger, reading)
    page = restore_rules(standing.summary, head, ledger, plan.summary_budget, counts.text)
    page = restore_names(page, ledger, plan.summary_budget, counts.text)
    return compaction_of(plan, transcript, view, counts, page, "llm", standing.model, reading)
