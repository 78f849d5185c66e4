"""A provider is asked again in some seconds: how many are left, and the way to stop that."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import monotonic

from PySide6.QtCore import QObject, QTimer

from desktop_app.conversation.events import GaugeChanged, RetryScheduled, TurnEvent

from .toast import Toast

TICK = 500  # milliseconds between two looks at the clock


class RetryNotice(QObject):
    """Counts down in the toast. stop: ends the turn."""

    def __init__(self, toast: Toast, stop: Callable[[], None]) -> None:
        super().__init__(toast)
        self._toast = toast
        self._stop = stop
        self._reason = ""
        self._due = 0.0
        self._told = ""
        self._tick = QTimer(self, interval=TICK)
        self._tick.timeout.connect(self._tell)

    def note(self, event: TurnEvent) -> None:
        """Begins with `RetryScheduled`; whatever else happens in the turn is its end."""
        if isinstance(event, RetryScheduled):
            self._reason, self._due, self._told = event.reason, monotonic() + event.seconds, ""
            self._tick.start()
            self._tell()
        elif not isinstance(event, GaugeChanged):
            self.end()

    def end(self) -> None:
        """Nothing is waited for any more."""
        if self._tick.isActive():
            self._tick.stop()
            self._toast.end_stay()

    def _tell(self) -> None:
        left = math.ceil(self._due - monotonic())
        text = f"Retrying {f'in {left} s' if left > 0 else 'now'} ({self._reason})"
        if text != self._told:
            is_first, self._told = not self._told, text
            self._toast.show_message(text, "Stop", self._stop, stays=True, is_quiet=not is_first)
