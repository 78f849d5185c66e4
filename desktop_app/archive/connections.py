"""Which files this process has open through SQLite, and must not open and close in any other way.

POSIX drops all locks of a process on a file when it closes any descriptor of it. Without SQLite's lock, another program
that opens the archive and closes it again takes itself for the last one, and removes the log that this process goes on
writing to (https://sqlite.org/howtocorrupt.html, 2.2).
"""

from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path
from typing import Any
from weakref import WeakSet

Identity = tuple[int, int]
"""A file, whatever its name: its device and its inode."""


class ArchiveConnection(sqlite3.Connection):
    """A connection that is known while it is open. file: what it has open; None of one in memory."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        _, _, name = self.execute("PRAGMA database_list").fetchone()
        self.file = _identity(name) if name else None
        with _lock:
            _open.add(self)

    def close(self) -> None:
        super().close()
        with _lock:
            _open.discard(self)


_open: WeakSet[ArchiveConnection] = WeakSet()
_lock = threading.Lock()


def is_open_here(path: Path) -> bool:
    """Return whether this process has a connection to that file. Raises OSError."""
    file = _identity(path)
    with _lock:
        return file is not None and any(connection.file == file for connection in _open)


def _identity(path: str | Path) -> Identity | None:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
