"""The events of a turn for programs: one JSON object each, in the order in which they happened."""

from __future__ import annotations

from typing import Any

import msgspec

from desktop_app.conversation.events import (
    GaugeChanged,
    MessageRecorded,
    Noticed,
    OperationRow,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    ViewChanged,
)
from desktop_app.conversation.message import Message, Role

Line = dict[str, Any]
OPERATION_EVENTS = {"prune": "pruned", "compaction": "compacted", "flush": "flushed"}


def lines_of(event: TurnEvent) -> list[Line]:
    """Return the lines to print for an event; each operation is an event of its own, with its figures."""
    match event:
        case MessageRecorded(conversation, row):
            return [_message_line(conversation, row.message, row.index)]
        case ViewChanged():
            return [_operation_line(event.conversation, row) for row in event.operations]
        case GaugeChanged(conversation, gauge):
            shown = {"total": gauge.total, "usable": gauge.usable, "window": gauge.window, "status": gauge.status}
            return [{"event": "gauge_changed", "conversation": conversation, **shown, "basis": gauge.provenance}]
        case TurnFailed(conversation, failure):
            return [{"event": "turn_failed", "conversation": conversation, **msgspec.to_builtins(failure)}]
        case Noticed(conversation, notice):
            return [{"event": "noticed", "conversation": conversation, **msgspec.to_builtins(notice)}]
        case TurnFinished():
            fields = msgspec.to_builtins(event)
            cost = fields.pop("dollars")
            return [{"event": fields.pop("type"), **fields, "cost": cost}]
        case _:
            fields = msgspec.to_builtins(event)
            return [{"event": fields.pop("type"), **fields}]


def _message_line(conversation: str, message: Message, index: int) -> Line:
    name = "reply_finished" if message.role is Role.ASSISTANT else "message_recorded"
    line: Line = {"event": name, "conversation": conversation, "index": index, "role": message.role.value}
    line |= {"id": message.id, "text": message.text, "interrupted": message.is_interrupted}
    if message.tool_calls:
        line["tool_calls"] = [msgspec.to_builtins(call) for call in message.tool_calls]
    if (result := message.tool_result) is not None:
        line |= {"name": result.name, "call_id": result.call_id, "is_error": result.is_error, "spill": result.spill}
    if message.usage is not None:
        line["usage"] = msgspec.to_builtins(message.usage)
    if message.continues:
        line["continues"] = message.continues
    return line


def _operation_line(conversation: str, row: OperationRow) -> Line:
    line: Line = {"event": OPERATION_EVENTS.get(row.kind, row.kind), "conversation": conversation, "id": row.id}
    line |= {"trigger": row.trigger, "strategies": row.strategies, "messages": row.messages, "undone": row.is_undone}
    line |= {"tokens_before": row.tokens_before, "tokens_after": row.tokens_after, "seconds": round(row.seconds, 3)}
    return line | {"summary": row.summary, "model": row.model, "note": row.note}
