"""The rows of a transcript, made from the messages and operations of its record. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.events import Failure, MessageRow, MessageState, OperationRow
from desktop_app.conversation.message import Role, ToolCall

from .answers import EarlierItem, MissingReply, earlier_answers, missing_after
from .continued_replies import ReplyItem, join_continued
from .live_tools import ToolRuns
from .pages import GapItem, runs_of


class MessageItem(msgspec.Struct, frozen=True):
    """A message.

    call: what a tool message answers. unanswered: its calls without a card of their own. is_last_reply: whether it can
    be regenerated. slot: the key that its card had while the tool ran. missing: what it waits for; why: what happened
    instead, if known.
    """

    row: MessageRow
    call: ToolCall | None = None
    unanswered: tuple[ToolCall, ...] = ()
    is_last_reply: bool = False
    slot: str = ""
    missing: MissingReply = MissingReply.NOTHING
    why: str = ""

    @property
    def key(self) -> str:
        return self.slot or self.row.message.id


class ToolItem(msgspec.Struct, frozen=True):
    """A call whose result is not stored yet.

    tail: the end of its output; lines: the number of lines so far. index: which of the reply's calls it is, from 0.
    seconds: how long it has been running; None while it waits.
    """

    reply_id: str
    index: int
    call: ToolCall
    tail: str = ""
    lines: int = 0
    seconds: int | None = None

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
    """Why a turn ended early. number: a counter that makes its key unique."""

    failure: Failure
    number: int

    @property
    def key(self) -> str:
        return f"failure {self.number}"


Item = MessageItem | GapItem | EarlierItem | ReplyItem | ToolItem | MarkItem | FailureItem


def slot_of(reply_id: str, index: int) -> str:
    """Return the key of the card of a reply's call."""
    return f"{reply_id} call {index}"


class LiveState(msgspec.Struct, frozen=True):
    """What goes on in the conversation now.

    watched: replies whose calls were made while the conversation was shown; their cards keep their keys. now: seconds
    of the clock of `tools`. has_failed: whether a card says why the last turn ended. reasons: why messages have no
    answer.
    """

    tools: ToolRuns = msgspec.field(default_factory=ToolRuns)
    watched: frozenset[str] = frozenset()
    is_running: bool = False
    reply: ReplyItem | None = None
    now: float = 0.0
    has_failed: bool = False
    reasons: Mapping[str, str] = {}

    @property
    def is_settled(self) -> bool:
        """Whether nothing is under way, and no card says how it ended."""
        return not self.is_running and not self.has_failed and self.reply is None


IDLE = LiveState()
BEFORE_A_GAP = LiveState(has_failed=True)
"""Nobody knows whether what stands last there was answered."""


def items_with_gaps(
    rows: Sequence[MessageRow], operations: Sequence[OperationRow], live: LiveState = IDLE
) -> list[Item]:
    """Return the rows of a conversation of which only some pages are loaded."""
    items: list[Item] = []
    runs, end = runs_of(rows), 0
    for run in runs:
        if run[0].index > end:
            items.append(GapItem(end, run[0].index - 1))
        end = run[-1].index + 1
        items += items_of(run, operations, live if run is runs[-1] else BEFORE_A_GAP)
    return items if runs else items_of((), operations, live)


def items_of(rows: Sequence[MessageRow], operations: Iterable[OperationRow], live: LiveState = IDLE) -> list[Item]:
    """Return the rows in their order, each operation's mark behind the last message that it touched.

    Left out are operations that were undone, or whose last message is not among the rows. Replaced answers are one row
    behind what they answered; a reply that was continued is one row.
    """
    shown, roots = join_continued([row for row in rows if row.state is not MessageState.ABANDONED])
    earlier = {roots.get(after, after): item for after, item in earlier_answers(rows).items()}
    marks: dict[str, list[MarkItem]] = {}
    for operation in operations:
        if not operation.is_undone:
            after = roots.get(operation.after_message_id, operation.after_message_id)
            marks.setdefault(after, []).append(MarkItem(operation))
    items: list[Item] = []
    waiting = live.reply
    callers = {root: part for part, root in roots.items()}  # of the parts of a reply it is the last one that calls
    for item in _with_calls(shown, live, callers):
        if waiting is not None and waiting.continues == item.key:
            items.append(waiting)
            waiting = None
        else:
            items.append(item)
        if isinstance(item, MessageItem):
            items += marks.get(item.row.message.id, ())
            items += _earlier(item.row, earlier, shown, live)
    return items if waiting is None else [*items, waiting]


def _earlier(
    row: MessageRow, earlier: Mapping[str, EarlierItem], shown: Sequence[MessageRow], live: LiveState
) -> list[EarlierItem]:
    found = earlier.get(row.message.id)
    if found is None:
        return []
    has_newer = row is not shown[-1] or (live.reply is not None and bool(live.reply.text))
    return [replace(found, is_only=not has_newer)]


def with_run(item: ToolItem, tools: ToolRuns, now: float) -> ToolItem:
    """Return the card of a call with the present state of its run."""
    run = tools.run_of(item.reply_id, item.index)
    if run is None:
        return item
    seconds = int(now - run.started) if run.seconds is None else int(run.seconds)
    return replace(item, tail=run.tail, lines=run.lines, seconds=seconds)


def _last_reply(rows: Sequence[MessageRow]) -> MessageRow | None:
    for row in reversed(rows):
        if row.message.role is Role.ASSISTANT:
            return row
        if row.message.role is Role.USER:
            return None
    return None


def _with_calls(
    rows: Sequence[MessageRow], live: LiveState, callers: Mapping[str, str]
) -> Iterator[MessageItem | ToolItem]:
    """Yield messages with the calls that they answer; after a reply its results, in the order of its calls.

    callers: the message that made the calls, where it was joined to another one.
    """
    last_reply = _last_reply(rows)
    position = 0
    while position < len(rows):
        row = rows[position]
        missing, why = missing_after(rows, position, live.is_settled), live.reasons.get(row.message.id, "")
        position += 1
        if row.message.role is Role.TOOL:  # its call is on an older page, or was never made
            yield MessageItem(row, missing=missing)
            continue
        end = position
        while end < len(rows) and rows[end].message.role is Role.TOOL:
            end += 1
        by_index, others = pair_results(row.message.tool_calls, rows[position:end])
        caller = callers.get(row.message.id, row.message.id)
        is_live = live.is_running and end == len(rows) and caller in live.watched
        calls = row.message.tool_calls
        left = () if is_live else tuple(call for index, call in enumerate(calls) if index not in by_index)
        yield MessageItem(row, unanswered=left, is_last_reply=row is last_reply, missing=missing, why=why)
        ending = missing_after(rows, end - 1, live.is_settled) if end > position else MissingReply.NOTHING
        yield from _cards(caller, calls, by_index, live, is_live, ending)
        yield from (MessageItem(other) for other in others)
        position = end


def _cards(
    caller: str,
    calls: Sequence[ToolCall],
    by_index: Mapping[int, MessageRow],
    live: LiveState,
    is_live: bool,
    ending: MissingReply,
) -> Iterator[MessageItem | ToolItem]:
    """Yield the cards of a reply's calls. ending: what the last of them waits for."""
    is_watched, last = caller in live.watched, max(by_index, default=-1)
    for index, call in enumerate(calls):
        if index in by_index:
            missing = ending if index == last else MissingReply.NOTHING
            slot = slot_of(caller, index) if is_watched else ""
            yield MessageItem(by_index[index], call, slot=slot, missing=missing)
        elif is_live:
            yield with_run(ToolItem(caller, index, call), live.tools, live.now)


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
