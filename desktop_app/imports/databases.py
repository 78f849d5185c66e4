"""SQLite databases of other programs, which are never opened where they lie: they may be in use."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from .sources import CANNOT_BE_OPENED, BadFile, Source

SQLITE = b"SQLite format 3\0"


@contextmanager
def database_in(source: Source) -> Iterator[sqlite3.Connection]:
    """Open a copy of a database, with what is in its log of newest changes. Raises BadFile."""
    with tempfile.TemporaryDirectory(prefix="palimpsest-") as folder:
        path = Path(folder, "copy.db")
        source.copy_to(path)
        if log := source.folder.named(f"{source.name}-wal"):
            log.copy_to(path.with_name("copy.db-wal"))
        try:
            connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
        except sqlite3.Error as error:
            raise BadFile(CANNOT_BE_OPENED.format(error=error)) from error
        connection.row_factory = sqlite3.Row
        connection.text_factory = _text
        with closing(connection):
            yield connection


def _text(content: bytes) -> str:
    return content.decode(errors="replace")
