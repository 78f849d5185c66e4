"""Whether it is worth stopping a reply to make room: measured before anything is done."""

from __future__ import annotations

import asyncio

from msgspec.structs import replace

from desktop_app.chat.compaction.make_room import decide
from desktop_app.chat.compaction.snapshot import ContextSnapshot, snapshot_of
from desktop_app.chat.session import Session
from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.context.compact.make_room import WindowTooSmall
from desktop_app.context.view.view import view_of, with_entries
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Continuation, Trigger

from .reply_in_flight import ReplyInFlight
from .stream_guard import StreamGuard


async def should_interrupt(session: Session, reply: ReplyInFlight, guard: StreamGuard) -> bool:
    """Return whether the reply, stopped now, would find room to continue. This is decided on a worker thread."""
    partial = reply.message() if reply.text.strip() else None
    return await asyncio.to_thread(finds_room, snapshot_of(session), partial, guard.lost_call)


def finds_room(basis: ContextSnapshot, partial: Message | None, lost_call: str = "") -> bool:
    """Return whether making room would leave more than letting the reply stream on: with it stored, and asked to be
    continued, the request is as long as the plan says, and a reply of a tenth of the window must fit before the next
    stop."""
    if partial is not None:
        continuation = Continuation(id="draft", reply_id=partial.id, lost_call=lost_call)
        transcript = with_entries(basis.transcript, partial, continuation)
        basis = replace(basis, transcript=transcript, view=view_of(transcript, basis.view))
    try:
        step = decide(basis, Trigger.STREAMING)
    except WindowTooSmall:
        return False
    if step is None:
        return False
    after = step.projected if isinstance(step, CompactionPlan) else step.tokens_after
    return after <= (basis.policy.stream_stop_at - basis.policy.stream_rest) * basis.budget.window
