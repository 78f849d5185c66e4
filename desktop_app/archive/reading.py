"""Reading a record back, also when the file is damaged: what can be read is read, and what is missing is said."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator

import msgspec
from peewee import SqliteDatabase

from desktop_app.conversation.transcript import AnyEntry

from .failures import DATABASE_ERRORS, is_damage, no_conversation
from .rows import damaged_message, decode, number_of

log = logging.getLogger(__name__)

Row = tuple[int | None, str, float, str]
"""message_index, id, at, body."""

COLUMNS = "SELECT message_index, id, at, body FROM entries"
SPILLED = """SELECT e.body FROM entries e JOIN conversations c ON c.id = e.conversation
    WHERE NOT c.is_deleted
    AND (e.body GLOB '*"spill":"[0-9a-f]*' OR e.body GLOB '*kept as [0-9a-f][0-9a-f][0-9a-f]*')"""
MOST_MISSING = 1_000_000
_SPILL = re.compile(r'(?:"spill":"|kept as )([0-9a-f]{64})')
"""As a result refers to its own, and as a text names one, such as the answer of a research."""


def entries(database: SqliteDatabase, conversation: str) -> tuple[AnyEntry, ...]:
    """The whole record in its order. A message that is damaged is replaced by one that says so, and logged.

    Raises ArchiveError if there is no such conversation; errors of peewee.
    """
    rows = _rows(database, conversation)
    if not rows and not database.execute_sql("SELECT 1 FROM conversations WHERE id = ?", (conversation,)).fetchone():
        raise no_conversation(conversation)
    return tuple(_entries(conversation, rows))


def _entries(conversation: str, rows: list[Row]) -> Iterator[AnyEntry]:
    expected = 0
    for index, entry_id, at, body in rows:
        if index is not None and not isinstance(index, int):
            index = expected
        if index is not None and not expected <= index < expected + MOST_MISSING:
            index = expected  # a number that is damaged itself
        if index is not None:
            # Places that are missing before this message: their rows could not be read at all.
            for missing in range(expected, index):
                yield damaged_message(f"damaged-{conversation}-{missing}", number_of(at))
            expected = index + 1
        try:
            yield decode(body)
        except (msgspec.DecodeError, TypeError, RecursionError) as error:
            log.error("entry %s of conversation %s cannot be read: %s", entry_id, conversation, error)
            if index is not None:
                yield damaged_message(str(entry_id), number_of(at))


def _rows(database: SqliteDatabase, conversation: str) -> list[Row]:
    try:
        query = f"{COLUMNS} WHERE conversation = ? ORDER BY position"
        return list(database.execute_sql(query, (conversation,)))
    except DATABASE_ERRORS as error:
        if not is_damage(error):
            raise
        log.error("conversation %s is damaged (%s); its rows are read one by one", conversation, error)
        return _readable_rows(database, conversation)


def _readable_rows(database: SqliteDatabase, conversation: str) -> list[Row]:
    """Row by row, passing over the damaged ones. Numbers grow with positions, so this is the record's order."""
    last = database.execute_sql("SELECT MAX(number) FROM entries").fetchone()[0]
    rows: list[Row] = []
    for number in range(last + 1):
        try:
            query = f"{COLUMNS} NOT INDEXED WHERE number = ? AND conversation = ?"
            rows += database.execute_sql(query, (number, conversation))
        except DATABASE_ERRORS as error:
            if not is_damage(error):
                raise
    return rows


def spills_in_use(database: SqliteDatabase) -> frozenset[str]:
    """The names of the spills that messages of conversations refer to, those that were deleted left out."""
    rows = database.execute_sql(SPILLED).fetchall()
    return frozenset(name for (body,) in rows for name in _SPILL.findall(body))
