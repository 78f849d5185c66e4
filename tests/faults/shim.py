"""The disk that can fail (disk.c), built with the system's compiler, and what a test tells it."""

from __future__ import annotations

import mmap
import os
import random
import shutil
import struct
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

SOURCE = Path(__file__).with_name("disk.c")
ENDLESS = 1 << 60
FORMAT = struct.Struct("6q")
NOTHING, HALF, ALL_BUT_ONE = range(3)
"""What is written by the call in which the disk becomes full."""
PARTS = (NOTHING, HALF, ALL_BUT_ONE)
FIRST = 3
"""And more: FIRST + N stands for its first N bytes."""
Place = tuple[int, int]
"""Writes that succeed, and which part of the next one is written."""


@cache
def shim() -> Path:
    """The built library. Skips the test where there is no compiler, or the system is not Linux."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or os.uname().sysname != "Linux":
        pytest.skip("the disk that can fail is built with a C compiler, for Linux")
    library = Path(mkdtemp(prefix="faults-")) / "disk.so"
    command = [compiler, "-O1", "-shared", "-fPIC", "-w", "-o", str(library), str(SOURCE), "-ldl", "-lpthread"]
    subprocess.run(command, check=True)
    return library


class FailingDisk:
    """What happens below a folder, as a test wishes; programs that are started with `environment` meet it."""

    def __init__(self, folder: Path, control: Path) -> None:
        control.write_bytes(FORMAT.pack(ENDLESS, 0, 0, ENDLESS, 0, 0))
        with control.open("r+b") as file:
            self._numbers = mmap.mmap(file.fileno(), FORMAT.size)
        self.environment = {"LD_PRELOAD": str(shim()), "FAULTS_ROOT": str(folder), "FAULTS_CONTROL": str(control)}

    def set(
        self, room: int = ENDLESS, fault: int = 0, delay: float = 0.0, calls: int = ENDLESS, part: int = NOTHING
    ) -> None:
        """room: bytes by which files may grow. fault: an errno for every change. delay: seconds for each of them.
        calls: writes that succeed; `part` says what is written by the one behind them, and no other one succeeds."""
        self._numbers[:] = FORMAT.pack(room, fault, int(delay * 1e6), calls, part, self.count)

    @property
    def room(self) -> int:
        """The bytes that are left."""
        return FORMAT.unpack(self._numbers[:])[0]

    @property
    def count(self) -> int:
        """Writes until now."""
        return FORMAT.unpack(self._numbers[:])[5]


def spread(places: Sequence[Place], count: int, chance: random.Random) -> list[Place]:
    """Return that many of the places at the same distances, all of them if there are no more."""
    step = max(1.0, len(places) / count)
    start = chance.uniform(0, step - 1)
    return [places[int(start + n * step)] for n in range(min(count, len(places)))]
