"""What the colours of a bar mean: squares and words, on as many lines as they need."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.conversation.gauge import Segment

from .look import MEDIUM, NORMAL, StyleAware, Tint, colour, font, scale

GAP, SQUARE, SQUARE_GAP = 12, 8, 5  # pixels


@dataclass(frozen=True)
class LegendItem:
    """One text of a legend."""

    text: str
    square: Tint | Segment | None = None  # its colour in the bar
    tint: Tint = "ink_soft"  # of the text


class Legend(StyleAware, QWidget):
    """Lays its items out like words."""

    def __init__(self, items: Sequence[LegendItem] = (), *, size: float = 12, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._size = size
        self._items: tuple[LegendItem, ...] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.set_items(items)

    def set_items(self, items: Sequence[LegendItem]) -> None:
        self._items = tuple(items)
        self.setAccessibleName(self.text())
        self.updateGeometry()
        self.update()

    def text(self) -> str:
        return ", ".join(item.text for item in self._items)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        corners = self._corners(width)
        return math.ceil(corners[-1].y() + self._line_height()) if corners else 0

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(self.width(), 200)))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, math.ceil(self._line_height()))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line, square = self._line_height(), scale(SQUARE)
        for item, corner in zip(self._items, self._corners(self.width()), strict=True):
            left, top = corner.x(), corner.y()
            if item.square is not None:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colour(item.square))
                painter.drawRoundedRect(QRectF(left, top + (line - square) / 2, square, square), 2, 2)
                left += square + SQUARE_GAP
            painter.setFont(font(self._size, NORMAL if item.tint == "ink_soft" else MEDIUM))
            painter.setPen(colour(item.tint))
            room = QRectF(left, top, self.width() - left, line)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, item.text)

    def _line_height(self) -> float:
        return font(self._size).pixelSize() * 1.5

    def _corners(self, width: float) -> list[QPointF]:
        """Return the top left corner of each item."""
        metrics = QFontMetricsF(font(self._size, MEDIUM))
        corners: list[QPointF] = []
        x = y = 0.0
        for item in self._items:
            needed = metrics.horizontalAdvance(item.text) + (scale(SQUARE) + SQUARE_GAP if item.square else 0)
            if x and x + needed > width:
                x, y = 0.0, y + self._line_height()
            corners.append(QPointF(x, y))
            x += needed + GAP
        return corners
