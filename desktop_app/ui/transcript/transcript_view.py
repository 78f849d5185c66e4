"""The view of the transcript: lays out and paints only the rows that are seen, follows the end, keeps its place."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QPainter, QPaintEvent, QRegion, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QWidget

from desktop_app.ui.widgets.buttons import Button
from desktop_app.ui.widgets.look import RESTYLING, colour, paint_box, scaled

from .display_list import Hot, RowLayout, paint_row
from .heights import RowHeights
from .highlight import Highlighter
from .items import ReplyItem
from .row_layout import estimated_height
from .row_shelf import RowShelf
from .selection import TextSelection
from .transcript_model import TranscriptModel

COLUMN = 720
SIDE = 24  # pixels beside a narrow column
GAP = 18  # under each row
TOP, BOTTOM = 20, 14
LAYOUT_SLICE = 0.012  # seconds of laying out in one pass of the event loop
REPAINT = 40  # milliseconds between two paintings of a reply that grows
NEAR_TOP = 600  # pixels at which older messages are asked for
SHOWN_FOR = 1_600  # milliseconds that a message which was jumped to is marked


class TranscriptView(QAbstractItemView):
    """Geometry, scrolling and painting. What the mouse and the keyboard do is in `Transcript`.

    Signal: older_requested, when the user comes near the first message that is here.
    """

    older_requested = Signal()

    def __init__(self, model: TranscriptModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.transcript = model
        self.shelf = RowShelf()
        self.text_selection = TextSelection()
        self.hovered_row = -1
        self.hovered_hot: Hot | None = None
        self.follows_end = True
        self.is_keyboard_led = False
        self._anchor_key, self._anchor_offset = "", 0
        self._heights = RowHeights(scaled(TOP))
        self._is_placing = False
        self._shown_key = ""
        self._highlighter = Highlighter(self)
        self._highlighter.highlighted.connect(self.viewport().update)
        self._settling = QTimer(self, singleShot=True, interval=0)
        self._settling.timeout.connect(self.place)
        self._growing = QTimer(self, singleShot=True, interval=REPAINT)
        self._growing.timeout.connect(self._show_growth)
        self._forgetting = QTimer(self, singleShot=True, interval=SHOWN_FOR)
        self._forgetting.timeout.connect(self._forget_shown)
        self.pill = Button("↓ New text", parent=self)
        self.pill.clicked.connect(self.follow_end)
        self.pill.hide()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.setModel(model)
        model.rowsRemoved.connect(self.place)

    # Where things are

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
        row = self._heights.row_at(y)
        if row < 0 or not self._heights.top(row) <= y < self._heights.top(row) + self._heights[row]:
            return -1
        return row

    def origin(self, row: int) -> QPointF:
        """The viewport's point where the row's layout starts."""
        return QPointF(self.column_left, self._heights.top(row) - self.verticalOffset())

    def layout_of(self, row: int) -> RowLayout:
        """The row, laid out."""
        item = self.transcript.item(row)
        found = self.shelf.find(item, self.column, self.transcript.is_running)
        return found or self.shelf.make(item, self.column, self.transcript.is_running)

    # Scrolling

    def follow_end(self) -> None:
        """Goes to the end and stays there."""
        self.follows_end = True
        self.pill.hide()
        self.place()

    def show_message(self, message_id: str) -> bool:
        """Scrolls to a message and marks it for a moment; False if it is not here."""
        row = self.transcript.row_of(message_id)
        if row < 0:
            return False
        self.follows_end = False
        self._anchor_key, self._anchor_offset = message_id, -scaled(60)
        self._shown_key = message_id
        self._forgetting.start()
        self.place()
        return True

    def place(self) -> None:
        """Lays out what is seen and puts the scroll bar where the reader's place is now."""
        deadline = monotonic() + LAYOUT_SLICE
        is_settled = False
        self._is_placing = True
        for _ in range(12):
            self._set_scroll_range()
            self.verticalScrollBar().setValue(self._wanted_offset())
            is_settled, has_changed = self._lay_out_seen(deadline)
            if not has_changed:
                break
        self._is_placing = False
        if not is_settled:
            self._settling.start()
        self.updateEditorGeometries()
        self.viewport().update()
        if self.verticalOffset() < NEAR_TOP and self.transcript.has_older:
            self.older_requested.emit()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """The user, or `place`, has moved the scroll bar."""
        if self._is_placing:
            return
        bar = self.verticalScrollBar()
        self.follows_end = bar.value() >= bar.maximum() - 2
        if self.follows_end:
            self.pill.hide()
        self._note_place()
        self.place()

    def _note_place(self) -> None:
        row = self._heights.row_at(self.verticalOffset())
        if row >= 0:
            self._anchor_key = self.transcript.item(row).key
            self._anchor_offset = self.verticalOffset() - self._heights.top(row)

    def _wanted_offset(self) -> int:
        bar = self.verticalScrollBar()
        row = -1 if self.follows_end else self.transcript.row_of(self._anchor_key)
        if row < 0:
            return bar.maximum() if self.follows_end else bar.value()
        return self._heights.top(row) + self._anchor_offset

    def _set_scroll_range(self) -> None:
        bar, height = self.verticalScrollBar(), self.viewport().height()
        bar.setPageStep(height)
        bar.setSingleStep(scaled(40))
        bar.setRange(0, max(self._heights.end + scaled(BOTTOM) - height, 0))

    def _seen_rows(self) -> range:
        if not len(self._heights):
            return range(0)
        top = self.verticalOffset()
        first = self._heights.row_at(top)
        return range(first, self._heights.row_at(top + self.viewport().height()) + 1)

    def _lay_out_seen(self, deadline: float) -> tuple[bool, bool]:
        """Whether all that is seen is laid out, and whether a height has changed."""
        has_changed = False
        for row in self._seen_rows():
            item = self.transcript.item(row)
            layout = self.shelf.find(item, self.column, self.transcript.is_running)
            if layout is None:
                if monotonic() > deadline:
                    return False, has_changed
                layout = self.shelf.make(item, self.column, self.transcript.is_running)
                for flow in layout.flows:
                    self._highlighter.add(flow.document, flow.language)
            has_changed |= self._heights.set(row, round(layout.height) + scaled(GAP))
        return True, has_changed

    # What the model tells

    def reset(self) -> None:
        """Another conversation: from its end."""
        super().reset()
        self._heights.reset(self._estimates(0, self.transcript.rowCount()))
        self.follows_end = True
        self.text_selection.clear()
        self.hovered_row, self.hovered_hot = -1, None
        self.pill.hide()
        self.place()

    def rowsInserted(self, parent: QModelIndex | QPersistentModelIndex, start: int, end: int) -> None:
        """New rows: at the end they are followed, or the pill says that they are there."""
        super().rowsInserted(parent, start, end)
        self._heights.insert(start, self._estimates(start, end + 1))
        if not self.follows_end and end == self.transcript.rowCount() - 1:
            self._show_pill()
        self.place()

    def rowsAboutToBeRemoved(self, parent: QModelIndex | QPersistentModelIndex, start: int, end: int) -> None:
        """Rows that go."""
        super().rowsAboutToBeRemoved(parent, start, end)
        self._heights.remove(start, end - start + 1)

    def dataChanged(
        self,
        top_left: QModelIndex | QPersistentModelIndex,
        bottom_right: QModelIndex | QPersistentModelIndex,
        roles: Sequence[int] = (),
    ) -> None:
        """A reply that grows is painted at most every 40 ms; all else at once."""
        if isinstance(self.transcript.item(top_left.row()), ReplyItem):
            if not self._growing.isActive():
                self._growing.start()
            return
        self.place()

    def _show_growth(self) -> None:
        if not self.follows_end:
            self._show_pill()
        self.place()

    def _estimates(self, start: int, end: int) -> list[int]:
        items = (self.transcript.item(row) for row in range(start, end))
        return [round(estimated_height(item, self.column)) + scaled(GAP) for item in items]

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the rows that are seen; one that is not laid out yet stays blank for a moment."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), colour("paper"))
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        for row in self._seen_rows():
            item = self.transcript.item(row)
            layout = self.shelf.find(item, self.column, self.transcript.is_running) or self.shelf.stale(item.key)
            if layout is None:
                continue
            origin = self.origin(row)
            clip = QRectF(event.rect()).translated(-origin)
            is_current = self.is_keyboard_led and self.hasFocus() and self.currentIndex().row() == row
            painter.save()
            painter.translate(origin)
            self._paint_ground(painter, item.key, is_current, layout)
            marked = self.text_selection.marked(layout) if self.text_selection.key == item.key else ()
            hot = self.hovered_hot if row == self.hovered_row else None
            paint_row(painter, layout, clip, row == self.hovered_row or is_current, hot, marked)
            painter.restore()

    def _paint_ground(self, painter: QPainter, key: str, is_current: bool, layout: RowLayout) -> None:
        box = QRectF(0, 0, self.column, layout.height).adjusted(-10, -6, 10, 6)
        if key == self._shown_key:
            paint_box(painter, box, colour("accent_soft"), None, 10)
        if is_current:
            paint_box(painter, box, None, colour("accent"), 10)

    def _show_pill(self) -> None:
        self.pill.adjustSize()
        self.pill.move((self.width() - self.pill.width()) // 2, self.height() - self.pill.height() - scaled(10))
        self.pill.show()
        self.pill.raise_()

    def _forget_shown(self) -> None:
        self._shown_key = ""
        self.viewport().update()

    # What Qt asks of a view

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width means other heights; the reader's place stays."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._heights.reset(self._estimates(0, self.transcript.rowCount()))
        if self.pill.isVisible():
            self._show_pill()
        self.place()

    def changeEvent(self, event: QEvent) -> None:
        """Another theme or font scale."""
        super().changeEvent(event)
        if event.type() in RESTYLING:
            self.place()

    def visualRect(self, index: QModelIndex | QPersistentModelIndex) -> QRect:
        """Where a row is in the viewport."""
        if not index.isValid() or index.row() >= len(self._heights):
            return QRect()
        top = self._heights.top(index.row()) - self.verticalOffset()
        return QRect(self.column_left, top, self.column, self._heights[index.row()] - scaled(GAP))

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
        return self.transcript.index(row) if row >= 0 else QModelIndex()

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Up and down go from message to message."""
        last = self.transcript.rowCount() - 1
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
        return self.transcript.index(min(max(row, 0), last)) if last >= 0 else QModelIndex()

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
        return QSize(320, 120)
