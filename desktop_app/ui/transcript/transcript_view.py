"""The view of the transcript: lays out and paints only visible rows, follows the end, and keeps the reader's position.

Its rows have different heights, and some are not loaded yet.
"""

from __future__ import annotations

import math
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
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QRegion, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QWidget

from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.accessibility import Role, WithRole
from desktop_app.ui.widgets.buttons import KEYBOARD, Button
from desktop_app.ui.widgets.look import RESTYLING, Corner, colour, paint_box, scale
from desktop_app.ui.widgets.pictures import graphics, pictures

from .changed_region import PaintedPage, PaintedRow, first_change
from .code_blocks import Highlighter
from .documents import InkDocument
from .message_editor import MessageEditor
from .row_heights import RowHeights
from .row_layout import RowCache, estimated_height
from .row_painter import Found, HitRegion, Marks, RowLayout, paint_code_head, paint_row
from .selection import TextSelection
from .transcript_items import PAGE, GapItem, MessageItem, ReplyItem, page_to_read
from .transcript_model import TranscriptModel

COLUMN = 720
SIDE = 24  # minimum pixels at both sides of the column
GAP = 18  # pixels below each row
TOP = 20
READ_FROM = 100  # pixels below the top of the viewport: a message above them has been read
NEAR = 600  # pixels of distance at which messages that are not loaded are requested


class RowView(WithRole, QAbstractItemView):
    """The geometry of the rows, and the reader's position: a row, or the index of a message that is not loaded.

    heights: each row's height, including the gap below it. Signal: page_requested(before, around), when messages that
    are not loaded are near: the index before which to read, and the index of the message that is visible.
    """

    accessible_role = Role.Document
    page_requested = Signal(int, int)

    def __init__(self, model: TranscriptModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.transcript = model
        self._anchor_key, self._anchor_offset = "", 0
        self._anchor_index = (
            -1.0
        )  # the index of the message that is read, if there is no key; the fraction is within it
        self._is_anchored_below = False
        self.is_keyboard_led = False  # whether the current row is painted as such
        self.heights = RowHeights(scale(TOP))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAutoScroll(False)  # a click in a tall row must not scroll
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # its pixels can be moved

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Make a visible row the current one when Tab moves the focus here: the lowest, unless another one is."""
        if event.reason() in KEYBOARD and len(self.heights):
            self.is_keyboard_led = True
            top, height = self.verticalOffset(), self.viewport().height()
            if not self.heights.row_at(top) <= self.currentIndex().row() <= self.heights.row_at(top + height):
                self.setCurrentIndex(self.transcript.index(self.heights.row_at(top + height)))
        super().focusInEvent(event)

    def currentChanged(
        self, current: QModelIndex | QPersistentModelIndex, previous: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Repaint everything: the ring around the current row extends beyond it."""
        super().currentChanged(current, previous)
        self.viewport().update()

    @property
    def column(self) -> int:
        return max(min(scale(COLUMN), self.width() - 2 * SIDE), 120)

    @property
    def column_left(self) -> int:
        """The left edge of the column, which is centred in the widget, so that the scroll bar does not shift it."""
        return (self.width() - self.column) // 2

    def row_at(self, point: QPoint) -> int:
        """Return the row at the height of a point in the viewport; -1 above and below all rows."""
        y = point.y() + self.verticalOffset()
        row = self.heights.row_at(y)
        if row < 0 or not self.heights.top(row) <= y < self.heights.top(row) + self.heights[row]:
            return -1
        return row

    def origin(self, row: int) -> QPointF:
        """Return the origin of a row's layout, in the viewport's coordinates."""
        return QPointF(self.column_left, self.heights.top(row) - self.verticalOffset())

    def top_of(self, message_id: str) -> int | None:
        """Return the top of a message, in pixels below the top of the viewport; None if it is not loaded."""
        row = self.transcript.row_of(message_id)
        return self.heights.top(row) - self.verticalOffset() if row >= 0 else None

    def rows_in_sight(self) -> range:
        """Return the indices of the rows that are at least partly visible."""
        if not len(self.heights):
            return range(0)
        top = self.verticalOffset()
        first = self.heights.row_at(top)
        return range(first, self.heights.row_at(top + self.viewport().height()) + 1)

    @property
    def index_in_sight(self) -> int:
        """The index of the first visible message, loaded or not; -1 without messages."""
        return self.index_at(0)

    def index_at(self, below: int) -> int:
        """Return the index of the message that many pixels below the viewport's top, or of the next; -1 for none."""
        for row in range(max(self.heights.row_at(self.verticalOffset() + below), 0), len(self.heights)):
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
        """Do nothing: text is selected, not rows."""

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:
        return QRegion()

    def minimumSizeHint(self) -> QSize:
        return QSize(320, 48)

    # Messages that are not loaded

    def _ask_for_page(self) -> None:
        """Request a missing page near the visible rows."""
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
        """Anchor the view at a message, loaded or not. offset: pixels below its beginning."""
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


BOTTOM = 48  # pixels below the last row, so that a toast covers no text
FAR, JUMP_EDGE = 400, 12  # pixels from the end beyond which the button to it is shown; around that button
NEWEST = translatable("↓ Newest message")
LAYOUT_SLICE = 0.008  # seconds of layout in one pass of the event loop
HIGHLIGHTED_FOR = 1_600  # milliseconds for which a message is highlighted after a jump to it


class TranscriptView(RowView):
    """Geometry, scrolling and painting. `TranscriptWidget` handles the mouse and the keyboard.

    Signal: laid_out, when the visible rows may have changed.
    """

    laid_out = Signal()

    def __init__(self, model: TranscriptModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self.cache = RowCache()
        self.text_selection = TextSelection()
        self.hovered_row = -1
        self.hovered_region: HitRegion | None = None
        self.follows_end, self._is_laying_out = True, False
        self._page = PaintedPage(0, (0, 0, 0), ())
        self._shown_key = ""
        self.found_text: Found = ""  # highlighted wherever it is painted
        # The key of the row with the occurrence that was jumped to, and the occurrence's box in it.
        self.current_place: tuple[str, QRectF] | None = None
        self._highlighter = Highlighter(self)
        self._highlighter.highlighted.connect(self._show_highlighted)
        pictures.loaded.connect(self.viewport().update)
        graphics.drawn.connect(self.lay_out_visible)
        self._settling = QTimer(self, singleShot=True, interval=0)
        self._settling.timeout.connect(self.lay_out_visible)
        self._forgetting = QTimer(self, singleShot=True, interval=HIGHLIGHTED_FOR)
        self._forgetting.timeout.connect(self._forget_shown)
        self.editor = MessageEditor(self.viewport())
        self._seen = -1  # the index of the newest message when the end was last visible
        self.jump = Button(tr(NEWEST), parent=self)
        self.jump.clicked.connect(self.follow_end)
        self.jump.hide()
        self.setModel(model)
        model.has_changed.connect(self.lay_out_visible)

    @property
    def is_settled(self) -> bool:
        return not self._settling.isActive() and self.transcript.is_refreshed

    def layout_of(self, row: int) -> RowLayout:
        item = self.transcript.item(row)
        if (layout := self.cache.find(item, self.column)) is None:
            layout = self.cache.make(item, self.column)
            if self.heights.set(row, round(layout.height) + scale(GAP)):  # its layout is complete now
                self._settling.start()
        return layout

    # Scrolling

    @property
    def index_read(self) -> int:
        """The index of the message that is being read: the newest at the end; -1 without messages."""
        return self.index_at(self.viewport().height() if self.follows_end else scale(READ_FROM))

    def follow_end(self) -> None:
        self.follows_end = True
        self.lay_out_visible()

    def show_message(self, message_id: str, top: int | None = None) -> bool:
        """Scroll to a message and highlight it for a moment; return False if it is not loaded.

        top: the pixels below the top of the viewport where it should begin. Then it is not highlighted, but becomes the
        current row.
        """
        self.transcript.reveal(message_id)
        row = self.transcript.row_of(message_id)
        if row < 0:
            return False
        self.follows_end = False
        self._anchor_key, self._anchor_offset = self.transcript.item(row).key, -scale(60) if top is None else -top
        self._is_anchored_below = False
        if top is None:
            self._shown_key = self._anchor_key
            self._forgetting.start()
        else:
            self.setCurrentIndex(self.transcript.index(row))
        self.lay_out_visible()
        return True

    def lay_out_visible(self) -> None:
        """Lay out the visible rows, restore the reader's position, and paint everything again."""
        self._lay_out()
        self.viewport().update()

    def _lay_out(self) -> None:
        if self.transcript.is_changing:
            return  # an incomplete change cannot be shown
        deadline = monotonic() + LAYOUT_SLICE
        is_settled, self._is_laying_out = False, True
        for _ in range(12):
            self._set_scroll_range()
            self.verticalScrollBar().setValue(self._wanted_offset())
            is_settled, has_changed = self._lay_out_rows(deadline)
            if not has_changed:
                break
            deadline = deadline if is_settled else 0.0  # an incomplete row is laid out only once in a pass
        self._is_laying_out = False
        if not is_settled or self._go_on_settled():
            self._settling.start()
        elif not self.follows_end and (self._is_anchored_below or not self._anchor_key):
            self._remember_position()
        self._offer_jump()
        self.updateEditorGeometries()
        self._page = self._page_in_sight()
        self._ask_for_page()
        self.laid_out.emit()

    def _page_in_sight(self) -> PaintedPage:
        items = ((row, self.transcript.item(row)) for row in self.rows_in_sight())
        layouts = ((row, item.key, self.cache.find(item, self.column)) for row, item in items)
        rows = (PaintedRow(key, self.heights.top(row), layout) for row, key, layout in layouts if layout is not None)
        frame = self.viewport().width(), self.viewport().height(), self.column_left
        return PaintedPage(self.verticalOffset(), frame, tuple(rows))

    @property
    def _may_paint_partly(self) -> bool:
        """Whether nothing is painted that does not belong to the layout of a row."""
        is_ringed = self.is_keyboard_led and self.hasFocus()
        is_marked = self.found_text or self._shown_key or self.current_place or not self.text_selection.is_empty
        return not (is_ringed or is_marked or self.editor.message_id)

    def _paint_changes(self, before: PaintedPage) -> None:
        """Move what was painted, and paint the rows from the first one that looks different."""
        page, (width, height, _) = self._page, self._page.frame
        change, moved = first_change(before, page), page.offset - before.offset
        if change is None or not self._may_paint_partly or abs(moved) >= height:
            self.viewport().update()
            return
        if moved:
            self.viewport().scroll(0, -moved, self.viewport().rect())
        top = max(math.floor(change) - page.offset, 0)
        self.viewport().update(0, top, width, height - top)
        if head := math.ceil(max(before.head, page.head)):  # it stays in place
            self.viewport().update(0, 0, width, head + abs(moved) + 1)

    def _go_on_settled(self) -> bool:
        return False  # whether the position was changed, now that all visible rows are laid out

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        if self._is_laying_out:
            return
        bar = self.verticalScrollBar()
        self.follows_end = bar.value() >= bar.maximum() - 2
        self._remember_position()
        self.lay_out_visible()

    def _remember_position(self) -> None:
        row = self.heights.row_at(self.verticalOffset())
        item = self.transcript.item(row) if row >= 0 else None
        if isinstance(item, GapItem):
            within = (self.verticalOffset() - self.heights.top(row)) / max(self.heights[row], 1)
            self._go_to_index(item.first + within * item.count)
        elif item is not None:
            layout = self.cache.find(item, self.column)
            self._anchor_key = item.key
            self._anchor_offset = self.verticalOffset() - self.heights.top(row)
            # Scrolling up reaches the end of a row first: while its height is an estimate, its end stays in place.
            self._is_anchored_below = layout is None or not layout.is_complete
            if self._is_anchored_below:
                self._anchor_offset -= self.heights[row]

    def go_to_start(self) -> None:
        self.follows_end = False
        self._go_to_index(0, -scale(TOP))
        self.lay_out_visible()

    def _wanted_offset(self) -> int:
        bar = self.verticalScrollBar()
        if not self.follows_end and not self._anchor_key and self._anchor_index >= 0:
            return self._index_offset()
        row = -1 if self.follows_end else self.transcript.row_of(self._anchor_key)
        if row < 0:
            return bar.maximum() if self.follows_end else bar.value()
        below = self.heights[row] if self._is_anchored_below else 0
        return self.heights.top(row) + below + self._anchor_offset

    def _set_scroll_range(self) -> None:
        bar, height = self.verticalScrollBar(), self.viewport().height()
        bar.setPageStep(height)
        bar.setSingleStep(scale(40))
        bar.setRange(0, max(self.heights.end + scale(BOTTOM) - height, 0))

    def _lay_out_rows(self, deadline: float) -> tuple[bool, bool]:
        """Lay out visible rows until the deadline; return whether all are complete, and whether a height changed."""
        has_changed = False
        for row in self.rows_in_sight():
            item = self.transcript.item(row)
            layout = self.cache.find(item, self.column)
            if layout is None or not layout.is_complete:
                if monotonic() > deadline:
                    return False, has_changed
                middle = self.verticalOffset() + self.viewport().height() / 2 - self.heights.top(row)
                layout = self.cache.make(item, self.column, deadline, middle)
                for flow in layout.flows:
                    self._highlighter.add(flow.document, flow.language, isinstance(item, ReplyItem))
            has_changed |= self.heights.set(row, round(layout.height) + scale(GAP))
            if not layout.is_complete:
                return False, has_changed
        return True, has_changed

    def updateEditorGeometries(self) -> None:
        """Keep the editor over its message."""
        if self.editor.message_id:
            row = self.transcript.row_of(self.editor.message_id)
            if row >= 0:
                self.editor.setGeometry(self.visualRect(self.transcript.index(row)))
            else:  # another conversation or version is shown
                self.editor.leave()

    # Changes of the model

    def reset(self) -> None:
        super().reset()
        self.heights.reset(self._estimates(0, self.transcript.rowCount()))
        self.follows_end = True
        self.text_selection.clear()
        self.hovered_row, self.hovered_region = -1, None
        self._seen = self.transcript.newest_index
        self.lay_out_visible()

    def rowsInserted(self, parent: QModelIndex | QPersistentModelIndex, start: int, end: int) -> None:
        super().rowsInserted(parent, start, end)
        self.heights.insert(start, self._estimates(start, end + 1))
        self.lay_out_visible()

    def rowsAboutToBeRemoved(self, parent: QModelIndex | QPersistentModelIndex, start: int, end: int) -> None:
        super().rowsAboutToBeRemoved(parent, start, end)
        self.heights.remove(start, end - start + 1)

    def dataChanged(
        self,
        top_left: QModelIndex | QPersistentModelIndex,
        bottom_right: QModelIndex | QPersistentModelIndex,
        roles: Sequence[int] = (),
    ) -> None:
        before = self._page
        self._lay_out()
        self._paint_changes(before)

    def _estimates(self, start: int, end: int) -> list[int]:
        item, column = self.transcript.item, self.column
        return [round(estimated_height(item(row), column)) + scale(GAP) for row in range(start, end)]

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the visible rows; one that is not laid out yet stays blank for a moment."""
        painter, found = QPainter(self.viewport()), Marks(self.found_text)
        painter.fillRect(event.rect(), colour("paper"))
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        spans = self.text_selection.spans(self.transcript.row_of)
        for row in self.rows_in_sight():
            item = self.transcript.item(row)
            layout = self.cache.find(item, self.column) or self.cache.stale(item.key)
            if layout is None:
                continue
            origin = self.origin(row)
            clip = QRectF(event.rect()).translated(-origin)
            is_current = self.is_keyboard_led and self.hasFocus() and self.currentIndex().row() == row
            painter.save()
            painter.translate(origin)
            self._paint_ground(painter, item.key, is_current, layout)
            marked = [cursor for _, cursor in spans[row].cursors(layout)] if row in spans else ()
            hot = self.hovered_region if (is_lit := row == self.hovered_row) else None
            paint_row(painter, layout, clip, is_lit or is_current, hot, marked, found)
            paint_code_head(painter, layout, -origin.y(), hot)
            if self.current_place is not None and self.current_place[0] == item.key:
                paint_box(painter, self.current_place[1].adjusted(-2, -1, 2, 1), None, colour("accent"), Corner.MARK)
            painter.restore()
        if not found.is_whole:
            self._settling.start()

    def _paint_ground(self, painter: QPainter, key: str, is_current: bool, layout: RowLayout) -> None:
        if key == self._shown_key:
            x = self.column + 11 if self.isRightToLeft() else -14
            paint_box(painter, QRectF(x, 0, 3, layout.height), colour("accent"), None, Corner.MARK)
        if is_current:
            box = QRectF(-10, -6, self.column + 20, layout.height + 12)
            paint_box(painter, box, None, colour("accent"), Corner.CARD)

    def _offer_jump(self) -> None:
        """Show or hide the button to the newest message, with the number of new ones, depending on the distance."""
        bar = self.verticalScrollBar()
        left = bar.maximum() - bar.value()
        if self.follows_end or not left:
            self._seen = self.transcript.newest_index
        unread = self.transcript.count_replies_after(self._seen)
        if not left or (not unread and left < scale(FAR)):
            self.jump.hide()
            return
        text = tr("↓ %n new messages", "", unread) if unread else tr(NEWEST)
        if text != self.jump.text():
            self.jump.setText(text)
            self.jump.adjustSize()
        right_side = self.viewport().width() - self.jump.width() - scale(JUMP_EDGE)
        x = scale(JUMP_EDGE) if self.isRightToLeft() else right_side
        self.jump.move(self.viewport().x() + x, self.height() - self.jump.height() - scale(JUMP_EDGE))
        self.jump.show()
        self.jump.raise_()

    def _show_highlighted(self, document: InkDocument) -> None:
        """Paint a document again, if it is visible."""
        for row in self._page.rows:
            for flow in row.layout.flows:
                if flow.document is document:
                    origin = QPointF(self.column_left, row.top - self._page.offset)
                    self.viewport().update(flow.box.translated(origin).toAlignedRect())

    def _forget_shown(self) -> None:
        self._shown_key = ""
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.heights.reset(self._estimates(0, self.transcript.rowCount()))
        self.lay_out_visible()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in RESTYLING:
            self.lay_out_visible()
