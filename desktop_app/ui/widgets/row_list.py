"""A long list of short rows: a model and a delegate, so that four thousand rows cost no more than forty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from .look import MEDIUM, NORMAL, RESTYLING, Tint, colour, font, paint_box, scaled
from .text_label import ELLIPSIS, Run

AnyIndex = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole
PADDING = 8
NEAR_END = 400  # pixels from the end at which more is asked for


@dataclass(frozen=True)
class ListRow:
    """What a row shows: a title and an aside on the first line, a body below. key: what it stands for."""

    key: str
    title: str
    aside: str = ""
    body: tuple[Run, ...] = ()
    tag: str = ""
    tag_tint: Tint = "accent"

    @property
    def words(self) -> str:
        """All of it, for a tooltip and for those who listen."""
        body = "".join(run.text for run in self.body)
        return "\n".join(part for part in (" · ".join(filter(None, (self.title, self.tag, self.aside))), body) if part)


class RowModel(QAbstractListModel):
    """Rows in their order."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows: list[ListRow] = []

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        """How many are loaded."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The row, and its words."""
        row = self.rows[index.row()]
        if role == ROW:
            return row
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.DisplayRole):
            return row.words
        return None

    def replace(self, rows: Sequence[ListRow]) -> None:
        """Other rows."""
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def append(self, rows: Sequence[ListRow]) -> None:
        """More rows at the end."""
        if not rows:
            return
        self.beginInsertRows(QModelIndex(), len(self.rows), len(self.rows) + len(rows) - 1)
        self.rows.extend(rows)
        self.endInsertRows()

    def change(self, row: ListRow) -> None:
        """The row of that key, changed."""
        for number, old in enumerate(self.rows):
            if old.key == row.key and old != row:
                self.rows[number] = row
                self.dataChanged.emit(self.index(number), self.index(number))


def draw_runs(painter: QPainter, room: QRectF, runs: Sequence[Run], size: float, tint: Tint) -> None:
    """One line of runs, cut with an ellipsis where the room ends."""
    left = room.left()
    for run in runs:
        shown = font(size, run.weight or NORMAL)
        metrics = QFontMetricsF(shown)
        text = run.text
        width = metrics.horizontalAdvance(text)
        is_cut = left + width > room.right()
        if is_cut:
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.right() - left) or ELLIPSIS
        painter.setFont(shown)
        painter.setPen(colour(run.tint or tint))
        painter.drawText(QRectF(left, room.top(), room.right() - left + 1, room.height()), _LEFT, text)
        if is_cut:
            return
        left += width


_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


class RowDelegate(QStyledItemDelegate):
    """Paints rows of one or of two lines."""

    def __init__(self, parent: QWidget, *, has_body: bool) -> None:
        super().__init__(parent)
        self._has_body = has_body

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """All rows are of one height."""
        return QSize(120, scaled(46 if self._has_body else 28))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paints the ground, the first line, the body."""
        row: ListRow = index.data(ROW)
        painter.save()
        box = QRectF(option.rect)  # type: ignore[attr-defined]
        state = option.state  # type: ignore[attr-defined]
        is_chosen = bool(state & QStyle.StateFlag.State_Selected)
        if is_chosen or state & QStyle.StateFlag.State_MouseOver:
            fill = colour("accent_soft") if is_chosen else colour("line_soft")
            paint_box(painter, box.adjusted(0, 1, 0, -1), fill, None, 6)
        room = box.adjusted(PADDING, scaled(4), -PADDING, -scaled(4))
        first = QRectF(room.left(), room.top(), room.width(), scaled(19) if self._has_body else room.height())
        self._paint_first(painter, first, row)
        if self._has_body:
            draw_runs(painter, QRectF(room.left(), first.bottom(), room.width(), scaled(19)), row.body, 13, "ink_soft")
        painter.restore()

    def _paint_first(self, painter: QPainter, room: QRectF, row: ListRow) -> None:
        aside = font(12)
        painter.setFont(aside)
        painter.setPen(colour("ink_faint"))
        painter.drawText(room, _RIGHT, row.aside)
        right = room.right() - QFontMetricsF(aside).horizontalAdvance(row.aside) - (10 if row.aside else 0)
        tag = QFontMetricsF(font(11, MEDIUM)).horizontalAdvance(row.tag) + 8 if row.tag else 0.0
        runs = [Run(row.title, weight=MEDIUM)]
        if not self._has_body and row.body:
            runs += [Run("  "), *(Run(run.text, run.tint or "ink_soft", run.weight) for run in row.body)]
        draw_runs(painter, QRectF(room.left(), room.top(), right - tag - room.left(), room.height()), runs, 13, "ink")
        if row.tag:
            named = min(QFontMetricsF(font(13, MEDIUM)).horizontalAdvance(row.title), right - tag - room.left())
            self._paint_tag(painter, QRectF(room.left() + named + 8, room.top(), tag, room.height()), row)

    def _paint_tag(self, painter: QPainter, room: QRectF, row: ListRow) -> None:
        painter.setFont(QFont(font(11, MEDIUM)))
        painter.setPen(colour(row.tag_tint))
        painter.drawText(room, _LEFT, row.tag)


class RowList(QListView):
    """The list. `row_chosen` comes with a click or Enter, `more_requested` when the end is near."""

    row_chosen = Signal(str)
    choice_changed = Signal()
    more_requested = Signal()

    def __init__(self, parent: QWidget | None = None, *, has_body: bool = True) -> None:
        super().__init__(parent)
        self.rows = RowModel(self)
        self.setModel(self.rows)
        self.setItemDelegate(RowDelegate(self, has_body=has_body))
        self.setUniformItemSizes(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().selectionChanged.connect(lambda *_: self.choice_changed.emit())
        self.verticalScrollBar().valueChanged.connect(self._look_ahead)
        self._dress()

    def chosen_keys(self) -> tuple[str, ...]:
        """The keys of the selected rows, in their order."""
        numbers = sorted(index.row() for index in self.selectionModel().selectedIndexes())
        return tuple(self.rows.rows[number].key for number in numbers)

    def current_key(self) -> str:
        """The key of the row that the keyboard is on; empty when there is none."""
        index = self.currentIndex()
        return self.rows.rows[index.row()].key if index.isValid() else ""

    def step(self, by: int) -> None:
        """Moves the choice by so many rows."""
        count = self.rows.rowCount()
        if count:
            number = self.currentIndex().row() + by if self.currentIndex().isValid() else max(by - 1, 0)
            self.setCurrentIndex(self.rows.index(min(max(number, 0), count - 1)))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click chooses."""
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index.isValid():
            self.row_chosen.emit(self.rows.rows[index.row()].key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter chooses."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current_key():
            self.row_chosen.emit(self.current_key())
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Follows the theme and the font scale."""
        super().changeEvent(event)
        if event.type() in RESTYLING:
            self._dress()
            self.scheduleDelayedItemsLayout()

    def _dress(self) -> None:
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Base, QColor(0, 0, 0, 0))
        if palette != self.palette():
            self.setPalette(palette)

    def _look_ahead(self, value: int) -> None:
        if value >= self.verticalScrollBar().maximum() - NEAR_END:
            self.more_requested.emit()
