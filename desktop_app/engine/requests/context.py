"""Requests about the context of a conversation: plans of **Optimize conversation**, and operations on the view."""

from __future__ import annotations

from typing import assert_never

from desktop_app.chat import operations
from desktop_app.chat.compaction.apply_plan import apply_optimization, check_summary, plan_optimization
from desktop_app.chat.compaction.optimize import Optimization, write_summary
from desktop_app.chat.compaction.summarize import Progress
from desktop_app.chat.memory.memory_flusher import redo_flush, undo_flush
from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session
from desktop_app.conversation.events import Failure, RoomProgressed, TurnEvent
from desktop_app.conversation.transcript import Flush
from desktop_app.engine import protocol as p
from desktop_app.engine.engine import Engine

from .plan_view import plan_of


async def respond(engine: Engine, request: p.ContextRequest) -> p.EngineResponse:
    """Carry out a request. Raises WorldError for errors of the world."""
    session = await engine.conversations.open(request.conversation)
    match request:
        case p.PlanOptimize() | p.WriteSummary() | p.CheckSummary():
            optimization = await _optimization_for(engine, session, request)
            engine.keep_plan(optimization)
            offer = await engine.conversations.services.summaries.offer(session, optimization)
            return request.respond_with(plan_of(optimization, session, offer))
        case p.CancelSummary():
            await engine.summaries.cancel(request.conversation)
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


async def _optimization_for(
    engine: Engine, session: Session, request: p.PlanOptimize | p.WriteSummary | p.CheckSummary
) -> Optimization:
    match request:
        case p.PlanOptimize():
            strategy = request.strategy or (await engine.conversations.services.summaries.request_for(session)).strategy
            return await plan_optimization(session, request.tail_tokens, strategy)
        case p.WriteSummary():
            return await _write_summary(engine, session, request)
        case p.CheckSummary():
            return await check_summary(engine.plan(request.plan), request.summary)


async def _write_summary(engine: Engine, session: Session, request: p.WriteSummary) -> Optimization:
    optimization = engine.plan(request.plan)
    order = await engine.conversations.services.summaries.request_for(session, "llm", request.instructions)

    def report(progress: Progress) -> None:
        engine.coalescer.publish(RoomProgressed(session.id, progress.tokens, progress.max_tokens, request.plan))

    return await engine.summaries.write(session.id, write_summary(optimization, order, report))


async def _apply_plan(engine: Engine, session: Session, request: p.ApplyPlan) -> list[TurnEvent]:
    """Apply the plan once: it is taken while that is tried, and kept again if it fails."""
    if not engine.plan(request.plan).is_written:
        advice = "Let the model write it, or choose a summary without a model."
        kept = "Nothing was changed."
        raise WorldError(Failure("bad_input", "The summary is not written yet", kept=kept, advice=advice))
    optimization = engine.take_plan(request.plan)
    try:
        checked = await check_summary(optimization, request.summary)
        return await apply_optimization(session, engine.conversations.services, checked)
    except BaseException:
        engine.keep_plan(optimization)
        raise


async def _undo(engine: Engine, session: Session, operation: str) -> list[TurnEvent]:
    if isinstance(session.transcript.entry(operation), Flush):
        return await undo_flush(session, engine.services.archive, operation)
    return await operations.undo(session, operation)


async def _redo(engine: Engine, session: Session, operation: str) -> list[TurnEvent]:
    if isinstance(session.transcript.entry(operation), Flush):
        return await redo_flush(session, engine.services.archive, operation)
    return await operations.redo(session, operation)
