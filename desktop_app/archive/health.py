"""The check of an archive by `palimpsest doctor`, which reads everything and changes nothing."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from peewee import SqliteDatabase

from desktop_app.conversation.message import Message

from . import memory_table, project_table
from .disk_failures import DATABASE_ERRORS, is_damage
from .tables import decode, searched_text

MAX_NAMED = 5
"""Damaged items that are listed by name; the others are only counted."""

_ENTRIES = """SELECT e.id, CAST(e.body AS BLOB), t.text,
    (e.number IN (SELECT id FROM words_docsize)) + (e.number IN (SELECT id FROM trigrams_docsize))
    FROM entries e LEFT JOIN message_texts t ON t.entry = e.number"""


class Health(msgspec.Struct, frozen=True):
    """The result of a check."""

    conversations: int = 0
    entries: int = 0
    damage: tuple[str, ...] = ()
    """SQLite's messages about damage in the file."""
    unreadable: tuple[str, ...] = ()
    """Entries, memories and projects whose content is damaged."""
    unsearchable: tuple[str, ...] = ()
    """Messages that are missing in the search tables, or have a different text there."""
    is_whole: bool = True
    """Whether the check was completed, so that the lists above are complete."""


def examine(database: SqliteDatabase) -> Health:
    """Check the entire archive, in half a second for 10,000 messages. Raises errors of peewee other than damage."""
    unreadable: list[str] = []
    unsearchable: list[str] = []
    damage: list[str] = []
    conversations = entries = 0
    is_whole = True
    try:
        found = [row[0] for row in database.execute_sql(f"PRAGMA integrity_check({MAX_NAMED})")]
        damage += [] if found == ["ok"] else found
        conversations = database.execute_sql("SELECT COUNT(*) FROM conversations").fetchone()[0]
        for entry_id, body, text, indexes in database.execute_sql(_ENTRIES):
            entries += 1
            try:
                entry = decode(body.decode())  # strict: elsewhere, invalid UTF-8 is replaced
            except (msgspec.DecodeError, UnicodeDecodeError, AttributeError, TypeError, RecursionError):
                unreadable.append(str(entry_id))
                continue
            if isinstance(entry, Message) and (indexes != 2 or text != searched_text(entry)):
                unsearchable.append(entry_id)
        unreadable += memory_table.unreadable(database) + project_table.unreadable(database)
    except DATABASE_ERRORS as error:
        if not is_damage(error):
            raise
        damage.append(str(error))
        is_whole = False
    return Health(conversations, entries, tuple(damage), tuple(unreadable), tuple(unsearchable), is_whole)


def list_names(places: Iterable[str]) -> str:
    """Return the first MAX_NAMED names, and the number of further ones."""
    known = list(places)
    more = len(known) - MAX_NAMED
    return ", ".join(known[:MAX_NAMED]) + (f" and {more:,} more" if more > 0 else "")
