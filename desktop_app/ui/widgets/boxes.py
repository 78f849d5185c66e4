"""Containers: a card, a plain panel, and columns that scroll."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from desktop_app.conversation.gauge import Segment

from .accessibility import Role, WithRole
from .layouts import STRETCH, horizontal, set_margins, vertical
from .look import Corner, Tint, colour, paint_box, scale

BAR_GAP = 6  # pixels between a column and its scroll bar


class Card(WithRole, QWidget):
    """A raised box around a column."""

    accessible_role = Role.Grouping

    def __init__(self, parent: QWidget | None = None, *, corner: Corner = Corner.CARD, tint: Tint = "raised") -> None:
        super().__init__(parent)
        self._corner = corner
        self._tint: Tint = tint
        self.column = vertical(holder=self, spacing=6, margins=(14, 12, 14, 12))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_box(QPainter(self), QRectF(self.rect()), colour(self._tint), colour("line"), self._corner)


class Panel(QWidget):
    """A plain area of one colour."""

    def __init__(self, tint: Tint, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tint: Tint = tint

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), colour(self._tint))


class Swatch(QWidget):
    """A small square of one colour, or a dot."""

    def __init__(self, tint: Tint | Segment, *, is_round: bool = False) -> None:
        super().__init__()
        self._tint: Tint | Segment = tint
        self._is_round = is_round
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_tint(self, tint: Tint) -> None:
        self._tint = tint
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scale(9), scale(9))

    def paintEvent(self, event: QPaintEvent) -> None:
        radius = self.height() / 2 if self._is_round else Corner.MARK
        paint_box(QPainter(self), QRectF(self.rect()), colour(self._tint), None, radius)


def page_of(column: QWidget) -> ScrollColumn:
    """Return a page whose column stands in the middle, and scrolls in a low window."""
    middle, area = QWidget(), ScrollColumn()
    horizontal(column, holder=middle, margins=(24, 0, 24, 0))
    area.add(middle)
    area.column.setStretch(0, 1)
    area.column.setStretch(1, 0)
    return area


class ScrollColumn(QScrollArea):
    """A transparent column that scrolls vertically and takes the width that it is given."""

    def __init__(self, parent: QWidget | None = None, *, spacing: int = 12) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        self.content = QWidget()
        self.content.setSizePolicy(QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum))
        # A stretch instead of an alignment, with which a layout ignores heights that depend on the width.
        self.column = vertical(STRETCH, holder=self.content, spacing=spacing)
        self.setWidget(self.content)
        self.content.setAutoFillBackground(False)  # setWidget turned it on

    def add(self, widget: QWidget) -> None:
        """Append a widget."""
        self.column.insertWidget(self.column.count() - 1, widget)

    def sizeHint(self) -> QSize:
        layout = self.column
        width = self.viewport().width() if self.isVisible() else self.width()  # a hidden viewport is not laid out
        wraps = layout.hasHeightForWidth()
        height = layout.totalHeightForWidth(width) if wraps else layout.totalSizeHint().height()
        return QSize(self.viewport().width(), height + 1)

    def minimumSizeHint(self) -> QSize:
        """Return no more than the content needs: what Qt wants for an area that scrolls is higher than a line."""
        hint = super().minimumSizeHint()
        return QSize(hint.width(), min(hint.height(), self.sizeHint().height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()  # layouts keep the height that they were told for the old width

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        handled = super().eventFilter(watched, event)
        if event.type() == QEvent.Type.LayoutRequest and watched is self.content:
            self.updateGeometry()
        return handled


class SteadyColumn(ScrollColumn):
    """A scroll column whose content is equally wide with and without a scroll bar."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        bar, taken = self.verticalScrollBar().sizeHint().width(), self.width() - self.viewport().width()
        set_margins(self.column, 0, 0, BAR_GAP + max(bar - taken, 0), 0)
        super().resizeEvent(event)

    def needed_width(self) -> int:
        """Return the width that shows the whole content beside a scroll bar."""
        content = self.column.minimumSize().width() - self.column.contentsMargins().right()
        return content + BAR_GAP + self.verticalScrollBar().sizeHint().width()
