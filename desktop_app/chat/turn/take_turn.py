"""One turn as a straight line: from the user's message to the last stored reply."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from desktop_app.chat.compaction.make_room import refuse_without_room, room_made
from desktop_app.chat.session import Session
from desktop_app.conversation.events import TurnEvent, TurnStarted
from desktop_app.conversation.message import Message

from .tool_runtime import ToolRuntime
from .turn import Turn
from .turn_setup import TurnSetup


async def take_turn(
    session: Session,
    prompt: Message | None,
    bench: ToolRuntime | None = None,
    preparation: TurnSetup | None = None,
    is_automatic: bool = True,
    is_forced: bool = False,
) -> AsyncGenerator[TurnEvent, None]:
    """The events of one turn, each told once what it tells is stored.

    prompt: the user's message; None answers the newest one again. bench: what the tools need; preparation: what comes
    before the first request. is_automatic: whether room may be made without the user's word. is_forced: whether the
    user wants it sent although hardly any room is left. Cancelling the task stops
    the turn: what had arrived of the reply is kept, and each call gets a result. Raises what nobody expected, at the
    very end.
    """
    turn = Turn(session, bench, is_automatic)
    yield TurnStarted(session.id)
    try:
        async for event in (preparation or TurnSetup()).made(session, prompt):
            yield event
        while turn.is_open:
            if is_automatic:
                async for event in room_made(session, turn.trigger):
                    yield event
            refuse_without_room(session, is_forced)
            async for event in turn.replied():
                yield event
            async for event in turn.tools_run():
                yield event
    except (asyncio.CancelledError, Exception) as error:  # noqa: BLE001 - a bug is raised again, once all is settled
        turn.ending.by(error)
    async for event in turn.settled():
        yield event
