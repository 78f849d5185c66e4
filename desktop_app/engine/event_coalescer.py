"""Joins streamed events, so that at most one line each 33 ms goes to the window."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec.structs import replace

from desktop_app.conversation.events import (
    GaugeChanged,
    ReasoningDelta,
    RoomProgressed,
    TextDelta,
    ToolOutputReceived,
    TurnEvent,
)

from .protocol import EngineLine, EventLine, encode_line

JOIN_SECONDS = 0.033
"""Seconds: about two frames of a screen; nobody reads faster."""
MAX_OUTPUT = 20_000
"""Characters of a tool's output in one line: more than a screen holds, and the whole comes with its result."""

Joinable = TextDelta | ReasoningDelta | ToolOutputReceived | GaugeChanged | RoomProgressed


class EventCoalescer:
    """Writes lines in their order. What is not a delta, a gauge or progress is written at once."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._waiting: list[TurnEvent] = []
        self._timer: asyncio.TimerHandle | None = None

    def publish(self, event: TurnEvent) -> None:
        if isinstance(event, Joinable):
            self._join(event)
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(JOIN_SECONDS, self.flush)
            return
        self.flush()
        self._write(encode_line(EventLine(event)))

    def send(self, line: EngineLine) -> None:
        """Write a line behind all events that came before it."""
        self.flush()
        self._write(encode_line(line))

    def flush(self) -> None:
        """Write what waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for event in self._waiting:
            self._write(encode_line(EventLine(event)))
        self._waiting.clear()

    def _join(self, event: Joinable) -> None:
        """Merge the event into one that waits, or put it behind them."""
        for index, waiting in enumerate(self._waiting):
            if type(waiting) is type(event) and (merged := _merge(waiting, event)) is not None:
                self._waiting[index] = merged
                return
        self._waiting.append(event)


def _merge(waiting: TurnEvent, event: Joinable) -> TurnEvent | None:
    """Return the two as one event: text is appended to that of the same reply or tool, else the newest is taken.

    None if they are about different things.
    """
    if waiting.conversation != event.conversation:
        return None
    match waiting, event:
        case TextDelta(), TextDelta() if waiting.reply_id == event.reply_id:
            return TextDelta(event.conversation, event.reply_id, waiting.text + event.text)
        case ReasoningDelta(), ReasoningDelta() if waiting.reply_id == event.reply_id:
            return ReasoningDelta(event.conversation, event.reply_id, waiting.text + event.text)
        case ToolOutputReceived(), ToolOutputReceived() if (waiting.reply_id, waiting.call_index) == (
            event.reply_id,
            event.call_index,
        ):
            return replace(event, text=(waiting.text + event.text)[-MAX_OUTPUT:])
        case _, GaugeChanged() | RoomProgressed():
            return event
        case _:
            return None
