"""The edge of the sidebar towards the conversation, with which its width is changed."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.accessibility import Role, WithRole
from desktop_app.ui.widgets.look import colour, reading_x

EDGE = 7  # pixels that can be dragged
STEP = 16  # pixels of an arrow key
STEPS = {Qt.Key.Key_Left: -STEP, Qt.Key.Key_Right: STEP}


class ResizeEdge(WithRole, QWidget):
    """Dragged, or moved by the arrow keys; a double click gives the usual width. Signal: width_requested(pixels)."""

    accessible_role = Role.Splitter
    width_requested = Signal(int)

    def __init__(self, sidebar: QWidget) -> None:
        super().__init__(sidebar)
        self._sidebar = sidebar
        self.setCursor(Qt.CursorShape.SplitHCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(tr("Width of the sidebar"))
        self.setToolTip(tr("Drag to change the width; double-click for the usual one"))

    def sizeHint(self) -> QSize:
        return QSize(EDGE, EDGE)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            x = self.mapTo(self._sidebar, event.position().toPoint()).x()
            self.width_requested.emit(max(round(reading_x(x, self._sidebar)), 1))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.width_requested.emit(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in STEPS:
            step = STEPS[Qt.Key(event.key())]
            self.width_requested.emit(self._sidebar.width() + (-step if self.isRightToLeft() else step))
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.hasFocus() or self.underMouse():
            tint = colour("accent" if self.hasFocus() else "hatch")
            QPainter(self).fillRect(0 if self.isRightToLeft() else self.width() - 2, 0, 2, self.height(), tint)
