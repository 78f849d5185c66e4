"""Open an archive, and lock its data folder. A file of another program is never touched.

The system releases the lock when its holder dies.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from peewee import SqliteDatabase

from desktop_app.file_locks import wait_for_lock
from desktop_app.open_databases import ArchiveConnection, is_open_here

from .disk_failures import DATABASE_ERRORS, already_open, empty_beside_log, foreign_file, no_archive, older_archive
from .migrations import APPLICATION_ID, MIGRATIONS, OnProgress, ignore_progress, migrate, version_of

BUSY_SECONDS = 5.0
"""How long a statement waits for another process, such as a backup program."""

PRAGMAS = {"foreign_keys": 1, "synchronous": "FULL", "recursive_triggers": 1}
"""FULL: a commit survives a power cut, as what was acknowledged must; NORMAL would lose the last ones. It takes 3 ms.

recursive_triggers: without it `INSERT OR REPLACE` would bypass the append-only triggers."""


class ArchiveDatabase(SqliteDatabase):
    """peewee's database, which assumes that a failed transaction is still open, with a tolerant text decoding."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named, factory=ArchiveConnection)

    def _connect(self) -> sqlite3.Connection:
        connection: sqlite3.Connection = super()._connect()  # pyright: ignore[reportAttributeAccessIssue]
        connection.text_factory = lambda stored: stored.decode("utf-8", "replace")  # strict: fails for the whole result
        return connection

    def rollback(self) -> None:
        """Roll back, unless SQLite has done so because the disk is full: a second time would hide that error."""
        if self.connection().in_transaction:
            super().rollback()


def open_to_write(path: Path, on_progress: OnProgress = ignore_progress) -> SqliteDatabase:
    """Open the archive in WAL mode, created or migrated where needed.

    on_progress: called with pages of the backup before a migration. Raises ArchiveError if it is newer than this
    program; errors of peewee; OSError.
    """
    database = ArchiveDatabase(str(path), pragmas=PRAGMAS, timeout=BUSY_SECONDS, autoconnect=False)
    database.connect()
    with closed_on_error(database):
        # The schema comes before WAL mode, so that a new file's header has the application id from the start.
        migrate(database, path, on_progress=on_progress)
        database.execute_sql("PRAGMA journal_mode = WAL")
    return database


def open_to_read(path: Path) -> SqliteDatabase:
    """Open the archive for reading only, also while another process has it open.

    Raises ArchiveError if there is none, or it is another program's or of another version; errors of peewee; OSError.
    """
    database = open_as_it_is(path)
    with closed_on_error(database):
        if version_of(database) < len(MIGRATIONS):
            raise older_archive(path, version_of(database))
        migrate(database, path)
        database.execute_sql("SELECT 1 FROM conversations LIMIT 1").fetchone()
    return database


def open_as_it_is(path: Path) -> SqliteDatabase:
    """Open an archive of any version for reading only, as `open_to_read` does."""
    if not path.exists():
        raise no_archive(path)
    check_is_ours(path)
    try:
        return _reading(path, "mode=ro")
    except DATABASE_ERRORS:
        if path.with_name(path.name + "-wal").exists():
            raise
        # WAL mode needs a file beside the archive. In a read-only folder nobody can write either.
        return _reading(path, "mode=ro&immutable=1")


def reading_connection(path: Path, mode: str, is_truncated: bool = False) -> SqliteDatabase:
    """Return a connection that cannot write. is_truncated: read the file although its end is missing.

    Raises errors of peewee.
    """
    address = f"{path.absolute().as_uri()}?{mode}"
    pragmas = {"writable_schema": 1} if is_truncated else PRAGMAS
    database = ArchiveDatabase(address, pragmas=pragmas, timeout=BUSY_SECONDS, autoconnect=False, uri=True)
    database.connect()
    return database


def _reading(path: Path, mode: str) -> SqliteDatabase:
    database = reading_connection(path, mode)
    with closed_on_error(database):
        version_of(database)  # reads the file
    return database


@contextmanager
def closed_on_error(database: SqliteDatabase) -> Iterator[None]:
    """Close the database if the block fails."""
    try:
        yield
    except BaseException:
        database.close()
        raise


def check_is_ours(path: Path) -> None:
    """Check the file's header without SQLite, which would create files. An empty or missing file is a new archive.
    One that this process has open was checked when it was opened.

    Raises ArchiveError.
    """
    if is_open_here(path):
        return
    if path.exists() and not path.is_file():
        raise foreign_file(path, "It is not a file.")
    header = b""
    if path.exists():
        with path.open("rb") as file:
            header = file.read(100)
    if not header:
        if size_of_log(path):
            raise empty_beside_log(path)  # SQLite would erase it, also for a reader
        return
    if not any(header) and journal_of(path).exists():
        return  # a power cut ended its making: SQLite goes back to the empty file
    if not header.startswith(b"SQLite format 3\0"):
        raise foreign_file(path, "It is not an SQLite database, or its beginning was overwritten.")
    if header[68:72] != APPLICATION_ID.to_bytes(4, "big"):
        raise foreign_file(path, "It is an SQLite database of another program.")


def journal_of(path: Path) -> Path:
    """Return SQLite's journal beside the archive, which is there while one is made, or after that was broken off."""
    return path.with_name(path.name + "-journal")


def size_of_log(path: Path) -> int:
    """Return the size of SQLite's log beside the archive; 0 without one."""
    log = path.with_name(path.name + "-wal")
    return log.stat().st_size if log.exists() else 0


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
