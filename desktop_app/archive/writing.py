"""Writing to the archive. Each function runs inside a transaction of its caller.

Rows go through sqlite3's `executemany`: peewee's `insert_many` takes six times as long for an import.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import msgspec
from peewee import SqliteDatabase, fn

from desktop_app.chat.ports import Changes
from desktop_app.conversation.gauge import Status
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message
from desktop_app.conversation.setup import ConversationSetup
from desktop_app.conversation.surrogates import replace_surrogates_in_builtins, replace_surrogates_in_text
from desktop_app.conversation.transcript import AnyEntry, AuxiliaryUsage, ConversationLink, Imported
from desktop_app.conversation.unsent import UnsentMessages

from .facets import add_facets
from .failures import no_conversation
from .rows import (
    ConversationRow,
    DraftRow,
    EntryRow,
    PartialRow,
    encode,
    encode_unsent,
    kind_of,
    lost_message,
    searched_text,
)

log = logging.getLogger(__name__)

LOST_TITLE = "Lost conversation"
BESIDE = (AuxiliaryUsage, ConversationLink, Imported)
"""What is recorded beside the conversation, and makes it no newer: the title that comes later, the link of a sequel."""
LOST_CONVERSATION = """INSERT OR IGNORE INTO conversations (id, title, created_at, updated_at, model, share, status)
    VALUES (?, ?, 0.0, 0.0, '', 0.0, 'safe')"""
INSERT_ENTRY = """INSERT INTO entries (number, conversation, position, message_index, id, kind, at, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""


def create(
    database: SqliteDatabase, info: ConversationInfo, entries: Sequence[AnyEntry], archived: Sequence[str] = ()
) -> None:
    """Create a conversation with its first entries. archived: those of its messages that are not in its view."""
    uncounted = sum(isinstance(entry, Message) and not entry.is_counted for entry in entries)
    names = ("id", "title", "created_at", "updated_at", "model", "share", "status", "folder", "policy", "project")
    columns = {name: _storable(getattr(info, name)) for name in names}
    ConversationRow.insert(columns | {"uncounted": uncounted}).execute(database)
    append(database, info.id, entries, archived)


def change(database: SqliteDatabase, conversation: str, **changes: Unpack[Changes]) -> None:
    """Change what the list shows of it, or delete or restore it. Raises ArchiveError."""
    _update(database, conversation, {name: _storable(value) for name, value in changes.items()})


def store_gauge(database: SqliteDatabase, conversation: str, share: float, status: str, uncounted: int = 0) -> None:
    """Store the used share of the window, and the number of uncounted messages, for the sidebar."""
    _update(database, conversation, {"share": share, "status": Status(status).value, "uncounted": uncounted})


def _storable(value: object) -> object:
    """Return the value without lone surrogates, which UTF-8 cannot encode."""
    if isinstance(value, ConversationSetup):
        return msgspec.json.encode(replace_surrogates_in_builtins(msgspec.to_builtins(value))).decode()
    return replace_surrogates_in_text(str(value)) if isinstance(value, str) else value


def _update(database: SqliteDatabase, conversation: str, columns: dict[str, object]) -> None:
    if not ConversationRow.update(columns).where(ConversationRow.id == conversation).execute(database):
        raise no_conversation(conversation)


def append(
    database: SqliteDatabase,
    conversation: str,
    entries: Sequence[AnyEntry],
    archived: Sequence[str] = (),
    restored: Sequence[str] = (),
) -> None:
    """Append entries to a transcript, and their words to the search. Raises ArchiveError.

    archived, restored: messages that they take out of the view, or bring back.
    """
    _check_exists(database, conversation)
    if entries:
        _append(database, conversation, entries)
    _mark_archived(database, conversation, archived, restored)


def _append(database: SqliteDatabase, conversation: str, entries: Sequence[AnyEntry]) -> None:
    number = _next(database, EntryRow.select(fn.MAX(EntryRow.number)))
    connection = database.connection()
    rows = _rows(database, conversation, entries, number)
    connection.executemany(INSERT_ENTRY, rows)
    connection.executemany(
        "INSERT INTO message_texts (entry, text) VALUES (?, ?)",
        [(number + offset, searched_text(entry)) for offset, entry in enumerate(entries) if isinstance(entry, Message)],
    )
    for index in ("words", "trigrams"):
        database.execute_sql(
            f"INSERT INTO {index} (rowid, text) SELECT entry, text FROM message_texts WHERE entry >= ?", (number,)
        )
    numbered = enumerate(entries, number)
    add_facets(database, [(entry_number, entry) for entry_number, entry in numbered if isinstance(entry, Message)])
    _end_partial(database, conversation, entries)
    times = [entry.at for entry in entries if not isinstance(entry, BESIDE)]
    if times:
        _note_time(database, conversation, max(times))


def store_partial(database: SqliteDatabase, conversation: str, partial: Message) -> None:
    """Replace the conversation's partial reply, unless the reply is in the transcript by now. Raises ArchiveError."""
    _check_exists(database, conversation)
    if database.execute_sql("SELECT 1 FROM entries WHERE id = ?", (partial.id,)).fetchone():
        return  # a timer that fired late
    PartialRow.replace(conversation=conversation, id=partial.id, body=encode(partial)).execute(database)


def store_unsent(database: SqliteDatabase, conversation: str, unsent: UnsentMessages) -> None:
    """Replace the draft and the queued messages of a conversation. Raises ArchiveError."""
    _check_exists(database, conversation)
    if unsent == UnsentMessages():
        DraftRow.delete().where(DraftRow.conversation == conversation).execute(database)
    else:
        DraftRow.replace(conversation=conversation, body=encode_unsent(unsent)).execute(database)


def _check_exists(database: SqliteDatabase, conversation: str) -> None:
    if not database.execute_sql("SELECT 1 FROM conversations WHERE id = ?", (conversation,)).fetchone():
        raise no_conversation(conversation)


def append_lost_messages(database: SqliteDatabase, lost: Mapping[str, int]) -> None:
    """Append to each conversation that has lost its end a message that says how many entries are missing."""
    for conversation, count in lost.items():
        log.error("conversation %s has lost the last %s entries", conversation, count)
        database.execute_sql(LOST_CONVERSATION, (conversation, LOST_TITLE))
        append(database, conversation, [lost_message(count)])


def _rows(
    database: SqliteDatabase, conversation: str, entries: Sequence[AnyEntry], number: int
) -> list[tuple[Any, ...]]:
    own = EntryRow.conversation == conversation
    position = _next(database, EntryRow.select(fn.MAX(EntryRow.position)).where(own))
    counted = own & EntryRow.message_index.is_null(False)
    index = _next(database, EntryRow.select(fn.MAX(EntryRow.message_index)).where(counted))
    rows: list[tuple[Any, ...]] = []
    for offset, entry in enumerate(entries):
        is_message = isinstance(entry, Message)
        message_index = index if is_message else None
        key = (number + offset, conversation, position + offset, message_index)
        rows.append((*key, entry.id, kind_of(entry), entry.at, encode(entry)))
        index += is_message
    return rows


def _next(database: SqliteDatabase, highest: Any) -> int:
    found = highest.scalar(database)
    return 0 if found is None else int(found) + 1


def _end_partial(database: SqliteDatabase, conversation: str, entries: Sequence[AnyEntry]) -> None:
    ids = [entry.id for entry in entries if isinstance(entry, Message)]
    ended = PartialRow.select(PartialRow.id).where(PartialRow.conversation == conversation).scalar(database)
    if ended in ids:
        PartialRow.delete().where(PartialRow.conversation == conversation).execute(database)


def _note_time(database: SqliteDatabase, conversation: str, at: float) -> None:
    ConversationRow.update(updated_at=at).where(
        ConversationRow.id == conversation, ConversationRow.updated_at < at
    ).execute(database)


def _mark_archived(
    database: SqliteDatabase, conversation: str, archived: Sequence[str], restored: Sequence[str]
) -> None:
    connection = database.connection()
    found = "SELECT number FROM entries WHERE id = ? AND conversation = ?"
    connection.executemany(
        f"INSERT OR IGNORE INTO archived (entry) {found}", [(message, conversation) for message in archived]
    )
    connection.executemany(
        f"DELETE FROM archived WHERE entry = ({found})",
        [(message, conversation) for message in restored],
    )
