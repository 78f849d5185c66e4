"""What lies between a window and the sheet over it."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QWidget

from .look import Corner, paint_box

SHADOW, DROP = 20, 4  # pixels that the shadow extends, and that it lies below the sheet


class Scrim(QWidget):
    """Darkens the window behind a sheet, and keeps the mouse from it. Signal: pressed."""

    pressed = Signal()

    def __init__(self, window: QWidget, sheet: QWidget) -> None:
        super().__init__(window)
        self._sheet = sheet
        self.hide()

    def cover(self, area: QRect, before: QRect) -> None:
        """Cover that area; of it, only where the sheet was before, and where it is now, is painted anew."""
        if area != self.geometry():
            self.setGeometry(area)
            self.update()
        for sheet in (before, self._sheet.geometry()):
            self.update(sheet.adjusted(-SHADOW, -SHADOW, SHADOW, SHADOW + DROP))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        covered = self._sheet.geometry().adjusted(Corner.SHEET, Corner.SHEET, -Corner.SHEET, -Corner.SHEET)
        painter.setClipRegion(event.region().subtracted(QRegion(covered)))
        painter.fillRect(self.rect(), QColor(30, 24, 14, 97))
        around = QRectF(self._sheet.geometry()).translated(0, DROP)
        for reach in range(SHADOW, 0, -2):
            box = around.adjusted(-reach, -reach, reach, reach)
            paint_box(painter, box, QColor(0, 0, 0, 5), None, Corner.SHEET + reach)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pressed.emit()
