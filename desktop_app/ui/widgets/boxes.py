"""What holds other widgets: a card, a ground, and a column that scrolls."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from .look import Tint, colour, paint_box

BESIDE_BAR = 6  # pixels between a column and its scroll bar


class Card(QWidget):
    """A raised box with a column of its own."""

    def __init__(self, parent: QWidget | None = None, *, radius: float = 10, tint: Tint = "raised") -> None:
        super().__init__(parent)
        self._radius = radius
        self._tint: Tint = tint
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(14, 12, 14, 12)
        self.column.setSpacing(6)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the box."""
        paint_box(QPainter(self), QRectF(self.rect()), colour(self._tint), colour("line"), self._radius)


class Panel(QWidget):
    """A plain area in a colour by role."""

    def __init__(self, tint: Tint, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tint: Tint = tint

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fills itself."""
        QPainter(self).fillRect(self.rect(), colour(self._tint))


class ScrollColumn(QScrollArea):
    """A column that scrolls up and down, as wide as its place; it has no ground of its own."""

    def __init__(self, parent: QWidget | None = None, *, spacing: int = 12) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        self.content = QWidget()
        self.content.setAutoFillBackground(False)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.content.setSizePolicy(policy)
        self.column = QVBoxLayout(self.content)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(spacing)
        self.column.addStretch(1)  # not an alignment: with one, a layout ignores heights that depend on the width
        self.setWidget(self.content)
        self.content.setAutoFillBackground(False)  # setWidget turns it on

    def sizeHint(self) -> QSize:
        """All of its content, where there is room for it."""
        width, column = self.viewport().width(), self.column
        wraps = column.hasHeightForWidth()
        return QSize(width, (column.totalHeightForWidth(width) if wraps else column.totalSizeHint().height()) + 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width may need another height, and layouts keep the one that they were told."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Its content wants another height."""
        handled = super().eventFilter(watched, event)
        if event.type() == QEvent.Type.LayoutRequest and watched is self.content:
            self.updateGeometry()
        return handled

    def add(self, widget: QWidget) -> None:
        """Adds a widget at the end."""
        self.column.insertWidget(self.column.count() - 1, widget)


class SteadyColumn(ScrollColumn):
    """A scroll column whose content is as wide with a scroll bar as without one."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leaves the room of the scroll bar free while there is none."""
        bar, taken = self.verticalScrollBar().sizeHint().width(), self.width() - self.viewport().width()
        self.column.setContentsMargins(0, 0, BESIDE_BAR + max(bar - taken, 0), 0)
        super().resizeEvent(event)

    def needed_width(self) -> int:
        """Return the width that shows all of its content beside a scroll bar."""
        content = self.column.minimumSize().width() - self.column.contentsMargins().right()
        return content + BESIDE_BAR + self.verticalScrollBar().sizeHint().width()
