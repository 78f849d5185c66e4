"""One turn: from the user's message to the last stored reply."""

from __future__ import annotations

import asyncio

from desktop_app.chat.compaction.make_room import make_room, refuse_without_room
from desktop_app.chat.ports import Emit
from desktop_app.chat.services import Services
from desktop_app.chat.session import Session
from desktop_app.conversation.events import TurnFinished, TurnStarted
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Trigger

from .prepare import prepare
from .turn import Turn


async def take_turn(
    session: Session,
    services: Services,
    emit: Emit,
    prompt: Message | None,
    is_automatic: bool = True,
    is_forced: bool = False,
    makes_room: bool = False,
) -> TurnFinished:
    """Answer the prompt, or the newest user message again if it is None; return how that ended.

    Each event is emitted once what it tells is stored. Cancelling the task stops the turn: what had arrived of the
    reply is kept, and each call gets a result. Nothing is raised: errors are part of the outcome.

    is_automatic: room may be made without the user's word. is_forced: send although hardly any room is left.
    makes_room: the user wants room to be made first.
    """
    turn = Turn(session, services, emit, is_automatic)
    emit(TurnStarted(session.id))
    try:
        await prepare(session, services, emit, prompt)
        if makes_room:
            await make_room(session, services, Trigger.USER, emit)
        while True:
            if is_automatic:
                await make_room(session, services, turn.trigger, emit)
            refuse_without_room(session, is_forced)
            reply = await turn.ask_model()  # assemble, stream, record; stopped, continued and retried inside
            if not reply.tool_calls or services.tools is None:
                break
            await turn.run_tools(reply, services.tools)
    except (asyncio.CancelledError, Exception) as error:  # noqa: BLE001 - a bug is reported, once all is settled
        turn.outcome.fail(error)
    return await turn.settle()
