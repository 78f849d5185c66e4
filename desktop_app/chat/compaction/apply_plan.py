"""**Optimize conversation** in an open conversation: the plan is made, its summary checked, and its steps recorded."""

from __future__ import annotations

import asyncio

from msgspec.structs import replace

from desktop_app.chat.ports import WorldError
from desktop_app.chat.services import Services
from desktop_app.chat.session import Session
from desktop_app.chat.stamp import stamp
from desktop_app.context.view.view import view_of, with_entries
from desktop_app.conversation.events import Failure, TurnEvent
from desktop_app.conversation.transcript import Operation, Trigger

from .optimize import Optimization, checked_again, plan_optimize, with_summary
from .snapshot import snapshot_of, with_measured_tokens


async def plan_optimization(session: Session, tail_tokens: int | None, strategy: str = "extractive") -> Optimization:
    """Return the plan for that session now, made on a worker thread; parameters as in `plan_optimize`."""
    return await asyncio.to_thread(plan_optimize, snapshot_of(session), tail_tokens, strategy)


async def check_summary(optimization: Optimization, page: str) -> Optimization:
    """Return the plan with the edited summary, measured and checked again. Raises WorldError if it frees nothing."""
    changed = await asyncio.to_thread(with_summary, optimization, page)
    if changed is None:
        raise WorldError(
            Failure(
                kind="bad_input",
                title="This summary is longer than what it replaces",
                kept="Your text is still in the editor, and nothing was changed.",
                advice="Shorten it, or take the summary that was proposed.",
            )
        )
    return changed


async def apply_optimization(session: Session, services: Services, optimization: Optimization) -> list[TurnEvent]:
    """Save what must last, then record the plan's steps in one transaction. What was planned is what is done; the
    figures are measured again. Return what changed.

    Raises WorldError, and records nothing, when messages of the plan have left the view meanwhile.
    """
    events: list[TurnEvent] = []
    if services.memory is not None and optimization.compaction is not None:
        events += await services.memory.flush(session, Trigger.USER)
    async with session.changes:
        steps = await _measured_steps(session, optimization)
        if steps:
            noted = (services.summaries.note_replaced_model(session, step) for step in steps)
            events.append(await session.record_operation(*noted, cause=Trigger.USER))
            events.append(session.gauge_changed())
    return events


async def _measured_steps(session: Session, optimization: Optimization) -> list[Operation]:
    planned = await asyncio.to_thread(checked_again, optimization, session.transcript)
    transcript, view, steps = session.transcript, session.view, list[Operation]()
    plan_id = optimization.id if len(optimization.steps) > 1 else ""
    for step in planned:
        current = with_measured_tokens(session, replace(step, id=""), transcript, view)
        if current is None:
            raise stale_plan()
        steps.append(stamp(replace(current, plan_id=plan_id)))
        transcript = with_entries(transcript, steps[-1])
        view = view_of(transcript)
    return steps


def stale_plan() -> WorldError:
    """Return the error for a plan that was made on another view."""
    return WorldError(
        Failure(
            kind="stale",
            title="The conversation has changed since this plan was made",
            kept="Nothing was changed.",
            advice="Open Optimize conversation again for a new plan.",
        )
    )
