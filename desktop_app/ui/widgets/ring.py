"""A ring that points out a widget for a moment."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from .look import Corner, colour, paint_box, scale

DURATION = 2_400  # milliseconds
MARGIN = 6  # pixels around the widget


class Ring(QWidget):
    """A ring around a widget, painted over its window and transparent to the mouse."""

    def __init__(self, target: QWidget) -> None:
        super().__init__(target.window())
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        around = scale(MARGIN)
        box = target.rect().translated(target.mapTo(target.window(), target.rect().topLeft()))
        self.setGeometry(box.adjusted(-around, -around, around, around))
        QTimer.singleShot(DURATION, self, self.close)
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = QRectF(self.rect()).adjusted(2, 2, -2, -2)
        paint_box(painter, box, colour("accent", 0.12), colour("accent"), Corner.CARD, 2.5)
