"""A choice out of a list that drops down."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF, QWheelEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from .look import colour, font, paint_box, paint_focus, scaled


class Select(QComboBox):
    """Paints itself; the list is Qt's. The wheel scrolls the page, and never changes the choice in passing."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def sizeHint(self) -> QSize:
        """As high as a button."""
        return QSize(200, scaled(36))

    def minimumSizeHint(self) -> QSize:
        """It can be narrow."""
        return QSize(120, scaled(36))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leaves the wheel to the page."""
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the box, the choice and the arrow."""
        painter = QPainter(self)
        box = QRectF(self.rect())
        paint_box(painter, box, colour("raised"), colour("line"), 8)
        painter.setFont(font(14))
        painter.setPen(colour("ink" if self.isEnabled() else "ink_faint"))
        room = self.width() - 40
        words = QFontMetrics(font(14)).elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room)
        painter.drawText(box.adjusted(12, 0, -28, 0), Qt.AlignmentFlag.AlignVCenter, words)
        painter.setPen(QPen(colour("ink_soft"), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        x, y = box.right() - 18, box.center().y()
        painter.drawPolyline(QPolygonF([QPointF(x - 4, y - 2), QPointF(x, y + 2), QPointF(x + 4, y - 2)]))
        if self.hasFocus():
            paint_focus(painter, box, 8)
