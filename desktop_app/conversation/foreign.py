"""Conversations of other programs as an import finds them, before they become records of ours.

Files are recognized by their contents, so that an import can say what they are.
"""

from __future__ import annotations

import json
from typing import Any, cast

import msgspec

from .message import Message
from .words import pluralize, translatable


class ForeignMessage(msgspec.Struct, frozen=True, gc=False, tag="message"):
    """A message of another program."""

    id: str
    """Unique within its conversation, and the same each time the file is read."""
    parent: str
    """The message that it follows; "" for a first one. Messages that follow the same one are versions of each other."""
    message: Message
    """Without an id of ours; `at` is when it was said, 0.0 where the program does not tell."""


class ForeignCompaction(msgspec.Struct, frozen=True, tag="compaction"):
    """The place where another program put a summary in the place of all that was said before."""

    id: str
    parent: str
    """The last message that it archived; as of a message, the next one may follow the compaction."""
    summary: str
    at: float = 0.0
    is_automatic: bool = True
    tokens_before: int = 0
    tokens_after: int = 0
    model: str = ""


ForeignEntry = ForeignMessage | ForeignCompaction


class ForeignConversation(msgspec.Struct, frozen=True):
    """A conversation of another program. Times are seconds since 1970, UTC; 0.0 where the program does not tell."""

    program: str
    """As the user knows it: "ChatGPT", "Claude Code"."""
    id: str
    """The program's own, which a later export has again."""
    title: str
    entries: tuple[ForeignEntry, ...]
    """A parent stands before what follows it; else in the order in which they were said."""
    created_at: float = 0.0
    updated_at: float = 0.0
    current: str = ""
    """The message with which the branch ends that was open; "" for the last one."""
    model: str = ""
    folder: str = ""
    """The absolute path in which an agent worked."""
    section: str = ""
    """The project or folder of the program that it lies in."""
    is_pinned: bool = False
    is_put_away: bool = False
    rest: str = ""
    """What has no place here, as JSON; "" for nothing."""
    unread: tuple[str, ...] = ()
    """What of it could not be read, and why, in words for the user."""

    @property
    def messages(self) -> int:
        """How many there are, in all branches, as a person counts."""
        return sum(isinstance(e, ForeignMessage) and e.message.is_counted for e in self.entries)


class FoundConversation(msgspec.Struct, frozen=True, tag="found"):
    """A conversation that can be imported, as the user is shown it before."""

    id: str
    """That it would have here."""
    program: str
    title: str
    file: str
    """Where it was found: a path within what was looked through."""
    messages: int
    """As a person counts, in all branches."""
    first_at: float
    last_at: float
    message_ids: tuple[str, ...]
    """That these messages would have here."""
    unread: tuple[str, ...] = ()
    known: int = -1
    """How many of these messages are here already; -1 while nobody has looked."""

    @property
    def new(self) -> int:
        """How many of its messages are not here yet."""
        return self.messages - max(self.known, 0)


class ReadConversation(msgspec.Struct, frozen=True, tag="read"):
    """A conversation on its way into the archive."""

    file: str
    conversation: ForeignConversation


class ReadProgress(msgspec.Struct, frozen=True, tag="progress"):
    """How much of what is looked through was read."""

    bytes_read: int
    bytes: int


class UnreadFile(msgspec.Struct, frozen=True, tag="unread"):
    """A file, or a conversation in one, that could not be read."""

    file: str
    """Its path within what was looked through."""
    reason: str
    """In words for the user."""
    title: str = ""
    """Of the conversation, where it is about one."""


class KnownKind(msgspec.Struct, frozen=True):
    """What can be imported of a program."""

    program: str
    what: str
    """The files or folders, in words for the user."""


class FoundHistory(msgspec.Struct, frozen=True):
    """A folder of this machine in which a program keeps its conversations, by its files: nothing of them was read."""

    program: str
    path: str
    files: int
    bytes: int
    newest: float
    """When one was changed last, in seconds since 1970."""


class ImportRequest(msgspec.Struct, frozen=True):
    """What an import asks of the files of other programs."""

    paths: tuple[str, ...]
    """Files, folders and zips."""
    only: frozenset[str] | None = None
    """The conversations that are wanted whole, by the ids that they have here; None: what there is."""


ImportReply = FoundConversation | ReadConversation | UnreadFile | ReadProgress


SUPPORTED = (
    'What can be imported is JSON Lines: one chat message a line, such as {"role": "user", "content": "Hello"}, '
    "as Palimpsest's own export writes it."
)

_BEGINNINGS = {
    b"PK\x03\x04": translatable("a ZIP archive"),
    b"SQLite format 3\x00": translatable("an SQLite database"),
    b"%PDF-": translatable("a PDF document"),
    b"\x1f\x8b": translatable("a gzip archive"),
    **dict.fromkeys((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"RIFF"), translatable("an image or a sound")),
}
_HTML = (b"<!doctype html", b"<html")


def kind_of_file(content: bytes) -> str:
    """Return what the file is, as a noun phrase; "" for what is not recognized, and for chat messages."""
    if kind := kind_by_beginning(content):
        return kind
    value = _json(content)
    return _kind_of_json(value) if value is not None else ""


def kind_by_beginning(content: bytes) -> str:
    """Return what a file is by its first bytes, as a noun phrase; "" for what is not recognized."""
    for beginning, kind in _BEGINNINGS.items():
        if content.startswith(beginning):
            return kind
    return translatable("a web page") if content[:200].lstrip().lower().startswith(_HTML) else ""


def _json(content: bytes) -> Any:
    """Return the whole file as JSON, or else its first line."""
    text = content.removeprefix(b"\xef\xbb\xbf")
    for candidate in (text, text.lstrip().partition(b"\n")[0]):
        try:
            return json.loads(candidate)
        except (ValueError, RecursionError):
            continue
    return None


def _kind_of_json(value: Any) -> str:
    entries = _entries(value)
    first = entries[0] if entries else {}
    if "mapping" in first:
        return f"a data export of ChatGPT, with {pluralize(len(entries), 'conversation')}"
    if "chat_messages" in first:
        return f"a data export of Claude, with {pluralize(len(entries), 'conversation')}"
    if "Gemini Apps" in str(first.get("header")):
        return "a data export of Gemini"
    if "sessionId" in first and "message" in first:
        return "a session of Claude Code"
    if isinstance(first.get("messages"), list):
        return "JSON with lists of messages inside"
    if isinstance(value, list) and "role" in first:
        return "one JSON list, not a message a line"
    return ""


def _entries(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list, of a list named "conversations", or the one object itself."""
    if isinstance(value, dict):
        whole = cast("dict[str, Any]", value)
        inner: object = whole.get("conversations")
        found = cast("list[object]", inner) if isinstance(inner, list) else [whole]
    else:
        found = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", entry) for entry in found if isinstance(entry, dict)]
