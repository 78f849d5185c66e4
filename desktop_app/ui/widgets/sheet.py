"""A dialog inside its window, over a scrim: it looks the same under every window manager, and in a picture."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from shiboken6 import isValid

from .look import colour, paint_box, scaled

MARGIN = 24  # pixels between the sheet and the window's edges
RADIUS = 14
SHADOW = 20  # pixels that the shadow reaches


class Scrim(QWidget):
    """Darkens the window behind a sheet, and keeps the mouse from it."""

    def __init__(self, window: QWidget, sheet: Sheet) -> None:
        super().__init__(window)
        self._sheet = sheet
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the shade and the sheet's shadow."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(30, 24, 14, 97))
        around = QRectF(self._sheet.geometry()).translated(0, 4)
        for reach in range(SHADOW, 0, -2):
            box = around.adjusted(-reach, -reach, reach, reach)
            paint_box(painter, box, QColor(0, 0, 0, 5), None, RADIUS + reach)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click beside a sheet that asks for nothing closes it."""
        if self._sheet.closes_outside:
            self._sheet.reject()


class Sheet(QDialog):
    """Opened with open(), never exec(). Without a parent it is a window of its own.

    width: pixels, less in a small window. top: where it stands, as a share of the window's height; None: the middle.
    """

    def __init__(
        self, parent: QWidget | None, *, width: int, top: float | None = None, closes_outside: bool = False
    ) -> None:
        window = parent.window() if parent else None
        # A sub-window keeps the Tab key among its own widgets.
        kind = Qt.WindowType.SubWindow if window else Qt.WindowType.Dialog
        super().__init__(window, kind)
        self.closes_outside = closes_outside
        self._wanted_width, self._top = width, top
        self._focused_before: QWidget | None = None
        self._footer: QWidget | None = None
        self._first: QWidget | None = None
        self._held: QWidget | None = None  # what had the keyboard last in here
        self._scrim = Scrim(window, self) if window else None
        if window:
            window.installEventFilter(self)
            application = QApplication.instance()
            assert isinstance(application, QApplication)
            application.focusChanged.connect(self._keep_focus)
        self.finished.connect(self._go)

    def set_footer(self, footer: QWidget) -> None:
        """The row of buttons at the bottom, which has a ground of its own."""
        self._footer = footer

    def set_first(self, widget: QWidget) -> None:
        """Where the keyboard starts."""
        self._first = widget

    def place(self) -> None:
        """As large as its content, as far as the window allows."""
        window = self.parentWidget()
        if window is None:
            self.resize(self._size_for(QSize(4_000, 4_000)))
            return
        size = self._size_for(window.size() - QSize(2 * MARGIN, 2 * MARGIN))
        left = (window.width() - size.width()) // 2
        middle = (window.height() - size.height()) // 2
        top = middle if self._top is None else min(round(window.height() * self._top), middle)
        self.setGeometry(QRect(QPoint(left, max(top, 0)), size))
        if self._scrim:
            self._scrim.setGeometry(window.rect())
            self._scrim.update()

    def open(self) -> None:
        """Shows the sheet. Inside a window the scrim blocks what is behind it, not Qt's modality: that is for windows,
        and would leave the application without an active one."""
        if self._scrim is None:
            super().open()
            return
        self.setResult(0)
        self.show()

    def showEvent(self, event: QShowEvent) -> None:
        """Comes to the front, and takes the keyboard."""
        window = self.parentWidget()
        focused = window.focusWidget() if window else None
        if focused is None or not self.isAncestorOf(focused):
            self._focused_before = focused
        super().showEvent(event)
        self.place()
        if self._scrim:
            self._scrim.show()
            self._scrim.raise_()
        self.raise_()
        first = self._first if self._first and self._first.isEnabledTo(self) and self._first.isVisibleTo(self) else self
        first.setFocus(Qt.FocusReason.ActiveWindowFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes; no other key goes on to the window behind."""
        super().keyPressEvent(event)
        event.accept()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the sheet, and the ground of the footer."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect())
        radius = RADIUS if self.parentWidget() else 0
        paint_box(painter, box, colour("paper"), None, radius)
        if self._footer is not None:
            shape = QPainterPath()
            shape.addRoundedRect(box, radius, radius)
            below = QPainterPath()
            below.addRect(box.adjusted(0, self._footer.y(), 0, 0))
            painter.fillPath(shape.intersected(below), colour("side"))
            painter.fillRect(QRectF(0, self._footer.y(), box.width(), 1), colour("line"))
        paint_box(painter, box, None, colour("line"), radius)

    def event(self, event: QEvent) -> bool:
        """Keeps the window's shortcuts from acting behind the sheet."""
        if event.type() == QEvent.Type.ShortcutOverride and self._scrim:
            event.accept()
            return True
        if event.type() == QEvent.Type.LayoutRequest and self.isVisible():
            handled = super().event(event)
            self.place()
            return handled
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follows the size of the window."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self.place()
        return super().eventFilter(watched, event)

    def _keep_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        """Takes the keyboard back: Qt gives it away when its widget is disabled, hidden or deleted, and so does whoever
        asks for it behind the sheet. Menus and other windows may have it."""
        if not self.isVisible() or QApplication.activeWindow() is not self.window():
            return
        if now is not None and self.isAncestorOf(now):
            self._held = now
        elif now is None or (now is not self and now.window() is self.window() and not _is_in_sheet(now)):
            held = self._held if self._held is not None and isValid(self._held) else None
            back = held if held is not None and held.isEnabledTo(self) and held.isVisibleTo(self) else self
            back.setFocus(Qt.FocusReason.ActiveWindowFocusReason)

    def _size_for(self, most: QSize) -> QSize:
        width = min(scaled(self._wanted_width), most.width())
        layout = self.layout()
        wanted = self.sizeHint().height()
        if layout is not None and layout.hasHeightForWidth():
            wanted = layout.totalHeightForWidth(width)
        return QSize(width, min(wanted, most.height()))

    def _go(self) -> None:
        if self._scrim:
            self._scrim.hide()
        before, self._focused_before = self._focused_before, None
        if before is not None and isValid(before):
            before.setFocus(Qt.FocusReason.ActiveWindowFocusReason)


def _is_in_sheet(widget: QWidget | None) -> bool:
    while widget is not None and not isinstance(widget, Sheet):
        widget = widget.parentWidget()
    return widget is not None
