"""Pure functions that turn a record into rows for the window: messages with their state, operations with figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from desktop_app.context.view.items import Item
from desktop_app.context.view.view import View
from desktop_app.conversation.branches import Branches
from desktop_app.conversation.events import MessageChange, MessageRow, MessageState, OperationRow
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import (
    AnyEntry,
    Compaction,
    ConversationLink,
    FailedCompaction,
    Flush,
    Operation,
    Prune,
    StandingSummary,
    Trigger,
    active_entries,
)

PAGE_CHARACTERS = 300_000
"""Characters of text in one page, which the window decodes in a few milliseconds."""


def page_indexes(messages: Sequence[Message], before: int, limit: int) -> range:
    """Return the newest indexes below `before`: at most `limit`, and about `PAGE_CHARACTERS` of text."""
    end = max(min(before, len(messages)), 0)
    start, characters = end, 0
    while start > max(end - limit, 0) and characters < PAGE_CHARACTERS:
        start -= 1
        characters += len(messages[start].text)
    return range(start, end)


def message_rows(
    messages: Sequence[tuple[int, Message]],
    view: View,
    tokens_of: Callable[[Message], int],
    versions_of: Callable[[str], tuple[str, ...]],
) -> tuple[MessageRow, ...]:
    """Return the rows of messages, which are passed with their indexes, in their current state in the view.

    tokens_of: returns the tokens of a message on its own, as counted here; joined to the message before it, it takes
    one frame less in the request. versions_of: see `Branches.versions`.
    """
    rows: list[MessageRow] = []
    sent = _items_of(view, (message.id for _, message in messages))
    for index, message in messages:
        versions = versions_of(message.id)
        row = MessageRow(message, index, tokens_of(message), versions=versions if len(versions) > 1 else ())
        rows.append(_change_of(message.id, view, sent).apply_to(row))
    return tuple(rows)


def message_changes(ids: Iterable[str], view: View) -> tuple[MessageChange, ...]:
    """Return the current state of the messages with those ids in the view."""
    ids = tuple(ids)
    sent = _items_of(view, ids)
    return tuple(_change_of(message_id, view, sent) for message_id in ids)


def _change_of(message_id: str, view: View, sent: Mapping[str, Item]) -> MessageChange:
    status = view.statuses.get(message_id)
    is_pinned = message_id in view.pins
    if status is not None:
        return MessageChange(message_id, status.state, is_pinned, status.operation_id)
    item = sent.get(message_id)
    if item is not None and item.pruned_by:
        return MessageChange(message_id, MessageState.PRUNED, is_pinned, item.pruned_by, _as_sent(item.message))
    return MessageChange(message_id, is_pinned=is_pinned)


def _items_of(view: View, ids: Iterable[str]) -> dict[str, Item]:
    """Map the ids of messages in the view to their items.

    The search begins at the end of the view, so that it is cheap for messages that were just recorded.
    """
    wanted = {message_id for message_id in ids if message_id not in view.statuses}
    sent: dict[str, Item] = {}
    for item in reversed(view.items):
        if not wanted:
            break
        if item.message.id in wanted:
            sent[item.message.id] = item
        wanted.discard(item.message.id)
    return sent


def _as_sent(message: Message) -> str:
    """Return the text of a pruned result or reply, or the arguments of its pruned calls."""
    return "\n".join(call.arguments for call in message.tool_calls) if message.tool_calls else message.text


def operation_rows(entries: Sequence[AnyEntry], branches: Branches) -> tuple[OperationRow, ...]:
    """Return the rows of all operations of a record, oldest first. The steps of a plan share one row."""
    path = branches.path()
    here = _ids_without_messages(path)
    undone = here - _ids_without_messages(active_entries(path))
    held = _ids_without_messages(active_entries(entries))  # memories are shared by all branches
    rows: list[OperationRow] = []
    indexes: dict[str, int] = {}
    newest = ""
    for entry in entries:
        match entry:
            case Message():
                newest = entry.id
            case Prune() | Compaction():
                row, first = _operation_row(entry, newest), indexes.get(entry.plan_id)
                row = replace(row, is_elsewhere=entry.id not in here, is_undone=entry.id in undone)
                if first is None:
                    if entry.plan_id:
                        indexes[entry.plan_id] = len(rows)
                    rows.append(row)
                else:
                    rows[first] = _join_steps(rows[first], row)
            case StandingSummary():
                row = _standing_row(entry)
                rows.append(replace(row, is_elsewhere=entry.id not in here, is_undone=entry.id in undone))
            case FailedCompaction():
                rows.append(replace(_failed_row(entry), is_elsewhere=entry.id not in here))
            case Flush():
                if entry.memories:
                    rows.append(replace(_flush_row(entry, newest), is_undone=entry.id not in held))
            case ConversationLink():
                rows.append(_link_row(entry, newest))
            case _:
                pass
    return tuple(rows)


def _ids_without_messages(entries: Iterable[AnyEntry]) -> set[str]:
    return {entry.id for entry in entries if not isinstance(entry, Message)}


def _join_steps(first: OperationRow, second: OperationRow) -> OperationRow:
    """Merge the rows of two steps of a plan: with the id of the first and the kind of the second."""
    return replace(
        second,
        id=first.id,
        strategies={**first.strategies, **second.strategies},
        tokens_before=first.tokens_before,
        is_undone=first.is_undone and second.is_undone,
    )


def _failed_row(failed: FailedCompaction) -> OperationRow:
    """Return the row of a failed compaction, for the history panel; the chat has no mark for it."""
    return OperationRow(
        id=failed.id,
        kind="failed",
        at=failed.at,
        trigger=failed.trigger,
        strategies={failed.cause: 1},
        tokens_before=failed.tokens,
        tokens_after=failed.needed,
        usable=failed.usable,
        seconds=failed.seconds,
        note=failed.detail,
    )


def _standing_row(standing: StandingSummary) -> OperationRow:
    """Return the row of a summary that was written ahead, for the history panel."""
    return OperationRow(
        id=standing.id,
        kind="standing",
        at=standing.at,
        trigger=Trigger.AFTER_TURN,
        strategies={"fold": standing.added} if standing.extends else {"llm": len(standing.message_ids)},
        messages=len(standing.message_ids),
        summary=standing.summary,
        model=standing.model,
        usage=standing.usage,
        seconds=standing.seconds,
    )


def _flush_row(flush: Flush, after: str) -> OperationRow:
    """Return the row of a flush, for the history panel. after: the id of the message before it."""
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


def _link_row(link: ConversationLink, after: str) -> OperationRow:
    """Return the row of a link to another conversation, for the history panel."""
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


def _operation_row(operation: Operation, newest: str) -> OperationRow:
    """Return the row of an operation, for the history panel.

    newest: the id of the message before it; used for a compaction that archived nothing, such as the summary at the
    beginning of a conversation.
    """
    is_prune = isinstance(operation, Prune)
    ids = operation.message_ids if is_prune else operation.archived
    row = OperationRow(
        id=operation.id,
        kind="prune" if is_prune else "compaction",
        at=operation.at,
        trigger=operation.trigger,
        messages=len(ids),
        tokens_before=operation.tokens_before,
        tokens_after=operation.tokens_after,
        usable=operation.usable,
        after_message_id=ids[-1] if ids else "" if is_prune else newest,
    )
    if isinstance(operation, Prune):
        return replace(row, strategies=dict(Counter(p.strategy for p in (*operation.results, *operation.inputs))))
    return replace(
        row,
        strategies={operation.strategy: len(ids)},
        summary=operation.summary,
        fidelity=operation.fidelity,
        seconds=operation.seconds,
        model=operation.model,
        usage=operation.usage,
        note=operation.note,
    )


def changed_ids(before: View, after: View) -> set[str]:
    """Return the ids of messages whose state, pin or sent text differs between two views of a record."""
    changed = {
        i for i in before.statuses.keys() | after.statuses.keys() if before.statuses.get(i) != after.statuses.get(i)
    }
    changed |= before.pins ^ after.pins
    sent_before, sent_after = (
        {(item.message.id, item.pruned_by, _as_sent(item.message)) for item in view.items if item.pruned_by}
        for view in (before, after)
    )
    return changed | {message_id for message_id, *_ in sent_before ^ sent_after}
