"""Tells what can be done about a request that does not fit, by what is too large. And when to ask again."""

from __future__ import annotations

import asyncio

from msgspec.structs import replace

from desktop_app.chat.compaction.make_room import decide
from desktop_app.chat.compaction.snapshot import ContextSnapshot, snapshot_of
from desktop_app.chat.session import Session
from desktop_app.context.compact.make_room import WindowTooSmall
from desktop_app.context.oversized import READ, Oversized, find_oversized
from desktop_app.conversation.events import Failure
from desktop_app.conversation.transcript import Trigger
from desktop_app.conversation.words import translatable

LARGER = translatable("Your message is larger than the model’s context window")
TAKES = translatable("It takes {tokens} tokens, and there is room for {room}.")
KEPT = translatable("Your message and the whole conversation are saved.")
AS_FILE = translatable(
    "Attach it as a file, of which the model reads what it needs; cut it; or choose a model with a larger window."
)
CUT = translatable("Cut it, or choose a model with a larger window.")
NOTHING_CAN_LEAVE = translatable("Choose a model with a larger window: optimizing would free nothing here.")
TOO_LARGE = ("overflow", "window_too_small")
"""The kinds of failures of a request that does not fit."""


async def explain_failure(session: Session, failure: Failure) -> Failure:
    """Return the failure with the kind that says what can help: "message_too_large" where the newest message alone is,
    "nothing_can_leave" where no optimizing would free anything; else as it is.
    """
    if failure.kind not in TOO_LARGE or not session.budget.window:
        return failure
    snapshot = snapshot_of(session)
    oversized = await asyncio.to_thread(oversized_in, snapshot)
    if oversized is not None:
        return _message_too_large(failure, oversized, snapshot.factor, can_read_files(session))
    if await asyncio.to_thread(_can_be_optimized, snapshot):
        return failure
    advice = NOTHING_CAN_LEAVE if failure.kind == "overflow" else failure.advice  # that says what fills the window
    return replace(failure, kind="nothing_can_leave", advice=advice)


def can_read_files(session: Session) -> bool:
    """Return whether the model could read on in a file that stands for a message."""
    return session.model_info.supports_tools and any(tool.name == READ for tool in session.view.tools)


def oversized_in(snapshot: ContextSnapshot) -> Oversized | None:
    """Return the newest message if it alone is what does not fit."""
    return find_oversized(snapshot.view, snapshot.policy, snapshot.budget, snapshot.counts)


def _can_be_optimized(snapshot: ContextSnapshot) -> bool:
    try:
        return decide(snapshot, Trigger.USER) is not None
    except WindowTooSmall:
        return False


def _message_too_large(failure: Failure, oversized: Oversized, factor: float, can_read: bool) -> Failure:
    tokens, room = round(oversized.tokens * factor), round(oversized.room * factor)
    return replace(
        failure,
        kind="message_too_large" if can_read else "message_too_large_to_cut",
        title=LARGER,
        detail=TAKES.format(tokens=f"{tokens:,}", room=f"{room:,}"),
        kept=KEPT,
        advice=AS_FILE if can_read else CUT,
    )
