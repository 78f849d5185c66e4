"""Respond to requests about the context of a conversation: plans, operations, policies and insights."""

from __future__ import annotations

import asyncio

from msgspec.structs import replace

from desktop_app.chat import operations
from desktop_app.chat.compaction.optimize import (
    Optimization,
    apply_optimization,
    check_summary,
    plan_optimization,
    planned_gauges,
    write_summary,
)
from desktop_app.chat.compaction.summarize import Progress
from desktop_app.chat.memory_flusher import redo_flush, undo_flush
from desktop_app.chat.operation_log import log_compaction_begins
from desktop_app.chat.ports import WorldError
from desktop_app.chat.prefix_reset import reset_of
from desktop_app.chat.read_insights import (
    dollars_saved,
    export_insights,
    insights_of_all,
    insights_of_one,
    policies_replayed,
    try_policy,
    usage_of,
)
from desktop_app.chat.sent_requests import compare_requests, read_request, sendable_request, text_of_request
from desktop_app.chat.session import Session, stamp
from desktop_app.context.presets import policy_of
from desktop_app.context.record_figures import thin_out
from desktop_app.context.view.items import ItemKind
from desktop_app.conversation.events import Failure, RoomProgressed
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.listing import Writer, form_of
from desktop_app.conversation.memory import Fidelity
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.transcript import AuxiliaryUsage, Flush, Trigger
from desktop_app.conversation.words import translatable
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine
from desktop_app.models.litellm_model import LiteLLMModel, curl_of

from .responders import responds

NO_CURL = Failure(
    "unsupported",
    translatable("The built-in model has no address that curl could reach"),
    advice=translatable("Copy the request as JSON, or choose the model of a server."),
)
MAX_TEXT = 160
"""Characters of a message in the lists of a plan."""
MAX_ITEMS = 500
"""Rows in a list of a plan; the counts next to the list cover all messages."""


@responds(p.PlanOptimize)
async def _plan_optimize(engine: Engine, request: p.PlanOptimize) -> p.Plan:
    session = await engine.conversations.open(request.conversation)
    return await _keep(
        engine, session, await engine.compute(p.Computation.PLAN, session.id, _plan(engine, session, request))
    )


async def _plan(engine: Engine, session: Session, request: p.PlanOptimize) -> Optimization:
    strategy = request.strategy or (await engine.conversations.services.summaries.request_for(session.counter)).strategy
    return await plan_optimization(session.counter, request.tail_tokens, strategy, request.is_fresh, engine.plans)


@responds(p.WriteSummary)
async def _write_summary(engine: Engine, request: p.WriteSummary) -> p.Plan:
    """Return the plan with its summary, after cancelling any summary being written for this conversation."""
    session = await engine.conversations.open(request.conversation)
    optimization = engine.plan(request.plan)
    summaries = engine.conversations.services.summaries
    summary_request = await summaries.request_for(session.counter, "llm", request.instructions)
    total, usable = session.counter.gauge().total, session.counter.budget.usable
    log_compaction_begins(session.id, Trigger.USER, total, usable, 0.0, f"{summary_request}")

    def report(progress: Progress) -> None:
        engine.coalescer.publish(RoomProgressed(session.id, progress.tokens, progress.max_tokens, request.plan))

    async def record_usage(usage: AuxiliaryUsage) -> None:
        engine.coalescer.publish(await session.record_operation(stamp(usage)))

    work = write_summary(optimization, summary_request, report, record_usage)
    return await _keep(engine, session, await engine.compute(p.Computation.PLAN, session.id, work))


@responds(p.CheckSummary)
async def _check_summary(engine: Engine, request: p.CheckSummary) -> p.Plan:
    session = await engine.conversations.open(request.conversation)
    return await _keep(engine, session, await check_summary(engine.plan(request.plan), request.summary))


async def _keep(engine: Engine, session: Session, optimization: Optimization) -> p.Plan:
    """Keep a plan so that it can be applied, and return it for the dialog."""
    engine.keep_plan(optimization)
    writer = await engine.conversations.services.summaries.writer(
        session, optimization.unwritten, optimization.is_fresh
    )
    return plan_of(optimization, session, writer)


@responds(p.ApplyPlan)
async def _apply_plan(engine: Engine, request: p.ApplyPlan) -> None:
    session = await engine.conversations.open(request.conversation)
    with engine.plan_in_use(request.plan) as optimization:
        checked = await check_summary(optimization, request.summary)
        events = await apply_optimization(session, engine.conversations.services, checked, engine.coalescer.publish)
    await engine.publish(session, events)


@responds(p.UndoOperation)
async def _undo(engine: Engine, request: p.UndoOperation) -> None:
    session, operation = await engine.conversations.open(request.conversation), request.operation
    if isinstance(session.transcript.entry(operation), Flush):
        events = await undo_flush(session, engine.services.archive, operation)
    else:
        events = await operations.undo(session, operation)
    await engine.publish(session, events)


@responds(p.RedoOperation)
async def _redo(engine: Engine, request: p.RedoOperation) -> None:
    session, operation = await engine.conversations.open(request.conversation), request.operation
    if isinstance(session.transcript.entry(operation), Flush):
        events = await redo_flush(session, engine.services.archive, operation)
    else:
        events = await operations.redo(session, operation)
    await engine.publish(session, events)


@responds(p.ReadOperation)
async def _read_operation(engine: Engine, request: p.ReadOperation) -> p.MessagesRead:
    session = await engine.conversations.open(request.conversation)
    rows = operations.messages_touched_by(session, request.operation, request.query)
    return p.MessagesRead(rows[request.offset : request.offset + request.limit], len(rows))


@responds(p.BringBackMessages)
async def _bring_back(engine: Engine, request: p.BringBackMessages) -> None:
    session = await engine.conversations.open(request.conversation)
    await engine.publish(session, await operations.bring_back(session, request.messages))


@responds(p.PinMessage)
async def _pin(engine: Engine, request: p.PinMessage) -> None:
    session = await engine.conversations.open(request.conversation)
    await engine.publish(session, await operations.pin(session, request.message))


@responds(p.UnpinMessage)
async def _unpin(engine: Engine, request: p.UnpinMessage) -> None:
    session = await engine.conversations.open(request.conversation)
    await engine.publish(session, await operations.unpin(session, request.message))


@responds(p.ReadRequest)
async def _read_request(engine: Engine, request: p.ReadRequest) -> p.RequestRead:
    session = await engine.conversations.open(request.conversation)
    return p.RequestRead(await read_request(session, request.reply_id, request.largest))


@responds(p.CompareRequests)
async def _compare_requests(engine: Engine, request: p.CompareRequests) -> p.RequestsCompared:
    session = await engine.conversations.open(request.conversation)
    return p.RequestsCompared(await compare_requests(session, request.reply_id))


@responds(p.ReadRequestText)
async def _read_request_text(engine: Engine, request: p.ReadRequestText) -> p.RequestText:
    session = await engine.conversations.open(request.conversation)
    return p.RequestText(await text_of_request(session, request.reply_id, request.index))


@responds(p.ReadRequestCurl)
async def _read_request_curl(engine: Engine, request: p.ReadRequestCurl) -> p.RequestText:
    session = await engine.conversations.open(request.conversation)
    if not isinstance(session.model, LiteLLMModel):
        raise WorldError(NO_CURL)
    request_now = await asyncio.to_thread(sendable_request, session, request.reply_id)
    return p.RequestText(await curl_of(session.model, *request_now))


def plan_of(optimization: Optimization, session: Session, writer: Writer) -> p.Plan:
    """Return the plan for the dialog. Every figure is measured on an assembled request.

    writer: the model that would write the summary.
    """
    after = optimization.views[-1]
    prune, compaction = optimization.prune, optimization.compaction
    sent = [item for item in after.items if item.kind is ItemKind.MESSAGE and item.message.role is not Role.SYSTEM]
    fidelity = compaction.fidelity if compaction else Fidelity()
    gauge_before, gauge_after = planned_gauges(optimization, session.counter)
    pruned = session.counter.provider_tokens(prune.tokens_before - prune.tokens_after) if prune else 0
    return p.Plan(
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
        summary_tokens=gauge_after.segments.get(Segment.SUMMARY, 0) if compaction or not optimization.is_written else 0,
        fidelity=fidelity,
        tail_tokens=optimization.tail_tokens,
        min_tail=optimization.min_tail,
        max_tail=optimization.max_tail,
        tail_kept=optimization.tail_kept,
        pruned_total=len(prune.message_ids) if prune else 0,
        archived_total=len(_archived_ids(optimization)),
        is_useful=optimization.is_useful,
        note=optimization.note,
        strategy=optimization.strategy,
        is_written=optimization.is_written,
        is_by_rules=compaction is not None and optimization.strategy == "llm" and compaction.strategy in BY_RULES,
        provider_form=form_of(compaction.by_provider) if compaction else "",
        writer=writer,
        usage=compaction.usage if compaction else None,
        is_fresh=optimization.is_fresh,
    )


def _pruned_items(optimization: Optimization, session: Session) -> tuple[p.PlanItem, ...]:
    if optimization.prune is None:
        return ()
    sent = {item.message.id: item.message for item in optimization.views[1].items}
    now = {item.message.id: item.message for item in optimization.views[0].items}
    ids = optimization.prune.message_ids[:MAX_ITEMS]
    return tuple(_item(now[i], session, session.counter.counts.total(sent[i])) for i in ids)


def _archived_items(optimization: Optimization, session: Session) -> tuple[p.PlanItem, ...]:
    ids = _archived_ids(optimization)[:MAX_ITEMS]
    return tuple(_item(message, session, 0) for i in ids if (message := session.message(i)) is not None)


def _archived_ids(optimization: Optimization) -> tuple[str, ...]:
    """Return the ids of the messages that would be archived."""
    leaving = optimization.compaction or (None if optimization.is_written else optimization.compaction_plan)
    return leaving.archived if leaving else ()


def _item(message: Message, session: Session, tokens_after: int) -> p.PlanItem:
    result = message.tool_result
    name = result.name if result else message.speaker or {"user": "You", "assistant": "Assistant"}.get(message.role, "")
    text = " ".join(message.text[: MAX_TEXT * 2].split())[:MAX_TEXT]
    text = text or ", ".join(f"{call.name} {call.arguments}" for call in message.tool_calls)[:MAX_TEXT]
    return p.PlanItem(message.id, name, text, session.counter.counts.total(message), tokens_after)


BY_RULES = ("extractive", "last_messages")


@responds(p.ReadCacheReset)
async def _read_cache_reset(engine: Engine, request: p.ReadCacheReset) -> p.CacheResetRead:
    session = await engine.conversations.open(request.conversation)
    if not engine.services.settings.is_warning_of_resets:
        return p.CacheResetRead(None)
    price = engine.conversations.models.price(session.model.info.id)
    return p.CacheResetRead(reset_of(session.counter, price, price))


@responds(p.ChoosePolicy)
async def _choose_policy(engine: Engine, request: p.ChoosePolicy) -> None:
    session = await engine.conversations.open(request.conversation)
    await engine.conversations.choose_policy(session.id, request.name)
    await engine.publish(session, [session.gauge_changed()])


@responds(p.TryPolicy)
async def _try_policy(engine: Engine, request: p.TryPolicy) -> p.PolicyTried:
    session = await engine.conversations.open(request.conversation)
    is_automatic = engine.services.settings.is_automatic
    return p.PolicyTried(await try_policy(session, policy_of(request.policy), is_automatic))


@responds(p.ReplayPolicy)
async def _replay(engine: Engine, request: p.ReplayPolicy) -> p.PolicyReplayed:
    session = await engine.conversations.open(request.conversation)
    policies = policy_of(request.before), policy_of(request.after)
    price = engine.conversations.models.price(session.info.model)
    before, after, seconds = await engine.compute(
        p.Computation.REPLAY, session.id, policies_replayed(session, *policies)
    )
    cost_before, cost_after = (price.of(usage_of(replayed)) if price else None for replayed in (before, after))
    return p.PolicyReplayed(before, after, cost_before, cost_after, seconds)


@responds(p.ReadInsights)
async def _read_insights(engine: Engine, request: p.ReadInsights) -> p.InsightsRead:
    """Return the statistics, with no more moments than a chart can show."""
    read = await _read(engine, p.Computation.INSIGHTS, request.conversation, request.project)
    return replace(read, insights=replace(read.insights, moments=thin_out(read.insights.moments)))


@responds(p.ExportInsights)
async def _export_insights(engine: Engine, request: p.ExportInsights) -> None:
    read = await _read(engine, p.Computation.EXPORT, request.conversation, request.project)
    await export_insights(read.insights, request.path)


async def _read(engine: Engine, computation: p.Computation, conversation: str, project: str) -> p.InsightsRead:
    price_of = engine.services.catalogue.price
    if not conversation:
        insights = await engine.compute(computation, "", insights_of_all(engine.services.archive, project))
        return p.InsightsRead(insights, None, dollars_saved(insights, price_of))
    session = await engine.conversations.open(conversation)
    insights = await engine.compute(computation, session.id, insights_of_one(session))
    return p.InsightsRead(insights, session.counter.gauge(), dollars_saved(insights, price_of))


@responds(p.CancelComputation)
async def _cancel_computation(engine: Engine, request: p.CancelComputation) -> None:
    await engine.cancel(request.computation, request.conversation)
