"""A scrolling view of rows of differing height, of which some are not loaded yet."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

from PySide6.QtCore import (
    QItemSelection,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFocusEvent, QRegion
from PySide6.QtWidgets import QAbstractItemView, QFrame, QWidget

from desktop_app.ui.widgets.accessibility import Role, WithRole
from desktop_app.ui.widgets.buttons import KEYBOARD
from desktop_app.ui.widgets.look import scale

from .items import MessageItem
from .pages import PAGE, GapItem, page_to_read
from .transcript_model import TranscriptModel


class RowHeights:
    """The heights of the rows in pixels, from `top` pixels on."""

    def __init__(self, top: int) -> None:
        self._first_top = top
        self._heights: list[int] = []
        self._tops: list[int] | None = None

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, row: int) -> int:
        return self._heights[row]

    def reset(self, heights: Iterable[int]) -> None:
        self._heights = list(heights)
        self._tops = None

    def insert(self, row: int, heights: Iterable[int]) -> None:
        self._heights[row:row] = heights
        self._tops = None

    def remove(self, first: int, count: int) -> None:
        del self._heights[first : first + count]
        self._tops = None

    def set(self, row: int, height: int) -> bool:
        """Set a height; return False if it was that already."""
        if self._heights[row] == height:
            return False
        self._heights[row] = height
        self._tops = None
        return True

    def top(self, row: int) -> int:
        """Return where the row starts; for the index behind the last row, where all ends."""
        return self._starts()[row]

    def row_at(self, y: int) -> int:
        """Return the row at that y or the nearest one; -1 without rows."""
        return max(min(bisect_right(self._starts(), y) - 1, len(self) - 1), min(0, len(self) - 1))

    @property
    def end(self) -> int:
        return self._starts()[-1]

    def _starts(self) -> list[int]:
        if self._tops is None:
            self._tops = list(accumulate(self._heights, initial=self._first_top))
        return self._tops


COLUMN = 720
SIDE = 24  # pixels beside a narrow column
GAP = 18  # under each row
TOP = 20
NEAR = 600  # pixels at which messages that are not here are asked for


class RowView(WithRole, QAbstractItemView):
    """The geometry of the rows, and the reader's position: a row, or the index of a message that is not loaded.

    heights: of each row, with the gap under it. Signal: page_requested(before, around), near messages that are not
    loaded: the index before which they are, and that of the message in sight.
    """

    accessible_role = Role.Document
    page_requested = Signal(int, int)

    def __init__(self, model: TranscriptModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.transcript = model
        self._anchor_key, self._anchor_offset = "", 0
        self._anchor_index = -1.0  # without a key: of the message that is read
        self._is_anchored_below = False
        self.is_keyboard_led = False  # the marked row is painted as such
        self.heights = RowHeights(scale(TOP))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAutoScroll(False)  # a click in a tall row must not move it
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Mark a row that is in sight, the lowest one unless another is marked, once Tab brings the keyboard here."""
        if event.reason() in KEYBOARD and len(self.heights):
            self.is_keyboard_led = True
            top, height = self.verticalOffset(), self.viewport().height()
            if not self.heights.row_at(top) <= self.currentIndex().row() <= self.heights.row_at(top + height):
                self.setCurrentIndex(self.transcript.index(self.heights.row_at(top + height)))
        super().focusInEvent(event)

    def currentChanged(
        self, current: QModelIndex | QPersistentModelIndex, previous: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Repaint all: the ring around the marked row lies outside of the row."""
        super().currentChanged(current, previous)
        self.viewport().update()

    @property
    def column(self) -> int:
        return max(min(scale(COLUMN), self.width() - 2 * SIDE), 120)

    @property
    def column_left(self) -> int:
        """Centred in the whole widget, so that the scroll bar does not shift the column."""
        return (self.width() - self.column) // 2

    def row_at(self, point: QPoint) -> int:
        """Return the row under a point of the viewport; -1 between and beside rows."""
        y = point.y() + self.verticalOffset()
        row = self.heights.row_at(y)
        if row < 0 or not self.heights.top(row) <= y < self.heights.top(row) + self.heights[row]:
            return -1
        return row

    def origin(self, row: int) -> QPointF:
        """Return the viewport's point where the row's layout starts."""
        return QPointF(self.column_left, self.heights.top(row) - self.verticalOffset())

    def top_of(self, message_id: str) -> int | None:
        """Return where a message begins, in pixels below the top of what is visible; None if it is not loaded."""
        row = self.transcript.row_of(message_id)
        return self.heights.top(row) - self.verticalOffset() if row >= 0 else None

    def rows_in_sight(self) -> range:
        """Return the numbers of the rows that are at least partly in sight."""
        if not len(self.heights):
            return range(0)
        top = self.verticalOffset()
        first = self.heights.row_at(top)
        return range(first, self.heights.row_at(top + self.viewport().height()) + 1)

    @property
    def index_in_sight(self) -> int:
        """The index of the first message in sight, loaded or not; -1 without messages."""
        for row in range(max(self.heights.row_at(self.verticalOffset()), 0), len(self.heights)):
            item = self.transcript.item(row)
            if isinstance(item, GapItem):
                return item.first
            if isinstance(item, MessageItem):
                return item.row.index
        return -1

    def visualRect(self, index: QModelIndex | QPersistentModelIndex) -> QRect:
        if not index.isValid() or index.row() >= len(self.heights):
            return QRect()
        top = self.heights.top(index.row()) - self.verticalOffset()
        return QRect(self.column_left, top, self.column, self.heights[index.row()] - scale(GAP))

    def scrollTo(
        self,
        index: QModelIndex | QPersistentModelIndex,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        box, bar = self.visualRect(index), self.verticalScrollBar()
        if box.isNull():
            return
        if box.top() < 0 or box.height() > self.viewport().height():
            bar.setValue(bar.value() + box.top() - scale(TOP))
        elif box.bottom() > self.viewport().height():
            bar.setValue(bar.value() + box.bottom() - self.viewport().height() + scale(GAP))

    def indexAt(self, point: QPoint) -> QModelIndex:
        row = self.row_at(point)
        return self.model().index(row, 0) if row >= 0 else QModelIndex()

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Move from message to message."""
        last = self.model().rowCount() - 1
        row = self.currentIndex().row() if self.currentIndex().isValid() else last + 1
        match action:
            case QAbstractItemView.CursorAction.MoveUp | QAbstractItemView.CursorAction.MovePrevious:
                row -= 1
            case QAbstractItemView.CursorAction.MoveDown | QAbstractItemView.CursorAction.MoveNext:
                row += 1
            case QAbstractItemView.CursorAction.MoveHome:
                row = 0
            case QAbstractItemView.CursorAction.MoveEnd:
                row = last
        return self.model().index(min(max(row, 0), last), 0) if last >= 0 else QModelIndex()

    def horizontalOffset(self) -> int:
        return 0

    def verticalOffset(self) -> int:
        return self.verticalScrollBar().value()

    def isIndexHidden(self, index: QModelIndex | QPersistentModelIndex) -> bool:
        return False

    def setSelection(self, rect: QRect, command: object) -> None:
        """Select nothing: text is selected, not rows."""

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:
        return QRegion()

    def minimumSizeHint(self) -> QSize:
        return QSize(320, 48)

    # Messages that are not loaded

    def _ask_for_page(self) -> None:
        """Request the page that is missing where the user is."""
        top, height = self.verticalOffset(), self.viewport().height()
        first, last = self.heights.row_at(max(top - NEAR, 0)), self.heights.row_at(top + height + NEAR)
        for row in range(max(first, 0), last + 1):
            gap = self.transcript.item(row)
            if isinstance(gap, GapItem):
                gap_box = self.heights.top(row), self.heights[row]
                before = page_to_read(gap, *gap_box, (top, top + height), NEAR)
                if before is not None:
                    self.page_requested.emit(before, max(before - PAGE // 2, 0))
                    return

    def _go_to_index(self, index: float, offset: int = 0) -> None:
        """Anchor the view at that message, loaded or not. offset: pixels below its beginning."""
        self._anchor_key, self._anchor_index, self._anchor_offset = "", index, offset
        self._is_anchored_below = False

    def _index_offset(self) -> int:
        row = self.transcript.row_of_index(int(self._anchor_index))
        if row < 0:
            return 0
        gap, within = self.transcript.item(row), 0.0
        if isinstance(gap, GapItem):
            within = (self._anchor_index - gap.first) / gap.count * self.heights[row]
        return round(self.heights.top(row) + within) + self._anchor_offset
