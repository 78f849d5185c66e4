"""Coalesce streamed events into at most one line in each frame, and report progress from any thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from msgspec.structs import replace

from desktop_app.archive.migrations import OnProgress
from desktop_app.chat.ports import FRAME_SECONDS
from desktop_app.conversation.events import (
    DataProgressed,
    GaugeChanged,
    ImportProgressed,
    ReasoningDelta,
    RoomProgressed,
    TextDelta,
    ToolOutputReceived,
    TurnEvent,
)
from desktop_app.conversation.installation import DataWork

from .protocol import EngineLine, EventLine, encode_line

MAX_OUTPUT = 20_000
"""Characters of a tool's output in one line: more than fits on a screen. The result contains the full output."""

Progressed = RoomProgressed | ImportProgressed | DataProgressed
Joinable = TextDelta | ReasoningDelta | ToolOutputReceived | GaugeChanged | Progressed


class EventCoalescer:
    """Writes lines in order. Deltas, gauges and progress are merged first; everything else is written at once.

    What is merged is written once in each frame, all of it in one piece, so that the window shows it in one paint. The
    first after a pause is written at once.
    """

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._waiting: dict[tuple[object, ...], Joinable] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._flushed_at = 0.0

    def publish(self, event: TurnEvent) -> None:
        if isinstance(event, Joinable):
            self._join(event)
            if self._timer is None:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_at(max(self._flushed_at + FRAME_SECONDS, loop.time()), self.flush)
            return
        self.flush()
        self._write(encode_line(EventLine(event)))

    def send(self, line: EngineLine) -> None:
        """Write a line after all events that were published before it."""
        self.flush()
        self._write(encode_line(line))

    def flush(self) -> None:
        """Write the pending events."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._flushed_at = asyncio.get_running_loop().time()
        if self._waiting:
            self._write(b"".join(encode_line(EventLine(event)) for event in self._waiting.values()))
            self._waiting.clear()

    def _join(self, event: Joinable) -> None:
        """Merge an event into the pending one about the same subject: text is appended, other events are replaced."""
        details = (getattr(event, name, None) for name in ("reply_id", "call_index", "work"))
        subject = (type(event), event.conversation, *details)
        match self._waiting.get(subject), event:
            case TextDelta(text=before) | ReasoningDelta(text=before), TextDelta() | ReasoningDelta():
                event = replace(event, text=before + event.text)
            case ToolOutputReceived(text=before), ToolOutputReceived():
                event = replace(event, text=(before + event.text)[-MAX_OUTPUT:])
            case _:
                pass
        self._waiting[subject] = event


LONG_SECONDS = 1.0
"""Seconds that opening the archive may take without a notice."""


def progress_reporter(publish: Callable[[TurnEvent], None], work: DataWork) -> OnProgress:
    """Return a callback that reports progress to the window, from any thread."""
    loop = asyncio.get_running_loop()

    def report(done: int, total: int) -> None:
        with suppress(RuntimeError):  # the engine has ended
            loop.call_soon_threadsafe(publish, DataProgressed("", done, total, work))

    return report


@contextmanager
def report_if_long(publish: Callable[[TurnEvent], None]) -> Iterator[OnProgress]:
    """Report that the archive is being opened, if that takes long. Yield a callback for the progress of its backup."""
    report, is_backing_up = progress_reporter(publish, "opening"), False

    def report_backup(done: int, total: int) -> None:
        nonlocal is_backing_up
        is_backing_up = True
        report(done, total)

    timer = asyncio.get_running_loop().call_later(LONG_SECONDS, lambda: is_backing_up or report(0, 0))
    try:
        yield report_backup
    finally:
        timer.cancel()
