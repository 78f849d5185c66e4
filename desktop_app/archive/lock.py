"""A lock on the data folder, which the system releases when its holder dies."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path

from .failures import already_open

PATIENCE = 1.0
"""Seconds to wait for the lock: a restarted engine may meet the old one while it ends."""

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        # Windows locks ranges of bytes, which cannot be read then: a byte far behind the process id.
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class FolderLock:
    """Held from construction until `release`. Raises ArchiveError if another process holds it; OSError."""

    def __init__(self, archive: Path, patience: float = PATIENCE) -> None:
        file = archive.with_suffix(".lock")
        self._descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        until = time.monotonic() + patience
        while not self._is_taken():
            if time.monotonic() >= until:
                self.release()
                raise already_open(archive, _holder(file))
            time.sleep(0.02)
        os.ftruncate(self._descriptor, 0)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, str(os.getpid()).encode())

    def _is_taken(self) -> bool:
        try:
            _take(self._descriptor)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def release(self) -> None:
        """Release the folder. The file stays: without it two processes could lock two files of one name."""
        os.close(self._descriptor)


def _holder(file: Path) -> str:
    with contextlib.suppress(OSError):
        return file.read_text(errors="replace").strip()
    return ""
