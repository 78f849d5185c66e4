"""File locks, which the system releases when their holder dies."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        # Windows locks ranges of bytes and makes them unreadable, so lock a byte far beyond the end of the content.
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def wait_for_lock(descriptor: int, seconds: float) -> bool:
    """Lock that open file, waiting at most `seconds` for another holder. Return whether that succeeded.

    Raises OSError.
    """
    until = time.monotonic() + seconds
    while True:
        try:
            _take(descriptor)
        except (BlockingIOError, PermissionError):
            if time.monotonic() >= until:
                return False
            time.sleep(0.02)
        else:
            return True


@contextlib.contextmanager
def file_lock(file: Path, seconds: float) -> Iterator[None]:
    """Hold the lock of that file, or continue without it after `seconds`. Raises OSError.

    The file is created if it does not exist, and is never removed.
    """
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        wait_for_lock(descriptor, seconds)
        yield
    finally:
        os.close(descriptor)
