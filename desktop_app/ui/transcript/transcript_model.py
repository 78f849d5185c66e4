"""The transcript as a Qt model: opened from a snapshot, then folded from events."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from desktop_app.conversation.events import (
    MessageChange,
    MessageRecorded,
    MessageRow,
    OperationRow,
    ReasoningDelta,
    ReplyStarted,
    TextDelta,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
    ViewChanged,
)
from desktop_app.conversation.message import Role
from desktop_app.ui.widgets.words import readable, speaker_of

from .items import FailureItem, Item, MarkItem, MessageItem, ReplyItem, items_of

ITEM_ROLE = Qt.ItemDataRole.UserRole
NOWHERE = QModelIndex()


class TranscriptModel(QAbstractListModel):
    """The rows of one conversation. Signal: running_changed(bool) when a turn begins or ends."""

    running_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[MessageRow] = []
        self._operations: dict[str, OperationRow] = {}
        self._reply: ReplyItem | None = None
        self._failures: list[FailureItem] = []
        self._failures_seen = 0
        self._items: list[Item] = []
        self._is_running = False

    @property
    def is_running(self) -> bool:
        """Whether a turn is under way."""
        return self._is_running

    @property
    def is_blank(self) -> bool:
        """Whether nothing was said yet; a system prompt does not count."""
        return not self._is_running and all(
            isinstance(item, MessageItem) and item.row.message.role is Role.SYSTEM for item in self._items
        )

    @property
    def rows(self) -> tuple[MessageRow, ...]:
        """The stored messages that are here."""
        return tuple(self._rows)

    @property
    def operations(self) -> tuple[OperationRow, ...]:
        """The operations of the conversation, oldest first."""
        return tuple(sorted(self._operations.values(), key=lambda operation: operation.at))

    @property
    def streaming_text(self) -> str:
        """What has arrived of the reply that is being written."""
        return self._reply.text if self._reply else ""

    @property
    def has_older(self) -> bool:
        """Whether messages before the first one here are stored."""
        return bool(self._rows) and self._rows[0].index > 0

    @property
    def oldest_index(self) -> int:
        """The position in the conversation of the first message here."""
        return self._rows[0].index if self._rows else 0

    def open(self, rows: Sequence[MessageRow], operations: Sequence[OperationRow], is_running: bool = False) -> None:
        """Shows another conversation, or this one anew."""
        self.beginResetModel()
        self._rows = list(rows)
        self._operations = {operation.id: operation for operation in operations}
        self._reply, self._failures = None, []
        self._items = items_of(self._rows, self._operations.values())
        self.endResetModel()
        self._set_running(is_running)

    def prepend(self, rows: Sequence[MessageRow]) -> None:
        """Older messages, which come before all that are here."""
        older = [row for row in rows if not self._rows or row.index < self._rows[0].index]
        self._rows = older + self._rows
        self._show()

    def apply(self, event: TurnEvent) -> None:
        """Folds what happened. The event is of the conversation that is shown."""
        match event:
            case TurnStarted():
                self._failures = []
                self._show()
                self._set_running(True)
            case MessageRecorded(_, row):
                self._record(row)
            case ReplyStarted(_, reply_id, model):
                if self._reply is None or self._reply.reply_id != reply_id:
                    self._reply = ReplyItem(reply_id, model)
                    self._show()
            case TextDelta(_, reply_id, text):
                reply = self._growing(reply_id)
                self._grow(msgspec.structs.replace(reply, text=reply.text + text))
            case ReasoningDelta(_, reply_id, text):
                reply = self._growing(reply_id)
                self._grow(msgspec.structs.replace(reply, reasoning=reply.reasoning + text))
            case ViewChanged(_, operations, changes):
                self._change_view(operations, changes)
            case TurnFailed(_, failure):
                self._failures_seen += 1
                self._failures.append(FailureItem(failure, self._failures_seen))
                self._show()
            case TurnFinished():
                self._reply = None
                self._show()
                self._set_running(False)
            case _:  # the gauge is no row
                pass

    def item(self, row: int) -> Item:
        """What stands in that row."""
        return self._items[row]

    def row_of(self, key: str) -> int:
        """The row of that key, or of that message; -1 if it is not here."""
        return next((n for n, item in enumerate(self._items) if item.key == key), -1)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = NOWHERE) -> int:
        """Rows; none below a row."""
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The item, and its text for screen readers."""
        if not index.isValid():
            return None
        item = self._items[index.row()]
        if role == ITEM_ROLE:
            return item
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return spoken(item)
        return None

    def _record(self, row: MessageRow) -> None:
        if self._reply is not None and self._reply.reply_id == row.message.id:
            self._reply = None
        known = next((n for n in range(len(self._rows) - 1, -1, -1) if self._rows[n].index <= row.index), -1)
        if known >= 0 and self._rows[known].index == row.index:
            self._rows[known] = row
        else:
            self._rows.insert(known + 1, row)
        self._show()

    def _growing(self, reply_id: str) -> ReplyItem:
        if self._reply is None or self._reply.reply_id != reply_id:
            self._reply = ReplyItem(reply_id, "")
            self._show()
        return self._reply

    def _grow(self, reply: ReplyItem) -> None:
        row = next(n for n in range(len(self._items) - 1, -1, -1) if isinstance(self._items[n], ReplyItem))
        self._reply = self._items[row] = reply
        self.dataChanged.emit(self.index(row), self.index(row))

    def _change_view(self, operations: Sequence[OperationRow], changes: Sequence[MessageChange]) -> None:
        self._operations.update((operation.id, operation) for operation in operations)
        changed = {change.message_id: change for change in changes}
        self._rows = [changed[i].applied_to(row) if (i := row.message.id) in changed else row for row in self._rows]
        self._show()

    def _set_running(self, is_running: bool) -> None:
        if is_running != self._is_running:
            self._is_running = is_running
            self.running_changed.emit(is_running)

    def _show(self) -> None:
        """Makes the rows again and tells only what differs: what is equal at both ends stays."""
        new = items_of(self._rows, self._operations.values())
        if self._reply is not None:
            new.append(self._reply)
        new += self._failures
        old = self._items
        first = _common(old, new)
        last = _common(old[first:][::-1], new[first:][::-1])
        removed, added = len(old) - first - last, len(new) - first - last
        kept = min(removed, added) if _same_keys(old, new, first, min(removed, added)) else 0
        self._replace(first + kept, removed - kept, new[first + kept : first + added])
        if kept:
            self._items[first : first + kept] = new[first : first + kept]
            self.dataChanged.emit(self.index(first), self.index(first + kept - 1))

    def _replace(self, first: int, removed: int, new: list[Item]) -> None:
        if removed:
            self.beginRemoveRows(NOWHERE, first, first + removed - 1)
            del self._items[first : first + removed]
            self.endRemoveRows()
        if new:
            self.beginInsertRows(NOWHERE, first, first + len(new) - 1)
            self._items[first:first] = new
            self.endInsertRows()


def spoken(item: Item) -> str:
    """The row in words, for a screen reader."""
    match item:
        case MessageItem(row):
            return f"{speaker_of(row.message)}: {readable(row.message)}"
        case ReplyItem():
            return f"{item.model or 'Assistant'} is writing: {item.text}"
        case MarkItem(operation):
            verb = "archived" if operation.kind == "compaction" else "pruned"
            return f"{operation.messages} messages {verb}"
        case FailureItem(failure):
            return ". ".join(filter(None, (failure.title, failure.detail, failure.kept, failure.advice)))


def _common(old: Sequence[Item], new: Sequence[Item]) -> int:
    for count, (one, other) in enumerate(zip(old, new, strict=False)):
        if one != other:
            return count
    return min(len(old), len(new))


def _same_keys(old: Sequence[Item], new: Sequence[Item], first: int, count: int) -> bool:
    return all(old[n].key == new[n].key for n in range(first, first + count))
