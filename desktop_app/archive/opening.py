"""Functions that open an archive and lock its data folder. Files of other programs are never touched.

The operating system releases the lock when its holder dies.
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
"""Seconds that a statement waits for another process, such as a backup program."""

PRAGMAS = {"foreign_keys": 1, "synchronous": "FULL", "recursive_triggers": 1}
"""synchronous: with FULL, an acknowledged commit survives a power cut; it takes 3 ms. NORMAL would lose the last ones.

recursive_triggers: without it, `INSERT OR REPLACE` would bypass the append-only triggers."""


class ArchiveDatabase(SqliteDatabase):
    """peewee's database with tolerant text decoding, and a rollback that accepts an ended transaction."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named, factory=ArchiveConnection)

    def _connect(self) -> sqlite3.Connection:
        connection: sqlite3.Connection = super()._connect()  # pyright: ignore[reportAttributeAccessIssue]
        connection.text_factory = lambda stored: stored.decode("utf-8", "replace")  # strict would fail for all rows
        return connection

    def rollback(self) -> None:
        """Roll back, unless SQLite has done so because the disk is full: a second rollback would hide that error."""
        if self.connection().in_transaction:
            super().rollback()


def open_to_write(path: Path, on_progress: OnProgress = ignore_progress) -> SqliteDatabase:
    """Open the archive in WAL mode; create or migrate it if necessary.

    on_progress: called with numbers of pages of the backup before a migration. Raises ArchiveError if the archive is
    newer than this program; errors of peewee; OSError.
    """
    database = ArchiveDatabase(str(path), pragmas=PRAGMAS, timeout=BUSY_SECONDS, autoconnect=False)
    database.connect()
    with closed_on_error(database):
        # The schema comes before WAL mode, so that a new file's header has the application id from the start.
        migrate(database, path, on_progress=on_progress)
        database.execute_sql("PRAGMA journal_mode = WAL")
    return database


def open_to_read(path: Path) -> SqliteDatabase:
    """Open the archive for reading only, even while another process has it open.

    Raises ArchiveError if there is none, or if it has another version or belongs to another program; errors of peewee;
    OSError.
    """
    database = open_any_version(path)
    with closed_on_error(database):
        if version_of(database) < len(MIGRATIONS):
            raise older_archive(path, version_of(database))
        migrate(database, path)
        database.execute_sql("SELECT 1 FROM conversations LIMIT 1").fetchone()
    return database


def open_any_version(path: Path) -> SqliteDatabase:
    """Open the archive for reading only, as `open_to_read` does, but in any version."""
    if not path.exists():
        raise no_archive(path)
    check_is_ours(path)
    try:
        return _reading(path, "mode=ro")
    except DATABASE_ERRORS:
        if path.with_name(path.name + "-wal").exists():
            raise
        # WAL mode needs a second file next to the archive. In a read-only folder, no other process can write either.
        return _reading(path, "mode=ro&immutable=1")


def reading_connection(path: Path, mode: str, is_truncated: bool = False) -> SqliteDatabase:
    """Return a read-only connection. is_truncated: read the file although its end is missing.

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
    """Check the file's header without SQLite, which would create files. Raises ArchiveError.

    An empty or missing file is a new archive. A file that this process has open was checked when it was opened.
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
            raise empty_beside_log(path)  # SQLite would erase the log, even on a read-only connection
        return
    if not any(header) and journal_of(path).exists():
        return  # a power cut interrupted its creation: SQLite rolls back to the empty file
    if not header.startswith(b"SQLite format 3\0"):
        raise foreign_file(path, "It is not an SQLite database, or its beginning was overwritten.")
    if header[68:72] != APPLICATION_ID.to_bytes(4, "big"):
        raise foreign_file(path, "It is an SQLite database of another program.")


def journal_of(path: Path) -> Path:
    """Return the path of SQLite's rollback journal, which exists during, or after an interrupted, creation."""
    return path.with_name(path.name + "-journal")


def size_of_log(path: Path) -> int:
    """Return the size of the archive's write-ahead log in bytes; 0 if there is none."""
    log = path.with_name(path.name + "-wal")
    return log.stat().st_size if log.exists() else 0


PATIENCE = 1.0
"""Seconds to wait for the lock: a restarted engine may start while the old one is ending."""


class FolderLock:
    """A lock on the data folder, held from construction until `release`.

    Raises ArchiveError if another process has it; OSError.
    """

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
        """Release the folder. The file stays, because otherwise two processes could lock two files of the same name."""
        os.close(self._descriptor)


def _holder(file: Path) -> str:
    with contextlib.suppress(OSError):
        return file.read_text(errors="replace").strip()
    return ""
