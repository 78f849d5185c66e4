"""An open conversation in memory: its record, the view folded from it, and the events for the window."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Iterable, Sequence
from sys import getsizeof
from typing import TypeVar

from msgspec.structs import replace

from desktop_app.context.counting.breakdown import RunningTotals
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.context.policy import ContextPolicy
from desktop_app.context.view.view import View, newly_archived, view_after, view_of, with_entries
from desktop_app.conversation.branches import Branches
from desktop_app.conversation.events import (
    Failure,
    GaugeChanged,
    MessageRecorded,
    MessageRow,
    OperationRow,
    ViewChanged,
)
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import (
    Attachment,
    Entry,
    Message,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    Totals,
)
from desktop_app.conversation.setup import NO_PROJECT, ConversationSetup, Project, working_folder
from desktop_app.conversation.transcript import AnyEntry, Chain, Rewind, Switch, Transcript, Trigger, replace_surrogates
from desktop_app.conversation.unsent import UnsentMessages

from .operation_log import log_entries
from .ports import DELETED, ChatModel, EntryStore, WorldError
from .record_rows import changed_ids, message_changes, message_rows, operation_rows, page_indexes
from .request_counter import RequestCounter
from .tasks import shielded

SIZE_OF_MESSAGE = 1_000
"""Measured bytes that a message takes in addition to its text, in the record, its branch and the counts."""


class RecordedMessages:
    """Messages and operations of a record, indexed. Adding a message is O(1), switching to another branch O(n)."""

    def __init__(self, entries: Iterable[AnyEntry] = ()) -> None:
        self.branches = Branches()
        self.by_id: dict[str, Message] = {}  # of all branches, oldest first
        self.branch: list[Message] = []  # messages of the current branch
        self.indexes: dict[str, int] = {}  # in `branch`, by id
        self.counted = 0  # messages of `branch` that the sidebar counts
        self.size = 0  # approximate bytes of all messages and their caches
        self.totals = RunningTotals()
        self._operations: tuple[OperationRow, ...] | None = None  # None: out of date
        self.add(entries)

    def add(self, entries: Iterable[AnyEntry]) -> None:
        """Add the next entries of the record."""
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
        """The number of other messages: system prompts, continuations of replies, messages of other branches."""
        return len(self.by_id) - self.counted

    def operations(self, entries: Sequence[AnyEntry]) -> tuple[OperationRow, ...]:
        """Return the rows of all operations, oldest first. entries: all entries of the record."""
        if self._operations is None:
            self._operations = operation_rows(entries, self.branches)
        return self._operations

    def numbered(self, ids: Iterable[str]) -> list[tuple[int, Message]]:
        """Return these messages in order, with their indexes in the current branch; other messages last, with -1."""
        known = {i: self.indexes.get(i, -1) for i in ids if i in self.by_id}
        order = sorted(known.items(), key=lambda found: (found[1] < 0, found[1], self.by_id[found[0]].at))
        return [(index, self.by_id[i]) for i, index in order]

    def page(self, before: int, limit: int, around: str = "") -> list[tuple[int, Message]]:
        """Return the newest messages of the current branch below that index, as limited by `page_indexes`.

        around: the id of a message that the page must contain instead; if it is in another branch, the page is empty.
        """
        if around:
            index = self.indexes.get(around)
            if index is None:
                return []
            before = index + 1 + limit // 2
            before = before if index in page_indexes(self.branch, before, limit) else index + 1
        return [(index, self.branch[index]) for index in page_indexes(self.branch, before, limit)]


def _size_of(part: Part) -> int:
    """Return the bytes of the part's text."""
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
    """Return the entry with an id and a time; those that it has are kept."""
    return replace(entry, id=entry.id or uuid.uuid4().hex, at=entry.at or time.time())


class Session:
    """An open conversation: its record, the view folded from it, and the events that report changes of the view.

    Once `record` returns, its entries are stored and folded. A session is used on the engine's event loop only; threads
    get its frozen values (`transcript`, `view`).
    """

    def __init__(
        self,
        info: ConversationInfo,
        entries: tuple[AnyEntry, ...],
        model: ChatModel,
        policy: ContextPolicy,
        archive: EntryStore,
        setup: ConversationSetup = ConversationSetup(),  # noqa: B008 - frozen
        project: Project = NO_PROJECT,
    ) -> None:
        self.info, self.archive, self.setup, self.project = info, archive, setup, project
        self.transcript = Transcript(Chain(entries))
        self.view: View = view_of(self.transcript)
        self.recorded = RecordedMessages(entries)
        self.branches = self.recorded.branches
        self.reading = Reading()
        self.counter = RequestCounter(model, policy, setup, self.transcript, self.view, self.reading)
        # Held while an operation is measured and recorded, so that a repeated request sees the result of the first.
        self.changes = asyncio.Lock()
        self.is_leaving = False  # being deleted: no turn may begin
        # The reason why this session may no longer write: an import, or another session, may do so.
        self.closed_by: Failure | None = None
        self.noticed_pictures: set[int] = set()  # the damaged ones that the user was notified of

    def use(self, model: ChatModel) -> None:
        """Use the model from now on, with its tokenizer and its window."""
        self.counter = self.counter.for_model(model)

    @property
    def id(self) -> str:
        return self.info.id

    @property
    def model(self) -> ChatModel:
        return self.counter.model

    @property
    def folder(self) -> str:
        """The working folder of the tools; "" for none."""
        return working_folder(self.info.folder, self.project.folder).value

    @property
    def policy_name(self) -> str:
        """The name of the policy; "" for the one in the settings."""
        return self.info.policy or self.project.policy

    @property
    def total(self) -> int:
        """The number of messages in the current branch."""
        return len(self.recorded.branch)

    def gauge_changed(self) -> GaugeChanged:
        return GaugeChanged(self.id, self.counter.gauge())

    async def record(self, *entries: AnyEntry, unsent: UnsentMessages | None = None) -> None:
        """Store the entries in one transaction, then fold them. A cancellation never separates the two.

        unsent: the draft and the queue, if these entries change them.
        """
        await shielded(self._record(entries, unsent=unsent))

    async def _record(
        self,
        entries: tuple[AnyEntry, ...],
        archived: Sequence[str] = (),
        restored: Sequence[str] = (),
        unsent: UnsentMessages | None = None,
    ) -> None:
        self.refuse_if(self.closed_by is not None)
        entries = tuple(map(replace_surrogates, entries))  # they could be neither stored nor sent
        await self.archive.append(self.id, *entries, archived=archived, restored=restored, unsent=unsent)
        self.transcript = self.transcript.extend(entries)
        self.view = view_after(self.view, self.transcript)
        self.counter.follow(entries, self.transcript, self.view)
        log_entries(self.id, entries, self.transcript)
        self.recorded.add(entries)

    def close(self, reason: Failure = DELETED) -> None:
        """Refuse to begin turns or record entries from now on, with that reason."""
        self.is_leaving, self.closed_by = True, reason

    def refuse_if(self, is_gone: bool) -> None:
        """Raise WorldError with the reason why the session is closed, if `is_gone`."""
        if is_gone:
            raise WorldError(self.closed_by or DELETED)

    async def record_message(
        self, message: Message, *after: AnyEntry, unsent: UnsentMessages | None = None
    ) -> MessageRecorded:
        """Store a message, followed by other entries, as `record` does. Return the message's event."""
        await self.record(message, *after, unsent=unsent)
        return MessageRecorded(self.id, self.rows([message.id])[0])

    async def record_operation(self, *entries: AnyEntry, cause: Trigger | None = None) -> ViewChanged:
        """Store operations, pins or undos. Return the event with the changes of the view."""
        return await shielded(self._record_operation(entries, cause))

    async def _record_operation(self, entries: tuple[AnyEntry, ...], cause: Trigger | None) -> ViewChanged:
        before, known = self.view, {row.id: row for row in self.operations()}
        expected = view_of(with_entries(self.transcript, *entries))
        await self._record(entries, *newly_archived(before, expected))
        changed = changed_ids(before, self.view)
        for cache in (self.counter.counts, self.reading):
            cache.keep_only(self.view.messages)
        operations = tuple(row for row in self.operations() if known.get(row.id) != row)
        changes = message_changes((message.id for _, message in self.recorded.numbered(changed)), self.view)
        return ViewChanged(self.id, operations, changes, cause, self.pins(), self.totals(), self.other_versions())

    def operations(self) -> tuple[OperationRow, ...]:
        return self.recorded.operations(self.transcript.entries)

    def totals(self) -> Totals:
        return self.recorded.totals.totals

    def pins(self) -> tuple[MessageRow, ...]:
        """Return the rows of the pinned messages in the view, in order."""
        pins = self.view.pins
        return self.rows({item.message.id for item in self.view.items if item.message.id in pins} if pins else ())

    def other_versions(self) -> tuple[str, ...]:
        """Return the ids of the messages that follow the newest one in other branches."""
        return self.branches.followers(self.branches.newest)

    def message(self, message_id: str) -> Message | None:
        return self.recorded.by_id.get(message_id)

    def rows(self, ids: Iterable[str]) -> tuple[MessageRow, ...]:
        """Return the rows of the messages with these ids, in order; unknown ids are ignored."""
        return self._rows(self.recorded.numbered(ids))

    def page(self, before: int, limit: int, around: str = "") -> tuple[MessageRow, ...]:
        """Return the rows of a page of the current branch: see `RecordedMessages.page`."""
        return self._rows(self.recorded.page(before, limit, around))

    def _rows(self, messages: Sequence[tuple[int, Message]]) -> tuple[MessageRow, ...]:
        return message_rows(messages, self.view, self.counter.counts.total, self.branches.versions)
