"""Queries for transcripts and parts of records: an outline, single messages, a slice.

An unreadable message is replaced by a message that says so. Functions that read a part return None if the record is
damaged, because the entire record must then be read.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import msgspec
from peewee import ModelSelect, SqliteDatabase, Value, fn

from desktop_app.context.counting.breakdown import usage_in
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message
from desktop_app.conversation.setup import ConversationSetup
from desktop_app.conversation.transcript import (
    AnyEntry,
    Compaction,
    ConversationLink,
    Flush,
    RecordOutline,
    Rewind,
    StandingSummary,
    known_by_id,
)
from desktop_app.conversation.unsent import UnsentMessages

from .disk_failures import DATABASE_ERRORS, is_damage, no_conversation
from .tables import (
    UNREADABLE,
    ConversationRow,
    DraftRow,
    EntryRow,
    ProjectRow,
    damaged_message,
    decode,
    decode_message,
    decode_unsent,
    info_of,
    number_of,
)

log = logging.getLogger(__name__)

Row = Sequence[Any]

COLUMNS = "message_index, id, at, body"
SPILLED = """SELECT e.body FROM entries e JOIN conversations c ON c.id = e.conversation
    WHERE (? OR NOT c.is_deleted)
    AND (e.body GLOB '*"spill":"[0-9a-f]*' OR e.body GLOB '*kept as [0-9a-f][0-9a-f][0-9a-f]*')"""
ATTACHED = """SELECT CAST(TOTAL(LENGTH(body)) AS INTEGER) FROM entries
    WHERE message_index IS NOT NULL AND instr(body, '"type":"attachment"')"""
PAID = """SELECT body FROM entries WHERE number > ? AND at >= ? AND instr(body, '"dollars":')
    AND conversation IN (SELECT id FROM conversations WHERE updated_at >= ?)"""
MAX_MISSING = 1_000_000
_SPILL = re.compile(r'(?:"spill":"|kept as )([0-9a-f]{64})')
"""The name of a spill in the field of a result, or in a text, such as the answer of a research."""


def conversations(database: SqliteDatabase) -> tuple[ConversationInfo, ...]:
    """Return the conversations that are not deleted, newest first."""
    newest_first = _conversations().order_by(ConversationRow.updated_at.desc(), ConversationRow.id)
    return tuple(map(info_of, database.execute(newest_first)))


def list_deleted(database: SqliteDatabase) -> tuple[ConversationInfo, ...]:
    """Return the deleted conversations that have messages, newest first."""
    newest_first = _conversations(is_deleted=True).order_by(ConversationRow.updated_at.desc(), ConversationRow.id)
    return tuple(info for info in map(info_of, database.execute(newest_first)) if info.messages)


def conversation(database: SqliteDatabase, conversation: str) -> ConversationInfo:
    """Return a conversation. Raises ArchiveError if it does not exist or is deleted."""
    for columns in database.execute(_conversations().where(ConversationRow.id == conversation)):
        return info_of(columns)
    raise no_conversation(conversation)


def setup(database: SqliteDatabase, conversation: str) -> ConversationSetup:
    """Return the settings of a conversation; the defaults if none are stored or they cannot be read."""
    try:
        stored = (
            ConversationRow.select(ConversationRow.setup).where(ConversationRow.id == conversation).scalar(database)
        )
        return msgspec.json.decode(stored, type=ConversationSetup) if stored else ConversationSetup()
    except UNREADABLE:
        log.warning("the setup of conversation %s cannot be read", conversation)
        return ConversationSetup()


def _conversations(is_deleted: bool = False) -> ModelSelect[ConversationRow]:
    """Select the fields of ConversationInfo in their order."""
    row = ConversationRow
    messages = EntryRow.select(fn.MAX(EntryRow.message_index) + Value(1)).where(
        EntryRow.conversation == row.id, EntryRow.message_index.is_null(False)
    )
    counted = fn.COALESCE(messages, 0) - row.uncounted
    columns = (row.id, row.title, row.created_at, row.updated_at, counted, row.model, row.share, row.status, row.folder)
    # While a project is deleted, its conversations belong to no project.
    project = ProjectRow.select(ProjectRow.id).where(
        ProjectRow.id == row.project, ProjectRow.is_deleted == Value(False)
    )
    places = (row.policy, fn.COALESCE(project, ""), row.is_pinned, row.is_put_away)
    return row.select(*columns, *places).where(row.is_deleted == Value(is_deleted))


def entries(database: SqliteDatabase, conversation: str) -> tuple[AnyEntry, ...]:
    """Return the transcript in order. A damaged message is logged, and replaced by one that says so.

    Raises ArchiveError if there is no such conversation; errors of peewee.
    """
    rows = readable_rows(database, "entries", COLUMNS, "conversation = ?", (conversation,), order="position")
    if not rows and not database.execute_sql("SELECT 1 FROM conversations WHERE id = ?", (conversation,)).fetchone():
        raise no_conversation(conversation)
    return tuple(_entries(conversation, rows))


def _entries(conversation: str, rows: list[Row]) -> Iterator[AnyEntry]:
    expected = 0
    for index, entry_id, at, body in rows:
        if index is not None:
            if not isinstance(index, int) or not expected <= index < expected + MAX_MISSING:
                index = expected  # the index itself is damaged
            for missing in range(expected, index):  # messages whose rows could not be read at all
                yield damaged_message(f"damaged-{conversation}-{missing}", number_of(at))
            expected = index + 1
        try:
            yield decode(body)
        except UNREADABLE as error:
            log.error("entry %s of conversation %s cannot be read: %s", entry_id, conversation, error)
            if index is not None:
                yield damaged_message(str(entry_id), number_of(at))


def unsent(database: SqliteDatabase, conversation: str) -> UnsentMessages:
    """Return the draft and the queued messages of a conversation; none if they are damaged, which is logged."""
    try:
        body = DraftRow.select(DraftRow.body).where(DraftRow.conversation == conversation).scalar(database)
        return UnsentMessages() if body is None else decode_unsent(body)
    except UNREADABLE as error:
        log.error("the draft of conversation %s cannot be read: %s", conversation, error)
        return UnsentMessages()


def readable_rows(
    database: SqliteDatabase, table: str, columns: str, where: str = "1", parameters: Row = (), order: str = "number"
) -> list[Row]:
    """Return the rows of a table in order; if it is damaged, the rows that can be read one by one, by number.

    Numbers grow with positions, so both orders are the same. Raises errors of peewee.
    """
    query = f"SELECT {columns} FROM {table}"
    try:
        return list(database.execute_sql(f"{query} WHERE {where} ORDER BY {order}", parameters))
    except DATABASE_ERRORS as error:
        if not is_damage(error):
            raise
        log.error("%s %s are damaged (%s); they are read one by one", table, parameters, error)
    last = database.execute_sql(f"SELECT MAX(number) FROM {table}").fetchone()[0]
    rows: list[Row] = []
    for number in range((last or 0) + 1):
        try:
            rows += database.execute_sql(f"{query} NOT INDEXED WHERE number = ? AND {where}", (number, *parameters))
        except DATABASE_ERRORS as error:
            if not is_damage(error):
                raise
            log.error("number %d of %s cannot be read: %s", number, table, error)
    return rows


def spills_in_use(database: SqliteDatabase, with_deleted: bool = False) -> frozenset[str]:
    """Return the names of the spills that messages refer to. with_deleted: include deleted conversations."""
    rows = database.execute_sql(SPILLED, (with_deleted,)).fetchall()
    return frozenset(name for (body,) in rows for name in _SPILL.findall(body))


def attachment_bytes(database: SqliteDatabase) -> int:
    """Return the size in bytes of the messages with attachments."""
    return int(database.execute_sql(ATTACHED).fetchone()[0])


def dollars_after(database: SqliteDatabase, row: int, since: float) -> tuple[int, float]:
    """Return the newest row of all entries, and the US dollars in the usage of rows after `row`, recorded `since` then.

    Unreadable rows are left out. since: seconds since 1970.
    """
    (newest,) = database.execute_sql("SELECT MAX(number) FROM entries").fetchone()
    spent = 0.0
    for (body,) in database.execute_sql(PAID, (row, since, since)):
        with suppress(*UNREADABLE):
            found = usage_in(decode(body))
            spent += found.usage.dollars or 0.0 if found is not None else 0.0
    return newest or 0, spent


def partials(database: SqliteDatabase) -> list[tuple[str, Message]]:
    """Return the replies that a crash cut off, as interrupted messages. Unreadable ones are logged and stay stored."""
    found: list[tuple[str, Message]] = []
    query = "SELECT conversation, body FROM partials ORDER BY conversation"  # peewee fails on values other than text
    for conversation, body in database.execute_sql(query).fetchall():
        try:
            message = decode_message(body)
        except UNREADABLE as error:
            log.error("the partial reply of conversation %s cannot be read: %s", conversation, error)
            continue
        if database.execute_sql("SELECT 1 FROM entries WHERE id = ?", (message.id,)).fetchone():
            continue  # the record has it already, which happens only in a damaged archive
        found.append((conversation, msgspec.structs.replace(message, is_interrupted=True)))
    return found


P = ParamSpec("P")
T = TypeVar("T")

UNSEEN = "('recalled', 'upkeep', 'equipment', 'permit', 'continuation')"
"""Kinds of entries that do not affect the displayed transcript; there may be one for each message."""
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
    """Make a function return None if the record is damaged. Other errors of peewee still propagate."""

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
    since = _first_fork(database, conversation, done.items())
    messages: dict[int, tuple[str, int]] = {}
    if since is not None:
        for position, message_id, index in database.execute_sql(SINCE, (conversation, since)):
            messages[position] = message_id, index
    (shared,) = database.execute_sql(MESSAGES, (conversation,)).fetchone()
    shared = min((index for _, index in messages.values()), default=shared)
    for position, entry in done.items():
        if _is_shown_at_message(entry):
            for before, message_id, index in database.execute_sql(BEFORE, (conversation, position)):
                messages[before] = message_id, index
    entries: dict[int, AnyEntry] = {position: known_by_id(message_id) for position, (message_id, _) in messages.items()}
    entries |= done
    ordered = tuple(entries[position] for position in sorted(entries))
    return RecordOutline(ordered, dict(messages.values()), shared)


def _is_shown_at_message(entry: AnyEntry) -> bool:
    """Return whether the entry is shown at the position of the message before it.

    A compaction with archived messages has a position of its own.
    """
    if isinstance(entry, Compaction):
        return not entry.archived
    return isinstance(entry, Flush | ConversationLink | StandingSummary)


def _first_fork(database: SqliteDatabase, conversation: str, done: Iterable[tuple[int, AnyEntry]]) -> int | None:
    """Return the position of the first message that a branch replaces; None if there are no branches."""
    forks = [(position, entry.first_message_id) for position, entry in done if isinstance(entry, Rewind)]
    found = (database.execute_sql(POSITION, (i, conversation)).fetchone() or (position,) for position, i in forks)
    return min((position for (position,) in found), default=None)


@_unless_damaged
def messages(
    database: SqliteDatabase, conversation: str, indexes: Sequence[int], characters: int
) -> tuple[Message, ...] | None:
    """Return the messages at the indexes in their order, until their texts have a total of `characters` characters.

    Returns None if one of them is missing.
    """
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
    """Return the index of a message among all messages of a record; None if it has no such message."""
    found = database.execute_sql(INDEX, (message_id, conversation)).fetchone()
    return found[0] if found is not None else None


def length(database: SqliteDatabase, conversation: str) -> int:
    """Return the number of entries of a record. Raises errors of peewee."""
    return int(database.execute_sql(LENGTH, (conversation,)).fetchone()[0])


@_unless_damaged
def entry_slice(
    database: SqliteDatabase, conversation: str, start: int, stop: int, message: int
) -> tuple[AnyEntry, ...] | None:
    """Return the entries from position `start` up to `stop`. message: the index of the first message among them."""
    found: list[AnyEntry] = []
    for index, body in database.execute_sql(SLICE, (conversation, start, stop)):
        if index is not None and index != message:
            return None
        message += index is not None
        found.append(decode(body))
    return tuple(found)
