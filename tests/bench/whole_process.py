"""A build of Palimpsest as a whole: the console script of a tree, with all of its processes, seen from outside.

Its modules are compiled by its first run and kept until this process ends, as an installed program's are, whatever the
environment says about compiled modules.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

MIB = 1024 * 1024
HERE = Path(__file__).resolve().parents[2]
_compiled = tempfile.TemporaryDirectory()


class Program:
    """A run of the window."""

    def __init__(self, process: psutil.Process, started: float) -> None:
        self.process = process
        self.started = started
        """On the monotonic clock, just before the command was executed."""

    def processes(self) -> list[psutil.Process]:
        return [self.process, *self.process.children(recursive=True)]

    def cpu_seconds(self) -> float:
        """Return the CPU time of all processes so far, also of those that have ended."""
        total = 0.0
        for process in self.processes():
            with suppress(psutil.NoSuchProcess):
                times = process.cpu_times()
                total += times.user + times.system + times.children_user + times.children_system
        return total

    def memory(self) -> dict[str, float]:
        """Return MiB by process; shared pages are divided among their users."""
        found: dict[str, float] = {}
        for process in self.processes():
            with suppress(psutil.NoSuchProcess):
                found[_name(process)] = found.get(_name(process), 0.0) + process.memory_full_info().pss / MIB
        return found


def _name(process: psutil.Process) -> str:
    words = process.cmdline()
    for part in ("engine", "request_writer"):
        if any(word == part or word.endswith(f".{part}") for word in words):
            return part
    return "window" if any(word.endswith("palimpsest") for word in words) else process.name()


@contextmanager
def running(tree: Path, data: Path, environment: dict[str, str]) -> Iterator[Program]:
    """Run the window of that tree, and end it as a session manager does."""
    command = [str(tree / ".venv/bin/palimpsest"), "--data-dir", str(data)]
    environment = environment | {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": _compiled.name}
    started = time.monotonic()
    child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=data)
    try:
        yield Program(psutil.Process(child.pid), started)
    finally:
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(20)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def as_root_reads() -> bool:
    """Return whether the memory of the engine can be measured, which forbids it to other users."""
    return os.geteuid() == 0
