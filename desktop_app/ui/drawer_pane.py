"""A pane with a drawer at one side: beside the content where there is room, over it where there is none."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget
from shiboken6 import isValid

from .widgets.look import scale

MIDDLE = 400
"""Pixels of the content below which the drawer no longer stands beside it."""
VEIL = QColor(30, 24, 14, 60)


class Veil(QWidget):
    """Dims the content behind an open drawer; a click on it closes the drawer."""

    def __init__(self, pane: DrawerPane) -> None:
        super().__init__(pane)
        self._pane = pane
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), VEIL)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pane.close_drawer()


class DrawerPane(QWidget):
    """The content, and a drawer before or behind it. The drawer never changes what the window needs.

    A drawer without room beside the content is closed until there is some; opened there by the user, it lies over
    the content. Signal: beside_changed(is_beside).
    """

    beside_changed = Signal(bool)

    def __init__(
        self, content: QWidget, drawer: QWidget, *, is_first: bool = False, closes_behind: bool = False
    ) -> None:
        """is_first: the drawer stands where reading begins. closes_behind: one that lies over the content closes when
        the keyboard goes there."""
        super().__init__()
        self._content, self._drawer, self._is_first = content, drawer, is_first
        self._was_narrow = self._is_tucked = False
        self._was_beside: bool | None = None
        self._focused_before: QWidget | None = None
        content.setParent(self)
        self._veil = Veil(self)
        drawer.setParent(self)
        drawer.installEventFilter(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        application = QApplication.instance()
        if closes_behind and isinstance(application, QApplication):
            application.focusChanged.connect(self._follow_focus)

    @property
    def is_narrow(self) -> bool:
        """Whether the drawer has no room beside the content."""
        return self.width() < scale(MIDDLE) + self._drawer.width()

    @property
    def is_wanted(self) -> bool:
        """Whether the drawer is open, or would be in a wider window."""
        return not self._drawer.isHidden() or self._is_tucked

    @property
    def is_beside(self) -> bool:
        """Whether the drawer is open and has its own place."""
        return not self._drawer.isHidden() and not self.is_narrow

    def close_drawer(self) -> None:
        """Close a drawer that lies over the content. One beside it stays."""
        if not self.is_narrow or self._drawer.isHidden():
            return
        before, self._focused_before = self._focused_before, None
        self._drawer.hide()
        if before is not None and isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)

    def toggle(self) -> None:
        """Open the drawer, or close it wherever it lies."""
        if self._drawer.isHidden():
            self._drawer.show()
        elif self.is_narrow:
            self.close_drawer()
        else:
            self._drawer.hide()

    def minimumSizeHint(self) -> QSize:
        return self._content.minimumSizeHint()

    def sizeHint(self) -> QSize:
        return self._content.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tuck()
        self._place()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self._tuck()
            self._place()
        elif event.type() == QEvent.Type.LayoutDirectionChange:
            self._place()
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShowToParent and self.is_narrow:
            self._focused_before = self.window().focusWidget()
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent, QEvent.Type.Resize):
            self._place()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close, on Escape, a drawer that lies over the content."""
        if event.key() == Qt.Key.Key_Escape and self.is_narrow and self._drawer.isVisible():
            self.close_drawer()
        else:
            super().keyPressEvent(event)

    def _follow_focus(self, before: QWidget | None, now: QWidget | None) -> None:
        if now is not None and before is not None and self._content.isAncestorOf(now):
            self._focused_before = None
            self.close_drawer()

    def _tuck(self) -> None:
        was_narrow, self._was_narrow = self._was_narrow, self.is_narrow
        if self.is_narrow and not was_narrow and not self._drawer.isHidden():
            self._is_tucked = True
            self._drawer.hide()
        elif not self.is_narrow and self._is_tucked:
            self._is_tucked = False
            self._drawer.show()

    def _place(self) -> None:
        width, height, wide = self.width(), self.height(), self._drawer.width()
        is_open = not self._drawer.isHidden()
        is_left = self._is_first != self.isRightToLeft()
        taken = wide if self.is_beside else 0
        self._content.setGeometry(taken if is_left else 0, 0, width - taken, height)
        self._drawer.setGeometry(0 if is_left else width - wide, 0, wide, height)
        self._veil.setVisible(is_open and self.is_narrow)
        self._veil.setGeometry(self.rect())
        self._veil.raise_()
        self._drawer.raise_()
        if self._was_beside is not self.is_beside:
            self._was_beside = self.is_beside
            self.beside_changed.emit(self.is_beside)
