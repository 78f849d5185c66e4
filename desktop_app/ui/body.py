"""The conversation with the panel beside it; where there is no room for both, the panel lies over it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from .widgets.look import scaled

MIDDLE = 400
"""Pixels of the conversation below which the panel no longer stands beside it."""


class Body(QWidget):
    """Places both; the panel never changes what the window needs. A panel that a narrow window has no place for is
    hidden until there is one; shown there by the user, it lies over the conversation."""

    def __init__(self, middle: QWidget, panel: QWidget) -> None:
        super().__init__()
        self._middle, self._panel = middle, panel
        self._was_narrow = self._is_tucked = False
        middle.setParent(self)
        panel.setParent(self)
        panel.installEventFilter(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def is_narrow(self) -> bool:
        """Whether the panel has no place beside the conversation."""
        return self.width() < scaled(MIDDLE) + self._panel.width()

    @property
    def is_panel_wanted(self) -> bool:
        """Whether the panel is open, or would be in a wider window."""
        return not self._panel.isHidden() or self._is_tucked

    def minimumSizeHint(self) -> QSize:
        """What the conversation needs."""
        return self._middle.minimumSizeHint()

    def sizeHint(self) -> QSize:
        """What the conversation would like."""
        return self._middle.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tucks the panel away or shows it again, and places both."""
        super().resizeEvent(event)
        self._tuck()
        self._place()

    def event(self, event: QEvent) -> bool:
        """One of them needs another size."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self._tuck()
            self._place()
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The panel was shown, hidden or given another width."""
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent, QEvent.Type.Resize):
            self._place()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes a panel that lies over the conversation."""
        if event.key() == Qt.Key.Key_Escape and self.is_narrow and self._panel.isVisible():
            self._panel.hide()
        else:
            super().keyPressEvent(event)

    def _tuck(self) -> None:
        was_narrow, self._was_narrow = self._was_narrow, self.is_narrow
        if self.is_narrow and not was_narrow and not self._panel.isHidden():
            self._is_tucked = True
            self._panel.hide()
        elif not self.is_narrow and self._is_tucked:
            self._is_tucked = False
            self._panel.show()

    def _place(self) -> None:
        width, height = self.width(), self.height()
        wide = min(self._panel.width(), width)
        is_beside = not self._panel.isHidden() and not self.is_narrow
        self._middle.setGeometry(0, 0, width - wide if is_beside else width, height)
        self._panel.setGeometry(width - wide, 0, self._panel.width(), height)
        self._panel.raise_()
