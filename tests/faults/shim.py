"""The disk that can fail (disk.c), built with the system's compiler, and what a test tells it."""

from __future__ import annotations

import mmap
import os
import shutil
import struct
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

SOURCE = Path(__file__).with_name("disk.c")
ENDLESS = 1 << 60


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
        control.write_bytes(struct.pack("3q", ENDLESS, 0, 0))
        with control.open("r+b") as file:
            self._numbers = mmap.mmap(file.fileno(), 24)
        self.environment = {"LD_PRELOAD": str(shim()), "FAULTS_ROOT": str(folder), "FAULTS_CONTROL": str(control)}

    def set(self, room: int = ENDLESS, fault: int = 0, delay: float = 0.0) -> None:
        """room: bytes by which files may grow. fault: an errno for every change. delay: seconds for each of them."""
        self._numbers[:] = struct.pack("3q", room, fault, int(delay * 1e6))

    @property
    def room(self) -> int:
        """The bytes that are left."""
        return struct.unpack("3q", self._numbers[:])[0]
