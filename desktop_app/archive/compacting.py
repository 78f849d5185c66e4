"""Making the archive's file smaller, once rows were erased."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from peewee import SqliteDatabase

from desktop_app.paths import make_private_file

from .migrations import OnProgress

MERGED_PAGES = 500
"""Of a search index at a time: some hundredths of a second."""
VACUUM = "VACUUM INTO ?"
STEPS = 10_000
"""Of SQLite's machine between two reports: some milliseconds."""


def unused_room(database: SqliteDatabase) -> int:
    """Return how many bytes of the file nothing uses."""
    pages, size = (database.execute_sql(f"PRAGMA {name}").fetchone()[0] for name in ("freelist_count", "page_size"))
    return int(pages) * int(size)


def merge_indexes(database: SqliteDatabase, on_progress: OnProgress) -> None:
    """Merge the search indexes, which keep the words of erased messages until then."""
    connection: sqlite3.Connection = database.connection()
    for index in ("words", "trigrams"):
        pages, before = -MERGED_PAGES, -2  # the first one, below zero, begins to merge all of them
        while connection.total_changes - before >= 2:  # as its documentation has it
            before = connection.total_changes
            database.execute_sql(f"INSERT INTO {index} ({index}, rank) VALUES ('merge', ?)", (pages,))
            pages = MERGED_PAGES
            on_progress(0, 0)


def copy_compacted(database: SqliteDatabase, file: Path, on_progress: OnProgress) -> None:
    """Copy the archive to that file without the room that nothing uses. A failure leaves no file.

    on_progress: called often with the bytes written and all of them; what it raises ends the copying.
    """
    file.unlink(missing_ok=True)
    make_private_file(file)
    pages, size = (database.execute_sql(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    whole = max(int(pages) * int(size) - unused_room(database), 1)
    raised: list[BaseException] = []

    def report() -> int:
        try:
            on_progress(min(file.stat().st_size, whole), whole)
        except BaseException as error:  # noqa: BLE001 - SQLite would drop it
            raised.append(error)
        return bool(raised)

    connection: sqlite3.Connection = database.connection()
    connection.set_progress_handler(report, STEPS)
    try:
        connection.execute(VACUUM, (str(file),))
    except sqlite3.Error:
        file.unlink(missing_ok=True)
        if raised:
            raise raised[0] from None
        raise
    finally:
        connection.set_progress_handler(None, 0)
