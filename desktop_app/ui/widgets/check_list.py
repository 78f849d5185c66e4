"""A list whose rows can be ticked, by the mouse, Enter or the space bar; five thousand rows cost no more than ten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QListView, QSizePolicy, QStyle, QStyleOptionViewItem

from desktop_app.ui.translation import tr

from .look import Corner, colour, in_reading_order, paint_box, scale
from .row_list import ROW, AnyIndex, ListRow, RowDelegate, RowList

BOX, BESIDE_BOX = 15, 12  # pixels


@dataclass(frozen=True)
class CheckRow(ListRow):
    """A row that can be ticked."""

    is_checked: bool = False

    @property
    def words(self) -> str:
        return super().words + tr(" · chosen") if self.is_checked else super().words


class CheckDelegate(RowDelegate):
    """Paints a box before each row."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row, whole = index.data(ROW), QRectF(option.rect)  # type: ignore[attr-defined]
        shifted = QStyleOptionViewItem(option)
        beside = in_reading_order(painter, whole, whole.adjusted(scale(BOX) + BESIDE_BOX, 0, 0, 0))
        shifted.rect = beside.toRect()  # type: ignore[attr-defined]
        self.paint_row(painter, shifted, row)
        side = scale(BOX)
        box = QRectF(whole.left() + 6, whole.center().y() - side / 2, side, side)
        box = in_reading_order(painter, whole, box)
        is_on = isinstance(row, CheckRow) and row.is_checked
        painter.save()
        fill, border = colour("accent" if is_on else "raised"), colour("accent" if is_on else "ink_faint")
        paint_box(painter, box, fill, border, Corner.TAG)
        if is_on:
            painter.setPen(QPen(colour("accent_ink"), scale(1.6)))
            x, y, unit = box.left(), box.top(), side / 15
            corners = [QPointF(x + a * unit, y + b * unit) for a, b in ((3.6, 7.8), (6.4, 10.6), (11.4, 4.8))]
            painter.drawPolyline(QPolygonF(corners))
        painter.restore()


class CheckList(RowList):
    """Signals: toggled(key), by the user; current_changed."""

    toggled = Signal(str)
    current_changed = Signal()

    def __init__(self, most: int, *, unticks_by_box: bool = False) -> None:
        """most: rows that are seen at once. unticks_by_box: a click beside the box of a ticked row only goes there."""
        super().__init__(has_body=False)
        self._most, self._unticks_by_box = most, unticks_by_box
        self.setItemDelegate(CheckDelegate(self, has_body=False))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.row_chosen.connect(self.toggled)
        self.choice_changed.connect(self.current_changed)

    def sizeHint(self) -> QSize:
        rows = min(self.rows.rowCount(), self._most)
        return QSize(super().sizeHint().width(), rows * self.sizeHintForRow(0) + 2 if rows else 0)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def show_rows(self, rows: Sequence[CheckRow], at: str = "") -> None:
        """Show these rows, on the row of that key or the first one."""
        if list(rows) == self.rows.rows:
            return
        self.rows.replace(rows)
        number = next((number for number, row in enumerate(rows) if row.key == at), 0)
        if rows:
            self.setCurrentIndex(self.rows.index(number))
        self.updateGeometry()

    def go_to(self, key: str) -> None:
        """Put the keyboard's place on that row."""
        number = next((number for number, row in enumerate(self.rows.rows) if row.key == key), -1)
        if number >= 0:
            self.setCurrentIndex(self.rows.index(number))

    def set_checked(self, key: str, is_checked: bool) -> None:
        """Tick a row, or take the tick away."""
        row = next((row for row in self.rows.rows if row.key == key), None)
        if isinstance(row, CheckRow):
            self.rows.change(replace(row, is_checked=is_checked))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        index = self.indexAt(at)
        row = index.data(ROW) if index.isValid() else None
        is_ticked = isinstance(row, CheckRow) and row.is_checked
        if self._unticks_by_box and is_ticked and not self._box_side(index).contains(at):
            QListView.mouseReleaseEvent(self, event)
        else:
            super().mouseReleaseEvent(event)

    def _box_side(self, index: AnyIndex) -> QRect:
        """Return the part of a row that has its box."""
        row = self.visualRect(index)
        side = QRect(row.left(), row.top(), round(scale(BOX)) + BESIDE_BOX, row.height())
        return QStyle.visualRect(self.layoutDirection(), row, side)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and self.current_key():
            self.toggled.emit(self.current_key())
        else:
            super().keyPressEvent(event)
