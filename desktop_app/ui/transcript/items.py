"""The rows of a transcript, made from the messages and operations of its record. No Qt."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.events import Failure, MessageRow, OperationRow
from desktop_app.conversation.message import Role, ToolCall
from desktop_app.ui.live_turns import RESTING, LiveReply, LiveTurn, ToolRun

from .pages import GapItem, runs_of
from .replies import MissingReply, OtherVersionsItem, ReplyItem, join_continued, missing_after


class MessageItem(msgspec.Struct, frozen=True):
    """A message.

    call: what a tool message answers; slot: the key that its card had while the tool ran. unanswered: calls without a
    card of their own. can_regenerate: whether it is a reply that can be had anew now. missing: what it waits for.
    """

    row: MessageRow
    call: ToolCall | None = None
    unanswered: tuple[ToolCall, ...] = ()
    can_regenerate: bool = False
    slot: str = ""
    missing: MissingReply = MissingReply.NOTHING

    @property
    def key(self) -> str:
        return self.slot or self.row.message.id


class RunItem(msgspec.Struct, frozen=True):
    """Calls that follow each other without a text between them, with the replies that made them.

    is_open: whether each of them has its own row below.
    """

    items: tuple[MessageItem, ...]
    is_open: bool = False

    @property
    def key(self) -> str:
        return f"run {self.items[0].key}"

    @property
    def first(self) -> int:
        """The index of its first message."""
        return self.items[0].row.index

    @property
    def results(self) -> list[MessageItem]:
        return [item for item in self.items if item.row.message.role is Role.TOOL]

    def holds(self, key: str) -> bool:
        """Return whether a message with that id, or a row with that key, is one of it."""
        return any(key in (item.key, item.row.message.id) for item in self.items)


class ToolItem(msgspec.Struct, frozen=True):
    """A call whose result is not stored yet.

    index: which of the reply's calls it is, from 0. run: None while it waits. seconds: how long it has been running.
    """

    reply_id: str
    index: int
    call: ToolCall
    run: ToolRun | None = None
    seconds: int = 0

    @property
    def key(self) -> str:
        """The key that the stored result will have, too."""
        return slot_of(self.reply_id, self.index)


class MarkItem(msgspec.Struct, frozen=True):
    """A line where the view was pruned or compacted, or a memory was saved."""

    operation: OperationRow

    @property
    def key(self) -> str:
        return f"mark {self.operation.id}"


class FailureItem(msgspec.Struct, frozen=True):
    """Why a turn ended early. number: its position among the failures that are shown."""

    failure: Failure
    number: int

    @property
    def key(self) -> str:
        return f"failure {self.number}"


Item = MessageItem | GapItem | OtherVersionsItem | ReplyItem | ToolItem | RunItem | MarkItem | FailureItem


def slot_of(reply_id: str, index: int) -> str:
    """Return the key of the card of a reply's call."""
    return f"{reply_id} call {index}"


BEFORE_A_GAP = LiveTurn(is_running=True)
"""Nobody knows whether what stands last there was answered."""


def items_with_gaps(
    rows: Sequence[MessageRow],
    operations: Collection[OperationRow],
    turn: LiveTurn = RESTING,
    now: float = 0.0,
    other_versions: tuple[str, ...] = (),
) -> list[Item]:
    """Return all that is shown of a conversation, of which only some pages are loaded.

    now: by the clock of the turn's runs. other_versions: of what follows the newest message.
    """
    items: list[Item] = []
    runs, end = runs_of(rows), 0
    for run in runs[:-1]:
        items += [*_gap(end, run[0].index), *items_of(run, operations, BEFORE_A_GAP)]
        end = run[-1].index + 1
    newest = runs[-1] if runs else []
    items += _gap(end, newest[0].index) if newest else []
    items += [update_item(item, turn, now) for item in items_of(newest, operations, turn)]
    if other_versions and not turn.is_running:
        items.append(OtherVersionsItem(other_versions))
    return items + [FailureItem(failure, n) for n, failure in enumerate((*turn.notices, *turn.failures))]


def _gap(first: int, end: int) -> list[GapItem]:
    return [GapItem(first, end - 1)] if end > first else []


def update_item(item: Item, turn: LiveTurn, now: float) -> Item:
    """Return the item as the turn stands now, if it shows what goes on."""
    match item:
        case ReplyItem() if turn.reply is not None:
            return replace(item, reply=turn.reply)
        case ToolItem(reply_id, index) if (run := turn.runs.get((reply_id, index))) is not None:
            return replace(item, run=run, seconds=int(run.duration(now)))
        case _:
            return item


def items_of(
    rows: Sequence[MessageRow],
    operations: Iterable[OperationRow],
    turn: LiveTurn = RESTING,
) -> list[Item]:
    """Return the rows in their order, each operation's mark behind the last message that it touched.

    Left out are operations that were undone, or whose last message is not among the rows. A reply that was continued
    is one row.
    """
    shown, roots = join_continued(rows)
    marks: dict[str, list[MarkItem]] = {}
    for operation in operations:
        if not operation.is_undone:
            after = roots.get(operation.after_message_id, operation.after_message_id)
            marks.setdefault(after, []).append(MarkItem(operation))
    growing = _growing(rows, shown, roots, turn.reply)
    items: list[Item] = []
    for item in _with_cards(shown, roots, turn):
        is_continued = growing is not None and growing.key == item.key
        items.append(growing if growing is not None and is_continued else item)
        if isinstance(item, MessageItem):
            items += marks.get(item.row.message.id, ())
    return items if growing is None or growing.begun is not None else [*items, growing]


def _growing(
    rows: Sequence[MessageRow], shown: Sequence[MessageRow], roots: Mapping[str, str], reply: LiveReply | None
) -> ReplyItem | None:
    """Return the reply that is being written, unless it is stored already."""
    if reply is None or any(row.message.id == reply.reply_id for row in rows):
        return None
    root = roots.get(reply.continues, reply.continues)
    return ReplyItem(reply, next((row for row in shown if row.message.id == root), None))


def _with_cards(
    rows: Sequence[MessageRow], roots: Mapping[str, str], turn: LiveTurn
) -> Iterator[MessageItem | ToolItem]:
    """Yield each message and behind it the results of its calls, in the order of the calls."""
    callers = {root: part for part, root in roots.items()}  # of the parts of a reply it is the last one that calls
    starts = [index for index, row in enumerate(rows) if not index or row.message.role is not Role.TOOL]
    for start, end in pairwise([*starts, len(rows)]):
        row = rows[start]
        caller = callers.get(row.message.id, row.message.id)
        is_live = turn.is_running and end == len(rows) and caller == turn.calling
        first = MessageItem(row, can_regenerate=row.message.role is Role.ASSISTANT and not turn.is_running)
        items = _cards(first, rows[start + 1 : end], caller, is_live)
        if isinstance(last := items[-1], MessageItem):
            items[-1] = replace(last, missing=missing_after(rows, end - 1, turn.is_settled))
        yield from items


def _cards(
    reply: MessageItem, results: Sequence[MessageRow], caller: str, is_live: bool
) -> list[MessageItem | ToolItem]:
    """Return the reply and a card for each of its calls. caller: the id of the message that made them."""
    cards: list[MessageItem | ToolItem] = []
    left: list[ToolCall] = []
    calls = reply.row.message.tool_calls
    by_index, others = pair_results(calls, results)
    for index, call in enumerate(calls):
        if index in by_index:
            cards.append(MessageItem(by_index[index], call, slot=slot_of(caller, index)))
        elif is_live:
            cards.append(ToolItem(caller, index, call))
        else:
            left.append(call)
    return [replace(reply, unanswered=tuple(left)), *cards, *map(MessageItem, others)]


def pair_results(
    calls: Sequence[ToolCall], results: Sequence[MessageRow]
) -> tuple[dict[int, MessageRow], list[MessageRow]]:
    """Return the results by the index of their call, and those without one. Matches by id, else by position."""
    waiting = list(range(len(calls)))
    by_index: dict[int, MessageRow] = {}
    others: list[MessageRow] = []
    for row in results:
        result = row.message.tool_result
        if result is None or not waiting:
            others.append(row)
            continue
        index = next((index for index in waiting if calls[index].call_id == result.call_id), waiting[0])
        waiting.remove(index)
        by_index[index] = row
    return by_index, others


class RowChange(msgspec.Struct, frozen=True):
    """From `first` on, `removed` rows become `added` new ones; the first `kept` of both have the same keys."""

    first: int
    removed: int
    added: int
    kept: int


def change_between(old: Sequence[Item], new: Sequence[Item]) -> RowChange:
    """Return what lies between the equal rows at both ends."""
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    removed, added = len(old) - first - last, len(new) - first - last
    kept = 0
    while kept < min(removed, added) and old[first + kept].key == new[first + kept].key:
        kept += 1
    return RowChange(first, removed, added, kept)


def _common(old: Sequence[Item], new: Sequence[Item]) -> int:
    for count, (one, other) in enumerate(zip(old, new, strict=False)):
        if one != other:
            return count
    return min(len(old), len(new))
