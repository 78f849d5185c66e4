"""The number of entries of each conversation, in a file beside the archive.

SQLite silently skips the damaged end of its log: without the counts, acknowledged messages could be lost unnoticed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from peewee import SqliteDatabase

from desktop_app.paths import make_private_file

COUNTS = "SELECT conversation, MAX(position) + 1 FROM entries GROUP BY conversation"
COUNT = "SELECT COALESCE(MAX(position) + 1, 0) FROM entries WHERE conversation = ?"


class EntryCounts:
    """A file with one line for each append: a conversation's id, and its number of entries. The last line counts."""

    def __init__(self, archive: Path) -> None:
        self._file = archive.with_suffix(".counts")

    def read(self) -> dict[str, int]:
        """Return the last noted counts. Raises OSError."""
        if not self._file.exists():
            return {}
        lines = self._file.read_text(errors="replace").splitlines(keepends=True)
        # A crash can cut the last line only; a power cut can leave zeros in place of what was written last.
        pairs = (line.rstrip("\n").rpartition(" ") for line in lines if line.endswith("\n") and "\0" not in line)
        return {conversation: int(count) for conversation, _, count in pairs if count.isdecimal() and len(count) < 12}

    def forget(self) -> None:
        """Remove the file, before another archive takes the place of the counted one. Raises OSError."""
        self._file.unlink(missing_ok=True)

    def forget_conversations(self, conversations: Iterable[str]) -> None:
        """Expect nothing of these any more, before they are erased. Raises OSError."""
        self._write("a", dict.fromkeys(conversations, 0), is_synced=True)

    def begin(self, database: SqliteDatabase) -> None:
        """Rewrite the file with the present counts. Raises OSError, and errors of peewee."""
        self._write("w", dict(database.execute_sql(COUNTS).fetchall()))

    def note(self, database: SqliteDatabase, conversation: str) -> None:
        """Append the present count of a conversation. Raises OSError, and errors of peewee."""
        (count,) = database.execute_sql(COUNT, (conversation,)).fetchone()
        self._write("a", {conversation: count})

    def _write(self, mode: str, counts: Mapping[str, int], is_synced: bool = False) -> None:
        make_private_file(self._file)
        with self._file.open(mode) as file:
            file.write("".join(f"{conversation} {count}\n" for conversation, count in counts.items()))
            if is_synced:
                file.flush()
                os.fsync(file.fileno())


def lost_entries(database: SqliteDatabase, noted: Mapping[str, int]) -> dict[str, int]:
    """Return how many entries each conversation has lost at its end, if any."""
    found = dict(database.execute_sql(COUNTS).fetchall())
    return {name: count - found.get(name, 0) for name, count in noted.items() if count > found.get(name, 0)}


def missing_entries(database: SqliteDatabase, noted: Mapping[str, int]) -> int:
    """Return how many of the noted entries are not there, wherever in their conversations they were."""
    found = dict(database.execute_sql("SELECT conversation, COUNT(*) FROM entries GROUP BY conversation").fetchall())
    return sum(max(count - found.get(name, 0), 0) for name, count in noted.items())
