"""What the colours of a bar mean: squares and words, in as many lines as they need."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.conversation.gauge import Segment

from .look import MEDIUM, NORMAL, RESTYLING, Tint, colour, font, scaled

GAP, SQUARE = 12, 8


@dataclass(frozen=True)
class LegendItem:
    """A word of the legend. square: its colour in the bar, if it has one. tint: the colour of the word."""

    text: str
    square: Tint | Segment | None = None
    tint: Tint = "ink_soft"


class Legend(QWidget):
    """Lays its words out like text."""

    def __init__(self, meanings: Sequence[LegendItem] = (), *, size: float = 12, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._size = size
        self._meanings: tuple[LegendItem, ...] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.set_meanings(meanings)

    def set_meanings(self, meanings: Sequence[LegendItem]) -> None:
        """Shows these words."""
        self._meanings = tuple(meanings)
        self.setAccessibleName(self.text())
        self.updateGeometry()
        self.update()

    def text(self) -> str:
        """All of it, as a sentence."""
        return ", ".join(meaning.text for meaning in self._meanings)

    def hasHeightForWidth(self) -> bool:
        """It wraps."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Its lines at that width."""
        places = self._places(width)
        return math.ceil(places[-1].y() + self._line()) if places else 0

    def sizeHint(self) -> QSize:
        """One line."""
        return QSize(200, self.heightForWidth(max(self.width(), 200)))

    def minimumSizeHint(self) -> QSize:
        """It can be narrow."""
        return QSize(80, math.ceil(self._line()))

    def changeEvent(self, event: QEvent) -> None:
        """Another font scale needs another room."""
        super().changeEvent(event)
        if event.type() in RESTYLING:
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints squares and words."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line, square = self._line(), scaled(SQUARE)
        for meaning, place in zip(self._meanings, self._places(self.width()), strict=True):
            left = place.x()
            if meaning.square is not None:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colour(meaning.square))
                painter.drawRoundedRect(QRectF(left, place.y() + (line - square) / 2, square, square), 2, 2)
                left += square + 5
            painter.setFont(font(self._size, NORMAL if meaning.tint == "ink_soft" else MEDIUM))
            painter.setPen(colour(meaning.tint))
            room = QRectF(left, place.y(), self.width() - left, line)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, meaning.text)

    def _line(self) -> float:
        return font(self._size).pixelSize() * 1.5

    def _places(self, width: float) -> list[QPointF]:
        metrics = QFontMetricsF(font(self._size, MEDIUM))
        places: list[QPointF] = []
        x = y = 0.0
        for meaning in self._meanings:
            needed = metrics.horizontalAdvance(meaning.text) + (scaled(SQUARE) + 5 if meaning.square else 0)
            if x and x + needed > width:
                x, y = 0.0, y + self._line()
            places.append(QPointF(x, y))
            x += needed + GAP
        return places
