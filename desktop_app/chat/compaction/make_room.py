"""Making room in an open conversation: the pure decision runs on a worker thread, its result becomes an entry."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from msgspec.structs import replace

from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session, stamped
from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.context.compact.make_room import WindowTooSmall, is_due, is_stalled, make_room
from desktop_app.context.counting.breakdown import gauge_of, request_tokens, tally
from desktop_app.context.view.view import View, view_of, with_entries
from desktop_app.conversation.events import (
    Failure,
    RoomEnded,
    RoomProgressed,
    RoomRefused,
    RoomStarted,
    TurnEvent,
    ViewChanged,
)
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.transcript import AuxiliaryUsage, Compaction, Operation, Prune, Transcript, Trigger

from .snapshot import ContextSnapshot, snapshot_of
from .summarize import Progress, SummaryRequest, write_compaction

STALLED = (
    "Automatic compaction is paused: the last two freed less than 10 %. "
    "Unpin messages, choose a larger window, or optimize with a shorter tail."
)
STEPS_MOST = 8
"""A prune and a compaction are enough; more steps than this would be a bug in the decision. At a tool result the policy
says how many there may be (S2)."""


def decided(basis: ContextSnapshot, trigger: Trigger) -> Prune | CompactionPlan | None:
    """The decision, which is quick. Raises WindowTooSmall, in tokens of the model's own window."""
    try:
        seconds = basis.seconds_since_request
        return make_room(basis.view, basis.policy, basis.budget, basis.counts, trigger, seconds)
    except WindowTooSmall as error:
        needed, usable = round(error.needed * basis.factor), round(error.usable * basis.factor)
        raise WindowTooSmall(needed, usable, error.advice) from None


async def room_made(session: Session, trigger: Trigger) -> AsyncGenerator[TurnEvent, None]:
    """Makes room until nothing is due any more, telling of each step once it is stored.

    A message that arrives meanwhile is kept: a step applies only if all that it touches is still there (K10).
    The session's scribe says how summaries are made. Cancelling leaves no trace.

    As long as the window is not known, nothing is too much for it, and no room is made. Raises WindowTooSmall and
    ArchiveError.
    """
    if not session.budget.window:
        return
    if session.keeper is not None and session.keeper.is_due(session, trigger):
        yield RoomStarted(session.id, trigger)  # it may ask a model, which takes its time
        for event in await session.keeper.flush(session, trigger):
            yield event
    for _ in range(session.policy.tool_result_tries if trigger is Trigger.TOOL_RESULT else STEPS_MOST):
        if not is_due(session.view, request_size(session), session.policy, session.budget, trigger):
            return
        basis = snapshot_of(session)
        step = await asyncio.to_thread(decided, basis, trigger)
        if isinstance(step, CompactionPlan) and await _somebody_made_room(session):
            continue  # what is to be done now is another question
        is_changed = False
        async with aclosing(_carried_out(session, basis, step, trigger)) as events:
            async for event in events:
                is_changed = is_changed or isinstance(event, ViewChanged)
                yield event
        if not is_changed and not isinstance(step, Prune):
            refuse_what_does_not_fit(session)
            if is_stalled(session.view, session.policy):
                yield RoomRefused(session.id, STALLED)
            return
    refuse_what_does_not_fit(session)


async def _somebody_made_room(session: Session) -> bool:
    """Whether a compaction was being made already; then it is waited for."""
    lock = session.scribe.lock(session.id) if session.scribe else None
    if lock is None or not lock.locked():
        return False
    async with lock:
        return True


async def _carried_out(
    session: Session, basis: ContextSnapshot, step: Prune | CompactionPlan | None, trigger: Trigger
) -> AsyncGenerator[TurnEvent, None]:
    """Does what was decided, and records it."""
    if isinstance(step, Prune):
        prune, upkeep = await session.scribe.digest(session, basis, step) if session.scribe else (step, None)
        async for event in _recorded(session, prune, trigger, upkeep):
            yield event
    if not isinstance(step, CompactionPlan):
        return
    lock = session.scribe.lock(session.id) if session.scribe else asyncio.Lock()
    async with lock, aclosing(_compacted(session, basis, step, trigger)) as arriving:
        async for arrived in arriving:
            if isinstance(arrived, Compaction):
                async for event in _recorded(session, arrived, trigger):
                    yield event
            else:
                yield arrived


async def room_told(session: Session, trigger: Trigger, publish: Callable[[TurnEvent], None]) -> bool:
    """Makes room, publishes what happens, and returns whether the view has changed. However it ends, the window is
    told that nothing is being done any more. Raises as `room_made` does."""
    is_changed = has_started = False
    try:
        async with aclosing(room_made(session, trigger)) as events:
            async for event in events:
                publish(event)
                has_started = has_started or isinstance(event, RoomStarted)
                is_changed = is_changed or isinstance(event, ViewChanged)
    finally:
        if has_started:
            publish(RoomEnded(session.id))
    return is_changed


async def _compacted(
    session: Session, basis: ContextSnapshot, plan: CompactionPlan, trigger: Trigger
) -> AsyncGenerator[TurnEvent | Compaction, None]:
    """How the compaction of that plan comes about, and at the end the compaction, not stamped, if there is one."""
    yield RoomStarted(session.id, trigger)
    order = await session.scribe.request_for(session, trigger=trigger) if session.scribe else SummaryRequest()
    reports = asyncio.Queue[Progress | None]()
    writing = asyncio.ensure_future(write_compaction(basis, plan, order, reports.put_nowait))
    writing.add_done_callback(lambda _: reports.put_nowait(None))
    try:
        while (progress := await reports.get()) is not None:
            yield RoomProgressed(session.id, progress.tokens, progress.max_tokens)
    finally:
        writing.cancel()
        await asyncio.wait({writing})
    if (compaction := writing.result()) is not None:
        yield compaction


async def _recorded(
    session: Session, step: Operation, trigger: Trigger, upkeep: AuxiliaryUsage | None = None
) -> AsyncGenerator[TurnEvent, None]:
    """Records that step, unless something that it touches has gone meanwhile. upkeep: what it took, paid either way."""
    paid = () if upkeep is None else (stamped(upkeep),)
    changed: ViewChanged | None = None
    async with session.changes:
        current = measured_on(session, step, session.transcript, session.view)
        if current is not None:
            changed = await session.record_operation(*paid, stamped(current), cause=trigger)
        elif paid:
            await session.record(*paid)
    if changed is not None:
        yield changed
        yield session.gauge_changed()


def request_size(session: Session) -> int:
    """Tokens of the request: as the gauge shows them, and never fewer than are counted here."""
    return max(session.gauge().total, request_tokens(session.view, session.counts))


def measured_on(session: Session, step: Operation, transcript: Transcript, view: View) -> Operation | None:
    """Return the step with the tokens that the gauge shows before and after it; None if something that it touches is
    gone, or if it would free nothing."""
    touched = step.archived if isinstance(step, Compaction) else step.message_ids
    here = {item.message.id for item in view.items}
    if not here.issuperset(touched):
        return None
    changed = view_of(with_entries(transcript, replace(step, id="draft")), view)
    if request_tokens(changed, session.counts) >= request_tokens(view, session.counts):
        return None
    return replace(step, tokens_before=shown_tokens(session, view), tokens_after=shown_tokens(session, changed))


def shown_tokens(session: Session, view: View) -> int:
    """Return the total that the gauge shows of the view; of one that is only planned, as nobody has measured it."""
    return (session.gauge() if view is session.view else unmeasured_gauge(session, view)).total


def unmeasured_gauge(session: Session, view: View) -> Gauge:
    """Return the gauge of a view that was never sent."""
    counts, nobody = session.counts, replace(session.model_info, id="nobody/nothing")
    sums = tally(view, counts)
    return gauge_of(view, sums, counts, session.policy, session.budget, nobody, session.calibration)


def refuse_without_room(session: Session, is_forced: bool = False) -> None:
    """Let a request pass only if the policy sends one that large: below `blocked_at`, unless the user says otherwise.

    Raises WindowTooSmall above all that can be used, whatever the user says, and WorldError below that.
    """
    refuse_what_does_not_fit(session)
    gauge = session.gauge()
    if is_forced or gauge.share < session.policy.blocked_at or session.policy.blocked_at >= 1.0:
        return
    raise WorldError(
        Failure(
            kind="nearly_full",
            title="There is hardly any room left in the window",
            detail=f"The request would take {gauge.total:,} of the {gauge.usable:,} tokens that can be used.",
            kept="Your message and the whole conversation are saved; nothing was sent.",
            advice="Optimize the conversation, choose a model with a larger window, or send it anyway: the reply may "
            "be cut short then.",
        )
    )


def refuse_what_does_not_fit(session: Session) -> None:
    """Nothing is sent that the window cannot hold. Raises WindowTooSmall."""
    gauge = session.gauge()
    if gauge.is_window_known and gauge.total > gauge.usable:
        advice = "Optimize the conversation, or choose a model with a larger window."
        raise WindowTooSmall(gauge.total, gauge.usable, advice)
