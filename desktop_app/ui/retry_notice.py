"""The notice that a request is sent again in some seconds, with a way to stop it."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import monotonic

from PySide6.QtCore import QObject, QTimer

from desktop_app.conversation.events import GaugeChanged, RetryScheduled, TurnEvent

from .toast import Toast

TICK = 500  # milliseconds between two updates


class RetryNotice(QObject):
    """Counts the seconds down in the toast."""

    def __init__(self, toast: Toast, stop: Callable[[], None]) -> None:
        """stop: ends the turn."""
        super().__init__(toast)
        self._toast = toast
        self._stop = stop
        self._reason = self._shown = ""
        self._due = 0.0
        self._tick = QTimer(self, interval=TICK)
        self._tick.timeout.connect(self._show)

    def note(self, event: TurnEvent) -> None:
        """Begin with `RetryScheduled`, and end with whatever else happens in the turn."""
        if isinstance(event, RetryScheduled):
            self._reason, self._due, self._shown = event.reason, monotonic() + event.seconds, ""
            self._tick.start()
            self._show()
        elif not isinstance(event, GaugeChanged):
            self.end()

    def end(self) -> None:
        if self._tick.isActive():
            self._tick.stop()
            self._toast.end_stay()

    def _show(self) -> None:
        left = math.ceil(self._due - monotonic())
        text = f"Retrying {f'in {left} s' if left > 0 else 'now'} ({self._reason})"
        if text != self._shown:
            is_first, self._shown = not self._shown, text
            self._toast.show_message(text, "Stop", self._stop, stays=True, is_quiet=not is_first)
