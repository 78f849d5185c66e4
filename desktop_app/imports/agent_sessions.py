"""Sessions of agents: lines or a list of JSON objects, each of which becomes messages in a row.

A session that breaks off, because its agent was killed or is still writing, is read as far as it goes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime

from desktop_app.conversation.foreign import (
    ForeignCompaction,
    ForeignConversation,
    ForeignEntry,
    ForeignMessage,
    UnreadFile,
)
from desktop_app.conversation.message import Message, Usage

from .format import NOT_AN_OBJECT, NOT_JSON, Fields, Found, bad_line, json_in, rest_json, without_messages
from .sources import BYTE_ORDER_MARK, BadFile, Source
from .trees import time_of

IMPOSSIBLE_DOLLARS = 1e9
"""Costs of this size or larger are ignored."""


class AgentSession:
    """Collects the entries of a session and the fields that no entry represents.

    A record is what the agent stores as one: a line, or an element of a list. It becomes any number of entries, each
    of which follows the one before it.
    """

    def __init__(self, program: str, source: Source) -> None:
        self.id = self.title = self.folder = self.model = ""
        self.created_at = self.updated_at = 0.0
        self.current = ""
        """The last record of the open branch; "" for the last entry."""
        self.is_put_away = False
        self.entries: list[ForeignEntry] = []
        self.rests: dict[str, object] = {}
        self.unread: list[str] = []
        self.end = ""
        """The id of the entry that the next one follows; "" for none."""
        self._program = program
        self._source = source
        self._ids: set[str] = set()
        self._parents: dict[str, str] = {}
        self._ends: dict[str, str] = {}
        self._of_record: dict[str, list[str]] = {}

    def follow(self, record: str, parent: str) -> None:
        """Let the entries of a record follow another record, in a session with branches."""
        self._parents.setdefault(record, parent)
        self.end = self._ends.get(parent, "")
        self._ends.setdefault(record, self.end)

    def entries_of(self, record: str) -> list[str]:
        """Return the ids of the entries that a record became."""
        return self._of_record.get(record, [])

    def path_to(self, record: str) -> list[str]:
        """Return the records from the first one to this one, in a session with branches."""
        path: dict[str, None] = {}
        while record and record not in path:
            path[record] = None
            record = self._parents.get(record, "")
        return [*reversed(path)]

    def messages_since(self, first: str, last: str) -> tuple[str, ...]:
        """Return the ids of the messages in the records from one to another; () if the first is not on the path."""
        path = self.path_to(last)
        records = path[path.index(first) :] if first in path else ()
        compactions = {entry.id for entry in self.entries if isinstance(entry, ForeignCompaction)}
        return tuple(each for record in records for each in self.entries_of(record) if each not in compactions)

    def add(self, record: str, messages: Iterable[Message]) -> None:
        """Add the messages that a record becomes."""
        for number, message in enumerate(messages):
            name = self._new_id(f"{record}/{number}" if number else record)
            self._append(record, ForeignMessage(name, self.end, message))
            self.model = message.model or self.model

    def compact(self, record: str, compaction: ForeignCompaction) -> None:
        """Add a compaction; it is left out if it has no summary, or nothing before it."""
        if compaction.summary and compaction.parent and compaction.id not in self._ids:
            self._append(record, compaction)

    def keep(self, record: str, fields: Fields) -> None:
        """Keep the fields of a record that were not read."""
        if rest := fields.rest():
            self.rests[record] = rest

    def _append(self, record: str, entry: ForeignEntry) -> None:
        self.entries.append(entry)
        self._ids.add(entry.id)
        self._of_record.setdefault(record, []).append(entry.id)
        self.end = self._ends[record] = entry.id

    def _new_id(self, name: str) -> str:
        """Return an unused id: an id that occurs twice is numbered."""
        return name if name and name not in self._ids else f"{name}#{len(self.entries)}"

    def found(self) -> Found:
        """Return the conversation, or an `UnreadFile` if it has no messages."""
        if not any(isinstance(entry, ForeignMessage) for entry in self.entries):
            return UnreadFile(self._source.name, without_messages(self.unread), self.title)
        times = [time_of(entry) for entry in self.entries]
        return ForeignConversation(
            self._program,
            self.id or self._source.name.rpartition("/")[2],
            self.title,
            tuple(self.entries),
            created_at=self.created_at or min(filter(None, times), default=self._source.modified),
            updated_at=self.updated_at or max(times) or self._source.modified,
            current=self._ends.get(self.current, ""),
            model=self.model,
            folder=self.folder,
            is_put_away=self.is_put_away,
            rest=rest_json(self.rests),
            unread=tuple(self.unread),
        )


def lines_of(source: Source, unread: list[str]) -> Iterator[tuple[int, Fields]]:
    """Yield the numbered objects of JSON Lines; lines that are something else are noted in `unread`. Raises BadFile."""
    for number, line in enumerate(source.lines(), start=1):
        try:
            value = json.loads(line.removeprefix(BYTE_ORDER_MARK))
        except (ValueError, RecursionError):
            unread.append(bad_line(number, NOT_JSON))
            continue
        if isinstance(value, dict):
            yield number, Fields(value)
        else:
            unread.append(bad_line(number, NOT_AN_OBJECT))


def object_of(source: Source, lists: str, unread: list[str]) -> Fields:
    """Return the object in a file; of one that breaks off, only the whole elements of its list. Raises BadFile.

    lists: the name of the list.
    """
    try:
        return Fields(json.loads(source.read().removeprefix(BYTE_ORDER_MARK)))
    except (ValueError, RecursionError):
        pass
    elements: list[object] = []
    try:
        elements.extend(source.items(f"{lists}.item"))
    except BadFile as error:
        unread.append(error.reason)
    return Fields({lists: elements})


def usage_of(
    prompt: int, reply: int, read: int = 0, written: int = 0, thought: int = 0, dollars: float = 0.0
) -> Usage | None:
    """Return measured tokens; None if no tokens were measured. prompt: with the tokens of the cache."""
    costs = dollars if 0 < dollars < IMPOSSIBLE_DOLLARS else None
    return Usage(prompt, reply, read, written, costs, reasoning_tokens=thought) if prompt + reply else None


def local_seconds_of(text: str) -> float:
    """Return a time without an offset, which is local, in seconds since 1970; 0.0 if the text is not a time."""
    try:
        return max(0.0, datetime.fromisoformat(text).timestamp())
    except (ValueError, OverflowError, OSError):
        return 0.0


def sibling(source: Source, name: str) -> Source | None:
    """Return the file of that name in the folder of a file; None if there is none."""
    folder = source.name.rpartition("/")[0]
    return source.folder.named(f"{folder}/{name}" if folder else name)


def sibling_object(source: Source, name: str) -> Fields:
    """Return the object in the file of that name in the folder of a file; empty if there is none, or no object."""
    return object_in(sibling(source, name))


def object_in(source: Source | None) -> Fields:
    """Return the object in a file that a session can do without; empty if there is no such file, or no object."""
    try:
        return Fields(json_in(source.read()) if source is not None else {})
    except BadFile:
        return Fields({})
