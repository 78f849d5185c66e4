"""Opening an archive: is it ours, may it be used, is it up to date. A file that is not ours is never touched."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from peewee import SqliteDatabase

from .failures import DATABASE_ERRORS, empty_beside_log, foreign_file, no_archive, older_archive
from .migrations import APPLICATION_ID, MIGRATIONS, migrate, version_of

BUSY_SECONDS = 5.0
"""How long a statement waits for another process (a doctor, a backup program) before it gives up."""

PRAGMAS = {"foreign_keys": 1, "synchronous": "NORMAL", "recursive_triggers": 1}
"""NORMAL with WAL: a commit survives every crash of ours; only a power cut can take the last ones, never the file.

recursive_triggers: without it `INSERT OR REPLACE` would delete a row past the append-only triggers."""


class ArchiveDatabase(SqliteDatabase):
    """peewee's, which takes for granted that a failed transaction is still open."""

    def _connect(self) -> sqlite3.Connection:
        connection: sqlite3.Connection = super()._connect()  # pyright: ignore[reportAttributeAccessIssue]
        connection.text_factory = _text_of  # else one byte that is no UTF-8 hides all rows of its result
        return connection

    def rollback(self) -> None:
        """When the disk is full, SQLite has rolled back by itself, and a second time would hide the first error."""
        if self.connection().in_transaction:
            super().rollback()


def _text_of(stored: bytes) -> str:
    return stored.decode("utf-8", "replace")


def open_to_write(path: Path) -> SqliteDatabase:
    """The archive of that path, created or migrated where needed, in WAL mode.

    Raises ArchiveError when it is not ours or newer than this program; errors of peewee; OSError.
    """
    check_is_ours(path)
    database = ArchiveDatabase(str(path), pragmas=PRAGMAS, timeout=BUSY_SECONDS, autoconnect=False)
    database.connect()
    try:
        # The schema goes in before WAL mode, so that a new file's header names us from its first byte on.
        migrate(database, path)
        database.execute_sql("PRAGMA journal_mode = WAL")
    except BaseException:
        database.close()
        raise
    return database


def open_to_read(path: Path) -> SqliteDatabase:
    """The archive of that path for reading alone, also while a Palimpsest has it open.

    Raises ArchiveError when there is none or it is not ours or of another version; errors of peewee; OSError.
    """
    if not path.exists():
        raise no_archive(path)
    check_is_ours(path)
    try:
        return _reading(path, "mode=ro")
    except DATABASE_ERRORS:
        if path.with_name(path.name + "-wal").exists():
            raise
        # WAL mode needs a file beside the archive, which a read-only folder refuses. Nobody can write there either.
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
    try:
        if version_of(database) < len(MIGRATIONS):
            raise older_archive(path, version_of(database))
        migrate(database, path)
        database.execute_sql("SELECT 1 FROM conversations LIMIT 1").fetchone()
    except BaseException:
        database.close()
        raise
    return database


def check_is_ours(path: Path) -> None:
    """Reads the file's header without SQLite, which would leave its traces. An empty or missing file is a new one."""
    if not path.exists():
        return
    if not path.is_file():
        raise foreign_file(path, "It is not a file.")
    with path.open("rb") as file:
        header = file.read(100)
    if not header:
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise empty_beside_log(path)  # SQLite would erase it, also for a reader
        return
    if not header.startswith(b"SQLite format 3\0"):
        raise foreign_file(path, "It is not an SQLite database, or its beginning was overwritten.")
    if header[68:72] != APPLICATION_ID.to_bytes(4, "big"):
        raise foreign_file(path, "It is an SQLite database of another program.")
