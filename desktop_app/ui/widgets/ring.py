"""A ring around a widget, for a moment, to show where it is."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from .look import Corner, colour, paint_box, scale

SHOWN = 2_400  # milliseconds
MARGIN = 6  # pixels around the widget


class Ring(QWidget):
    """Painted over its window; the mouse goes through it."""

    def __init__(self, target: QWidget) -> None:
        super().__init__(target.window())
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        around = scale(MARGIN)
        box = target.rect().translated(target.mapTo(target.window(), target.rect().topLeft()))
        self.setGeometry(box.adjusted(-around, -around, around, around))
        QTimer.singleShot(SHOWN, self, self.close)
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = QRectF(self.rect()).adjusted(2, 2, -2, -2)
        paint_box(painter, box, colour("accent", 0.12), colour("accent"), Corner.CARD, 2.5)
