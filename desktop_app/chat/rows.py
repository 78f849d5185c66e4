"""The record as the window shows it: messages with their state, operations with their figures. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from desktop_app.context.view.view import View, active_entries
from desktop_app.conversation.events import MessageChange, MessageRow, MessageState, OperationRow
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import AnyEntry, Compaction, ConversationLink, Flush, Operation, Prune, Trigger


def message_row(index: int, message: Message, tokens: int, status: MessageChange) -> MessageRow:
    """One message for the window. index: its position among the conversation's messages."""
    return status.apply_to(MessageRow(message=message, index=index, tokens=tokens))


def change_of(message_id: str, view: View, sent: dict[str, tuple[str, str]]) -> MessageChange:
    """Return how a message stands in a view. `sent`: operation and text of pruned ones, see `sent_texts`."""
    status = view.statuses.get(message_id)
    is_pinned = message_id in view.pins
    if status is not None:
        return MessageChange(message_id, status.state, is_pinned, status.operation_id)
    if message_id in sent:
        return MessageChange(message_id, MessageState.PRUNED, is_pinned, *sent[message_id])
    return MessageChange(message_id, is_pinned=is_pinned)


def sent_texts(view: View) -> dict[str, tuple[str, str]]:
    """Of each pruned message in the view: the operation that pruned it, and its text as it is sent."""
    return {
        message_id: (pruned.operation_id, _as_sent(message))
        for message_id, (pruned, message) in view.pruned.items()
        if message_id not in view.statuses
    }


def _as_sent(message: Message) -> str:
    """Return the text of a pruned result, or the arguments of pruned calls."""
    return message.text if message.tool_result else "\n".join(call.arguments for call in message.tool_calls)


def operation_rows(entries: Sequence[AnyEntry]) -> tuple[OperationRow, ...]:
    """All operations of a record, oldest first, the undone ones marked; the steps of one plan are one operation."""
    active = {entry.id for entry in active_entries(entries)}
    rows: list[OperationRow] = []
    indexes: dict[str, int] = {}
    newest = ""
    for entry in entries:
        match entry:
            case Message():
                newest = entry.id
            case Prune() | Compaction():
                row, first = operation_row(entry, entry.id not in active), indexes.get(entry.plan_id)
                if first is None:
                    indexes.update({entry.plan_id: len(rows)} if entry.plan_id else {})
                    rows.append(row)
                else:
                    rows[first] = _one_row(rows[first], row)
            case Flush():
                if entry.memories:
                    rows.append(replace(flush_row(entry, newest), is_undone=entry.id not in active))
            case ConversationLink():
                rows.append(link_row(entry, newest))
            case _:
                pass
    return tuple(rows)


def _one_row(first: OperationRow, second: OperationRow) -> OperationRow:
    """Return two steps of one plan as one operation: it has the first one's id and is what the second one is."""
    return replace(
        second,
        id=first.id,
        strategies={**first.strategies, **second.strategies},
        tokens_before=first.tokens_before,
        is_undone=first.is_undone and second.is_undone,
    )


def flush_row(flush: Flush, after: str) -> OperationRow:
    """Return what was saved to memory, for the history panel. after: the message that it stands behind."""
    return OperationRow(
        id=flush.id,
        kind="flush",
        at=flush.at,
        trigger=flush.trigger,
        messages=len(flush.memories),
        after_message_id=after,
        summary="\n".join(flush.texts),
        model=flush.model,
        usage=flush.usage,
    )


def link_row(link: ConversationLink, after: str) -> OperationRow:
    """Return the way to another conversation."""
    return OperationRow(
        id=link.id,
        kind="link",
        at=link.at,
        trigger=Trigger.USER,
        strategies={"from" if link.is_back else "to": 1},
        after_message_id=after,
        note=link.title,
        linked=link.conversation,
    )


def operation_row(operation: Operation, is_undone: bool = False) -> OperationRow:
    """One operation for the history panel."""
    if isinstance(operation, Prune):
        strategies: dict[str, int] = {}
        for pruned in (*operation.results, *operation.inputs):
            strategies[pruned.strategy] = strategies.get(pruned.strategy, 0) + 1
        touched = operation.message_ids
        return OperationRow(
            id=operation.id,
            kind="prune",
            at=operation.at,
            trigger=operation.trigger,
            strategies=strategies,
            messages=len(touched),
            tokens_before=operation.tokens_before,
            tokens_after=operation.tokens_after,
            after_message_id=touched[-1] if touched else "",
            is_undone=is_undone,
        )
    return OperationRow(
        id=operation.id,
        kind="compaction",
        at=operation.at,
        trigger=operation.trigger,
        strategies={operation.strategy: len(operation.archived)},
        messages=len(operation.archived),
        tokens_before=operation.tokens_before,
        tokens_after=operation.tokens_after,
        after_message_id=operation.archived[-1] if operation.archived else "",
        summary=operation.summary,
        fidelity=operation.fidelity,
        seconds=operation.seconds,
        model=operation.model,
        is_undone=is_undone,
        usage=operation.usage,
        note=operation.note,
    )


def changed_ids(before: View, after: View) -> set[str]:
    """Ids of messages whose state, pin or text as sent differs between two views of one record."""
    changed = {
        i for i in before.statuses.keys() | after.statuses.keys() if before.statuses.get(i) != after.statuses.get(i)
    }
    changed |= before.pins ^ after.pins
    sent_before, sent_after = sent_texts(before), sent_texts(after)
    changed |= {i for i in sent_before.keys() | sent_after.keys() if sent_before.get(i) != sent_after.get(i)}
    return changed
