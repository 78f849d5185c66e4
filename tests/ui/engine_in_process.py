"""The real engine on a thread of the window's own process: the lines of the protocol cross threads instead of pipes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar

from PySide6.QtCore import Qt, QTimer, Signal

from desktop_app.engine.serve import serve_lines
from desktop_app.ui.engine_process import ORDERLY_END, EngineProcess

NO_PROCESS = 99_999_999
"""An id that no process has: whoever sends it a signal fails."""


class EngineInProcess(EngineProcess):
    """Takes the command line of the real one, of which it follows the data folder, its last word."""

    _arrived = Signal(object, bytes)
    _threads: ClassVar[list[_EngineThread]] = []

    @classmethod
    def await_ends(cls) -> None:
        """Wait until all engines have ended, also those that nobody has asked to."""
        for thread in cls._threads:
            thread.feed(b"")
            thread.join(ORDERLY_END * 10)
            assert not thread.is_alive()
        cls._threads.clear()

    def __init__(self, command: list[str], *arguments: Any) -> None:
        super().__init__(command, *arguments)
        self._thread: _EngineThread | None = None
        self._arrived.connect(self._take_in, Qt.ConnectionType.QueuedConnection)

    @property
    def pid(self) -> int:
        return NO_PROCESS if self._thread is not None else 0

    def write(self, line: bytes) -> None:
        if self._thread is not None:
            self._thread.feed(line)

    async def end(self, last_line: bytes) -> None:
        thread = self._thread
        self.write(last_line)
        self.stop_for_good()
        async with asyncio.timeout(ORDERLY_END * 10):
            while thread is not None and thread.is_alive():
                await asyncio.sleep(0.002)

    def stop_for_good(self) -> None:
        self._is_ending, self._is_up = True, False
        self._again.stop()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.feed(b"")

    def _launch(self) -> None:
        self._starts.append(monotonic())
        thread = self._thread = _EngineThread(Path(self._command[-1]), lambda line: self._arrived.emit(thread, line))
        self._threads.append(thread)
        thread.start()
        QTimer.singleShot(0, self._on_started)

    def _take_in(self, thread: _EngineThread, line: bytes) -> None:
        if thread is self._thread:
            self._unread += line
            if not self._more.isActive():
                self._read_lines()


class _EngineThread(threading.Thread):
    """Serves in an event loop of its own."""

    def __init__(self, data: Path, write: Callable[[bytes], None]) -> None:
        super().__init__(name="engine", daemon=True)
        self._data, self._write = data, write
        self._loop = asyncio.new_event_loop()
        self._reader = asyncio.StreamReader(loop=self._loop)

    def feed(self, line: bytes) -> None:
        """Write to its standard input; nothing: the end."""
        take = self._reader.feed_data if line else self._reader.feed_eof
        with suppress(RuntimeError):  # it has ended
            self._loop.call_soon_threadsafe(take, *filter(None, (line,)))

    def run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(serve_lines(self._data, self._reader, self._write))
