"""The rows of a transcript, built from its messages and operations. Uses no Qt.

A continued reply is joined with its continuation. Rows also show replies that are being written, that are in another
branch, or that are missing. Only the end of a conversation and pages around the reader's position are loaded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import pairwise

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.events import Failure, MessageRow, OperationRow
from desktop_app.conversation.message import Message, Part, Reasoning, Role, Text, ToolCall
from desktop_app.conversation.words import translatable
from desktop_app.ui.live_turns import RESTING, LiveReply, LiveTurn, ToolRun


class MissingReply(Enum):
    """What is missing after a message. The value is the English text shown below it, to be translated."""

    NOTHING = ""
    ANSWER = translatable("No answer yet.")
    REST = translatable("This reply ended early. What had arrived is kept.")
    CUT = translatable("This reply was cut: it reached the longest length of one reply.")
    CUT_CALL = translatable("This reply reached the longest length in the middle of a tool call, which was not run.")
    CUT_THOUGHTS = translatable("The model reached the longest length of one reply before it answered.")
    REFUSED = translatable("The provider refused to answer this, or to go on with it.")
    BAD_CALL = translatable("The model made a tool call that could not be read. Nothing was run.")
    EMPTY = translatable("The model gave no answer.")
    ONLY_THOUGHTS = translatable("The model only reasoned, and gave no answer.")
    PASSED_OVER = translatable("Not answered.")


class OtherVersionsItem(msgspec.Struct, frozen=True):
    """The messages that follow the newest message in other branches, if none follows it in the current one."""

    ids: tuple[str, ...]

    @property
    def key(self) -> str:
        return "other versions"


def missing_after(rows: Sequence[MessageRow], index: int, is_settled: bool) -> MissingReply:
    """Return what is missing after the message at that index.

    rows: the messages that are shown. is_settled: see `LiveTurn`.
    """
    message = rows[index].message
    is_last = index == len(rows) - 1
    if is_last and is_settled and message.role in (Role.USER, Role.TOOL):
        return MissingReply.ANSWER
    if is_last and is_settled and message.role is Role.ASSISTANT:
        return _missing_of(message)
    is_passed_over = not is_last and message.role is Role.USER and rows[index + 1].message.role is Role.USER
    return MissingReply.PASSED_OVER if is_passed_over else MissingReply.NOTHING


def _missing_of(reply: Message) -> MissingReply:
    """Return what is missing in a reply that is the last message."""
    thinks = any(isinstance(part, Reasoning) for part in reply.parts)
    match reply.ending:
        case "length" if reply.lost_call:
            return MissingReply.CUT_CALL
        case "length":
            return MissingReply.CUT if reply.can_continue else MissingReply.CUT_THOUGHTS
        case "content_filter":
            return MissingReply.REFUSED
        case "malformed_call":
            return MissingReply.BAD_CALL
        case "empty":
            return MissingReply.ONLY_THOUGHTS if thinks else MissingReply.EMPTY
        case _:
            return MissingReply.REST if reply.is_interrupted else MissingReply.NOTHING


class ReplyItem(msgspec.Struct, frozen=True):
    """A reply that is being written. begun: the message that it continues; None for none."""

    reply: LiveReply
    begun: MessageRow | None = None

    @property
    def key(self) -> str:
        """The key, which the stored message will also have."""
        return self.begun.message.id if self.begun is not None else self.reply.reply_id

    @property
    def text(self) -> str:
        return (self.begun.message.text if self.begun is not None else "") + self.reply.text

    @property
    def reasoning(self) -> str:
        parts = self.begun.message.parts if self.begun is not None else ()
        return "\n\n".join(part.text for part in parts if isinstance(part, Reasoning)) + self.reply.reasoning


def join_continued(rows: Sequence[MessageRow]) -> tuple[list[MessageRow], dict[str, str]]:
    """Return the rows with each chain of continued replies joined to one, with the id of its first message.

    The second value maps the id of each joined message to that id. A reply whose beginning is not loaded is unchanged.
    """
    joined: list[MessageRow] = []
    indices: dict[str, int] = {}
    roots: dict[str, str] = {}
    for row in rows:
        index = indices.get(row.message.continues) if row.message.continues else None
        if index is None:
            indices[row.message.id] = len(joined)
            joined.append(row)
        else:
            indices[row.message.id] = index
            roots[row.message.id] = joined[index].message.id
            joined[index] = _concatenate(joined[index], row)
    return joined, roots


def _concatenate(first: MessageRow, second: MessageRow) -> MessageRow:
    head, tail = first.message, second.message
    message = replace(
        head,
        parts=_join_parts(head, tail),
        is_interrupted=tail.is_interrupted,
        ending=tail.ending,
        lost_call=tail.lost_call,
        usage=tail.usage,
        seconds=head.seconds + tail.seconds,
    )
    is_pinned = first.is_pinned or second.is_pinned
    return replace(first, message=message, tokens=first.tokens + second.tokens, state=second.state, is_pinned=is_pinned)


def _join_parts(head: Message, tail: Message) -> tuple[Part, ...]:
    """Return the parts of both messages, with the text of the second appended to the text of the first."""
    before, after = list(head.parts), list(tail.parts)
    last = next((n for n in reversed(range(len(before))) if isinstance(before[n], Text)), None)
    first = next((n for n, part in enumerate(after) if isinstance(part, Text)), None)
    if last is not None and first is not None:
        beginning, continuation = before[last], after.pop(first)
        assert isinstance(beginning, Text)
        assert isinstance(continuation, Text)
        before[last] = Text(beginning.text + continuation.text)
    return (*before, *after)


PAGE = 60  # messages in a page from the engine
MAX_OLDER = 600  # messages that are kept in addition to the newest page


class GapItem(msgspec.Struct, frozen=True):
    """Messages that are not loaded: from index `first` to `last`, inclusive."""

    first: int
    last: int

    @property
    def key(self) -> str:
        return f"gap {self.first} {self.last}"

    @property
    def count(self) -> int:
        return self.last - self.first + 1


def merge_pages(rows: Iterable[MessageRow], page: Iterable[MessageRow]) -> list[MessageRow]:
    """Return the messages of both in order; of a message in both, the one in `rows`."""
    by_index = {row.index: row for row in page} | {row.index: row for row in rows}
    return [by_index[index] for index in sorted(by_index)]


def trim_rows(rows: Sequence[MessageRow], around: int) -> list[MessageRow]:
    """Return the newest page and the messages near that index, so that their number is bounded."""
    if len(rows) <= MAX_OLDER + PAGE:
        return list(rows)
    newest = rows[-1].index - PAGE
    return [row for row in rows if row.index > newest or abs(row.index - around) <= MAX_OLDER // 2]


def runs_of(rows: Sequence[MessageRow]) -> list[list[MessageRow]]:
    """Return the runs of consecutive messages."""
    runs: list[list[MessageRow]] = []
    for row in rows:
        if runs and row.index == runs[-1][-1].index + 1:
            runs[-1].append(row)
        else:
            runs.append([row])
    return runs


def page_to_read(gap: GapItem, top: float, height: float, seen: tuple[float, float], near: float) -> int | None:
    """Return the index before which a page should be read; None while the gap is far from the visible range.

    top, height: the gap's, in pixels. seen: the visible range. The end of the gap next to loaded messages is read
    first.
    """
    bottom = top + height
    if bottom < seen[0] - near or top > seen[1] + near:
        return None
    if bottom <= seen[1] + near:
        return gap.last + 1
    if top >= seen[0] - near:
        return min(gap.first + PAGE, gap.last + 1)
    middle = gap.first + ((seen[0] + seen[1]) / 2 - top) / max(height, 1) * gap.count
    return min(max(int(middle) + PAGE // 2, gap.first + PAGE), gap.last + 1)


class MessageItem(msgspec.Struct, frozen=True):
    """A message.

    call: the call that a tool message answers. slot: the key that its card had while the tool was running. unanswered:
    calls of a reply without their own card. can_regenerate: whether it is a reply that can be regenerated now. missing:
    what is missing after it.
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
    """Consecutive calls without text between them, with the replies that made them.

    is_open: whether their own rows are shown below.
    """

    items: tuple[MessageItem, ...]
    is_open: bool = False

    @property
    def key(self) -> str:
        return f"run {self.items[0].key}"

    @property
    def first(self) -> int:
        """The index of the first message."""
        return self.items[0].row.index

    @property
    def results(self) -> list[MessageItem]:
        return [item for item in self.items if item.row.message.role is Role.TOOL]

    def holds(self, key: str) -> bool:
        """Return whether the run contains a message with that id, or a row with that key."""
        return any(key in (item.key, item.row.message.id) for item in self.items)


class ToolItem(msgspec.Struct, frozen=True):
    """A call whose result is not stored yet.

    index: its index among the reply's calls. run: None while it waits. seconds: how long it has been running.
    """

    reply_id: str
    index: int
    call: ToolCall
    run: ToolRun | None = None
    seconds: int = 0

    @property
    def key(self) -> str:
        """The key, which the stored result will also have."""
        return slot_of(self.reply_id, self.index)


def mark_key(operation_id: str) -> str:
    """Return the key of an operation's line."""
    return f"mark {operation_id}"


class MarkItem(msgspec.Struct, frozen=True):
    """A line for an operation: the view was pruned or compacted, or memories were saved."""

    operation: OperationRow

    @property
    def key(self) -> str:
        return mark_key(self.operation.id)


class FailureItem(msgspec.Struct, frozen=True):
    """A failure or a notice of a turn. number: its position among the ones that are shown."""

    failure: Failure
    number: int

    @property
    def key(self) -> str:
        return f"failure {self.number}"


Item = MessageItem | GapItem | OtherVersionsItem | ReplyItem | ToolItem | RunItem | MarkItem | FailureItem


def slot_of(reply_id: str, index: int) -> str:
    """Return the key of the card for one of a reply's calls."""
    return f"{reply_id} call {index}"


BEFORE_A_GAP = LiveTurn(is_running=True)
"""The turn for messages before a gap: it is not known whether the last one was answered."""


def items_with_gaps(
    rows: Sequence[MessageRow],
    operations: Collection[OperationRow],
    turn: LiveTurn = RESTING,
    now: float = 0.0,
    other_versions: tuple[str, ...] = (),
) -> list[Item]:
    """Return the items of a conversation, of which only some pages are loaded.

    now: the time by the clock of the turn's runs. other_versions: ids of the messages that follow the newest one in
    other branches.
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
    """Return the item updated from the turn, if it shows a reply or a call in progress."""
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
    """Return the items in order, with each operation's mark after the last message that it concerns.

    Operations that were undone, or whose last message is not among the rows, are omitted. A continued reply is one
    item.
    """
    joined, roots = join_continued(rows)
    marks: dict[str, list[MarkItem]] = {}
    for operation in operations:
        if not operation.is_undone:
            after = roots.get(operation.after_message_id, operation.after_message_id)
            marks.setdefault(after, []).append(MarkItem(operation))
    growing = _growing(rows, joined, roots, turn.reply)
    items: list[Item] = []
    for item in _with_cards(joined, roots, turn):
        is_continued = growing is not None and growing.key == item.key
        items.append(growing if growing is not None and is_continued else item)
        if isinstance(item, MessageItem):
            items += marks.get(item.row.message.id, ())
    return items if growing is None or growing.begun is not None else [*items, growing]


def _growing(
    rows: Sequence[MessageRow], joined: Sequence[MessageRow], roots: Mapping[str, str], reply: LiveReply | None
) -> ReplyItem | None:
    """Return an item for the reply that is being written, unless that is already stored."""
    if reply is None or any(row.message.id == reply.reply_id for row in rows):
        return None
    root = roots.get(reply.continues, reply.continues)
    return ReplyItem(reply, next((row for row in joined if row.message.id == root), None))


def _with_cards(
    rows: Sequence[MessageRow], roots: Mapping[str, str], turn: LiveTurn
) -> Iterator[MessageItem | ToolItem]:
    """Yield each message, followed by the results of its calls, in the order of the calls."""
    callers = {root: part for part, root in roots.items()}  # in a continued reply, the last part makes the calls
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
    """Return the reply and a card for each of its calls. caller: the id of the message that made the calls."""
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
    """Return the results by the index of their call, and results without a call. Match by id, or else by position."""
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
    """A change of rows: from `first` on, `removed` rows become `added` ones; the first `kept` have the same keys."""

    first: int
    removed: int
    added: int
    kept: int


def change_between(old: Sequence[Item], new: Sequence[Item]) -> RowChange:
    """Return the change between the equal rows at both ends."""
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    removed, added = len(old) - first - last, len(new) - first - last
    kept = 0
    while kept < min(removed, added) and old[first + kept].key == new[first + kept].key:
        kept += 1
    return RowChange(first, removed, added, kept)


def _common(old: Sequence[Item], new: Sequence[Item]) -> int:
    for count, (before, after) in enumerate(zip(old, new, strict=False)):
        if before != after:
            return count
    return min(len(old), len(new))
