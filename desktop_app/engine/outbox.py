"""Lines on their way to the window: in order, and streamed deltas joined to at most one line per 33 ms."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from desktop_app.conversation.events import GaugeChanged, ReasoningDelta, RoomProgress, TextDelta, TurnEvent

from .protocol import EngineLine, Happened, encode_line

JOIN_FOR = 0.033
"""Seconds: about two frames of a screen; nobody reads faster."""


class Outbox:
    """Takes lines and writes them with `write`. What is not a delta, a gauge or progress goes out at once."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._waiting: list[TurnEvent] = []
        self._timer: asyncio.TimerHandle | None = None

    def publish(self, event: TurnEvent) -> None:
        """An event of a turn."""
        if isinstance(event, TextDelta | ReasoningDelta | GaugeChanged | RoomProgress):
            self._join(event)
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(JOIN_FOR, self.flush)
            return
        self.flush()
        self._write(encode_line(Happened(event)))

    def send(self, line: EngineLine) -> None:
        """An answer, or news of the list: after all that happened before it."""
        self.flush()
        self._write(encode_line(line))

    def flush(self) -> None:
        """Writes what waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for event in self._waiting:
            self._write(encode_line(Happened(event)))
        self._waiting.clear()

    def _join(self, event: TextDelta | ReasoningDelta | GaugeChanged | RoomProgress) -> None:
        """Text is appended to the delta of the same reply that waits already; of all else only the newest counts."""
        for place, waiting in enumerate(self._waiting):
            if type(waiting) is not type(event) or waiting.conversation != event.conversation:
                continue
            if isinstance(event, GaugeChanged | RoomProgress):
                self._waiting[place] = event
                return
            if isinstance(waiting, TextDelta | ReasoningDelta) and waiting.reply_id == event.reply_id:
                self._waiting[place] = type(event)(event.conversation, event.reply_id, waiting.text + event.text)
                return
        self._waiting.append(event)
