"""How responsive the window is: the longest time in which its event loop did not go round."""

from __future__ import annotations

from time import perf_counter

from PySide6.QtCore import QObject, Qt, QTimer

BEAT = 10  # milliseconds


class Heartbeat(QObject):
    """Beats every 10 ms and keeps the longest gap between two beats."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._last = 0.0
        self._longest = 0.0
        self.beats = 0
        self._timer = QTimer(self, interval=BEAT)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)

    @property
    def longest_gap(self) -> float:
        """The longest gap in seconds since the last `restart`; the time since the last beat counts too."""
        return max(self._longest, perf_counter() - self._last) if self._timer.isActive() else self._longest

    def restart(self) -> None:
        """Start a new measurement."""
        self._last, self._longest, self.beats = perf_counter(), 0.0, 0
        self._timer.start()

    def stop(self) -> None:
        """End the measurement; `longest_gap` stays."""
        self._longest = self.longest_gap
        self._timer.stop()

    def _beat(self) -> None:
        now = perf_counter()
        self._longest = max(self._longest, now - self._last)
        self._last = now
        self.beats += 1
