"""The order of the Tab key: that in which a page is read, whenever its parts were made."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLayout, QLayoutItem, QScrollArea, QWidget


def walk_as_read(page: QWidget) -> None:
    """Let Tab walk through the page in the order of its layouts. What is added later needs another call."""
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
