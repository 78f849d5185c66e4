"""Reading a part of a record: its outline, single messages, a slice of it. None: damaged, so that all must be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import ParamSpec, TypeVar

import msgspec
from peewee import SqliteDatabase

from desktop_app.conversation.message import Message
from desktop_app.conversation.outline import RecordOutline, known_by_id
from desktop_app.conversation.transcript import AnyEntry, Compaction, ConversationLink, Flush, Rewind

from .failures import DATABASE_ERRORS, is_damage
from .rows import decode, decode_message

P = ParamSpec("P")
T = TypeVar("T")

UNREADABLE = (msgspec.DecodeError, TypeError, RecursionError)
UNSEEN = "('recalled', 'upkeep', 'equipment', 'permit', 'continuation')"
"""Kinds of entries that change nothing of what the transcript shows; there may be one for each message."""
OPERATIONS = f"""SELECT position, body FROM entries INDEXED BY operations
    WHERE conversation = ? AND message_index IS NULL AND kind NOT IN {UNSEEN} ORDER BY position"""
POSITION = "SELECT position FROM entries WHERE id = ? AND conversation = ? AND message_index IS NOT NULL"
INDEX = "SELECT message_index FROM entries WHERE id = ? AND conversation = ?"
SINCE = """SELECT position, id, message_index FROM entries
    WHERE conversation = ? AND position >= ? AND message_index IS NOT NULL ORDER BY position"""
BEFORE = """SELECT position, id, message_index FROM entries
    WHERE conversation = ? AND position < ? AND message_index IS NOT NULL ORDER BY position DESC LIMIT 1"""
MESSAGES = (
    "SELECT COALESCE(MAX(message_index) + 1, 0) FROM entries WHERE conversation = ? AND message_index IS NOT NULL"
)
MESSAGE = "SELECT body FROM entries WHERE conversation = ? AND message_index = ?"
SLICE = """SELECT message_index, body FROM entries
    WHERE conversation = ? AND position >= ? AND position < ? ORDER BY position"""
LENGTH = "SELECT COALESCE(MAX(position) + 1, 0) FROM entries WHERE conversation = ?"


def _unless_damaged(read: Callable[P, T]) -> Callable[P, T | None]:
    """Return the function as one that returns None for what is damaged. It still raises other errors of peewee."""

    @wraps(read)
    def read_or_none(*args: P.args, **kwargs: P.kwargs) -> T | None:
        try:
            return read(*args, **kwargs)
        except UNREADABLE:
            return None
        except DATABASE_ERRORS as error:
            if not is_damage(error):
                raise
            return None

    return read_or_none


@_unless_damaged
def outline(database: SqliteDatabase, conversation: str) -> RecordOutline:
    """Return the outline of a record."""
    done = {position: decode(body) for position, body in database.execute_sql(OPERATIONS, (conversation,))}
    since = _first_parting(database, conversation, done.items())
    messages: dict[int, tuple[str, int]] = {}
    if since is not None:
        for position, message_id, index in database.execute_sql(SINCE, (conversation, since)):
            messages[position] = message_id, index
    (shared,) = database.execute_sql(MESSAGES, (conversation,)).fetchone()
    shared = min((index for _, index in messages.values()), default=shared)
    for position, entry in done.items():
        if _stands_behind_a_message(entry):
            for before, message_id, index in database.execute_sql(BEFORE, (conversation, position)):
                messages[before] = message_id, index
    entries: dict[int, AnyEntry] = {position: known_by_id(message_id) for position, (message_id, _) in messages.items()}
    entries |= done
    ordered = tuple(entries[position] for position in sorted(entries))
    return RecordOutline(ordered, dict(messages.values()), shared)


def _stands_behind_a_message(entry: AnyEntry) -> bool:
    """Return whether its place is that of the message before it: a compaction that archives some names them itself."""
    return isinstance(entry, Flush | ConversationLink) or (isinstance(entry, Compaction) and not entry.archived)


def _first_parting(database: SqliteDatabase, conversation: str, done: Iterable[tuple[int, AnyEntry]]) -> int | None:
    """Return the position from which on branches may differ: of the first message that one was begun before."""
    partings = [(position, entry.first_message_id) for position, entry in done if isinstance(entry, Rewind)]
    found = (database.execute_sql(POSITION, (i, conversation)).fetchone() or (position,) for position, i in partings)
    return min((position for (position,) in found), default=None)


@_unless_damaged
def messages(
    database: SqliteDatabase, conversation: str, indexes: Sequence[int], characters: int
) -> tuple[Message, ...] | None:
    """Return the messages at those indexes in that order, until they have so many characters of text together."""
    found: list[Message] = []
    for index in indexes:
        row = database.execute_sql(MESSAGE, (conversation, index)).fetchone()
        if row is None:
            return None
        found.append(decode_message(row[0]))
        characters -= len(found[-1].text)
        if characters <= 0:
            break
    return tuple(found)


def message_index(database: SqliteDatabase, conversation: str, message_id: str) -> int | None:
    """Return the place of that message among all messages of a record; None if it has no such message."""
    found = database.execute_sql(INDEX, (message_id, conversation)).fetchone()
    return found[0] if found is not None else None


def length(database: SqliteDatabase, conversation: str) -> int:
    """Return the number of entries of a record. Raises errors of peewee."""
    return int(database.execute_sql(LENGTH, (conversation,)).fetchone()[0])


@_unless_damaged
def entry_slice(
    database: SqliteDatabase, conversation: str, start: int, stop: int, message: int
) -> tuple[AnyEntry, ...] | None:
    """Return the entries from one position up to another. message: the index of the first message among them."""
    found: list[AnyEntry] = []
    for index, body in database.execute_sql(SLICE, (conversation, start, stop)):
        if index is not None and index != message:
            return None
        message += index is not None
        found.append(decode(body))
    return tuple(found)
