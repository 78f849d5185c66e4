"""Is the archive sound: what `palimpsest doctor` looks at. Reads everything, changes nothing."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from peewee import SqliteDatabase

from desktop_app.conversation.message import Message

from . import memories
from .failures import DATABASE_ERRORS, is_damage
from .rows import decode, searched_text

MOST_NAMED = 5
"""Broken places that are named; the others are counted."""

_ENTRIES = """SELECT e.id, CAST(e.body AS BLOB), t.text,
    (e.number IN (SELECT id FROM words_docsize)) + (e.number IN (SELECT id FROM trigrams_docsize))
    FROM entries e LEFT JOIN message_texts t ON t.entry = e.number"""


class Health(msgspec.Struct, frozen=True):
    """What was found. damage: what SQLite says of the file. unreadable: entries whose JSON is broken, and memories.

    unsearchable: messages that the search does not know, or knows otherwise. is_whole: whether all could be read; where
    the damage broke it off, nothing is known of what follows.
    """

    conversations: int = 0
    entries: int = 0
    damage: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    unsearchable: tuple[str, ...] = ()
    is_whole: bool = True


def examine(database: SqliteDatabase) -> Health:
    """Reads the whole archive: about half a second for 10,000 messages. Raises errors of peewee other than damage."""
    unreadable: list[str] = []
    unsearchable: list[str] = []
    damage: list[str] = []
    conversations = entries = 0
    is_whole = True
    try:
        found = [row[0] for row in database.execute_sql(f"PRAGMA integrity_check({MOST_NAMED})")]
        damage += [] if found == ["ok"] else found
        conversations = database.execute_sql("SELECT COUNT(*) FROM conversations").fetchone()[0]
        for entry_id, body, text, indexes in database.execute_sql(_ENTRIES):
            entries += 1
            try:
                entry = decode(body.decode())  # what is no UTF-8 is shown with a sign in its place, and told here
            except (msgspec.DecodeError, UnicodeDecodeError, AttributeError, TypeError, RecursionError):
                unreadable.append(str(entry_id))
                continue
            if isinstance(entry, Message) and (indexes != 2 or text != searched_text(entry)):
                unsearchable.append(entry_id)
        unreadable += memories.unreadable(database)
    except DATABASE_ERRORS as error:
        if not is_damage(error):
            raise
        damage.append(str(error))
        is_whole = False
    return Health(conversations, entries, tuple(damage), tuple(unreadable), tuple(unsearchable), is_whole)


def named(places: Iterable[str]) -> str:
    """The first few of them by name, and how many more there are."""
    known = list(places)
    more = len(known) - MOST_NAMED
    return ", ".join(known[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
