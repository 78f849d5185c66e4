"""Conversations of other programs in an import, before they become records of ours.

Files are recognized by their contents, so that an import can name their kind.
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
    """The id of the message that it follows; "" for a first one. Followers of the same message are its versions."""
    message: Message
    """Without an id of ours; `at` is 0.0 if the program gives no time."""


class ForeignCompaction(msgspec.Struct, frozen=True, tag="compaction"):
    """The point at which another program replaced earlier messages by a summary: all of them except the kept ones."""

    id: str
    parent: str
    """The id of the last message before it. The next message may have the compaction as its parent."""
    summary: str
    at: float = 0.0
    is_automatic: bool = True
    tokens_before: int = 0
    tokens_after: int = 0
    model: str = ""
    kept: tuple[str, ...] = ()
    """The ids of earlier messages that the model still received; of an earlier compaction whose summary it did."""
    follows: str = ""
    """The id of the kept message that the summary followed in the request; "" if it preceded all of them."""


ForeignEntry = ForeignMessage | ForeignCompaction


class ForeignConversation(msgspec.Struct, frozen=True):
    """A conversation of another program. Times are seconds since 1970, UTC; 0.0 if the program gives none."""

    program: str
    """The program's name for the user, such as "ChatGPT" or "Claude Code"."""
    id: str
    """The program's own id, which is the same in later exports."""
    title: str
    entries: tuple[ForeignEntry, ...]
    """Parents precede their followers; otherwise in chronological order."""
    created_at: float = 0.0
    updated_at: float = 0.0
    current: str = ""
    """The id of the last message in the open branch; "" for the last one of all."""
    model: str = ""
    folder: str = ""
    """The absolute path in which an agent worked."""
    section: str = ""
    """The program's project or folder that contains it; "" for none."""
    is_pinned: bool = False
    is_put_away: bool = False
    rest: str = ""
    """Other data of the conversation, as JSON; "" for none."""
    unread: tuple[str, ...] = ()
    """Descriptions for the user of the parts that could not be read, with reasons."""

    @property
    def messages(self) -> int:
        """Number of messages in all branches, as a person counts them."""
        return sum(isinstance(e, ForeignMessage) and e.message.is_counted for e in self.entries)


class FoundConversation(msgspec.Struct, frozen=True, tag="found"):
    """A conversation that can be imported, as shown to the user beforehand."""

    id: str
    """Its id after the import."""
    program: str
    title: str
    file: str
    """The path of its file within the searched folder or zip."""
    messages: int
    """Number of messages in all branches, as a person counts them."""
    first_at: float
    last_at: float
    message_ids: tuple[str, ...]
    """The messages' ids after the import."""
    unread: tuple[str, ...] = ()
    known: int = -1
    """Number of messages that are already imported; -1 if that is not yet known."""

    @property
    def new(self) -> int:
        """Number of messages that are not yet imported."""
        return self.messages - max(self.known, 0)


class ReadConversation(msgspec.Struct, frozen=True, tag="read"):
    """A conversation on its way into the archive."""

    file: str
    conversation: ForeignConversation


class ReadProgress(msgspec.Struct, frozen=True, tag="progress"):
    """Progress in reading the searched files."""

    bytes_read: int
    bytes: int


class UnreadFile(msgspec.Struct, frozen=True, tag="unread"):
    """A file, or a conversation in one, that could not be read."""

    file: str
    """Its path within the searched folder or zip."""
    reason: str
    """The reason, in words for the user."""
    title: str = ""
    """Title of the conversation; "" for a file."""


class ImportOutcome(msgspec.Struct, frozen=True):
    """The result of an import."""

    conversations: int = 0
    """New conversations, and known ones that have become longer."""
    messages: int = 0
    """New messages."""
    unread: tuple[UnreadFile, ...] = ()
    newest: str = ""
    """The id of the imported conversation with the latest message; "" if nothing was imported."""


class KnownKind(msgspec.Struct, frozen=True):
    """A kind of data that can be imported from a program."""

    program: str
    what: str
    """The files or folders, in words for the user."""


class FoundHistory(msgspec.Struct, frozen=True):
    """A local folder in which a program stores its conversations, found by file names without reading them."""

    program: str
    path: str
    files: int
    bytes: int
    newest: float
    """Time of the latest change to a file, in seconds since 1970."""


class ImportRequest(msgspec.Struct, frozen=True):
    """A request to read files of other programs."""

    paths: tuple[str, ...]
    """Files, folders and zips."""
    only: frozenset[str] | None = None
    """Ids, as after the import, of the conversations to read in full; None to list all conversations."""


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
    """Return the kind of a file as a noun phrase; "" for unknown files and for chat messages."""
    if kind := kind_by_beginning(content):
        return kind
    value = _json(content)
    return _kind_of_json(value) if value is not None else ""


def kind_by_beginning(content: bytes) -> str:
    """Return the kind of a file by its first bytes, as a noun phrase; "" if it is unknown."""
    for beginning, kind in _BEGINNINGS.items():
        if content.startswith(beginning):
            return kind
    return translatable("a web page") if content[:200].lstrip().lower().startswith(_HTML) else ""


def _json(content: bytes) -> Any:
    """Parse the entire file as JSON, or otherwise its first line; None if neither is JSON."""
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
    """Return the objects of a list, of a list named "conversations", or the object itself."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        inner: object = fields.get("conversations")
        found = cast("list[object]", inner) if isinstance(inner, list) else [fields]
    else:
        found = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", entry) for entry in found if isinstance(entry, dict)]
