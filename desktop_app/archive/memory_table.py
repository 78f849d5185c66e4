"""The table of memories. Functions that write run inside a transaction of their caller."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from peewee import SqliteDatabase

from desktop_app.conversation.memory import Memory
from desktop_app.conversation.transcript import replace_surrogates_in_text

from .disk_failures import DATABASE_ERRORS, is_damage
from .reading import readable_rows

log = logging.getLogger(__name__)

# As bytes, because sqlite3 fails for the entire result if one text in it is not valid UTF-8.
_NAMES = ("id", "text", "conversation", "author", "scope", "folder", "project")
_TEXTS = ", ".join(f"CAST({name} AS BLOB)" for name in _NAMES)
_COLUMNS = f"number, at, changed_at, is_on, is_deleted, {_TEXTS}"

# Storing a memory that is not deleted clears replaced_by: after the user restores it, no other memory replaces it.
_STORE = """INSERT INTO memories (id, text, at, changed_at, conversation, author, is_on, is_deleted, scope, folder,
    project) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET text = excluded.text, at = excluded.at, changed_at = excluded.changed_at,
    conversation = excluded.conversation, author = excluded.author, is_on = excluded.is_on,
    is_deleted = excluded.is_deleted, scope = excluded.scope, folder = excluded.folder, project = excluded.project,
    replaced_by = CASE excluded.is_deleted WHEN 0 THEN '' ELSE replaced_by END"""


def read(database: SqliteDatabase, with_deleted: bool = False) -> tuple[Memory, ...]:
    """Return the memories, oldest first. Unreadable ones are skipped and logged. Raises errors of peewee."""
    found = [memory for row in _rows(database) if (memory := _memory(row)) is not None]
    wanted = [memory for memory in found if with_deleted or not memory.is_deleted]
    return tuple(sorted(wanted, key=lambda memory: memory.at))


def unreadable(database: SqliteDatabase) -> list[str]:
    """Return the unreadable memories, each as "memory NUMBER". Raises errors of peewee, including damage."""
    rows: list[Sequence[Any]] = list(database.execute_sql(f"SELECT {_COLUMNS} FROM memories ORDER BY number"))
    return [f"memory {row[0]}" for row in rows if _memory(row) is None]


def store(database: SqliteDatabase, *memories: Memory, replaced: Mapping[str, str] | None = None) -> None:
    """Store new or changed memories. replaced: the ids of memories to delete, each with its successor's id."""
    at = max((memory.changed_at for memory in memories), default=0.0)
    connection = database.connection()
    connection.executemany(_STORE, [_row(memory) for memory in memories])
    connection.executemany(
        "UPDATE memories SET is_deleted = 1, changed_at = MAX(changed_at, ?), replaced_by = ? WHERE id = ?",
        [(at, new, old) for old, new in (replaced or {}).items()],
    )


def undo(database: SqliteDatabase, ids: Sequence[str], at: float) -> None:
    """Delete memories, and restore the ones that they replaced. at: seconds since 1970, UTC."""
    _mark(database, "id", ids, True, at)
    _mark(database, "replaced_by", ids, False, at)


def redo(database: SqliteDatabase, ids: Sequence[str], at: float) -> None:
    """Restore memories, and delete again the ones that they replace. at: seconds since 1970, UTC."""
    _mark(database, "id", ids, False, at)
    _mark(database, "replaced_by", ids, True, at)


def _mark(database: SqliteDatabase, column: str, ids: Sequence[str], is_deleted: bool, at: float) -> None:
    database.connection().executemany(
        f"UPDATE memories SET is_deleted = ?, changed_at = ? WHERE {column} = ? AND is_deleted != ?",
        [(is_deleted, at, memory_id, is_deleted) for memory_id in ids],
    )


def _row(memory: Memory) -> tuple[Any, ...]:
    texts = (replace_surrogates_in_text(memory.conversation), memory.author)
    at = (memory.at, memory.changed_at)
    where = (memory.scope, replace_surrogates_in_text(memory.folder), memory.project)
    return (memory.id, replace_surrogates_in_text(memory.text), *at, *texts, memory.is_on, memory.is_deleted, *where)


def _memory(row: Sequence[Any]) -> Memory | None:
    number, at, changed_at, is_on, is_deleted, *texts = row
    try:
        values = {name: str(part, "utf-8") for name, part in zip(_NAMES, texts, strict=True)}
        state = {"at": at, "changed_at": changed_at, "is_on": bool(is_on), "is_deleted": bool(is_deleted)}
        return msgspec.convert(values | state, Memory)
    except (TypeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        log.error("memory number %s cannot be read: %s", number, error)
        return None


def _rows(database: SqliteDatabase) -> list[Sequence[Any]]:
    try:
        return readable_rows(database, "memories", _COLUMNS)
    except DATABASE_ERRORS as error:
        if not is_damage(error):
            raise
        log.error("no memory can be read: %s", error)
        return []
