"""What the model sees: a fold of the record. Nothing else may decide what is sent.

view_of(transcript)      the whole fold
view_after(view, t)      the same, by the work of one message when only a message was appended
assemble(view)           the messages of the request, in their order
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.chain import Chain
from desktop_app.conversation.events import State
from desktop_app.conversation.facts import Ledger
from desktop_app.conversation.message import Message, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.transcript import (
    AnyEntry,
    BringBack,
    Compaction,
    Pin,
    Prune,
    PrunedResult,
    Rewind,
    Transcript,
    Undo,
    Unpin,
)

NO_RESULT = "[No result was recorded for this call.]"
SUMMARY_HEADING = "[Summary of the earlier conversation. The messages themselves are archived.]"


class Kind(StrEnum):
    """What an item of the view is."""

    MESSAGE = "message"
    SUMMARY = "summary"
    REPAIR = "repair"


class Item(msgspec.Struct, frozen=True):
    """One message of the view, as the model sees it. A pruned one differs from the record's message."""

    message: Message
    kind: Kind = Kind.MESSAGE
    is_pinned: bool = False
    pruned_by: str = ""


class Standing(msgspec.Struct, frozen=True):
    """Where a message of the record stands, when it is not simply in the view. operation_id: what put it there."""

    state: State
    operation_id: str = ""


class View(msgspec.Struct, frozen=True):
    """The fold of one transcript. Treat it as read-only: its parts are shared with later views.

    items: the request's messages in order, the system prompt and the summary first.
    open_calls: calls of the last assistant message that have no result yet.
    standings: messages that are not in the view, by id. ledger: the facts that code kept from archived messages.
    """

    items: Chain[Item]
    open_calls: tuple[ToolCall, ...] = ()
    standings: dict[str, Standing] = {}
    pins: frozenset[str] = frozenset()
    summary: Compaction | None = None
    entries: Chain[AnyEntry] = msgspec.field(default_factory=lambda: Chain[AnyEntry]())

    @property
    def ledger(self) -> Ledger:
        """The facts kept from everything that is archived."""
        return self.summary.ledger if self.summary else Ledger()

    @property
    def last_user_id(self) -> str:
        """The id of the newest user message in the view, or ""."""
        newest = (i.message.id for i in reversed(self.items) if i.kind is Kind.MESSAGE and i.message.role is Role.USER)
        return next(newest, "")


def active_entries(entries: Iterable[AnyEntry]) -> list[AnyEntry]:
    """The entries that hold: without undone operations and without the undoing. An undone `Undo` undoes nothing."""
    newest_first = list(entries)[::-1]
    undone: set[str] = set()
    holding: list[AnyEntry] = []
    for entry in newest_first:
        if entry.id in undone:
            continue
        if isinstance(entry, Undo):
            undone.add(entry.entry_id)
        else:
            holding.append(entry)
    return holding[::-1]


def view_of(transcript: Transcript) -> View:
    """The whole fold: what the model sees of that record."""
    fold = _Fold()
    for entry in active_entries(transcript.entries):
        fold.add(entry)
    return fold.view(transcript.entries)


def view_after(view: View, transcript: Transcript) -> View:
    """The view of `transcript`, which grew from the view's own. Messages alone cost only themselves."""
    entries = transcript.entries
    if not entries.extends(view.entries):
        return view_of(transcript)
    new = entries[len(view.entries) :]
    if not all(isinstance(entry, Message) and entry.role is not Role.SYSTEM for entry in new):
        return view_of(transcript)
    items, open_calls = view.items, view.open_calls
    for entry in new:
        if isinstance(entry, Message):
            added, open_calls = legal(entry, open_calls)
            for item in added:
                items = items.append(item)
    return replace(view, items=items, open_calls=open_calls, entries=entries)


def previewed(transcript: Transcript, *entries: AnyEntry) -> Transcript:
    """The record as it would be with those entries. It is copied, not grown: other threads may grow it meanwhile."""
    return Transcript(Chain([*transcript.entries, *entries]))


def assemble(view: View) -> list[Message]:
    """The messages of the request. Calls that are still open are closed, since no provider accepts them."""
    closing = [_missing_result(call, "open").message for call in view.open_calls]
    return [item.message for item in view.items] + closing


def legal(message: Message, open_calls: tuple[ToolCall, ...]) -> tuple[list[Item], tuple[ToolCall, ...]]:
    """The items that a message adds, so that calls and results stay paired, and the calls open after it.

    A call without a result gets one that says so; a result without a call becomes a user's note. Pairs are
    found by position and id, because ids repeat within real conversations.
    """
    if message.role is not Role.TOOL:
        missing = [_missing_result(call, message.id) for call in open_calls]
        return [*missing, Item(message)], message.tool_calls
    result = message.tool_result or ToolResult("", "tool", message.text)
    paired = next((call for call in open_calls if call.call_id == result.call_id), None)
    if paired is None:
        note = Text(f"[Result of {result.name}, whose call is not in this conversation]\n{result.text}")
        missing = [_missing_result(call, message.id) for call in open_calls]
        return [*missing, Item(replace(message, role=Role.USER, parts=(note,)), Kind.REPAIR)], ()
    position = open_calls.index(paired)
    return [Item(message)], open_calls[:position] + open_calls[position + 1 :]


def _missing_result(call: ToolCall, before: str) -> Item:
    """A result that says that there is none. Its id depends on its place alone: the prefix stays the same."""
    result = ToolResult(call.call_id, call.name, NO_RESULT, is_error=True)
    return Item(Message(id=f"{before}/{call.call_id}", role=Role.TOOL, parts=(result,)), Kind.REPAIR)


def is_made_up(item: Item) -> bool:
    """Whether the view put that item in: a missing result, which is not in the record and leaves with its call."""
    return item.kind is Kind.REPAIR and item.message.role is Role.TOOL


def summary_message(compaction: Compaction) -> Message:
    """The summary as the model reads it: a user message, so that every provider accepts it as the first one."""
    text = f"{SUMMARY_HEADING}\n\n{compaction.summary}"
    return Message(id=compaction.id, at=compaction.at, role=Role.USER, parts=(Text(text),))


class _Fold:
    """The state of one fold; lives only within `view_of`."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.standings: dict[str, Standing] = {}
        self.pruned: dict[str, tuple[str, PrunedResult]] = {}
        self.pins: set[str] = set()
        self.summary: Compaction | None = None

    def add(self, entry: AnyEntry) -> None:
        match entry:
            case Message():
                self.messages.append(entry)
            case Prune():
                self.pruned.update({result.message_id: (entry.id, result) for result in entry.results})
            case Compaction():
                self.standings.update({i: Standing(State.ARCHIVED, entry.id) for i in entry.archived})
                self.summary = entry
            case Pin():
                self.pins.add(entry.message_id)
            case Unpin():
                self.pins.discard(entry.message_id)
            case BringBack():
                for message_id in entry.message_ids:
                    self.standings.pop(message_id, None)
            case Rewind():
                self._abandon(entry)
            case _:
                pass

    def _abandon(self, rewind: Rewind) -> None:
        """The first message and all that came after it, up to the rewind, are off the branch."""
        ids = [message.id for message in self.messages]
        if rewind.first_message_id in ids:
            for message_id in ids[ids.index(rewind.first_message_id) :]:
                self.standings[message_id] = Standing(State.ABANDONED, rewind.id)

    def view(self, entries: Chain[AnyEntry]) -> View:
        present = [m for m in self.messages if m.id not in self.standings]
        system = [Item(m) for m in present if m.role is Role.SYSTEM]
        summary = [Item(summary_message(self.summary), Kind.SUMMARY)] if self.summary else []
        items: Chain[Item] = Chain([*system, *summary])
        open_calls: tuple[ToolCall, ...] = ()
        for message in present:
            if message.role is Role.SYSTEM:
                continue
            added, open_calls = legal(message, open_calls)
            for item in added:
                items = items.append(self._as_sent(item))
        return View(items, open_calls, self.standings, frozenset(self.pins), self.summary, entries)

    def _as_sent(self, item: Item) -> Item:
        message, (operation_id, pruned) = item.message, self.pruned.get(item.message.id, ("", None))
        result = message.tool_result
        if pruned is not None and result is not None:
            message = replace(message, parts=(replace(result, text=pruned.text),))
        return Item(message, item.kind, message.id in self.pins, operation_id)
