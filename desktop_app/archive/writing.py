"""Functions that write conversations to the archive, including imported ones.

Each function runs inside a transaction of its caller, so that a conversation is never imported in part. Rows are
inserted with sqlite3's `executemany`: peewee's `insert_many` takes six times as long for an import.

The number of entries of each conversation is also stored in a file next to the archive: SQLite silently ignores the
damaged end of its log, so that acknowledged messages could be lost unnoticed.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import msgspec
from peewee import SqliteDatabase, fn

from desktop_app.context.view.view import archived_of, differences
from desktop_app.conversation.foreign import ForeignConversation
from desktop_app.conversation.foreign_record import conversation_id, new_entries
from desktop_app.conversation.gauge import Status
from desktop_app.conversation.listing import Changes, ConversationInfo
from desktop_app.conversation.message import Message
from desktop_app.conversation.setup import ConversationSetup
from desktop_app.conversation.tools import is_on_other_host
from desktop_app.conversation.transcript import (
    AnyEntry,
    AuxiliaryUsage,
    ConversationLink,
    Imported,
    replace_surrogates_in_builtins,
    replace_surrogates_in_text,
)
from desktop_app.conversation.unsent import UnsentMessages
from desktop_app.paths import make_private_file

from .disk_failures import no_conversation
from .passage_index import add_passages
from .projects_and_memories import project_named, project_of_folder
from .reading import entries
from .search_filters import add_facets
from .tables import (
    ConversationRow,
    DraftRow,
    EntryRow,
    PartialRow,
    encode,
    encode_unsent,
    kind_of,
    lost_message,
    rows_for,
    searched_text,
)

log = logging.getLogger(__name__)

LOST_TITLE = "Lost conversation"
WITHOUT_TIME = (AuxiliaryUsage, ConversationLink, Imported)
"""Entries that do not make a conversation newer, such as the cost of generating its title, or the link of a sequel."""
LOST_CONVERSATION = """INSERT OR IGNORE INTO conversations (id, title, created_at, updated_at, model, share, status)
    VALUES (?, ?, 0.0, 0.0, '', 0.0, 'safe')"""
INSERT_ENTRY = """INSERT INTO entries (number, conversation, position, message_index, id, kind, at, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""


def create(
    database: SqliteDatabase, info: ConversationInfo, entries: Sequence[AnyEntry], archived: Sequence[str] = ()
) -> None:
    """Create a conversation with its first entries. archived: the ids of messages that are not in its view."""
    uncounted = sum(isinstance(entry, Message) and not entry.is_counted for entry in entries)
    names = ("id", "title", "created_at", "updated_at", "model", "share", "status", "folder", "policy", "project")
    columns = {name: _storable(getattr(info, name)) for name in names}
    ConversationRow.insert(columns | {"uncounted": uncounted}).execute(database)
    append(database, info.id, entries, archived)


def change(database: SqliteDatabase, conversation: str, **changes: Unpack[Changes]) -> None:
    """Change a conversation's columns, which include whether it is deleted. Raises ArchiveError."""
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
    unsent: UnsentMessages | None = None,
) -> None:
    """Append entries to a transcript, and their words to the search tables. Raises ArchiveError.

    archived, restored: the ids of messages that they take out of the view, or bring back. unsent: the draft and the
    queue from now on; None if they stay.
    """
    _check_exists(database, conversation)
    if entries:
        _append(database, conversation, entries)
    _mark_archived(database, conversation, archived, restored)
    if unsent is not None:
        store_unsent(database, conversation, unsent)


def _append(database: SqliteDatabase, conversation: str, entries: Sequence[AnyEntry]) -> None:
    number = _next(database, EntryRow.select(fn.MAX(EntryRow.number)))
    connection = database.connection()
    rows = _rows(database, conversation, entries, number)
    connection.executemany(INSERT_ENTRY, rows)
    messages = [(at, entry) for at, entry in enumerate(entries, number) if isinstance(entry, Message)]
    texts = [(at, searched_text(message)) for at, message in messages]
    connection.executemany("INSERT INTO message_texts (entry, text) VALUES (?, ?)", texts)
    for index in ("words", "trigrams"):
        database.execute_sql(
            f"INSERT INTO {index} (rowid, text) SELECT entry, text FROM message_texts WHERE entry >= ?", (number,)
        )
    add_passages(database, texts)
    add_facets(database, messages)
    _end_partial(database, conversation, entries)
    times = [entry.at for entry in entries if not isinstance(entry, WITHOUT_TIME)]
    if times:
        _note_time(database, conversation, max(times))


def store_partial(database: SqliteDatabase, conversation: str, partial: Message) -> None:
    """Replace the conversation's partial reply, unless the complete one is in the transcript. Raises ArchiveError."""
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
    """Append a message to each conversation that has lost its newest entries, which states how many are missing."""
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


def known_messages(database: SqliteDatabase, ids: Sequence[str]) -> int:
    """Return how many of the messages the archive has in conversations that are not deleted."""
    query = """SELECT COUNT(*) FROM entries e JOIN conversations c ON c.id = e.conversation
        WHERE NOT c.is_deleted AND e.id IN ({})"""
    return sum(count for (count,) in rows_for(database, query, ids))


def import_conversation(database: SqliteDatabase, foreign: ForeignConversation, file: str, project: str = "") -> int:
    """Store the entries of a foreign conversation that are new to the archive; return the number of messages in them.

    A conversation that was imported before keeps its title and place in the list, and is restored if it was deleted.
    project: the id of the project for a new conversation; "" for the project that the other program names, or otherwise
    the project of the agent's folder.
    """
    found = conversation_id(foreign)
    is_known = bool(database.execute_sql("SELECT 1 FROM conversations WHERE id = ?", (found,)).fetchone())
    record = entries(database, found) if is_known else ()
    new = new_entries(foreign, file, record)
    before, after = archived_of(record), archived_of((*record, *new))  # a branch that is opened has archived others
    if is_known:
        ConversationRow.update(is_deleted=False).where(ConversationRow.id == found).execute(database)
        append(database, found, new, *differences(before, after))
    else:
        project = project or _project_of(database, foreign)
        create(database, _info_of(foreign, found, new, project), new, after)
        _place_in_list(database, foreign, found)
    return sum(isinstance(entry, Message) and entry.is_counted for entry in new)


def _project_of(database: SqliteDatabase, foreign: ForeignConversation) -> str:
    if foreign.section.strip():
        return project_named(database, foreign.section, foreign.created_at)
    return project_of_folder(database, narrow_folder(foreign.folder), foreign.created_at)


def _info_of(
    foreign: ForeignConversation, conversation: str, new: Sequence[AnyEntry], project: str
) -> ConversationInfo:
    times = [entry.at for entry in new if entry.at]
    created_at = foreign.created_at or min(times, default=0.0)
    return ConversationInfo(
        conversation,
        foreign.title,
        created_at=created_at,
        updated_at=max(times, default=foreign.updated_at or created_at),
        folder=narrow_folder(foreign.folder),
        project=project,
    )


def narrow_folder(folder: str) -> str:
    """Return a folder that a file names; "" for the user's home and its parents, paths on other hosts and invalid ones.

    Files in a conversation's folder are read without asking, so an import must not choose a folder with everything.
    """
    if not os.path.isabs(folder) or is_on_other_host(folder) or "\0" in folder:
        return ""
    return "" if Path.home().resolve().is_relative_to(os.path.realpath(folder)) else folder


def _place_in_list(database: SqliteDatabase, foreign: ForeignConversation, conversation: str) -> None:
    if foreign.is_pinned or foreign.is_put_away:
        places = {"is_pinned": foreign.is_pinned, "is_put_away": foreign.is_put_away}
        ConversationRow.update(places).where(ConversationRow.id == conversation).execute(database)


COUNTS = "SELECT conversation, MAX(position) + 1 FROM entries GROUP BY conversation"
COUNT = "SELECT COALESCE(MAX(position) + 1, 0) FROM entries WHERE conversation = ?"


class EntryCounts:
    """A file with a line for each append: a conversation's id and its number of entries. An id's last line counts."""

    def __init__(self, archive: Path) -> None:
        self._file = archive.with_suffix(".counts")

    def read(self) -> dict[str, int]:
        """Return the last recorded counts. Raises OSError."""
        if not self._file.exists():
            return {}
        lines = self._file.read_text(errors="replace").splitlines(keepends=True)
        # A crash can truncate the last line only; a power cut can replace the last lines by zeros.
        pairs = (line.rstrip("\n").rpartition(" ") for line in lines if line.endswith("\n") and "\0" not in line)
        return {conversation: int(count) for conversation, _, count in pairs if count.isdecimal() and len(count) < 12}

    def forget(self) -> None:
        """Remove the file, before the archive is replaced. Raises OSError."""
        self._file.unlink(missing_ok=True)

    def forget_conversations(self, conversations: Iterable[str]) -> None:
        """Record counts of 0 for conversations before they are erased. Raises OSError."""
        self._write("a", dict.fromkeys(conversations, 0), is_synced=True)

    def begin(self, database: SqliteDatabase) -> None:
        """Rewrite the file with the current counts. Raises OSError, and errors of peewee."""
        self._write("w", dict(database.execute_sql(COUNTS).fetchall()))

    def note(self, database: SqliteDatabase, conversation: str) -> None:
        """Append the current count of a conversation. Raises OSError, and errors of peewee."""
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
    """Return the number of entries that each conversation has lost at its end, without conversations that lost none."""
    found = dict(database.execute_sql(COUNTS).fetchall())
    return {name: count - found.get(name, 0) for name, count in noted.items() if count > found.get(name, 0)}


def missing_entries(database: SqliteDatabase, noted: Mapping[str, int]) -> int:
    """Return how many of the recorded entries are missing, anywhere in their conversations."""
    found = dict(database.execute_sql("SELECT conversation, COUNT(*) FROM entries GROUP BY conversation").fetchall())
    return sum(max(count - found.get(name, 0), 0) for name, count in noted.items())
