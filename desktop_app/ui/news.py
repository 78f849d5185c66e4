"""What a toast says of an event. Pure."""

from __future__ import annotations

import msgspec

from desktop_app.conversation.events import OperationRow, RoomProgress, RoomRefused, RoomStarted, TurnEvent, ViewChanged
from desktop_app.conversation.transcript import Trigger

from .widgets.words import counted, thousands


class News(msgspec.Struct, frozen=True):
    """A text; operations that can be undone from it, the last one first; whether it stays until it is over, and
    whether what it tells of can be stopped."""

    text: str
    undo: tuple[str, ...] = ()
    stays: bool = False
    is_stoppable: bool = False


def news_of(event: TurnEvent) -> News | None:
    """The news in an event, if it has any that the user should see."""
    match event:
        case RoomStarted():
            return News("Compacting conversation history…", stays=True)
        case RoomProgress(tokens=tokens, most=most, plan=""):
            told = f" {thousands(tokens)} of at most {thousands(most)} tokens" if tokens else ""
            return News(f"Compacting conversation history…{told}", stays=True, is_stoppable=True)
        case RoomRefused(reason=reason):
            return News(reason)
        case ViewChanged(operations=operations, cause=cause) if operations:
            return _operations_news(operations, cause)
        case _:
            return None


def _operations_news(operations: tuple[OperationRow, ...], cause: Trigger | None) -> News:
    last = operations[-1]
    if last.is_undone:
        return News("Undone: the model sees everything as before")
    ids = tuple(operation.id for operation in reversed(operations))
    tokens = f"{thousands(operations[0].tokens_before)} → {thousands(last.tokens_after)} tokens"
    if cause is Trigger.USER:
        return News(f"Conversation optimized · {tokens}", ids)
    if all(operation.kind == "prune" for operation in operations):
        results = counted(sum(operation.messages for operation in operations), "old tool result")
        return News(f"{results} shortened · {tokens}", ids)
    return News(f"Context compacted · {tokens}", ids)
