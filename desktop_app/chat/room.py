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
from desktop_app.context.make_room import WindowTooSmall, is_due, make_room
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.view import View, previewed, view_of
from desktop_app.conversation.events import RoomStarted, TurnEvent
from desktop_app.conversation.transcript import Compaction, Operation, Transcript, Trigger

from .session import Session, stamped

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


def next_step(basis: Basis, trigger: Trigger) -> Operation | None:
    """The next operation, whole but not stamped. Raises WindowTooSmall."""
    started = time.monotonic()
    step = make_room(basis.view, basis.policy, basis.budget, basis.counts, trigger)
    if isinstance(step, CompactionPlan):
        step = compaction_of(step, basis.transcript, basis.view, basis.counts)
    return replace(step, seconds=time.monotonic() - started) if isinstance(step, Compaction) else step


async def room_made(session: Session, trigger: Trigger) -> AsyncIterator[TurnEvent]:
    """Makes room until nothing is due any more, telling of each step once it is stored.

    A message that arrives meanwhile is kept: a step applies only if all that it touches is still there (K10).
    Cancelling leaves no trace. Raises WindowTooSmall and ArchiveError.
    """
    for _ in range(STEPS_MOST):
        if not is_due(request_size(session), session.policy, session.budget, trigger):
            return
        yield RoomStarted(session.id, trigger)
        basis = basis_of(session)
        step = await asyncio.to_thread(next_step, basis, trigger)
        if step is None:
            _refuse_if_it_does_not_fit(session)
            return
        step = measured_again(step, session)
        if step is None:
            continue
        yield await session.record_operation(stamped(step), cause=trigger)
        yield session.gauge_changed()


def request_size(session: Session) -> int:
    """Tokens of the request: counted here, or as the provider measures them if that is more."""
    return max(session.gauge().total, request_tokens(session.view, session.counts))


def measured_again(step: Operation, session: Session) -> Operation | None:
    """The step with its tokens measured on the session as it is now, or None if something that it touches is gone."""
    touched = step.archived if isinstance(step, Compaction) else tuple(r.message_id for r in step.results)
    here = {item.message.id for item in session.view.items}
    if not here.issuperset(touched):
        return None
    before = request_tokens(session.view, session.counts)
    after = request_tokens(view_of(previewed(session.transcript, replace(step, id="draft"))), session.counts)
    return replace(step, tokens_before=before, tokens_after=after) if after < before else None


def _refuse_if_it_does_not_fit(session: Session) -> None:
    total = request_tokens(session.view, session.counts)
    if total > session.budget.usable:
        raise WindowTooSmall(total, session.budget.usable, "It would help to choose a model with a larger window.")
