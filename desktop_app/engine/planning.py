"""Wishes of **Optimize conversation** that take more than one call of a verb."""

from __future__ import annotations

from desktop_app.chat.compaction.optimize import Optimization, write_summary
from desktop_app.chat.compaction.summarize import Progress
from desktop_app.chat.operations import optimization_of, optimized, summary_checked
from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session
from desktop_app.conversation.events import Failure, RoomProgressed, TurnEvent

from .engine import Engine


async def plan_wanted(engine: Engine, session: Session, tail_tokens: int | None, strategy: str) -> Optimization:
    """The plan by that strategy, or by the one that the policy and the model suggest."""
    if not strategy:
        strategy = (await engine.conversations.scribe.request_for(session)).strategy
    return await optimization_of(session, tail_tokens, strategy)


async def summary_by_model(engine: Engine, session: Session, plan: str, instructions: str) -> Optimization:
    """That plan, once a model has written its summary; the window is told how far it is. Raises WorldError."""
    optimization = engine.plan(plan)
    order = await engine.conversations.scribe.request_for(session, "llm", instructions)

    def report(progress: Progress) -> None:
        engine.outbox.publish(RoomProgressed(session.id, progress.tokens, progress.max_tokens, plan))

    return await engine.writings.write(session.id, write_summary(optimization, order, report))


async def plan_applied(engine: Engine, session: Session, plan: str, summary: str) -> list[TurnEvent]:
    """Apply that plan with that summary, once: whoever wants the same again finds it gone. Raises WorldError, and
    keeps the plan then."""
    refuse_unwritten(engine.plan(plan))
    optimization = engine.take_plan(plan)
    try:
        return await optimized(session, await summary_checked(optimization, summary))
    except BaseException:
        engine.keep_plan(optimization)
        raise


def refuse_unwritten(optimization: Optimization) -> None:
    """A plan without its summary cannot be applied. Raises WorldError."""
    if not optimization.is_written:
        advice = "Let the model write it, or choose a summary without a model."
        raise WorldError(
            Failure("bad_input", "The summary is not written yet", kept="Nothing was changed.", advice=advice)
        )
