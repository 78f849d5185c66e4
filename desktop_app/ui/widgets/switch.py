"""On or off."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QWidget

from .look import RESTYLING, colour, font, paint_box, paint_focus, scaled

WIDTH, HEIGHT, GAP = 34, 20, 10  # pixels


class Switch(QCheckBox):
    """A switch with its sentence beside it."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """The switch and its sentence."""
        words = scaled(GAP) + QFontMetrics(font(14)).horizontalAdvance(self.text()) if self.text() else 2
        return QSize(scaled(WIDTH) + words + 4, scaled(HEIGHT) + 6)

    def minimumSizeHint(self) -> QSize:
        """The same."""
        return self.sizeHint()

    def hitButton(self, place: object) -> bool:
        """All of it can be clicked."""
        return True

    def changeEvent(self, event: QEvent) -> None:
        """Another font scale needs another room."""
        super().changeEvent(event)
        if event.type() in RESTYLING:
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints track, knob and sentence."""
        painter = QPainter(self)
        width, height = scaled(WIDTH), scaled(HEIGHT)
        track = QRectF(3, (self.height() - height) / 2, width, height)
        is_on = self.isChecked()
        paint_box(painter, track, colour("accent" if is_on else "hatch"), None, height / 2)
        side = height - 6
        left = track.right() - side - 3 if is_on else track.left() + 3
        knob = QRectF(left, track.top() + 3, side, side)
        paint_box(painter, knob, colour("accent_ink" if is_on else "raised"), None, side / 2)
        if self.hasFocus():
            paint_focus(painter, track.adjusted(-3, -3, 3, 3), height)
        painter.setFont(font(14))
        painter.setPen(colour("ink"))
        words = QRectF(track.right() + scaled(GAP), 0, self.width(), self.height())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())
