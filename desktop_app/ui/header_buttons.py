"""The buttons of the header that paint themselves: chips, and those that open what stands beside the chat."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from .widgets.buttons import Button, ButtonKind
from .widgets.look import CONTROL_HEIGHT, SMALL_HEIGHT, Corner, colour, font, paint_box, scale

MIN_CHIP_WIDTH = 104  # pixels


class Chip(Button):
    """A rounded button for something that can be changed. In a narrow window its text ends in an ellipsis."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent=parent)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), scale(SMALL_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), scale(MIN_CHIP_WIDTH)), scale(SMALL_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = QRectF(self.rect())
        is_near = self.underMouse() or self.hasFocus()
        paint_box(painter, box, None, colour("accent" if self.hasFocus() else "line"), box.height() / 2)
        painter.setFont(self._font())
        painter.setPen(colour("ink" if is_near else "ink_soft"))
        room = self.width() - scale(20)
        words = QFontMetrics(self._font()).elidedText(self.text(), Qt.TextElideMode.ElideRight, room)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, words)

    def _font(self) -> QFont:
        return font(13)


class PaneButton(Button):
    """Opens and closes what stands beside the conversation. Without a text, or in a narrow window, it is a picture
    of the window with that pane in it."""

    def __init__(self, text: str, parent: QWidget, *, is_first: bool) -> None:
        """is_first: the pane stands where reading begins."""
        super().__init__(text, ButtonKind.QUIET, parent)
        self._is_first = is_first
        self._is_drawn = not text

    def set_drawn(self, is_drawn: bool) -> None:
        """Show the picture in place of the text."""
        if self._is_drawn != is_drawn:
            self._is_drawn = is_drawn
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(scale(CONTROL_HEIGHT), scale(CONTROL_HEIGHT)) if self._is_drawn else super().sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._is_drawn:
            super().paintEvent(event)
            return
        painter = QPainter(self)
        fill, _, ink = self._colours()
        box = QRectF(self.rect())
        paint_box(painter, box, fill, None, Corner.CONTROL)
        frame = QRectF(0, 0, scale(18), scale(14))
        frame.moveCenter(box.center())
        pane = QRectF(frame.left(), frame.top(), scale(6), frame.height())
        if self._is_first is self.isRightToLeft():
            pane.moveRight(frame.right())
        paint_box(painter, pane, ink, None, Corner.MARK)
        paint_box(painter, frame, None, ink, Corner.MARK, 1.5)
        if self._is_ringed and self.hasFocus():
            self._paint_ring(painter)
