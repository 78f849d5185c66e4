"""What is remembered of the user, in its table. Each function reads, or runs inside a transaction of its caller."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from peewee import SqliteDatabase

from desktop_app.conversation.memory import Memory
from desktop_app.conversation.surrogates import replace_surrogates_in_text

from .failures import DATABASE_ERRORS, is_damage

log = logging.getLogger(__name__)

# As bytes: sqlite3 raises an error for a whole result where one text in it is no UTF-8 any more.
_TEXTS = ", ".join(f"CAST({name} AS BLOB)" for name in ("id", "text", "conversation", "author", "scope", "folder"))
_COLUMNS = f"SELECT number, at, changed_at, is_on, is_deleted, {_TEXTS} FROM memories"

# What takes a deleted memory out of its grave is the user: nothing stands in its place any more.
_KEEP = """INSERT INTO memories (id, text, at, changed_at, conversation, author, is_on, is_deleted, scope, folder)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET text = excluded.text, at = excluded.at,
    changed_at = excluded.changed_at, conversation = excluded.conversation, author = excluded.author,
    is_on = excluded.is_on, is_deleted = excluded.is_deleted, scope = excluded.scope, folder = excluded.folder,
    replaced_by = CASE excluded.is_deleted WHEN 0 THEN '' ELSE replaced_by END"""


def read(database: SqliteDatabase, with_deleted: bool) -> tuple[Memory, ...]:
    """Oldest first. A memory that cannot be read is passed over, and the log says so. Raises errors of peewee."""
    found = [memory for row in _rows(database) if (memory := _memory(row)) is not None]
    wanted = [memory for memory in found if with_deleted or not memory.is_deleted]
    return tuple(sorted(wanted, key=lambda memory: memory.at))  # stable: those of one moment as they were stored


def unreadable(database: SqliteDatabase) -> list[str]:
    """The memories that cannot be read, each as "memory NUMBER". Raises errors of peewee, also those of damage."""
    rows: list[Sequence[Any]] = list(database.execute_sql(f"{_COLUMNS} ORDER BY number"))
    return [f"memory {row[0]}" for row in rows if _memory(row) is None]


def keep(database: SqliteDatabase, memories: Sequence[Memory], replaced: Mapping[str, str]) -> None:
    """Stores memories that are new or changed. replaced: which are deleted, and the id of what takes their place."""
    at = max((memory.changed_at for memory in memories), default=0.0)
    connection = database.connection()
    connection.executemany(_KEEP, [_row(memory) for memory in memories])
    connection.executemany(
        "UPDATE memories SET is_deleted = 1, changed_at = MAX(changed_at, ?), replaced_by = ? WHERE id = ?",
        [(at, new, old) for old, new in replaced.items()],
    )


def take_back(database: SqliteDatabase, ids: Sequence[str], at: float) -> None:
    """Deletes those memories, and restores what they had replaced. at: seconds since 1970, UTC."""
    _mark(database, "id", ids, True, at)
    _mark(database, "replaced_by", ids, False, at)


def bring_again(database: SqliteDatabase, ids: Sequence[str], at: float) -> None:
    """Restores those memories, and deletes again what they had replaced. at: seconds since 1970, UTC."""
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
    where = (memory.scope, replace_surrogates_in_text(memory.folder))
    return (memory.id, replace_surrogates_in_text(memory.text), *at, *texts, memory.is_on, memory.is_deleted, *where)


def _memory(row: Sequence[Any]) -> Memory | None:
    number, at, changed_at, is_on, is_deleted, *texts = row
    try:
        memory_id, text, conversation, author, scope, folder = (str(part, "utf-8") for part in texts)
        where = {"conversation": conversation, "scope": scope, "folder": folder}
        shown = {"author": author, "is_on": bool(is_on), "is_deleted": bool(is_deleted), **where}
        return msgspec.convert({"id": memory_id, "text": text, "at": at, "changed_at": changed_at, **shown}, Memory)
    except (TypeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        log.error("memory number %s cannot be read: %s", number, error)
        return None


def _rows(database: SqliteDatabase) -> list[Sequence[Any]]:
    try:
        return list(database.execute_sql(f"{_COLUMNS} ORDER BY number"))
    except DATABASE_ERRORS as error:
        if not is_damage(error):
            raise
        log.error("the memories are damaged (%s); they are read one by one", error)
        return _readable_rows(database)


def _readable_rows(database: SqliteDatabase) -> list[Sequence[Any]]:
    """Row by row, passing over the damaged ones."""
    rows: list[Sequence[Any]] = []
    try:
        last = database.execute_sql("SELECT MAX(number) FROM memories").fetchone()[0]
    except DATABASE_ERRORS as error:
        if not is_damage(error):
            raise
        log.error("no memory can be read: %s", error)
        return rows
    for number in range(1, (last or 0) + 1):
        try:
            rows += database.execute_sql(f"{_COLUMNS} NOT INDEXED WHERE number = ?", (number,))
        except DATABASE_ERRORS as error:
            if not is_damage(error):
                raise
            log.error("memory number %d cannot be read: %s", number, error)
    return rows
