"""What stands in the transcript, row by row: values made from the record's messages and operations. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from desktop_app.conversation.events import Failure, MessageRow, OperationRow, State
from desktop_app.conversation.message import Message, Role, ToolCall


class MessageItem(msgspec.Struct, frozen=True):
    """A message. call: what a tool message answers. shows_calls: whether its calls have no cards of their own.

    is_last_reply: the reply that can be asked for again.
    """

    row: MessageRow
    call: ToolCall | None = None
    shows_calls: bool = False
    is_last_reply: bool = False

    @property
    def key(self) -> str:
        """Names the row as long as it exists."""
        return self.row.message.id


class ReplyItem(msgspec.Struct, frozen=True):
    """A reply that is being written."""

    reply_id: str
    model: str
    text: str = ""
    reasoning: str = ""

    @property
    def key(self) -> str:
        """The stored message will have the same key."""
        return self.reply_id


class MarkItem(msgspec.Struct, frozen=True):
    """The place where the view was pruned or compacted."""

    operation: OperationRow

    @property
    def key(self) -> str:
        """Names the row."""
        return f"mark {self.operation.id}"


class FailureItem(msgspec.Struct, frozen=True):
    """Why a turn ended early. number: counts the failures of this visit."""

    failure: Failure
    number: int

    @property
    def key(self) -> str:
        """Names the row."""
        return f"failure {self.number}"


Item = MessageItem | ReplyItem | MarkItem | FailureItem


def items_of(rows: Sequence[MessageRow], operations: Iterable[OperationRow]) -> list[Item]:
    """The rows in their order, each operation's mark behind the last message that it touched.

    Abandoned messages are left out, and operations that are undone or whose last message is not among the rows.
    """
    shown = [row for row in rows if row.state is not State.ABANDONED]
    marks: dict[str, list[MarkItem]] = {}
    for operation in operations:
        if not operation.is_undone:
            marks.setdefault(operation.after_message_id, []).append(MarkItem(operation))
    last_reply = _last_reply(shown)
    items: list[Item] = []
    for row, call, shows_calls in _with_calls(shown):
        items.append(MessageItem(row, call, shows_calls, is_last_reply=row is last_reply))
        items += marks.get(row.message.id, ())
    return items


def _last_reply(rows: Sequence[MessageRow]) -> MessageRow | None:
    for row in reversed(rows):
        if row.message.role is Role.ASSISTANT:
            return row
        if row.message.role is Role.USER:
            return None
    return None


def _with_calls(rows: Sequence[MessageRow]) -> Iterable[tuple[MessageRow, ToolCall | None, bool]]:
    """Each row with the call that it answers. Pairs by id among the calls of the latest reply, else by position."""
    waiting: list[ToolCall] = []
    for position, row in enumerate(rows):
        message = row.message
        if message.role is Role.TOOL:
            yield row, _take_call(waiting, message), False
            continue
        waiting = list(message.tool_calls)
        answers = 0
        while position + answers + 1 < len(rows) and rows[position + answers + 1].message.role is Role.TOOL:
            answers += 1
        yield row, None, answers < len(waiting)


def _take_call(waiting: list[ToolCall], message: Message) -> ToolCall | None:
    result = message.tool_result
    if result is None or not waiting:
        return None
    position = next((n for n, call in enumerate(waiting) if call.call_id == result.call_id), 0)
    return waiting.pop(position)
