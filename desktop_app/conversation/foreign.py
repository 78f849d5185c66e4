"""Conversations of other programs, as an import finds them, before they are a record of ours."""

from __future__ import annotations

import msgspec

from .message import Message


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
