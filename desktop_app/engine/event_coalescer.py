"""Join streamed events, so that at most one line each 33 ms goes to the window, and report progress from any thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from msgspec.structs import replace

from desktop_app.archive.migrations import OnProgress
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

JOIN_SECONDS = 0.033
"""Seconds: about two frames of a screen; nobody reads faster."""
MAX_OUTPUT = 20_000
"""Characters of a tool's output in one line: more than a screen holds, and the whole comes with its result."""

Progressed = RoomProgressed | ImportProgressed | DataProgressed
Joinable = TextDelta | ReasoningDelta | ToolOutputReceived | GaugeChanged | Progressed


class EventCoalescer:
    """Writes lines in their order. What is not a delta, a gauge or progress is written at once."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._waiting: dict[tuple[object, ...], Joinable] = {}
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
        for event in self._waiting.values():
            self._write(encode_line(EventLine(event)))
        self._waiting.clear()

    def _join(self, event: Joinable) -> None:
        """Put the event in the place of one about the same that waits, or behind all. Text is appended to its text."""
        about = (getattr(event, name, None) for name in ("reply_id", "call_index", "work"))
        subject = (type(event), event.conversation, *about)
        match self._waiting.get(subject), event:
            case TextDelta(text=before) | ReasoningDelta(text=before), TextDelta() | ReasoningDelta():
                event = replace(event, text=before + event.text)
            case ToolOutputReceived(text=before), ToolOutputReceived():
                event = replace(event, text=(before + event.text)[-MAX_OUTPUT:])
            case _:
                pass
        self._waiting[subject] = event


LONG_SECONDS = 1.0
"""An archive that is open by then is not worth a word."""


def telling(publish: Callable[[TurnEvent], None], work: DataWork) -> OnProgress:
    """Return what tells the window of progress, from any thread."""
    loop = asyncio.get_running_loop()

    def tell(done: int, whole: int) -> None:
        with suppress(RuntimeError):  # the engine has ended
            loop.call_soon_threadsafe(publish, DataProgressed("", done, whole, work))

    return tell


@contextmanager
def told_if_long(publish: Callable[[TurnEvent], None]) -> Iterator[OnProgress]:
    """Tell that the archive is being opened if that takes long; what is yielded tells how far its backup is."""
    tell, is_backing_up = telling(publish, "opening"), False

    def tell_backup(done: int, whole: int) -> None:
        nonlocal is_backing_up
        is_backing_up = True
        tell(done, whole)

    timer = asyncio.get_running_loop().call_later(LONG_SECONDS, lambda: is_backing_up or tell(0, 0))
    try:
        yield tell_backup
    finally:
        timer.cancel()
