"""Rows and columns of widgets, built in one expression, and rows that wrap."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QLayoutItem, QVBoxLayout, QWidget

from .look import scale

STRETCH = 1
"""An item that takes the room that is left."""
LayoutItem = QWidget | QLayout | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag] | int
"""What stands in a row or column: a widget or layout, one with its stretch factor and alignment, or empty room."""
Margins = tuple[int, int, int, int]


def horizontal(
    *items: LayoutItem, holder: QWidget | None = None, margins: Margins = (0, 0, 0, 0), spacing: int | None = None
) -> QHBoxLayout:
    """Return the items side by side, as the layout of `holder` if there is one. spacing None: the style's."""
    layout = QHBoxLayout(holder) if holder is not None else QHBoxLayout()
    _fill(layout, items, margins, spacing)
    return layout


def vertical(
    *items: LayoutItem, holder: QWidget | None = None, margins: Margins = (0, 0, 0, 0), spacing: int | None = None
) -> QVBoxLayout:
    """Return the items below each other, as the layout of `holder` if there is one. spacing None: the style's."""
    layout = QVBoxLayout(holder) if holder is not None else QVBoxLayout()
    _fill(layout, items, margins, spacing)
    return layout


def discard(widget: QWidget) -> None:
    """Take a widget out of its layout, and delete it once its events are done."""
    holder = widget.parentWidget()
    layout = holder.layout() if holder is not None else None
    if layout is not None:
        layout.removeWidget(widget)
    widget.hide()
    widget.deleteLater()


def _fill(layout: QBoxLayout, items: tuple[LayoutItem, ...], margins: Margins, spacing: int | None) -> None:
    layout.setContentsMargins(*margins)
    if spacing is not None:
        layout.setSpacing(spacing)
    for item in items:
        if isinstance(item, int):
            layout.addStretch(item)
            continue
        if isinstance(item, tuple) and len(item) == 3:
            layout.addWidget(*item)
            continue
        part, stretch = item if isinstance(item, tuple) else (item, 0)
        if isinstance(part, QLayout):
            layout.addLayout(part, stretch)
        else:
            layout.addWidget(part, stretch)


class FlowLayout(QLayout):
    """Lays its widgets out like words."""

    def __init__(self, *widgets: QWidget, gap: int = 8) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._gap = gap
        self.setContentsMargins(QMargins())
        for widget in widgets:
            self.addWidget(widget)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # type: ignore[override]
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # type: ignore[override]
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(QRect(0, 0, width, 0), moves=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect, moves=True)

    def sizeHint(self) -> QSize:
        shown = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(size.width() for size in shown) + self._gap * max(len(shown) - 1, 0)
        return QSize(width, max((size.height() for size in shown), default=0))

    def minimumSize(self) -> QSize:
        shown = [item.minimumSize() for item in self._items if not item.isEmpty()]
        return QSize(max((s.width() for s in shown), default=0), max((s.height() for s in shown), default=0))

    def _arrange(self, rect: QRect, *, moves: bool) -> int:
        """Return the height that the lines take; `moves` puts the widgets there."""
        x, y, line = rect.x(), rect.y(), 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            size.setWidth(max(min(size.width(), rect.width()), item.minimumSize().width()))
            if x > rect.x() and x + size.width() > rect.right() + 1:
                x, y, line = rect.x(), y + line + self._gap, 0
            if moves:
                item.setGeometry(QRect(QPoint(x, y), size))
            x += size.width() + self._gap
            line = max(line, size.height())
        return y + line - rect.y()


class TileLayout(FlowLayout):
    """Lays its widgets out in columns of one width, as many as have at least `min_width` pixels; rows are even."""

    def __init__(self, *widgets: QWidget, min_width: int, gap: int = 12) -> None:
        super().__init__(*widgets, gap=gap)
        self._min_width = min_width

    def minimumSize(self) -> QSize:
        return QSize(min(self._min_width, 160), 0)

    def _arrange(self, rect: QRect, *, moves: bool) -> int:
        items = [item for item in self._items if not item.isEmpty()]
        fitting = max((rect.width() + self._gap) // (scale(self._min_width) + self._gap), 1)
        columns = max(min(fitting, len(items)), 1)
        lefts = [rect.x() + column * (rect.width() + self._gap) // columns for column in range(columns + 1)]
        y = rect.y()
        for first in range(0, len(items), columns):
            row = [
                (item, left, right - self._gap - left)
                for item, left, right in zip(items[first:], lefts, lefts[1:], strict=False)
            ]
            height = max(_height_of(item, width) for item, _, width in row)
            for item, left, width in row if moves else ():
                item.setGeometry(QRect(left, y, width, height))
            y += height + self._gap
        return max(y - self._gap - rect.y(), 0)


def _height_of(item: QLayoutItem, width: int) -> int:
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()
