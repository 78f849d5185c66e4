"""The databases that this process has open through SQLite, and must not open and close in any other way.

When a process closes any descriptor of a file, POSIX drops all its locks on that file. Without SQLite's lock, another
program that opens and closes the archive takes itself for the last user, and removes the write-ahead log, to which this
process continues to write (https://sqlite.org/howtocorrupt.html, 2.2).
"""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakSet

from desktop_app.conversation.words import translatable

Identity = tuple[int, int]
"""A file independently of its name: its device and its inode."""
IN_USE = translatable("it is in use as the archive of Palimpsest")


class ArchiveConnection(sqlite3.Connection):
    """A connection that is registered while it is open.

    file: the database's identity; None for one in memory. name: its path.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        _, _, name = self.execute("PRAGMA database_list").fetchone()
        self.file = _identity(name) if name else None
        self.name = str(name)
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


def open_other(path: str | Path, flags: int, opener: Callable[[str | Path, int], int] = os.open) -> int:
    """Open a file whose name comes from elsewhere, unless it is a database that is open here, or part of one.

    If the database takes the file's place at the last moment, the descriptor stays open for good, to keep the locks.
    Raises OSError.
    """
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return opener(path, flags)  # raises the reason
    handle = -1 if _is_held(found) else opener(path, flags)
    if handle < 0 or _is_held(os.fstat(handle)):
        raise OSError(errno.EBUSY, IN_USE, str(path))
    return handle


def _is_held(found: os.stat_result) -> bool:
    file = found.st_dev, found.st_ino
    with _lock:
        held = [(connection.file, connection.name) for connection in _open]
    return any(file == own or file in (_identity(f"{name}-wal"), _identity(f"{name}-shm")) for own, name in held if own)


def _identity(path: str | Path) -> Identity | None:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
