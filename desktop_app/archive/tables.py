"""peewee's models of the tables, conversion between entries and rows, and the searched text of a message.

`migrations.py` creates the schema, including triggers, indexes and the search tables. No model is bound to a database:
each query names its database, so that two archives can be open in one program.
"""

from __future__ import annotations

import logging
import math
import re
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from peewee import BooleanField, FloatField, IntegerField, Model, SqliteDatabase, TextField

from desktop_app.conversation.gauge import Status
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Attachment, Message, Part, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.transcript import (
    AnyEntry,
    replace_surrogates,
    replace_surrogates_in_builtins,
    replace_surrogates_in_text,
)
from desktop_app.conversation.unsent import UnsentMessages
from desktop_app.conversation.words import spellings_of

log = logging.getLogger(__name__)

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[AnyEntry] = msgspec.json.Decoder(AnyEntry)
_message_decoder = msgspec.json.Decoder(Message)
_unsent_decoder = msgspec.json.Decoder(UnsentMessages)

UNREADABLE = (msgspec.DecodeError, TypeError, UnicodeDecodeError, RecursionError)
"""Errors of decoding a damaged value."""
AT_ONCE = 500
"""Values in one query: every version of SQLite accepts 999 parameters."""

SEPARATOR = "\u200b"
"""A zero-width space, which separates words for the index in scripts without spaces; removed from snippets."""

# Scripts without spaces between words: Han, kana, Hangul, Thai, Lao, Myanmar, Khmer. The tokenizer would take a
# sentence for one word, so each character becomes a word, and a term of several of them a phrase.
_UNSPACED = re.compile(
    "[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7a3\U00020000-\U0003ffff"
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e81-\u0eb0\u0ec0-\u0ec6\u1000-\u102a\u1780-\u17b3]"
)


class ConversationRow(Model):
    """A conversation. Its transcript is in `entries`."""

    class Meta:
        table_name = "conversations"

    id = TextField(primary_key=True)
    title = TextField()
    created_at = FloatField()
    updated_at = FloatField()
    model = TextField()
    share = FloatField()
    status = TextField()
    is_deleted = BooleanField(default=False)
    folder = TextField()
    policy = TextField(default="")
    project = TextField(default="")
    is_pinned = BooleanField(default=False)
    is_put_away = BooleanField(default=False)
    setup = TextField(default="")
    uncounted = IntegerField(default=0)
    """Messages that are not counted for the user, such as system prompts and replaced answers."""


class ProjectRow(Model):
    """A project; `projects_and_memories.py` reads and writes it."""

    class Meta:
        table_name = "projects"

    number = IntegerField(primary_key=True)
    id = TextField()
    is_deleted = BooleanField(default=False)


class EntryRow(Model):
    """An entry of a transcript, append-only by triggers. Its body is written and read with plain SQL, not peewee."""

    class Meta:
        table_name = "entries"

    number = IntegerField(primary_key=True)
    """The key of the row, also in the search tables."""
    conversation = TextField()
    position = IntegerField()
    """Index among the conversation's entries, from 0."""
    message_index = IntegerField(null=True)
    """Index among the conversation's messages, from 0; NULL for other entries."""


class PartialRow(Model):
    """The part of a streaming reply that has arrived; one per conversation."""

    class Meta:
        table_name = "partials"

    conversation = TextField(primary_key=True)
    id = TextField()
    body = TextField()


class DraftRow(Model):
    """A draft and queued messages; one row per conversation that has any."""

    class Meta:
        table_name = "drafts"

    conversation = TextField(primary_key=True)
    body = TextField()


class UnreadableEntry(Exception):
    """Raised for an entry that could be stored but not read again: a bug, detected before the entry is lost."""


def encode(entry: AnyEntry) -> str:
    """Return the entry as JSON text. Lone surrogates, which UTF-8 cannot encode, are replaced and logged.

    Raises UnreadableEntry if reading the text would not give the same entry.
    """
    try:
        stored = replace_surrogates(entry)
        body = _encoder.encode(stored).decode()
        is_readable = _decoder.decode(body) == stored
    except (msgspec.DecodeError, TypeError, ValueError, RecursionError) as error:
        raise UnreadableEntry(f"{kind_of(entry)} {entry.id}: {error}") from error
    if not is_readable:
        raise UnreadableEntry(f"{kind_of(entry)} {entry.id} would be read as something else")
    if stored is not entry:
        log.warning("entry %s held lone surrogates; they were replaced by U+FFFD", entry.id)
    return body


def decode(body: str) -> AnyEntry:
    """Return the entry that is encoded as JSON. Raises msgspec.DecodeError."""
    return _decoder.decode(body)


def decode_message(body: str) -> Message:
    """Return the message that is encoded as JSON. Raises msgspec.DecodeError."""
    return _message_decoder.decode(body)


def encode_unsent(unsent: UnsentMessages) -> str:
    """Return a draft and queued messages as JSON text, with U+FFFD for lone surrogates."""
    try:
        return _encoder.encode(unsent).decode()
    except UnicodeEncodeError:
        return _encoder.encode(replace_surrogates_in_builtins(unsent)).decode()


def decode_unsent(body: str) -> UnsentMessages:
    """Return the draft and queued messages that are encoded as JSON. Raises msgspec.DecodeError."""
    return _unsent_decoder.decode(body)


def kind_of(entry: AnyEntry) -> str:
    """Return the tag of the entry's type, such as "message" or "compaction"."""
    return str(entry.__struct_config__.tag)


def readable_messages(rows: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Message]]:
    """Yield the messages of rows with a number and a body, without unreadable ones."""
    for number, body in rows:
        try:
            yield number, decode_message(body)
        except UNREADABLE:
            continue


def rows_for(
    database: SqliteDatabase, query: str, values: Sequence[Any], *parameters: Any
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query for many values, AT_ONCE at a time. {} in the query: the place of the values.

    parameters: of the query, before that place.
    """
    for start in range(0, len(values), AT_ONCE):
        some = values[start : start + AT_ONCE]
        yield from database.execute_sql(query.format(", ".join("?" * len(some))), (*parameters, *some))


def phrase_of(words: str) -> str:
    """Return words in their order as a phrase in FTS5's syntax, in which nothing is an operator."""
    return '"' + space_out(words).replace('"', '""') + '"'


_QUERY_PHRASE = re.compile(r'("(?:[^"]|"")*")( \*)?')


def in_each_spelling(match: str) -> str:
    """Return a query in FTS5's syntax in which each phrase is also found as it is spelled with ß, or with ss."""

    def spelled(found: re.Match[str]) -> str:
        phrases = [f"{phrase}{found[2] or ''}" for phrase in spellings_of(found[1])]
        return phrases[0] if len(phrases) == 1 else f"({' OR '.join(phrases)})"

    return _QUERY_PHRASE.sub(spelled, match)


def damaged_message(message_id: str, at: float) -> Message:
    """Return a message that replaces an unreadable one."""
    text = "[This message could not be read: its place in the archive is damaged. Run `palimpsest doctor`.]"
    return Message(id=message_id, at=at, role=Role.USER, parts=(Text(text),))


def lost_message(count: int) -> Message:
    """Return a message that states how many of the newest entries are missing."""
    missing = "the last message or step" if count == 1 else f"the last {count:,} messages and steps"
    text = f"[Here {missing} of this conversation are missing: the archive was damaged. A copy of it lies beside it.]"
    return Message(id=uuid.uuid4().hex, at=time.time(), role=Role.USER, parts=(Text(text),))


def info_of(columns: Sequence[Any]) -> ConversationInfo:
    """Return the conversation in a row with columns in the order of its fields. Damaged fields become empty, or 0."""
    conversation, title, created, updated, messages, model, share, status, *rest = columns
    folder, policy, project, is_pinned, is_put_away = rest
    return ConversationInfo(
        id=_text_of(conversation),
        title=_text_of(title),
        created_at=number_of(created),
        updated_at=number_of(updated),
        messages=int(number_of(messages)),
        model=_text_of(model),
        share=number_of(share),
        status=next((each for each in Status if each.value == status), next(iter(Status))),
        folder=_text_of(folder),
        policy=_text_of(policy),
        project=_text_of(project),
        is_pinned=is_pinned == 1,
        is_put_away=is_put_away == 1,
    )


def _text_of(stored: object) -> str:
    return stored if isinstance(stored, str) else ""


def number_of(stored: object) -> float:
    """Return a stored number; 0 for anything else."""
    return stored if isinstance(stored, int | float) and math.isfinite(stored) else 0.0


def searched_text(message: Message) -> str:
    """Return the searched text of a message: speaker, text, tool calls and results, names and text of attachments."""
    pieces = [message.speaker, *(_searched(part) for part in message.parts)]
    return space_out(replace_surrogates_in_text("\n\n".join(piece for piece in pieces if piece)))


def space_out(text: str) -> str:
    """Put separators around each character of a script without spaces."""
    return text if text.isascii() else _UNSPACED.sub(rf"{SEPARATOR}\g<0>{SEPARATOR}", text)


def _searched(part: Part) -> str:
    match part:
        case Text(text):
            return text
        case ToolResult():
            return part.text
        case ToolCall():
            return f"{part.name} {_plain(part.arguments)}"
        case Attachment():
            return f"{part.name}\n{part.content}" if part.media_type.startswith("text/") else part.name
        case _:
            return ""  # reasoning is not searched


def _plain(arguments: str) -> str:
    """Return the words of JSON arguments without escapes: `\\n` before a word would otherwise become part of it."""
    try:
        return "\n".join(_leaves(msgspec.json.decode(arguments)))
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return arguments


def _leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [leaf for key, element in value.items() for leaf in (str(key), *_leaves(element))]
    if isinstance(value, list):
        return [leaf for element in value for leaf in _leaves(element)]
    return [] if value is None else [str(value)]
