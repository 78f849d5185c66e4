"""The contents of a fresh start: the conversation's summary, its pinned messages, and an unanswered question."""

from __future__ import annotations

from msgspec.structs import replace

from desktop_app.context.compact.compaction import MIN_SUMMARY, CompactionPlan, plan_compaction
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.view.items import Item, ItemKind
from desktop_app.context.view.view import View, view_of
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.transcript import AnyEntry, Compaction, Pin, Transcript, Trigger

from .snapshot import ContextSnapshot


def without_tail(snapshot: ContextSnapshot) -> ContextSnapshot:
    """Return the snapshot under a policy that keeps neither recent messages nor user messages verbatim."""
    return replace(snapshot, policy=replace(snapshot.policy, keep_user_tokens=0, min_head=1))


def plan_everything(snapshot: ContextSnapshot) -> CompactionPlan | None:
    """Return a plan that summarizes everything except pinned messages and an unanswered question.

    None if there is nothing to summarize. The summary of a short conversation may be longer than the conversation:
    without one, nothing would be carried over.
    """
    view, counts, budget = snapshot.view, snapshot.counts, snapshot.budget
    total = request_tokens(view, counts)
    plan = plan_compaction(view, snapshot.policy, budget, counts, total, Trigger.USER, tail_tokens=0)
    if plan is None:
        return None
    leaving = {*plan.archived, *(item.message.id for item in view.items if _is_answered(item, view))}
    archived = tuple(item.message.id for item in view.items if item.message.id in leaving)
    room = max(plan.summary_budget, min(MIN_SUMMARY, budget.usable // 2))
    return replace(
        plan,
        archived=archived,
        turn_at=len(archived),
        total=max(total, budget.usable),
        summary_budget=room,
        projected=plan.projected + room - plan.summary_budget,
    )


def carried_entries(snapshot: ContextSnapshot, summary: Compaction | None) -> tuple[list[AnyEntry], list[AnyEntry]]:
    """Return the entries before and after the summary; they keep their ids of the old conversation."""
    view, left = snapshot.view, set(summary.archived if summary else ())
    recorded = {e.id: e for e in snapshot.transcript.entries if isinstance(e, Message)}
    stay = [item for item in view.items if item.kind is ItemKind.MESSAGE and item.message.id in recorded]
    system = [recorded[item.message.id] for item in stay if item.message.role is Role.SYSTEM]
    kept = [i for i in stay if i.message.role is not Role.SYSTEM and i.message.id not in left]
    kept = [item for item in kept if not _is_answered(item, view)]
    pins = [Pin(id=f"pin-{i.message.id}", message_id=i.message.id) for i in kept if i.is_pinned]
    return [*system], [*(recorded[item.message.id] for item in kept), *pins]


def fresh_view(snapshot: ContextSnapshot, summary: Compaction | None) -> View:
    """Return the view that the new conversation would begin with."""
    before, after = carried_entries(snapshot, summary)
    summary = summary or snapshot.view.summary
    summaries = [replace(summary, id="draft-summary", archived=())] if summary else []
    return view_of(Transcript().extend((snapshot.view.request_context, *before, *summaries, *after)))


def _is_answered(item: Item, view: View) -> bool:
    """Return whether the item is the newest user message and is answered: a compaction plan alone would keep it."""
    is_newest = item.message.id == view.last_user_id and not item.is_pinned
    return is_newest and view.items[-1].message.role is Role.ASSISTANT and not view.open_calls
