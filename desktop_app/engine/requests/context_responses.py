"""Respond to requests about the context of a conversation: plans, operations, policies and insights."""

from __future__ import annotations

import asyncio
from typing import assert_never

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
from desktop_app.chat.compaction.summarize import Offer, Progress
from desktop_app.chat.memory_flusher import redo_flush, undo_flush
from desktop_app.chat.operation_log import log_compaction_begins
from desktop_app.chat.ports import WorldError
from desktop_app.chat.read_insights import (
    dollars_saved,
    export_insights,
    insights_of_all,
    insights_of_one,
    policies_replayed,
    try_policy,
    usage_of,
)
from desktop_app.chat.recorded_messages import stamp
from desktop_app.chat.sent_requests import compare_requests, read_request, sendable_request, text_of_request
from desktop_app.chat.session import Session
from desktop_app.context.presets import policy_of
from desktop_app.context.record_figures import thin_out
from desktop_app.context.view.items import ItemKind
from desktop_app.conversation.events import Failure, RoomProgressed, TurnEvent
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.memory import Fidelity
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.transcript import AuxiliaryUsage, Flush, Trigger
from desktop_app.conversation.words import translatable
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine
from desktop_app.models.curl import curl_of
from desktop_app.models.litellm_model import LiteLLMModel

NO_CURL = Failure(
    "unsupported",
    translatable("The built-in model has no address that curl could reach"),
    advice=translatable("Copy the request as JSON, or choose the model of a server."),
)
MAX_TEXT = 160
"""Characters of a message that the plan's list shows."""
MAX_ITEMS = 500
"""Rows that a list of the plan shows; the counts next to it cover all messages."""


async def respond_context(engine: Engine, request: p.ContextRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    session = await engine.conversations.open(request.conversation)
    match request:
        case p.PlanOptimize() | p.WriteSummary() | p.CheckSummary():
            optimization = await _optimization_for(engine, session, request)
            engine.keep_plan(optimization)
            offer = await engine.conversations.services.summaries.offer(session, optimization.unwritten)
            return request.respond_with(plan_of(optimization, session, offer))
        case p.ReadRequest() | p.CompareRequests() | p.ReadRequestText() | p.ReadRequestCurl():
            return await _read_request(session, request)
        case p.ReadOperation():
            rows = operations.messages_touched_by(session, request.operation, request.query)
            page = rows[request.offset : request.offset + request.limit]
            return request.respond_with(p.MessagesRead(page, len(rows)))
        case p.ApplyPlan():
            await engine.publish(session, await _apply_plan(engine, session, request))
        case p.UndoOperation():
            await engine.publish(session, await _undo(engine, session, request.operation))
        case p.RedoOperation():
            await engine.publish(session, await _redo(engine, session, request.operation))
        case p.BringBackMessages():
            await engine.publish(session, await operations.bring_back(session, request.messages))
        case p.PinMessage():
            await engine.publish(session, await operations.pin(session, request.message))
        case p.UnpinMessage():
            await engine.publish(session, await operations.unpin(session, request.message))
        case _:
            assert_never(request)
    return request.respond_with(p.Done())


async def _read_request(
    session: Session, request: p.ReadRequest | p.CompareRequests | p.ReadRequestText | p.ReadRequestCurl
) -> p.EngineResponse:
    match request:
        case p.ReadRequest(_, reply_id, largest):
            return request.respond_with(p.RequestRead(await read_request(session, reply_id, largest)))
        case p.CompareRequests(_, reply_id):
            return request.respond_with(p.RequestsCompared(await compare_requests(session, reply_id)))
        case p.ReadRequestText(_, reply_id, index):
            return request.respond_with(p.RequestText(await text_of_request(session, reply_id, index)))
        case p.ReadRequestCurl(_, reply_id):
            if not isinstance(session.model, LiteLLMModel):
                raise WorldError(NO_CURL)
            request_now = await asyncio.to_thread(sendable_request, session, reply_id)
            return request.respond_with(p.RequestText(await curl_of(session.model, *request_now)))


async def _optimization_for(
    engine: Engine, session: Session, request: p.PlanOptimize | p.WriteSummary | p.CheckSummary
) -> Optimization:
    match request:
        case p.PlanOptimize():
            return await engine.compute(p.Computation.PLAN, session.id, _plan(engine, session, request))
        case p.WriteSummary():
            return await _write_summary(engine, session, request)
        case p.CheckSummary():
            return await check_summary(engine.plan(request.plan), request.summary)


async def _plan(engine: Engine, session: Session, request: p.PlanOptimize) -> Optimization:
    strategy = request.strategy or (await engine.conversations.services.summaries.request_for(session)).strategy
    return await plan_optimization(session, request.tail_tokens, strategy, request.is_fresh)


async def _write_summary(engine: Engine, session: Session, request: p.WriteSummary) -> Optimization:
    """Return the plan with its summary; a summary that is being written for this conversation is cancelled first."""
    optimization = engine.plan(request.plan)
    summary_request = await engine.conversations.services.summaries.request_for(session, "llm", request.instructions)
    total, usable = session.gauge().total, session.budget.usable
    log_compaction_begins(session.id, Trigger.USER, total, usable, 0.0, f"{summary_request}")

    def report(progress: Progress) -> None:
        engine.coalescer.publish(RoomProgressed(session.id, progress.tokens, progress.max_tokens, request.plan))

    async def record_usage(usage: AuxiliaryUsage) -> None:
        engine.coalescer.publish(await session.record_operation(stamp(usage)))

    work = write_summary(optimization, summary_request, report, record_usage)
    return await engine.compute(p.Computation.PLAN, session.id, work)


async def _apply_plan(engine: Engine, session: Session, request: p.ApplyPlan) -> list[TurnEvent]:
    with engine.plan_in_use(request.plan) as optimization:
        checked = await check_summary(optimization, request.summary)
        return await apply_optimization(session, engine.conversations.services, checked, engine.coalescer.publish)


async def _undo(engine: Engine, session: Session, operation: str) -> list[TurnEvent]:
    if isinstance(session.transcript.entry(operation), Flush):
        return await undo_flush(session, engine.services.memories, operation)
    return await operations.undo(session, operation)


async def _redo(engine: Engine, session: Session, operation: str) -> list[TurnEvent]:
    if isinstance(session.transcript.entry(operation), Flush):
        return await redo_flush(session, engine.services.memories, operation)
    return await operations.redo(session, operation)


def plan_of(optimization: Optimization, session: Session, offer: Offer) -> p.Plan:
    """Return the plan as the dialog shows it; every figure is measured on an assembled request.

    offer: describes the model that would write the summary.
    """
    after = optimization.views[-1]
    prune, compaction = optimization.prune, optimization.compaction
    sent = [item for item in after.items if item.kind is ItemKind.MESSAGE and item.message.role is not Role.SYSTEM]
    fidelity = compaction.fidelity if compaction else Fidelity()
    gauge_before, gauge_after = planned_gauges(optimization, session)
    pruned = session.provider_tokens(prune.tokens_before - prune.tokens_after) if prune else 0
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
        tail_least=optimization.tail_least,
        tail_most=optimization.tail_most,
        tail_kept=optimization.tail_kept,
        pruned_total=len(prune.message_ids) if prune else 0,
        archived_total=len(_archived_ids(optimization)),
        is_useful=optimization.is_useful,
        note=optimization.note,
        strategy=optimization.strategy,
        is_written=optimization.is_written,
        is_by_rules=compaction is not None and optimization.strategy == "llm" != compaction.strategy,
        writer=_writer(offer),
        usage=compaction.usage if compaction else None,
        is_fresh=optimization.is_fresh,
    )


def _writer(offer: Offer) -> p.Writer:
    estimate, cheaper = offer.estimate, offer.cheaper
    writer = p.Writer(
        offer.label, offer.refusal, estimate.calls, estimate.prompt_tokens, estimate.reply_tokens, offer.dollars
    )
    if cheaper is None:
        return writer
    return replace(writer, cheaper=cheaper.id, cheaper_label=cheaper.label, cheaper_dollars=cheaper.dollars)


def _pruned_items(optimization: Optimization, session: Session) -> tuple[p.PlanItem, ...]:
    if optimization.prune is None:
        return ()
    sent = {item.message.id: item.message for item in optimization.views[1].items}
    now = {item.message.id: item.message for item in optimization.views[0].items}
    ids = optimization.prune.message_ids[:MAX_ITEMS]
    return tuple(_item(now[i], session, session.counts.total(sent[i])) for i in ids)


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
    return p.PlanItem(message.id, name, text, session.counts.total(message), tokens_after)


async def respond_policy(engine: Engine, request: p.PolicyRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    session = await engine.conversations.open(request.conversation)
    match request:
        case p.ChoosePolicy():
            await engine.conversations.choose_policy(session.id, request.name)
            await engine.publish(session, [session.gauge_changed()])
            return request.respond_with(p.Done())
        case p.TryPolicy():
            is_automatic = engine.services.settings.is_automatic
            trial = await try_policy(session, policy_of(request.policy), is_automatic)
            return request.respond_with(
                p.PolicyTried(
                    session.gauge(),
                    trial.gauge,
                    trial.acting,
                    trial.archived,
                    trial.pruned,
                    trial.tokens_after,
                    trial.note,
                )
            )
        case p.ReplayPolicy():
            return request.respond_with(await _replay(engine, session, request))
        case _:
            assert_never(request)


async def _replay(engine: Engine, session: Session, request: p.ReplayPolicy) -> p.PolicyReplayed:
    policies = policy_of(request.before), policy_of(request.after)
    price = engine.conversations.models.price(session.info.model)
    before, after, seconds = await engine.compute(
        p.Computation.REPLAY, session.id, policies_replayed(session, *policies)
    )
    cost_before, cost_after = (price.of(usage_of(replayed)) if price else None for replayed in (before, after))
    return p.PolicyReplayed(before, after, cost_before, cost_after, seconds)


async def respond_insights(engine: Engine, request: p.InsightsRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    match request:
        case p.ReadInsights(conversation, project):
            insights = await _read(engine, p.Computation.INSIGHTS, conversation, project)
            return request.respond_with(_thinned_out(insights))
        case p.ExportInsights(path, conversation, project):
            read = await _read(engine, p.Computation.EXPORT, conversation, project)
            await export_insights(read.insights, path)
        case _:
            assert_never(request)
    return request.respond_with(p.Done())


async def _read(engine: Engine, computation: p.Computation, conversation: str, project: str) -> p.InsightsRead:
    price_of = engine.services.catalogue.price
    if not conversation:
        insights = await engine.compute(computation, "", insights_of_all(engine.services.archive, project))
        return p.InsightsRead(insights, None, dollars_saved(insights, price_of))
    session = await engine.conversations.open(conversation)
    insights = await engine.compute(computation, session.id, insights_of_one(session))
    return p.InsightsRead(insights, session.gauge(), dollars_saved(insights, price_of))


def _thinned_out(read: p.InsightsRead) -> p.InsightsRead:
    """Return the insights with no more moments than a chart can show."""
    return replace(read, insights=replace(read.insights, moments=thin_out(read.insights.moments)))


async def respond_computation(engine: Engine, request: p.ComputationRequest) -> p.EngineResponse:
    """Carry out a request; it has no effect if there is nothing to cancel."""
    await engine.cancel(request.computation, request.conversation)
    return request.respond_with(p.Done())
