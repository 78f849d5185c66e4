"""Rows and columns of widgets in one expression, rows that wrap, and a Tab order that follows the layouts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QBoxLayout,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QLayoutItem,
    QScrollArea,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from .look import scale

UNBOUNDED = 16_777_215  # pixels: Qt's largest size
STRETCH = 1
"""An item that takes the remaining space."""
LayoutItem = QWidget | QLayout | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag] | int
"""An item of a row or column: a widget or layout, also with its stretch factor and alignment, or a stretch."""
Margins = tuple[int, int, int, int]
"""Pixels at the side where reading begins, above, at the side where it ends, and below."""


def horizontal(
    *items: LayoutItem, holder: QWidget | None = None, margins: Margins = (0, 0, 0, 0), spacing: int | None = None
) -> QHBoxLayout:
    """Return a row of the items, set as the layout of `holder` if given. spacing: pixels; None for the style's."""
    layout = QHBoxLayout(holder) if holder is not None else QHBoxLayout()
    _fill(layout, items, margins, spacing)
    return layout


def vertical(
    *items: LayoutItem, holder: QWidget | None = None, margins: Margins = (0, 0, 0, 0), spacing: int | None = None
) -> QVBoxLayout:
    """Return a column of the items, set as the layout of `holder` if given. spacing: pixels; None for the style's."""
    layout = QVBoxLayout(holder) if holder is not None else QVBoxLayout()
    _fill(layout, items, margins, spacing)
    return layout


def discard(widget: QWidget) -> None:
    """Remove a widget from its layout, hide it, and delete it once its pending events are handled."""
    holder = widget.parentWidget()
    layout = holder.layout() if holder is not None else None
    if layout is not None:
        layout.removeWidget(widget)
    widget.hide()
    widget.deleteLater()


def set_margins(layout: QLayout, begin: int, top: int, end: int, bottom: int) -> None:
    """Set the margins in pixels. begin, end: of the sides where reading begins and ends; Qt mirrors widgets alone."""
    left, right = (end, begin) if QGuiApplication.isRightToLeft() else (begin, end)
    layout.setContentsMargins(left, top, right, bottom)


def _fill(layout: QBoxLayout, items: tuple[LayoutItem, ...], margins: Margins, spacing: int | None) -> None:
    set_margins(layout, *margins)
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
    """A layout that arranges widgets in lines, like words of a text."""

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
        sizes = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(size.width() for size in sizes) + self._gap * max(len(sizes) - 1, 0)
        return QSize(width, max((size.height() for size in sizes), default=0))

    def minimumSize(self) -> QSize:
        sizes = [item.minimumSize() for item in self._items if not item.isEmpty()]
        return QSize(max((s.width() for s in sizes), default=0), max((s.height() for s in sizes), default=0))

    def _arrange(self, rect: QRect, *, moves: bool) -> int:
        """Return the height of the lines in pixels. moves: also set the widgets' geometry."""
        y = rect.y()
        for line in self._lines(rect.width()):
            if moves:
                self._place(line, QRect(rect.x(), y, rect.width(), _height_of_line(line)), rect)
            y += _height_of_line(line) + self._gap
        return max(y - self._gap - rect.y(), 0)

    def _lines(self, width: int) -> list[list[tuple[QLayoutItem, QSize]]]:
        """Return the visible items with their sizes, line by line."""
        lines: list[list[tuple[QLayoutItem, QSize]]] = []
        left = 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            size.setWidth(max(min(size.width(), width), item.minimumSize().width()))
            if not lines or left + size.width() > width:
                lines.append([])
                left = 0
            lines[-1].append((item, size))
            left += size.width() + self._gap
        return lines

    def _place(self, line: Sequence[tuple[QLayoutItem, QSize]], box: QRect, room: QRect) -> None:
        """Put the items of a line side by side."""
        x = box.x()
        for item, size in line:
            self._move(item, QRect(QPoint(x, box.y()), size), room)
            x += size.width() + self._gap

    def _move(self, item: QLayoutItem, box: QRect, room: QRect) -> None:
        """Set an item's geometry, mirrored within `room` in a right-to-left window."""
        parent = self.parentWidget()
        direction = parent.layoutDirection() if parent is not None else Qt.LayoutDirection.LeftToRight
        item.setGeometry(QStyle.visualRect(direction, room, box))


class FooterLayout(FlowLayout):
    """A layout that arranges buttons at the end of a line, and the first `leading` of them at its beginning."""

    def __init__(self, *widgets: QWidget, leading: int = 0, gap: int = 10) -> None:
        super().__init__(*widgets, gap=gap)
        self._leading = leading

    def _place(self, line: Sequence[tuple[QLayoutItem, QSize]], box: QRect, room: QRect) -> None:
        first = [pair for pair in line if pair[0] in self._items[: self._leading]]
        rest = [pair for pair in line if pair not in first]
        super()._place(first, box, room)
        taken = sum(size.width() + self._gap for _, size in rest) - self._gap
        super()._place(rest, box.adjusted(box.width() - taken, 0, 0, 0), room)


class TileLayout(FlowLayout):
    """A layout in columns of equal width, as many as fit with at least `min_width` pixels.

    Rows are balanced: of four widgets of which three would fit in a row, each row has two.
    """

    def __init__(self, *widgets: QWidget, min_width: int, gap: int = 12) -> None:
        super().__init__(*widgets, gap=gap)
        self._min_width = min_width

    def minimumSize(self) -> QSize:
        return QSize(min(self._min_width, 160), 0)

    def _arrange(self, rect: QRect, *, moves: bool) -> int:
        items = [item for item in self._items if not item.isEmpty()]
        fitting = max((rect.width() + self._gap) // (scale(self._min_width) + self._gap), 1)
        rows = max(-(-len(items) // fitting), 1)
        columns = max(-(-len(items) // rows), 1)
        lefts = [rect.x() + column * (rect.width() + self._gap) // columns for column in range(columns + 1)]
        y = rect.y()
        for first in range(0, len(items), columns):
            row = [
                (item, left, right - self._gap - left)
                for item, left, right in zip(items[first:], lefts, lefts[1:], strict=False)
            ]
            height = max(_height_of(item, width) for item, _, width in row)
            for item, left, width in row if moves else ():
                self._move(item, QRect(left, y, width, height), rect)
            y += height + self._gap
        return max(y - self._gap - rect.y(), 0)


def _height_of_line(line: Sequence[tuple[QLayoutItem, QSize]]) -> int:
    return max(size.height() for _, size in line)


def _height_of(item: QLayoutItem, width: int) -> int:
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()


def walk_as_read(page: QWidget) -> None:
    """Set the Tab order of a page to the order of its layouts. Call it again after adding widgets."""
    stops = [part for part in _parts_as_read(page) if part.focusPolicy() & Qt.FocusPolicy.TabFocus and part is not page]
    for before, after in pairwise([page, *stops]):
        QWidget.setTabOrder(before, after)


def _parts_as_read(widget: QWidget) -> Iterator[QWidget]:
    yield widget
    inner = widget.widget() if isinstance(widget, QScrollArea) else None
    if inner is not None:
        yield from _parts_as_read(inner)
    elif (layout := widget.layout()) is not None:
        yield from _parts_of_layout(layout)


def _parts_of_layout(layout: QLayout) -> Iterator[QWidget]:
    for item in _items_as_read(layout):
        if (widget := item.widget()) is not None:
            yield from _parts_as_read(widget)
        elif (inner := item.layout()) is not None:
            yield from _parts_of_layout(inner)


def _items_as_read(layout: QLayout) -> list[QLayoutItem]:
    numbers = list(range(layout.count()))
    if isinstance(layout, QGridLayout):
        numbers.sort(key=lambda number: tuple(layout.getItemPosition(number))[:2])  # type: ignore[arg-type]
    items = (layout.itemAt(number) for number in numbers)
    return [item for item in items if item is not None]
