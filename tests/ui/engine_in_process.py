"""The scripted engine in the window's own process: the lines of the protocol cross threads instead of pipes."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from scripted_engine import ScriptedEngine

from desktop_app.ui.engine_process import EngineProcess

NO_PROCESS = 99_999_999
"""An id that no process has: whoever sends it a signal fails."""


class EngineInProcess(EngineProcess):
    """Takes the command line of the real one, whose options it follows."""

    _arrived = Signal(object, bytes)
    _is_dead = Signal(object)

    def __init__(self, command: list[str], *arguments: Any) -> None:
        super().__init__(command, *arguments)
        self._options = dict(zip(command[2::2], command[3::2], strict=True))
        self._engine: ScriptedEngine | None = None
        self._arrived.connect(self._take_in, Qt.ConnectionType.QueuedConnection)
        self._is_dead.connect(self._end_unasked, Qt.ConnectionType.QueuedConnection)

    @property
    def pid(self) -> int:
        return NO_PROCESS if self._engine is not None else 0

    def write(self, line: bytes) -> None:
        if self._engine is not None:
            self._engine.take(line)

    async def end(self, last_line: bytes) -> None:
        self.stop_for_good()

    def stop_for_good(self) -> None:
        self._is_ending = True
        self._again.stop()
        engine, self._engine = self._engine, None
        self._is_up = False
        if engine is not None:
            engine.stop()

    def _launch(self) -> None:
        self._starts.append(monotonic())
        folder, messages = Path(self._options["--data-dir"]), int(self._options.get("--messages", 0))
        delay = float(self._options.get("--delay", 0.01))

        def write(line: bytes) -> None:
            with suppress(RuntimeError):  # the window is gone, and this turn still runs
                if self._engine is engine:
                    self._arrived.emit(engine, line)

        engine = self._engine = ScriptedEngine(folder, messages, delay, write, lambda: self._is_dead.emit(engine))
        QTimer.singleShot(0, self._on_started)

    def _take_in(self, engine: ScriptedEngine, line: bytes) -> None:
        if engine is self._engine:
            self._unread += line
            if not self._more.isActive():
                self._read_lines()

    def _end_unasked(self, engine: ScriptedEngine) -> None:
        if engine is self._engine:
            self._engine, self._is_up = None, False
            while self._more.isActive():  # what it wrote before its end counts
                self._more.stop()
                self._read_lines()
            self._start_again()
