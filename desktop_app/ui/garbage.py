"""Garbage collection in the window's thread, in small steps."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

EVERY = 400  # milliseconds
YOUNG = 700  # new objects since the last collection that make another worthwhile
PASSES = 50  # one collection in this number is a full one, which takes longer


class GarbageCollector(QObject):
    """Replaces Python's automatic collection while the window runs.

    Automatic collections come at any time, take up to 30 ms, and run in any thread: a widget that is collected in a
    thread other than its own crashes. Objects that exist at the start are frozen, and not traversed again.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._passes = 0
        gc.disable()
        gc.freeze()
        self._timer = QTimer(self, interval=EVERY)
        self._timer.timeout.connect(self._collect)
        self._timer.start()

    def stop(self) -> None:
        """Let Python collect again."""
        self._timer.stop()
        gc.enable()

    def _collect(self) -> None:
        if gc.get_count()[0] < YOUNG:
            return
        self._passes += 1
        gc.collect(2 if self._passes % PASSES == 0 else 1)
