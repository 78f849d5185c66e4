"""Rows of a transcript for tests."""

from __future__ import annotations

from collections.abc import Iterable

from desktop_app.conversation.events import MessageChange, MessageRow, MessageState, OperationRow
from desktop_app.conversation.message import Message, Part, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.transcript import Trigger

NOW = 1_760_000_000.0


def row(
    index: int, role: Role = Role.USER, *parts: Part, state: MessageState = MessageState.IN_VIEW, **of_row: object
) -> MessageRow:
    """A message named m<index>; without parts it says "message <index>"."""
    message = Message(id=f"m{index}", at=NOW + index, role=role, parts=parts or (Text(f"message {index}"),))
    return MessageRow(message, index, 10, state, **of_row)  # type: ignore[arg-type]


def chat(count: int, first: int = 0) -> list[MessageRow]:
    """Questions and answers in turn."""
    return [row(n, Role.USER if n % 2 == 0 else Role.ASSISTANT) for n in range(first, first + count)]


def call(index: int, *names: str) -> MessageRow:
    """A reply that calls tools; every call has the id "c", as real traces have."""
    calls = tuple(ToolCall("c", name, '{"path": "a.py", "lines": 3}') for name in names)
    return row(index, Role.ASSISTANT, *calls)


def result(index: int, name: str, text: str = "done", is_error: bool = False) -> MessageRow:
    """What a tool answered."""
    return row(index, Role.TOOL, ToolResult("c", name, text, is_error))


def compaction(number: int, after: int, is_undone: bool = False) -> OperationRow:
    """A compaction whose mark stands behind message `after`."""
    return OperationRow(
        id=f"op{number}", kind="compaction", at=NOW, trigger=Trigger.AFTER_TURN, strategies={"extractive": 1},
        messages=42, tokens_before=61_204, tokens_after=4_180, after_message_id=f"m{after}", is_undone=is_undone,
    )  # fmt: skip


def changes_of(rows: Iterable[MessageRow]) -> tuple[MessageChange, ...]:
    """How these messages stand now, as an event tells it."""
    return tuple(MessageChange(r.message.id, r.state, r.is_pinned, r.operation_id, r.sent_text) for r in rows)
