"""Telling the window how far something is, from whatever thread does it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from desktop_app.archive.migrations import OnProgress
from desktop_app.conversation.events import DataProgressed, TurnEvent
from desktop_app.conversation.stored import DataWork

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
