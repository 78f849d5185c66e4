"""Pauses of the window's event loop: how long, how much of that was its own work, and what it did meanwhile."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Self

import msgspec
from PySide6.QtCore import QObject, Qt, QTimer

import desktop_app
from desktop_app.ui.driver import BEAT

LOOK_EVERY = 0.004  # seconds between two looks at what the loop does
LOOK_AFTER = 0.018  # seconds without a beat, from which on that is noted
DEPTH, CAUSES = 5, 3
OURS = str(Path(desktop_app.__file__).parent)


class Pause(msgspec.Struct, frozen=True):
    """The longest of a step, in milliseconds. cpu: of the loop's thread, in the pause in which that was most: what
    others took of the machine is not in it. collecting: the longest garbage collection. causes: where the thread was,
    with how often it was seen there."""

    clock: float = 0
    cpu: float = 0
    collecting: float = 0
    causes: tuple[str, ...] = ()


class PauseWatch(QObject):
    """Beats every 10 ms in the window's thread; another thread looks at what that does while a beat is late.

    Where the process goes on afterwards, it is used in a `with`: for an instant each look keeps all local values of the
    thread alive, a painter too, of which Qt warns.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._thread = threading.get_ident()
        self._seen: Counter[str] = Counter()
        self._began_collecting = 0.0
        self._is_over = threading.Event()
        self._timer = QTimer(self, interval=BEAT)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start()
        self.take()
        gc.callbacks.append(self._note_collection)
        self._looker = threading.Thread(target=self._look, daemon=True)
        self._looker.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._looker.join()
        self._timer.stop()
        gc.callbacks.remove(self._note_collection)

    def take(self) -> Pause:
        """Return the longest pause since the last call."""
        longest = getattr(self, "_longest", Pause())
        self._last, self._last_cpu = time.perf_counter(), time.thread_time()
        self._longest = Pause()
        self._seen.clear()
        return longest

    def _beat(self) -> None:
        now, cpu = time.perf_counter(), time.thread_time()
        known, clock, work = self._longest, 1000 * (now - self._last), 1000 * (cpu - self._last_cpu)
        causes = tuple(f"{times} × {where}" for where, times in self._seen.most_common(CAUSES))
        self._longest = Pause(
            max(clock, known.clock),
            max(work, known.cpu),
            known.collecting,
            causes if work >= known.cpu else known.causes,
        )
        self._last, self._last_cpu = now, cpu
        self._seen.clear()

    def _look(self) -> None:
        while not self._is_over.wait(LOOK_EVERY):
            if time.perf_counter() - self._last > LOOK_AFTER:
                calls = _calls(self._thread)
                if calls:
                    self._seen[_where(calls)] += 1

    def _note_collection(self, phase: str, told: dict[str, int]) -> None:
        if threading.get_ident() != self._thread:
            return
        if phase == "start":
            self._began_collecting = time.thread_time()
        else:
            took = 1000 * (time.thread_time() - self._began_collecting)
            self._longest = msgspec.structs.replace(self._longest, collecting=max(took, self._longest.collecting))


def _calls(thread: int) -> list[tuple[str, str, int]]:
    """Return file, function and line of each call of a thread, the innermost first.

    Nothing holds a frame afterwards: what is local to it, as a painter, would live longer than it may.
    """
    calls: list[tuple[str, str, int]] = []
    frame = sys._current_frames().get(thread)
    while frame is not None:
        calls.append((frame.f_code.co_filename, frame.f_code.co_name, frame.f_lineno))
        frame = frame.f_back
    return calls


def _where(calls: list[tuple[str, str, int]]) -> str:
    """Return the innermost calls of the project, the outermost of them first."""
    named = [f"{Path(file).stem}.{name}:{line}" for file, name, line in calls if file.startswith(OURS)]
    if not calls[0][0].startswith(OURS):
        named.insert(0, f"({Path(calls[0][0]).stem}.{calls[0][1]})")
    return " > ".join(reversed(named[:DEPTH]))
