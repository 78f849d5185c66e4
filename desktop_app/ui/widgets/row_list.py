"""Long lists of short rows, plain or with tick boxes, as a model and a delegate: 5,000 rows cost no more than 40."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop_app.ui.translation import tr

from .buttons import ENTER
from .long_text import is_typed
from .look import (
    MEDIUM,
    NORMAL,
    TRANSPARENT,
    Corner,
    StyleAware,
    Tint,
    colour,
    font,
    in_reading_order,
    paint_box,
    paint_focus,
    recolour,
    scale,
)
from .text_label import ELLIPSIS, Run

AnyIndex = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole
PADDING = 8
NEAR_END = 400  # pixels from the end at which more rows are requested
LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


@dataclass(frozen=True)
class ListRow:
    """The content of a row: title, tag and aside on the first line, the body below."""

    key: str  # identifies the item of the row
    title: str
    aside: str = ""
    body: tuple[Run, ...] = ()
    tag: str = ""
    tag_tint: Tint = "accent"

    @property
    def words(self) -> str:
        """The row's text, for tooltips and screen readers."""
        head = " · ".join(filter(None, (self.title, self.tag, self.aside)))
        return "\n".join(filter(None, (head, "".join(run.text for run in self.body))))


class WithWords(Protocol):
    """A row of any list, with a text for screen readers."""

    @property
    def words(self) -> str: ...


R = TypeVar("R", bound=WithWords)


class WordsModel(QAbstractListModel, Generic[R]):
    """A Qt model of rows. The delegate decides how to paint them."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows: list[R] = []

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if role == ROW:
            return row
        return row.words if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.DisplayRole) else None


class RowModel(WordsModel[ListRow]):
    """A model of rows with one or two lines."""

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        return super().data(index, Qt.ItemDataRole.DisplayRole if role == Qt.ItemDataRole.ToolTipRole else role)

    def replace(self, rows: Sequence[ListRow]) -> None:
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def append(self, rows: Sequence[ListRow]) -> None:
        if not rows:
            return
        self.beginInsertRows(QModelIndex(), len(self.rows), len(self.rows) + len(rows) - 1)
        self.rows.extend(rows)
        self.endInsertRows()

    def change(self, row: ListRow) -> None:
        """Replace the row that has the same key."""
        for number, old in enumerate(self.rows):
            if old.key == row.key and old != row:
                self.rows[number] = row
                self.dataChanged.emit(self.index(number), self.index(number))


def draw_runs(painter: QPainter, room: QRectF, runs: Sequence[Run], size: float, tint: Tint) -> None:
    """Draw one line of runs, elided at the end of `room`."""
    left = room.left()
    for run in runs:
        look = font(size, run.weight or NORMAL)
        metrics = QFontMetricsF(look)
        text = run.text
        width = metrics.horizontalAdvance(text)
        is_cut = left + width > room.right()
        if is_cut:
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.right() - left) or ELLIPSIS
        painter.setFont(look)
        painter.setPen(colour(run.tint or tint))
        rest = QRectF(left, room.top(), room.right() - left + 1, room.height())
        painter.drawText(in_reading_order(painter, room, rest), LEFT, text)
        if is_cut:
            return
        left += width


class RowDelegate(QStyledItemDelegate):
    """Paints rows with one line, or with a body as a second one."""

    def __init__(self, parent: QWidget, *, has_body: bool) -> None:
        super().__init__(parent)
        self._has_body = has_body

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(120, scale(46 if self._has_body else 28))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        self.paint_row(painter, option, index.data(ROW))

    def paint_row(self, painter: QPainter, option: QStyleOptionViewItem, row: ListRow) -> None:
        """Paint a row that was read from the model: reading it again would take as long as painting it."""
        painter.save()
        box = QRectF(option.rect)  # type: ignore[attr-defined]
        state = option.state  # type: ignore[attr-defined]
        is_chosen = bool(state & QStyle.StateFlag.State_Selected)
        if is_chosen or state & QStyle.StateFlag.State_MouseOver:
            fill = colour("accent_soft" if is_chosen else "line_soft")
            paint_box(painter, box.adjusted(0, 1, 0, -1), fill, None, Corner.ROW)
        if state & QStyle.StateFlag.State_HasFocus:
            paint_focus(painter, box.adjusted(0, 1, 0, -1), Corner.ROW)
        room = box.adjusted(PADDING, scale(4), -PADDING, -scale(4))
        first = QRectF(room.left(), room.top(), room.width(), scale(19) if self._has_body else room.height())
        self._paint_first(painter, first, row)
        if self._has_body:
            draw_runs(painter, QRectF(room.left(), first.bottom(), room.width(), scale(19)), row.body, 13, "ink_soft")
        painter.restore()

    def _paint_first(self, painter: QPainter, room: QRectF, row: ListRow) -> None:
        _draw(painter, room, row.aside, 12, NORMAL, "ink_faint", RIGHT)
        right = room.right() - _width(row.aside, 12) - (10 if row.aside else 0)
        tag = _width(row.tag, 11, MEDIUM) + 8 if row.tag else 0.0
        runs = [Run(row.title, weight=MEDIUM)]
        if not self._has_body and row.body:
            runs += [Run("  "), *(Run(run.text, run.tint or "ink_soft", run.weight) for run in row.body)]
        titles = QRectF(room.left(), room.top(), right - tag - room.left(), room.height())
        draw_runs(painter, in_reading_order(painter, room, titles), runs, 13, "ink")
        if row.tag:
            title = min(_width(row.title, 13, MEDIUM), titles.width())
            tags = QRectF(room.left() + title + 8, room.top(), tag, room.height())
            _draw(painter, in_reading_order(painter, room, tags), row.tag, 11, MEDIUM, row.tag_tint, LEFT)


def _width(text: str, size: float, weight: int = NORMAL) -> float:
    return QFontMetricsF(font(size, weight)).horizontalAdvance(text)


def _draw(
    painter: QPainter, room: QRectF, text: str, size: float, weight: int, tint: Tint, alignment: Qt.AlignmentFlag
) -> None:
    painter.setFont(font(size, weight))
    painter.setPen(colour(tint))
    painter.drawText(room, alignment, text)


class TransparentList(StyleAware, QListView):
    """A list without frame and background, which scrolls by pixels.

    It leaves letters to its parent: typing writes a draft, and does not jump to a row.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        recolour(self, {QPalette.ColorRole.Base: TRANSPARENT})

    def refresh_style(self) -> None:
        recolour(self, {QPalette.ColorRole.Base: TRANSPARENT})
        self.scheduleDelayedItemsLayout()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_typed(event):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def inputMethodQuery(self, query: Qt.InputMethodQuery) -> Any:
        """Accept no text from an input method: Qt would, for editable rows, and jump to a row that begins with it."""
        return False if query == Qt.InputMethodQuery.ImEnabled else super().inputMethodQuery(query)


class RowList(TransparentList):
    """A list of rows.

    Signals: row_chosen(key), by a click or Enter; choice_changed, with the selection; more_requested, near the end.
    """

    row_chosen = Signal(str)
    choice_changed = Signal()
    more_requested = Signal()

    def __init__(self, parent: QWidget | None = None, *, has_body: bool = True) -> None:
        super().__init__(parent)
        self.rows = RowModel(self)
        self.setModel(self.rows)
        self.setItemDelegate(RowDelegate(self, has_body=has_body))
        self.setUniformItemSizes(True)
        self.selectionModel().selectionChanged.connect(lambda *_: self.choice_changed.emit())
        self.verticalScrollBar().valueChanged.connect(self._look_ahead)

    def chosen_keys(self) -> tuple[str, ...]:
        """Return the keys of the selected rows, in the order of the list."""
        numbers = sorted(index.row() for index in self.selectionModel().selectedIndexes())
        return tuple(self.rows.rows[number].key for number in numbers)

    def current_key(self) -> str:
        """Return the key of the current row; "" if there is none."""
        return self._key_at(self.currentIndex())

    def step(self, by: int) -> None:
        """Move the current row by that many rows."""
        count = self.rows.rowCount()
        if count:
            number = self.currentIndex().row() + by if self.currentIndex().isValid() else max(by - 1, 0)
            self.setCurrentIndex(self.rows.index(min(max(number, 0), count - 1)))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        key = self._key_at(self.indexAt(event.position().toPoint()))
        if event.button() == Qt.MouseButton.LeftButton and key:
            self.row_chosen.emit(key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER and self.current_key():
            self.row_chosen.emit(self.current_key())
        else:
            super().keyPressEvent(event)

    def _key_at(self, index: QModelIndex) -> str:
        return self.rows.rows[index.row()].key if index.isValid() else ""

    def _look_ahead(self, value: int) -> None:
        if value >= self.verticalScrollBar().maximum() - NEAR_END:
            self.more_requested.emit()


BOX, BOX_GAP = 15, 12  # pixels: the side of a tick box, and the space next to it


@dataclass(frozen=True)
class CheckRow(ListRow):
    """A row that can be ticked."""

    is_checked: bool = False

    @property
    def words(self) -> str:
        return super().words + tr(" · chosen") if self.is_checked else super().words


class CheckDelegate(RowDelegate):
    """Paints a tick box before each row."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row, room = index.data(ROW), QRectF(option.rect)  # type: ignore[attr-defined]
        shifted = QStyleOptionViewItem(option)
        content = in_reading_order(painter, room, room.adjusted(scale(BOX) + BOX_GAP, 0, 0, 0))
        shifted.rect = content.toRect()  # type: ignore[attr-defined]
        self.paint_row(painter, shifted, row)
        side = scale(BOX)
        box = QRectF(room.left() + 6, room.center().y() - side / 2, side, side)
        box = in_reading_order(painter, room, box)
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
    """A list of rows with tick boxes. Signal: toggled(key), by the user."""

    toggled = Signal(str)

    def __init__(self, most: int, *, unticks_by_box: bool = False) -> None:
        """most: rows that are visible at once. unticks_by_box: whether a ticked row is unticked only by a click on its
        box, while a click elsewhere just makes it current."""
        super().__init__(has_body=False)
        self._most, self._unticks_by_box = most, unticks_by_box
        self.setItemDelegate(CheckDelegate(self, has_body=False))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.row_chosen.connect(self.toggled)

    def sizeHint(self) -> QSize:
        rows = min(self.rows.rowCount(), self._most)
        return QSize(super().sizeHint().width(), rows * self.sizeHintForRow(0) + 2 if rows else 0)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def show_rows(self, rows: Sequence[CheckRow], at: str = "") -> None:
        """Show these rows. at: the key of the row to make current; the first row if there is none."""
        if list(rows) == self.rows.rows:
            return
        self.rows.replace(rows)
        number = next((number for number, row in enumerate(rows) if row.key == at), 0)
        if rows:
            self.setCurrentIndex(self.rows.index(number))
        self.updateGeometry()

    def go_to(self, key: str) -> None:
        """Make that row the current one."""
        number = next((number for number, row in enumerate(self.rows.rows) if row.key == key), -1)
        if number >= 0:
            self.setCurrentIndex(self.rows.index(number))

    def set_checked(self, key: str, is_checked: bool) -> None:
        """Tick or untick a row."""
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
        """Return the part of a row that contains its tick box."""
        row = self.visualRect(index)
        side = QRect(row.left(), row.top(), round(scale(BOX)) + BOX_GAP, row.height())
        return QStyle.visualRect(self.layoutDirection(), row, side)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and self.current_key():
            self.toggled.emit(self.current_key())
        else:
            super().keyPressEvent(event)
