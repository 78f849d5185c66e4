"""The transcript as a Qt model: opened from a snapshot, then folded from events."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from msgspec.structs import replace
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal

from desktop_app.conversation.events import (
    Failure,
    MessageChange,
    MessageRecorded,
    MessageRow,
    MessageState,
    Noticed,
    OperationRow,
    ReasoningDelta,
    ReplyStarted,
    TextDelta,
    ToolFinished,
    ToolOutputReceived,
    ToolStarted,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
    ViewChanged,
)
from desktop_app.conversation.message import Role
from desktop_app.ui.live_turns import RESTING, LiveTurn

from .answers import EarlierItem
from .continued_replies import arriving_reply, begin_reply, join_continued
from .items import (
    FailureItem,
    Item,
    LiveState,
    MessageItem,
    ReplyItem,
    ToolItem,
    change_between,
    items_with_gaps,
    with_run,
)
from .live_tools import ToolRuns
from .pages import merge_pages, trim_rows
from .row_text import accessible_text

ITEM_ROLE = Qt.ItemDataRole.UserRole
NOWHERE = QModelIndex()
OUTPUT_PAUSE = 50  # milliseconds between two paintings of a tool's output, however fast it comes
MAX_CARDS = 64  # rows at the end among which running tools are looked for
TICK = 500  # milliseconds between two looks at how long a tool has been running


class TranscriptModel(QAbstractListModel):
    """The rows of one conversation.

    Signals: running_changed(bool) when a turn begins or ends; has_changed after a change of several steps, during which
    `is_changing` is set. tools: the runs of all conversations; the caller folds the events into them.
    """

    running_changed = Signal(bool)
    has_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[MessageRow] = []
        self._operations: dict[str, OperationRow] = {}
        self._reply: ReplyItem | None = None
        self._failures: list[FailureItem] = []
        self._failures_seen = 0
        self._reasons: dict[str, str] = {}  # why messages have no answer, by their ids
        self._items: list[Item] = []
        self._is_running = self.is_changing = False
        self.tools = ToolRuns()
        self._watched: set[str] = set()
        self._output_pause = QTimer(self, singleShot=True, interval=OUTPUT_PAUSE)
        self._output_pause.timeout.connect(self._show_tools)
        self._tick = QTimer(self, interval=TICK)
        self._tick.timeout.connect(self._show_tools)

    @property
    def is_running(self) -> bool:
        return self._is_running

    @property
    def is_blank(self) -> bool:
        """Whether nothing was said yet; a system prompt does not count."""
        return not self._is_running and all(
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
        return self._reply.text if self._reply else ""

    @property
    def newest_index(self) -> int:
        """The index of the newest message in the conversation; -1 without messages."""
        return self._rows[-1].index if self._rows else -1

    def row_of_index(self, index: int) -> int:
        """Return the row of the message at that index, or of the gap that contains it; -1 without rows."""
        row = -1
        for number, item in enumerate(self._items):
            first = item.row.index if isinstance(item, MessageItem) else getattr(item, "first", None)
            if first is not None and first <= index:
                row = number
        return row if row >= 0 or not self._items else 0

    def open(self, rows: Sequence[MessageRow], operations: Sequence[OperationRow], turn: LiveTurn = RESTING) -> None:
        """Show a conversation, with what has arrived of its turn."""
        self.beginResetModel()
        is_running = turn.is_running
        self._rows = list(rows)
        self._operations = {operation.id: operation for operation in operations}
        self._reply = arriving_reply(self._rows, turn.reply) if turn.reply is not None else None
        self._failures = [self._number_failure(failure) for failure in (*turn.notices, *turn.failures)]
        self._watched = {row.message.id for row in self._rows[-1:] if is_running}
        self._watched |= {row.message.id for row in self._rows if is_running and row.message.tool_calls}
        self._items = items_with_gaps(self._rows, tuple(self._operations.values()), self._live(is_running))
        self._items += self._failures
        self.endResetModel()
        self._set_running(is_running)

    def add_page(self, rows: Sequence[MessageRow], around: int) -> None:
        """Add older messages, and drop those far from index `around`."""
        self._rows = trim_rows(merge_pages(self._rows, rows), around)
        self._show()

    def apply(self, event: TurnEvent) -> None:
        """Fold an event of the conversation that is shown."""
        match event:
            case TurnStarted():
                self._note_reason()
                self._failures = []
                self._set_running(True)
                self._show()
            case MessageRecorded(_, row):
                self._record(row)
            case ReplyStarted(_, reply_id, model, continues):
                if self._reply is None or self._reply.reply_id != reply_id:
                    self._reply = begin_reply(self._rows, reply_id, model, continues)
                    self._show()
            case TextDelta() | ReasoningDelta():
                self._append(event)
            case ViewChanged(_, operations, changes):
                self._change_view(operations, changes)
            case TurnFailed(_, failure) | Noticed(_, failure):
                self._failures = [*(i for i in self._failures if i.failure != failure), self._number_failure(failure)]
                self._show()
            case ToolStarted(_, reply_id):
                self._watched.add(reply_id)
                self._show()
            case ToolOutputReceived() | ToolFinished():
                if not self._output_pause.isActive():
                    self._output_pause.start()
            case TurnFinished():
                self._reply = None
                self._set_running(False)
                self._show()
            case _:  # the gauge is no row
                pass

    def withdraw(self, kind: str) -> None:
        if any(item.failure.kind == kind for item in self._failures):
            self._failures = [item for item in self._failures if item.failure.kind != kind]
            self._show()

    def item(self, row: int) -> Item:
        return self._items[row]

    def row_of(self, key: str) -> int:
        """Return the row of that key, or of that message; -1 if it is not loaded."""
        for number, item in enumerate(self._items):
            if item.key == key or (isinstance(item, MessageItem) and item.row.message.id == key):
                return number
            if isinstance(item, EarlierItem) and item.has(key):
                return number
        root = join_continued(self._rows)[1].get(key)  # a part of a reply that was continued has no row of its own
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
        if row.message.tool_calls and self._is_running:
            self._watched.add(row.message.id)
        if self._reply is not None and self._reply.reply_id == row.message.id:
            self._reply = None
        known = next((n for n in range(len(self._rows) - 1, -1, -1) if self._rows[n].index <= row.index), -1)
        if known >= 0 and self._rows[known].index == row.index:
            self._rows[known] = row
        else:
            self._rows.insert(known + 1, row)
        self._show()

    def _note_reason(self) -> None:
        """Keep the title of a failure for the message that it left unanswered; its card goes with the next turn."""
        newest = next((row.message for row in reversed(self._rows) if row.state is not MessageState.ABANDONED), None)
        if self._failures and newest is not None and newest.role is Role.USER:
            self._reasons[newest.id] = f"{self._failures[-1].failure.title}."

    def _number_failure(self, failure: Failure) -> FailureItem:
        self._failures_seen += 1
        return FailureItem(failure, self._failures_seen)

    def _append(self, delta: TextDelta | ReasoningDelta) -> None:
        if self._reply is None or self._reply.reply_id != delta.reply_id:
            self._reply = ReplyItem(delta.reply_id, "")
            self._show()
        field = "text" if isinstance(delta, TextDelta) else "reasoning"
        row = next(n for n in range(len(self._items) - 1, -1, -1) if isinstance(self._items[n], ReplyItem))
        self._reply = self._items[row] = replace(self._reply, **{field: getattr(self._reply, field) + delta.text})
        self.dataChanged.emit(self.index(row), self.index(row))

    def _change_view(self, operations: Sequence[OperationRow], changes: Sequence[MessageChange]) -> None:
        self._operations.update((operation.id, operation) for operation in operations)
        changed = {change.message_id: change for change in changes}
        self._rows = [changed[i].apply_to(row) if (i := row.message.id) in changed else row for row in self._rows]
        self._show()

    def _set_running(self, is_running: bool) -> None:
        if is_running != self._is_running:
            self._is_running = is_running
            self.running_changed.emit(is_running)

    def _live(self, is_running: bool) -> LiveState:
        has_failed = bool(self._failures)
        watched = frozenset(self._watched)
        return LiveState(self.tools, watched, is_running, self._reply, monotonic(), has_failed, self._reasons)

    def _show_tools(self) -> None:
        """Update the running tools only, since this comes often."""
        now = monotonic()
        for row in range(max(len(self._items) - MAX_CARDS, 0), len(self._items)):
            item = self._items[row]
            changed = with_run(item, self.tools, now) if isinstance(item, ToolItem) else item
            if changed != item:
                self._items[row] = changed
                self.dataChanged.emit(self.index(row), self.index(row))

    def _show(self) -> None:
        """Make the rows again and announce only what differs."""
        new: list[Item] = items_with_gaps(self._rows, tuple(self._operations.values()), self._live(self._is_running))
        new += self._failures
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
        """Update the time of running tools, while there are any."""
        runs = any(isinstance(item, ToolItem) and item.seconds is not None for item in self._items[-MAX_CARDS:])
        if runs != self._tick.isActive():
            (self._tick.start if runs else self._tick.stop)()

    def _replace(self, first: int, removed: int, new: list[Item]) -> None:
        if removed:
            self.beginRemoveRows(NOWHERE, first, first + removed - 1)
            del self._items[first : first + removed]
            self.endRemoveRows()
        if new:
            self.beginInsertRows(NOWHERE, first, first + len(new) - 1)
            self._items[first:first] = new
            self.endInsertRows()
