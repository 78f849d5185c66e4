"""The plan of an optimization, as the window shows it. Every figure was measured on an assembled request."""

from __future__ import annotations

from desktop_app.chat.compaction.optimize import Optimization
from desktop_app.chat.compaction.snapshot import unmeasured_gauge
from desktop_app.chat.compaction.summary_service import Offer
from desktop_app.chat.session import Session
from desktop_app.context.counting.breakdown import add_tokens
from desktop_app.context.view.items import ItemKind
from desktop_app.conversation.facts import Fidelity
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import Message, Role
from desktop_app.engine.protocol import Plan, PlanItem, Writer

MAX_TEXT = 160
"""Characters of a message that the plan's list shows."""
MAX_ITEMS = 500
"""Rows that a list of the plan shows; the counts beside it are of all."""


def plan_of(optimization: Optimization, session: Session, offer: Offer) -> Plan:
    """Return the plan as the dialog shows it. offer: of the model that would write the summary."""
    before, after = optimization.views[0], optimization.views[-1]
    prune, compaction = optimization.prune, optimization.compaction
    sent = [item for item in after.items if item.kind is ItemKind.MESSAGE and item.message.role is not Role.SYSTEM]
    fidelity = compaction.fidelity if compaction else Fidelity()
    gauge_before = session.gauge() if before is session.view else unmeasured_gauge(session, before)
    gauge_after = unmeasured_gauge(session, after) if after is not before else gauge_before
    if not optimization.is_written and optimization.compaction_plan:
        room = session.provider_tokens(optimization.compaction_plan.summary_budget)
        gauge_after = add_tokens(gauge_after, Segment.SUMMARY, room, session.policy)
        summary_tokens = room
    else:
        summary_tokens = session.provider_tokens(session.counts.text(compaction.summary)) if compaction else 0
    pruned = session.provider_tokens(prune.tokens_before - prune.tokens_after) if prune else 0
    return Plan(
        id=optimization.id,
        before=gauge_before,
        after=gauge_after,
        pruned=_pruned_items(optimization, session),
        archived=_archived_items(optimization, session),
        tokens_freed_by_prune=pruned,
        tokens_freed_by_compaction=gauge_before.total - gauge_after.total - pruned,
        kept=sum(not item.pruned_by for item in sent),
        pins=sum(item.is_pinned for item in sent),
        rules=fidelity.rules_kept,
        summary=compaction.summary if compaction else "",
        summary_tokens=summary_tokens,
        fidelity=fidelity,
        tail_tokens=optimization.tail_tokens,
        tail_least=optimization.tail_least,
        tail_most=optimization.tail_most,
        tail_kept=optimization.tail_kept,
        pruned_total=len(prune.message_ids) if prune else 0,
        archived_total=len(_archived_ids(optimization)),
        is_useful=bool(optimization.steps) or not optimization.is_written,
        note=optimization.note,
        strategy=optimization.strategy,
        is_written=optimization.is_written,
        writer=_writer(offer),
        usage=compaction.usage if compaction else None,
    )


def _writer(offer: Offer) -> Writer:
    estimate = offer.estimate
    return Writer(
        offer.label, offer.refusal, estimate.calls, estimate.prompt_tokens, estimate.reply_tokens, offer.dollars
    )


def _pruned_items(optimization: Optimization, session: Session) -> tuple[PlanItem, ...]:
    if optimization.prune is None:
        return ()
    sent = {item.message.id: item.message for item in optimization.views[1].items}
    now = {item.message.id: item.message for item in optimization.views[0].items}
    ids = optimization.prune.message_ids[:MAX_ITEMS]
    return tuple(_item(now[i], session, session.counts.total(sent[i])) for i in ids)


def _archived_items(optimization: Optimization, session: Session) -> tuple[PlanItem, ...]:
    ids = _archived_ids(optimization)[:MAX_ITEMS]
    return tuple(_item(message, session, 0) for i in ids if (message := session.message(i)) is not None)


def _archived_ids(optimization: Optimization) -> tuple[str, ...]:
    """Return the ids of the messages that would be archived."""
    leaving = optimization.compaction or (None if optimization.is_written else optimization.compaction_plan)
    return leaving.archived if leaving else ()


def _item(message: Message, session: Session, tokens_after: int) -> PlanItem:
    result = message.tool_result
    name = result.name if result else message.speaker or {"user": "You", "assistant": "Assistant"}.get(message.role, "")
    text = " ".join(message.text[: MAX_TEXT * 2].split())[:MAX_TEXT]
    text = text or ", ".join(f"{call.name} {call.arguments}" for call in message.tool_calls)[:MAX_TEXT]
    return PlanItem(message.id, name, text, session.counts.total(message), tokens_after)
