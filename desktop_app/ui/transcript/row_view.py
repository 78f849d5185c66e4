"""Rows of differing height under each other in one column: what Qt asks of a view, answered."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelection,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QAbstractItemView, QFrame, QWidget

from desktop_app.ui.widgets.look import scaled

from .heights import RowHeights

COLUMN = 720
SIDE = 24  # pixels beside a narrow column
GAP = 18  # under each row
TOP = 20


class RowView(QAbstractItemView):
    """Where the rows are. `heights` has one height for each row of the model, the gap under it included."""

    def __init__(self, model: QAbstractListModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heights = RowHeights(scaled(TOP))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAutoScroll(False)  # a click in a tall row must not move it
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)

    @property
    def column(self) -> int:
        """The width of a row, in pixels."""
        return max(min(scaled(COLUMN), self.width() - 2 * SIDE), 120)

    @property
    def column_left(self) -> int:
        """Centred in the whole widget, so that the scroll bar does not push the column out of line."""
        return (self.width() - self.column) // 2

    def row_at(self, point: QPoint) -> int:
        """The row under a point of the viewport; -1 between and beside rows."""
        y = point.y() + self.verticalOffset()
        row = self.heights.row_at(y)
        if row < 0 or not self.heights.top(row) <= y < self.heights.top(row) + self.heights[row]:
            return -1
        return row

    def origin(self, row: int) -> QPointF:
        """The viewport's point where the row's layout starts."""
        return QPointF(self.column_left, self.heights.top(row) - self.verticalOffset())

    def visualRect(self, index: QModelIndex | QPersistentModelIndex) -> QRect:
        """Where a row is in the viewport."""
        if not index.isValid() or index.row() >= len(self.heights):
            return QRect()
        top = self.heights.top(index.row()) - self.verticalOffset()
        return QRect(self.column_left, top, self.column, self.heights[index.row()] - scaled(GAP))

    def scrollTo(
        self,
        index: QModelIndex | QPersistentModelIndex,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        """Brings a row into sight, its beginning first."""
        box, bar = self.visualRect(index), self.verticalScrollBar()
        if box.isNull():
            return
        if box.top() < 0 or box.height() > self.viewport().height():
            bar.setValue(bar.value() + box.top() - scaled(TOP))
        elif box.bottom() > self.viewport().height():
            bar.setValue(bar.value() + box.bottom() - self.viewport().height() + scaled(GAP))

    def indexAt(self, point: QPoint) -> QModelIndex:
        """The row at a point of the viewport."""
        row = self.row_at(point)
        return self.model().index(row, 0) if row >= 0 else QModelIndex()

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Up and down go from message to message."""
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
        """Nothing scrolls sideways."""
        return 0

    def verticalOffset(self) -> int:
        """Pixels above the viewport."""
        return self.verticalScrollBar().value()

    def isIndexHidden(self, index: QModelIndex | QPersistentModelIndex) -> bool:
        """No row is hidden."""
        return False

    def setSelection(self, rect: QRect, command: object) -> None:
        """Rows are not selected; text is."""

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:
        """Rows are not selected."""
        return QRegion()

    def minimumSizeHint(self) -> QSize:
        """Narrow is possible."""
        return QSize(320, 48)
