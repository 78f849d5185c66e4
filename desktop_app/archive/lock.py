"""A lock on the data folder, which the system releases when its holder dies."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from desktop_app.file_locks import wait_for_lock

from .failures import already_open

PATIENCE = 1.0
"""Seconds to wait for the lock: a restarted engine may meet the old one while it ends."""


class FolderLock:
    """Held from construction until `release`. Raises ArchiveError if another process holds it; OSError."""

    def __init__(self, archive: Path, patience: float = PATIENCE) -> None:
        file = archive.with_suffix(".lock")
        self._descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        if not wait_for_lock(self._descriptor, patience):
            self.release()
            raise already_open(archive, _holder(file))
        os.ftruncate(self._descriptor, 0)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, str(os.getpid()).encode())

    def release(self) -> None:
        """Release the folder. The file stays: without it two processes could lock two files of one name."""
        os.close(self._descriptor)


def _holder(file: Path) -> str:
    with contextlib.suppress(OSError):
        return file.read_text(errors="replace").strip()
    return ""
