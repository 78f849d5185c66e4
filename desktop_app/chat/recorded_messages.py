"""The messages of a record by id and in the order of the current branch, and stamps for new entries."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Sequence
from sys import getsizeof
from typing import TypeVar

from msgspec.structs import replace

from desktop_app.context.counting.breakdown import RunningTotals
from desktop_app.conversation.branches import Branches
from desktop_app.conversation.message import Attachment, Entry, Message, Part, Reasoning, Text, ToolCall, ToolResult
from desktop_app.conversation.message_rows import OperationRow
from desktop_app.conversation.transcript import AnyEntry, Rewind, Switch

from .record_rows import operation_rows, page_indexes

SIZE_OF_MESSAGE = 1_000
"""Bytes that a message takes in addition to its text, in the record, in its branch and in the counts, as measured."""


class RecordedMessages:
    """Grows with its record. A message costs O(1); going to another branch costs O(n)."""

    def __init__(self, entries: Iterable[AnyEntry] = ()) -> None:
        self.branches = Branches()
        self.by_id: dict[str, Message] = {}  # of all branches, oldest first
        self.branch: list[Message] = []  # messages of the current one
        self.indexes: dict[str, int] = {}  # in `branch`
        self.counted = 0  # of `branch`: those that a person counts
        self.size = 0  # bytes of all of them, with what is kept of each: about
        self.totals = RunningTotals()
        self._operations: tuple[OperationRow, ...] | None = None  # None: there was more than messages since
        self.add(entries)

    def add(self, entries: Iterable[AnyEntry]) -> None:
        """Take in the next entries of the record."""
        is_elsewhere, entries = False, tuple(entries)
        self.totals = self.totals.after(entries)
        for entry in entries:
            self.branches.add(entry)
            if isinstance(entry, Message):
                self.by_id[entry.id] = entry
                self.size += SIZE_OF_MESSAGE + sum(map(_size_of, entry.parts))
                self.indexes[entry.id] = len(self.branch)
                self.branch.append(entry)
                self.counted += entry.is_counted
            else:
                is_elsewhere = is_elsewhere or isinstance(entry, Rewind | Switch)
                self._operations = None
        if is_elsewhere:
            self.branch = [entry for entry in self.branches.path() if isinstance(entry, Message)]
            self.indexes = {message.id: index for index, message in enumerate(self.branch)}
            self.counted = sum(message.is_counted for message in self.branch)

    @property
    def uncounted(self) -> int:
        """All others: system prompts, rests of replies, and messages of other branches."""
        return len(self.by_id) - self.counted

    def operations(self, entries: Sequence[AnyEntry]) -> tuple[OperationRow, ...]:
        """Return all operations of the record, which has these entries, oldest first."""
        if self._operations is None:
            self._operations = operation_rows(entries, self.branches)
        return self._operations

    def numbered(self, ids: Iterable[str]) -> list[tuple[int, Message]]:
        """Return those messages in their order, each with its index in the current branch; others last, with -1."""
        known = {i: self.indexes.get(i, -1) for i in ids if i in self.by_id}
        order = sorted(known.items(), key=lambda found: (found[1] < 0, found[1], self.by_id[found[0]].at))
        return [(index, self.by_id[i]) for i, index in order]

    def page(self, before: int, limit: int, around: str = "") -> list[tuple[int, Message]]:
        """Return the newest of the current branch below that index: at most `limit`, and a page's worth of text.

        around: the id of a message to be among them instead; nothing is returned if it is of another branch.
        """
        if around:
            index = self.indexes.get(around)
            if index is None:
                return []
            before = index + 1 + limit // 2
            before = before if index in page_indexes(self.branch, before, limit) else index + 1
        return [(index, self.branch[index]) for index in page_indexes(self.branch, before, limit)]


def _size_of(part: Part) -> int:
    """Return the bytes of what is long in a part."""
    match part:
        case Text(text) | Reasoning(text):
            return getsizeof(text)
        case ToolCall():
            return getsizeof(part.arguments)
        case ToolResult():
            return getsizeof(part.text)
        case Attachment():
            return getsizeof(part.content)


E = TypeVar("E", bound=Entry)


def stamp(entry: E) -> E:
    """Return the entry with an id and the time, unless it has them."""
    return replace(entry, id=entry.id or uuid.uuid4().hex, at=entry.at or time.time())
