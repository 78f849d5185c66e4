"""Permanent erasure of deleted conversations at the user's request, and compaction of the archive's file.

No other module removes rows of the record. Each function runs inside a transaction of its caller.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from peewee import SqliteDatabase

from desktop_app.context.recall.passage_cuts import BITS
from desktop_app.conversation.installation import RemovableItem
from desktop_app.paths import make_private_file

from .disk_failures import not_deleted
from .migrations import OnProgress

GUARDS = ("entries_never_go", "conversations_never_go", "memories_never_go")
DELETED = """SELECT c.id, c.title, c.updated_at, COUNT(e.message_index),
    COALESCE(SUM(LENGTH(e.body) + COALESCE(LENGTH(t.text), 0)), 0)
    FROM conversations c LEFT JOIN entries e ON e.conversation = c.id LEFT JOIN message_texts t ON t.entry = e.number
    WHERE c.is_deleted GROUP BY c.id ORDER BY 5 DESC, c.id"""
_DELETED = "(SELECT id FROM conversations WHERE is_deleted)"
_CHOSEN = "(SELECT value FROM json_each(:chosen))"
_OWN = f"(SELECT number FROM entries WHERE conversation IN {_CHOSEN})"
_TEXTS = f"SELECT 'delete', entry, text FROM message_texts WHERE entry IN {_OWN}"
_PASSAGES = f"""WHERE number IN (SELECT p.number FROM entries e JOIN passages p
    ON p.number BETWEEN e.number << {BITS} AND (e.number + 1 << {BITS}) - 1 WHERE e.conversation IN {_CHOSEN})"""
ERASE = (
    f"""INSERT INTO passage_words (passage_words, rowid, text)
        SELECT 'delete', number, text FROM passage_texts {_PASSAGES}""",
    f"DELETE FROM passages {_PASSAGES}",
    f"INSERT INTO words (words, rowid, text) {_TEXTS}",
    f"INSERT INTO trigrams (trigrams, rowid, text) {_TEXTS}",
    f"DELETE FROM message_texts WHERE entry IN {_OWN}",
    f"DELETE FROM facets WHERE entry IN {_OWN}",
    f"DELETE FROM archived WHERE entry IN {_OWN}",
    f"DELETE FROM partials WHERE conversation IN {_CHOSEN}",
    f"DELETE FROM drafts WHERE conversation IN {_CHOSEN}",
    # Only memories whose scope is the conversation; others remain useful.
    f"DELETE FROM memories WHERE scope = 'conversation' AND conversation IN {_CHOSEN}",
    f"DELETE FROM entries WHERE conversation IN {_CHOSEN}",
    f"DELETE FROM conversations WHERE id IN {_CHOSEN}",
)
UNUSED_NAMES = "DELETE FROM facet_names WHERE facet NOT IN (SELECT facet FROM facets)"


def deleted_conversations(database: SqliteDatabase) -> tuple[RemovableItem, ...]:
    """Return the deleted conversations that are still stored, largest first."""
    return tuple(
        RemovableItem(f"conversation:{name}", "conversation", str(title), int(size), float(at), int(messages))
        for name, title, at, messages, size in database.execute_sql(DELETED)
    )


def erase(database: SqliteDatabase, conversations: Sequence[str]) -> None:
    """Erase conversations with everything in them. Raises ArchiveError if one of them is not deleted."""
    chosen = {"chosen": json.dumps(list(conversations))}
    on_list = database.execute_sql(f"SELECT value FROM json_each(:chosen) WHERE value NOT IN {_DELETED}", chosen)
    if (kept := on_list.fetchone()) is not None:
        raise not_deleted(kept[0])
    with _guards_lifted(database):
        for statement in ERASE:
            database.execute_sql(statement, chosen)
        database.execute_sql(UNUSED_NAMES)


@contextmanager
def _guards_lifted(database: SqliteDatabase) -> Iterator[None]:
    """Drop the triggers that protect the record, and restore them in the same transaction; a rollback also does."""
    marks = ", ".join("?" * len(GUARDS))
    query = f"SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name IN ({marks})"
    guards = database.execute_sql(query, GUARDS).fetchall()
    for name, _ in guards:
        database.execute_sql(f"DROP TRIGGER {name}")
    yield
    for _, statement in guards:
        database.execute_sql(statement)


MERGED_PAGES = 500
"""Pages of a search index merged at a time, which takes some hundredths of a second."""
VACUUM = "VACUUM INTO ?"
STEPS = 10_000
"""SQLite VM instructions between two progress reports: a few milliseconds."""


def unused_room(database: SqliteDatabase) -> int:
    """Return the number of unused bytes in the file."""
    pages, size = (database.execute_sql(f"PRAGMA {name}").fetchone()[0] for name in ("freelist_count", "page_size"))
    return int(pages) * int(size)


def merge_indexes(database: SqliteDatabase, on_progress: OnProgress) -> None:
    """Merge the search indexes, which otherwise still contain the words of erased messages."""
    connection: sqlite3.Connection = database.connection()
    for index in ("words", "trigrams", "passage_words"):
        pages, before = -MERGED_PAGES, -2  # a negative number of pages starts merging all segments
        while connection.total_changes - before >= 2:  # the end condition that FTS5's documentation gives
            before = connection.total_changes
            database.execute_sql(f"INSERT INTO {index} ({index}, rank) VALUES ('merge', ?)", (pages,))
            pages = MERGED_PAGES
            on_progress(0, 0)


def copy_compacted(database: SqliteDatabase, file: Path, on_progress: OnProgress) -> None:
    """Copy the archive to a file without unused pages. A failure leaves no file.

    on_progress: called often with the bytes written and the expected total; an exception from it ends the copying.
    """
    file.unlink(missing_ok=True)
    make_private_file(file)
    pages, size = (database.execute_sql(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    total = max(int(pages) * int(size) - unused_room(database), 1)
    raised: list[BaseException] = []

    def report() -> int:
        try:
            on_progress(min(file.stat().st_size, total), total)
        except BaseException as error:  # noqa: BLE001 - SQLite would discard it
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
