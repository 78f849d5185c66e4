"""What lies between a window and the sheet over it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QWidget

from .look import Corner, paint_box

SHADOW = 20  # pixels that the shadow extends


class Scrim(QWidget):
    """Darkens the window behind a sheet, and keeps the mouse from it. Signal: pressed."""

    pressed = Signal()

    def __init__(self, window: QWidget, sheet: QWidget) -> None:
        super().__init__(window)
        self._sheet = sheet
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        covered = self._sheet.geometry().adjusted(Corner.SHEET, Corner.SHEET, -Corner.SHEET, -Corner.SHEET)
        painter.setClipRegion(event.region().subtracted(QRegion(covered)))
        painter.fillRect(self.rect(), QColor(30, 24, 14, 97))
        around = QRectF(self._sheet.geometry()).translated(0, 4)
        for reach in range(SHADOW, 0, -2):
            box = around.adjusted(-reach, -reach, reach, reach)
            paint_box(painter, box, QColor(0, 0, 0, 5), None, Corner.SHEET + reach)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pressed.emit()
