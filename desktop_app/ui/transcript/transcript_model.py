"""The transcript as a Qt model: opened from a snapshot, then updated by events."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal

from desktop_app.conversation.events import (
    MessageChange,
    MessageRecorded,
    MessageRow,
    MessageState,
    OperationRow,
    ReasoningDelta,
    ReasoningRecognized,
    TextDelta,
    ToolFinished,
    ToolOutputReceived,
    TurnEvent,
    TurnFinished,
    ViewChanged,
)
from desktop_app.conversation.message import Role
from desktop_app.ui.live_turns import RESTING, LiveTurn

from .row_text import accessible_text
from .tool_runs import fold_runs
from .transcript_items import (
    MAX_OLDER,
    PAGE,
    Item,
    MessageItem,
    ReplyItem,
    RunItem,
    ToolItem,
    change_between,
    items_with_gaps,
    join_continued,
    merge_pages,
    trim_rows,
    update_item,
)

ITEM_ROLE = Qt.ItemDataRole.UserRole
NOWHERE = QModelIndex()
MAX_LIVE = 64  # rows at the end that are searched for the reply and running tools
TICK = 500  # milliseconds between two updates of the time of running tools


class TranscriptModel(QAbstractListModel):
    """The rows of one conversation: its messages and operations, and the turn in progress.

    Signals: running_changed(bool), when a turn begins or ends; turn_ended(reason), once its rows are shown;
    has_changed, after a change in several steps, during which `is_changing` is set.
    """

    running_changed = Signal(bool)
    turn_ended = Signal(str)
    has_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[MessageRow] = []
        self._operations: dict[str, OperationRow] = {}
        self._other_versions: tuple[str, ...] = ()
        self._items: list[Item] = []
        self._open_runs: set[str] = set()
        self.turn = RESTING
        self.is_changing = False
        self._soon = QTimer(self, singleShot=True, interval=0)  # all events of one pass of the event loop are joined
        self._soon.timeout.connect(self.refresh)
        self._tick = QTimer(self, interval=TICK)
        self._tick.timeout.connect(self.refresh)

    @property
    def is_running(self) -> bool:
        return self.turn.is_running

    @property
    def is_refreshed(self) -> bool:
        """Whether the rows show everything that has arrived."""
        return not self._soon.isActive()

    @property
    def is_blank(self) -> bool:
        """Whether there is no message yet, except perhaps a system prompt, and no turn is running."""
        return not self.is_running and all(
            isinstance(item, MessageItem) and item.row.message.role is Role.SYSTEM for item in self._items
        )

    @property
    def rows(self) -> tuple[MessageRow, ...]:
        return tuple(self._rows)

    @property
    def operations(self) -> tuple[OperationRow, ...]:
        """The operations of the conversation, oldest first."""
        return tuple(sorted(self._operations.values(), key=lambda operation: operation.at))

    @property
    def streaming_text(self) -> str:
        return next((item.text for item in reversed(self._items) if isinstance(item, ReplyItem)), "")

    @property
    def newest_index(self) -> int:
        """The index of the newest message; -1 if there is none."""
        return self._rows[-1].index if self._rows else -1

    def count_replies_after(self, index: int) -> int:
        """Return the number of replies with text after the message at that index, including one in progress."""
        count = 0
        for item in reversed(self._items):
            if isinstance(item, MessageItem):
                if item.row.index <= index:
                    break
                count += item.row.message.role is Role.ASSISTANT and bool(item.row.message.text)
            count += isinstance(item, ReplyItem) and bool(item.text)
        return count

    def row_with_version(self, message_id: str) -> MessageRow | None:
        """Return the loaded message that has that one among its versions; None if there is none."""
        return next((row for row in self._rows if message_id in row.versions), None)

    def row_of_index(self, index: int) -> int:
        """Return the row of the message at that index, or of the gap that contains it; -1 without rows."""
        row = -1
        for number, item in enumerate(self._items):
            first = item.row.index if isinstance(item, MessageItem) else getattr(item, "first", None)
            if first is not None and first <= index:
                row = number
        return row if row >= 0 or not self._items else 0

    def open(
        self,
        rows: Sequence[MessageRow],
        operations: Sequence[OperationRow],
        turn: LiveTurn = RESTING,
        other_versions: tuple[str, ...] = (),
    ) -> None:
        """Show a conversation, with the state of its turn. other_versions: see `items_with_gaps`."""
        self.beginResetModel()
        self._other_versions = other_versions
        self._rows = list(rows)
        self._operations = {operation.id: operation for operation in operations}
        before, self.turn = self.turn, turn
        self._items = self._new_items()
        self.endResetModel()
        self._announce_running(before)

    def add_page(self, rows: Sequence[MessageRow], around: int) -> None:
        """Add older messages, and drop messages that are far from index `around`."""
        self._rows = trim_rows(merge_pages(self._rows, rows), around)
        self._show()

    def keep_newest(self) -> None:
        """Drop the oldest of many messages, for a reader at the end: they are read again when they become visible."""
        if len(self._rows) > MAX_OLDER + PAGE:
            self._rows = trim_rows(self._rows, self._rows[-1].index)
            self._show()

    def apply(self, event: TurnEvent, turn: LiveTurn) -> None:
        """Show an event of the open conversation. turn: the turn after the event."""
        before, self.turn = self.turn, turn
        match event:
            case MessageRecorded(_, row):
                self._record(row)
                self._other_versions = ()
            case ViewChanged(_, operations, changes):
                self._change_view(operations, changes)
                self._other_versions = event.other_versions
            case ToolOutputReceived() | ToolFinished():
                self._soon.start()
                return
            case TextDelta() | ReasoningDelta() | ReasoningRecognized() if (
                before.reply and before.reply.reply_id == event.reply_id
            ):
                self._soon.start()
                return
            case _ if turn is before:
                return
            case _:
                pass
        self._announce_running(before)
        self._show()
        if isinstance(event, TurnFinished):
            self.turn_ended.emit(event.reason)

    def refresh(self) -> None:
        """Update the rows in progress, and only these, since this happens often."""
        self._soon.stop()
        now = monotonic()
        for row in range(max(len(self._items) - MAX_LIVE, 0), len(self._items)):
            item = update_item(self._items[row], self.turn, now)
            if item != self._items[row]:
                self._items[row] = item
                self.dataChanged.emit(self.index(row), self.index(row))

    def item(self, row: int) -> Item:
        return self._items[row]

    def toggle_run(self, key: str) -> None:
        """Show the calls of a run as separate rows, or as one line again."""
        self._open_runs ^= {key}
        self._show()

    def reveal(self, message_id: str) -> None:
        """Unfold the run that contains a message, so that the message has its own row."""
        row = self.row_of(message_id)
        item = self._items[row] if row >= 0 else None
        if isinstance(item, RunItem) and not item.is_open and item.holds(message_id):
            self.toggle_run(item.key)

    def row_of(self, key: str) -> int:
        """Return the row with that key or message id, or the folded run that contains it; -1 if it is not loaded."""
        for number, item in enumerate(self._items):
            if item.key == key or (isinstance(item, MessageItem) and item.row.message.id == key):
                return number
            if isinstance(item, RunItem) and not item.is_open and item.holds(key):
                return number
        root = join_continued(self._rows)[1].get(key)  # a part of a continued reply does not have its own row
        return -1 if root is None else self.row_of(root)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        item = self._items[index.row()]
        if role == ITEM_ROLE:
            return item
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return accessible_text(item)
        return None

    def _record(self, row: MessageRow) -> None:
        known = next((n for n in range(len(self._rows) - 1, -1, -1) if self._rows[n].index <= row.index), -1)
        if known >= 0 and self._rows[known].index == row.index:
            self._rows[known] = row
        else:
            self._rows.insert(known + 1, row)

    def _change_view(self, operations: Sequence[OperationRow], changes: Sequence[MessageChange]) -> None:
        self._operations.update((operation.id, operation) for operation in operations)
        changed = {change.message_id: change for change in changes}
        rows = (changed[i].apply_to(row) if (i := row.message.id) in changed else row for row in self._rows)
        self._rows = [row for row in rows if row.state is not MessageState.ABANDONED]

    def _announce_running(self, before: LiveTurn) -> None:
        if before.is_running != self.is_running:
            self.running_changed.emit(self.is_running)

    def _new_items(self) -> list[Item]:
        items = items_with_gaps(self._rows, self._operations.values(), self.turn, monotonic(), self._other_versions)
        return fold_runs(items, self._open_runs, self.is_running)

    def _show(self) -> None:
        """Build the rows again, and notify the view only of differences."""
        self._soon.stop()
        new = self._new_items()
        self.is_changing = True
        change = change_between(self._items, new)
        first, kept = change.first, change.kept
        self._replace(first + kept, change.removed - kept, new[first + kept : first + change.added])
        if kept:
            self._items[first : first + kept] = new[first : first + kept]
            self.dataChanged.emit(self.index(first), self.index(first + kept - 1))
        self.is_changing = False
        self.has_changed.emit()
        self._watch_tools()

    def _watch_tools(self) -> None:
        """Start or stop updating the time of running tools."""
        has_tools = any(isinstance(item, ToolItem) and item.run is not None for item in self._items[-MAX_LIVE:])
        if has_tools != self._tick.isActive():
            (self._tick.start if has_tools else self._tick.stop)()

    def _replace(self, first: int, removed: int, new: list[Item]) -> None:
        if removed:
            self.beginRemoveRows(NOWHERE, first, first + removed - 1)
            del self._items[first : first + removed]
            self.endRemoveRows()
        if new:
            self.beginInsertRows(NOWHERE, first, first + len(new) - 1)
            self._items[first:first] = new
            self.endInsertRows()
