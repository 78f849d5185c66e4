"""One turn as a straight line: from the user's message to the stored reply."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from desktop_app.context.make_room import WindowTooSmall
from desktop_app.context.view import assemble
from desktop_app.conversation.events import Failure, TurnEvent, TurnFailed, TurnFinished, TurnStarted
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Trigger

from .ports import WorldError
from .room import room_made
from .session import Session, stamped
from .stream_reply import ReplyInFlight, reply_streamed


async def take_turn(session: Session, prompt: Message | None, is_automatic: bool = True) -> AsyncIterator[TurnEvent]:
    """The events of one turn, each told once what it tells is stored.

    prompt: the user's message; None answers the newest one again. is_automatic: whether room may be made
    without the user's word. Cancelling the task stops the reply: what had arrived of it is kept.
    """
    yield TurnStarted(session.id)
    reply, reason, failure = ReplyInFlight(session.model_info.recorded_as), "finished", None
    try:
        if prompt is not None:
            yield await session.record_message(stamped(prompt))
            yield session.gauge_changed()
        if is_automatic:
            async for event in room_made(session, Trigger.BEFORE_REQUEST):
                yield event
        refuse_what_does_not_fit(session)
        async for event in reply_streamed(session, reply, assemble(session.view)):
            yield event
    except asyncio.CancelledError:
        reason = "stopped"
    except (WorldError, WindowTooSmall) as error:
        reason, failure = "failed", failure_of(error)
    async for event in _settled(session, reply, reason, failure):
        yield event


async def _settled(
    session: Session, reply: ReplyInFlight, reason: str, failure: Failure | None
) -> AsyncIterator[TurnEvent]:
    """However the turn went, what had arrived is stored, and only then it is told."""
    try:
        if not reply.is_empty:
            yield await session.record_message(reply.message())
    except WorldError as error:
        reason, failure = "failed", error.failure
    yield session.gauge_changed()
    if failure is not None:
        yield TurnFailed(session.id, failure)
    yield TurnFinished(session.id, reason)


def refuse_what_does_not_fit(session: Session) -> None:
    """Nothing is sent that the window cannot hold. Raises WindowTooSmall."""
    gauge = session.gauge()
    if gauge.total > gauge.usable:
        advice = "Optimize the conversation, or choose a model with a larger window."
        raise WindowTooSmall(gauge.total, gauge.usable, advice)


def failure_of(error: WorldError | WindowTooSmall) -> Failure:
    """What the user is told of that error."""
    if isinstance(error, WorldError):
        return error.failure
    return Failure(
        kind="window_too_small",
        title="This does not fit into the model's window",
        detail=f"{error.needed:,} tokens must be sent, but only {error.usable:,} can be used.",
        kept="Your message and the whole conversation are saved.",
        advice=error.advice,
    )
