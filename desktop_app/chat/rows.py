"""The record as the window shows it: messages with their state, operations with their figures. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from desktop_app.context.counting import Counts
from desktop_app.context.view import View, active_entries
from desktop_app.conversation.events import MessageRow, OperationRow, State
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import AnyEntry, Compaction, Operation, Prune


def message_rows(
    messages: Iterable[tuple[int, Message]], view: View, counts: Counts, sent: dict[str, tuple[str, str]]
) -> tuple[MessageRow, ...]:
    """Rows of those messages with their index. `sent`: operation and text of pruned ones, see `sent_texts`."""
    return tuple(_row(index, message, view, counts, sent.get(message.id)) for index, message in messages)


def _row(index: int, message: Message, view: View, counts: Counts, sent: tuple[str, str] | None) -> MessageRow:
    standing = view.standings.get(message.id)
    state, operation_id, sent_text = State.IN_VIEW, "", ""
    if standing is not None:
        state, operation_id = standing.state, standing.operation_id
    elif sent is not None:
        state, (operation_id, sent_text) = State.PRUNED, sent
    return MessageRow(
        message=message,
        index=index,
        tokens=counts.total(message),
        state=state,
        is_pinned=message.id in view.pins,
        operation_id=operation_id,
        sent_text=sent_text,
    )


def sent_texts(view: View) -> dict[str, tuple[str, str]]:
    """Of each pruned message in the view: the operation that pruned it, and its text as it is sent."""
    return {item.message.id: (item.pruned_by, item.message.text) for item in view.items if item.pruned_by}


def operation_rows(entries: Sequence[AnyEntry]) -> tuple[OperationRow, ...]:
    """All operations of a record, oldest first, the undone ones marked."""
    active = {entry.id for entry in active_entries(entries)}
    return tuple(operation_row(e, e.id not in active) for e in entries if isinstance(e, Prune | Compaction))


def operation_row(operation: Operation, is_undone: bool = False) -> OperationRow:
    """One operation for the history panel."""
    if isinstance(operation, Prune):
        strategies: dict[str, int] = {}
        for result in operation.results:
            strategies[result.strategy] = strategies.get(result.strategy, 0) + 1
        return OperationRow(
            id=operation.id,
            kind="prune",
            at=operation.at,
            trigger=operation.trigger,
            strategies=strategies,
            messages=len(operation.results),
            tokens_before=operation.tokens_before,
            tokens_after=operation.tokens_after,
            after_message_id=operation.results[-1].message_id if operation.results else "",
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
    )


def changed_ids(before: View, after: View) -> set[str]:
    """Ids of messages whose state, pin or text as sent differs between two views of one record."""
    changed = {
        i for i in before.standings.keys() | after.standings.keys() if before.standings.get(i) != after.standings.get(i)
    }
    changed |= before.pins ^ after.pins
    sent_before, sent_after = sent_texts(before), sent_texts(after)
    changed |= {i for i in sent_before.keys() | sent_after.keys() if sent_before.get(i) != sent_after.get(i)}
    return changed
