"""What a sheet is painted on: the part between its round corners hides the window, which is not painted behind it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QWidget

from .look import Corner, colour, paint_box


def paint_ground(painter: QPainter, sheet: QWidget, radius: float, footer: QWidget | None) -> None:
    """Paint the ground of the sheet, another one below the top of its footer, and its border."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    box = QRectF(sheet.rect())
    paint_box(painter, box, colour("paper"), None, radius)
    if footer is not None:
        shape = QPainterPath()
        shape.addRoundedRect(box, radius, radius)
        below = QPainterPath()
        below.addRect(box.adjusted(0, footer.y(), 0, 0))
        painter.fillPath(shape.intersected(below), colour("side"))
        painter.fillRect(QRectF(0, footer.y(), box.width(), 1), colour("line"))
    paint_box(painter, box, None, colour("line"), radius)


class OpaqueGround(QWidget):
    """Paints the ground between the round corners."""

    def __init__(self, sheet: QWidget) -> None:
        super().__init__(sheet)
        self._sheet = sheet
        self.footer: QWidget | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def fit(self) -> None:
        """Cover the sheet but for its border and what is beside its corners."""
        self.setGeometry(self._sheet.rect().adjusted(1, Corner.SHEET, -1, -Corner.SHEET))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.translate(-self.pos())
        paint_ground(painter, self._sheet, 0, self.footer)
