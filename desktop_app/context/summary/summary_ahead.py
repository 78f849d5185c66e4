"""Summaries that are written ahead, while the provider has the conversation cached, for the next compaction. Pure.

It covers the whole conversation at its time. A compaction keeps the newest messages, which are usually more than what
was said since, so the summary covers everything that it archives. Once it no longer does, what was said since is folded
into it: a model writes only what is to be added. As much must be said between two folds as a compaction keeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from desktop_app.context.compact.compaction import (
    MIN_SUMMARY,
    CompactionPlan,
    compaction_of,
    plan_compaction,
    recorded_messages,
    split_turn_index,
)
from desktop_app.context.compact.room_decision import due_shares
from desktop_app.context.counting.breakdown import item_total
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.ledger.ledger import ledger_of
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.view.items import Item, ItemKind
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
from .summary_reply import fold_pages


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


class AheadPlan(NamedTuple):
    """The messages to summarize ahead."""

    plan: CompactionPlan
    """Its `archived` are the messages, and its `summary_budget` limits what the model writes."""
    standing: StandingSummary | None = None
    """The summary into which they are folded; None if the messages are all."""


def plan_ahead(
    view: View, policy: ContextPolicy, budget: Budget, counts: TokenCounts, total: int, may_fold: bool = True
) -> AheadPlan | None:
    """Return the plan for a summary of all messages, or for folding the newest ones into the standing one.

    None if the standing one covers what a compaction would archive. A whole summary is planned if the standing one
    leaves no room for more. total: by `counts`. may_fold: whether there is a prompt for it.
    """
    plan, standing = plan_compaction(view, policy, budget, counts, total, Trigger.AFTER_TURN), standing_in(view)
    if plan is None or covers(standing, plan):
        return None
    items = [item for item in view.items if item.kind is ItemKind.MESSAGE and item.message.role is not Role.SYSTEM]
    whole = _plan_of(plan, [item for item in items if item.message.id], plan.summary_budget)
    if standing is None or not standing.message_ids or not may_fold:
        return AheadPlan(whole)
    known = frozenset(standing.message_ids)
    new = [item for item in items if item.message.id and item.message.id not in known]
    wanted = max(round(sum(item_total(item, counts) for item in new) * policy.summary_share_of_head), MIN_SUMMARY)
    room = plan.summary_budget - counts.text(standing.summary)
    if room < MIN_SUMMARY:
        return AheadPlan(whole)
    return AheadPlan(_plan_of(plan, new, min(wanted, room)), standing)


def _plan_of(plan: CompactionPlan, items: Sequence[Item], summary_budget: int) -> CompactionPlan:
    ids = tuple(item.message.id for item in items)
    return replace(plan, archived=ids, turn_at=len(ids), cut_reply=0, summary_budget=summary_budget)


def entry_of(ahead: AheadPlan, page: str, view: View) -> StandingSummary:
    """Return the entry with the page that a model wrote for the plan, not yet stamped, without model and usage."""
    ids, standing = ahead.plan.archived, ahead.standing
    if standing is None:
        return StandingSummary(message_ids=ids, summary=page, follows=_summary_id(view))
    return StandingSummary(
        message_ids=(*standing.message_ids, *ids),
        summary=fold_pages(standing.summary, page),
        follows=standing.follows,
        extends=standing.id,
        added=len(ids),
    )


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
    ledger = ledger_of(head, view.ledger, reading, split_turn_index(plan, transcript))
    page = restore_rules(standing.summary, head, ledger, plan.summary_budget, counts.text)
    page = restore_names(page, ledger, plan.summary_budget, counts.text)
    return compaction_of(plan, transcript, view, counts, page, "llm", standing.model, reading)
