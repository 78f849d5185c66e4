"""Rows and columns of widgets, built in one expression."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

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
