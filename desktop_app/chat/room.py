"""Making room in an open conversation: the pure decision runs on a worker thread, its result becomes an entry."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import msgspec
from msgspec.structs import replace

from desktop_app.context.breakdown import request_tokens
from desktop_app.context.compact import CompactionPlan, compaction_of
from desktop_app.context.counting import Counts
from desktop_app.context.make_room import WindowTooSmall, is_due, is_stalled, make_room
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.view import View, previewed, view_of
from desktop_app.conversation.events import RoomRefused, RoomStarted, TurnEvent
from desktop_app.conversation.transcript import Compaction, Operation, Prune, Transcript, Trigger

from .session import Session, stamped

STALLED = (
    "Automatic compaction is paused: the last two freed less than 10 %. "
    "Unpin messages, choose a larger window, or optimize with a shorter tail."
)
STEPS_MOST = 8
"""A prune and a compaction are enough; more steps than this would be a bug in the decision."""


class Basis(msgspec.Struct, frozen=True):
    """What a decision is made from: frozen values, so that a thread may have them."""

    transcript: Transcript
    view: View
    policy: ContextPolicy
    budget: Budget
    counts: Counts


def basis_of(session: Session) -> Basis:
    """The state of that session now."""
    return Basis(session.transcript, session.view, session.policy, session.budget, session.counts)


def decided(basis: Basis, trigger: Trigger) -> Prune | CompactionPlan | None:
    """The decision, which is quick. Raises WindowTooSmall."""
    return make_room(basis.view, basis.policy, basis.budget, basis.counts, trigger)


def carried_out(basis: Basis, plan: CompactionPlan) -> Compaction | None:
    """The compaction of that plan, not stamped; this takes its time on a long conversation."""
    started = time.monotonic()
    compaction = compaction_of(plan, basis.transcript, basis.view, basis.counts)
    return replace(compaction, seconds=time.monotonic() - started) if compaction else None


async def room_made(session: Session, trigger: Trigger) -> AsyncIterator[TurnEvent]:
    """Makes room until nothing is due any more, telling of each step once it is stored.

    A message that arrives meanwhile is kept: a step applies only if all that it touches is still there (K10).
    Cancelling leaves no trace. Raises WindowTooSmall and ArchiveError.
    """
    for _ in range(STEPS_MOST):
        if not is_due(request_size(session), session.policy, session.budget, trigger):
            return
        basis = basis_of(session)
        step: Operation | CompactionPlan | None = await asyncio.to_thread(decided, basis, trigger)
        if isinstance(step, CompactionPlan):
            yield RoomStarted(session.id, trigger)
            step = await asyncio.to_thread(carried_out, basis, step)
        if step is None:
            _refuse_if_it_does_not_fit(session)
            if is_stalled(session.view, session.policy):
                yield RoomRefused(session.id, STALLED)
            return
        current = measured_on(step, session.transcript, session.view, session.counts)
        if current is not None:
            yield await session.record_operation(stamped(current), cause=trigger)
            yield session.gauge_changed()


def request_size(session: Session) -> int:
    """Tokens of the request: counted here, or as the provider measures them if that is more."""
    return max(session.gauge().total, request_tokens(session.view, session.counts))


def measured_on(step: Operation, transcript: Transcript, view: View, counts: Counts) -> Operation | None:
    """The step with its tokens measured on the record as it is now; None if something that it touches is gone,
    or if it would free nothing."""
    touched = step.archived if isinstance(step, Compaction) else step.message_ids
    here = {item.message.id for item in view.items}
    if not here.issuperset(touched):
        return None
    before = request_tokens(view, counts)
    after = request_tokens(view_of(previewed(transcript, replace(step, id="draft")), view), counts)
    return replace(step, tokens_before=before, tokens_after=after) if after < before else None


def _refuse_if_it_does_not_fit(session: Session) -> None:
    total = request_tokens(session.view, session.counts)
    if total > session.budget.usable:
        raise WindowTooSmall(total, session.budget.usable, "It would help to choose a model with a larger window.")
