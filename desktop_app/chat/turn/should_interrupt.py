"""Whether it is worth stopping a reply to make room: what room could be made, measured before anything is done."""

from __future__ import annotations

import asyncio

from msgspec.structs import replace

from desktop_app.chat.compaction.make_room import decided
from desktop_app.chat.compaction.snapshot import ContextSnapshot, snapshot_of
from desktop_app.chat.session import Session
from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.context.compact.make_room import WindowTooSmall
from desktop_app.context.view.view import continuing, view_of, with_entries
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Trigger

from .reply_in_flight import ReplyInFlight
from .stream_guard import StreamGuard


async def is_worth_stopping(session: Session, reply: ReplyInFlight, guard: StreamGuard) -> bool:
    """Whether the reply, stopped now, would find room to go on. The decision is made on a worker thread."""
    partial = reply.message() if reply.text.strip() else None
    return await asyncio.to_thread(finds_room, snapshot_of(session), partial, guard.lost_call)


def finds_room(basis: ContextSnapshot, partial: Message | None, lost_call: str = "") -> bool:
    """Whether making room would leave more than letting the reply stream on: with it stored, and asked to go on, the
    request is as long as the plan says, and a reply of a tenth of the window must fit before the next stop."""
    if partial is not None:
        transcript = with_entries(basis.transcript, partial)
        view = continuing(view_of(transcript, basis.view), lost_call)
        basis = replace(basis, transcript=transcript, view=view)
    try:
        step = decided(basis, Trigger.STREAMING)
    except WindowTooSmall:
        return False
    if step is None:
        return False
    after = step.projected if isinstance(step, CompactionPlan) else step.tokens_after
    return after <= (basis.policy.stream_stop_at - basis.policy.stream_rest) * basis.budget.window
