"""Garbage is collected in the window's thread, a little at a time."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

EVERY = 400  # milliseconds
YOUNG = 700  # objects made since the last collection, from which on there is another
PASSES = 50  # collections of what is new to one of all, which takes longer


class GarbageCollector(QObject):
    """Takes the place of Python's automatic collection while the window runs.

    That one walks through everything whenever it likes, which takes 30 ms, and in whichever thread runs: a widget that
    is collected in another one than its own crashes. What is there at the beginning stays, and is not looked at again.
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
