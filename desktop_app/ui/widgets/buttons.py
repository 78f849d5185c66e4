"""Buttons that paint themselves."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFocusEvent, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from .look import MEDIUM, RESTYLING, colour, font, mix, paint_box, paint_focus, scaled

KEYBOARD = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)


class ButtonKind(StrEnum):
    """How much a button asks for attention."""

    PLAIN = "plain"
    PRIMARY = "primary"
    QUIET = "quiet"


class Button(QPushButton):
    """A button of one of three kinds. It shows a ring only when the keyboard brought the focus."""

    def __init__(self, text: str, kind: ButtonKind = ButtonKind.PLAIN, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.kind = kind
        self.setAutoDefault(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._is_ringed = False
        self._texts: tuple[str, ...] = ()

    def set_room_for(self, *texts: str) -> None:
        """Keeps room for the longest of these texts, so that nothing beside it moves when the text changes."""
        self._texts = texts
        self.updateGeometry()

    def set_kind(self, kind: ButtonKind) -> None:
        """Another kind; repaints."""
        self.kind = kind
        self.update()

    def sizeHint(self) -> QSize:
        """Room for its text."""
        metrics = QFontMetrics(self._font())
        width = max(map(metrics.horizontalAdvance, (self.text(), *self._texts)))
        return QSize(width + scaled(26), scaled(36))

    def minimumSizeHint(self) -> QSize:
        """The same: a button's text is never cut."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the box and the text."""
        painter = QPainter(self)
        box = QRectF(self.rect())
        fill, border, ink = self._colours()
        paint_box(painter, box, fill, border, 8)
        painter.setFont(self._font())
        painter.setPen(ink)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        if self._is_ringed and self.hasFocus():
            self._paint_ring(painter)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Remembers how the focus came."""
        self._is_ringed = event.reason() in KEYBOARD
        super().focusInEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """A new font scale needs another room."""
        super().changeEvent(event)
        if event.type() in RESTYLING:
            self.updateGeometry()

    def _font(self) -> QFont:
        return font(14, MEDIUM)

    def _paint_ring(self, painter: QPainter) -> None:
        """On the accent's own fill a ring of the accent would not be seen."""
        if self.kind is ButtonKind.PRIMARY:
            paint_box(painter, QRectF(self.rect()).adjusted(2, 2, -2, -2), None, colour("accent_ink"), 6, 1.5)
        else:
            paint_focus(painter, QRectF(self.rect()), 8)

    def _colours(self) -> tuple[QColor, QColor | None, QColor]:
        """Fill, border and text of the moment."""
        if not self.isEnabled():
            return (
                (colour("raised", 0), None, colour("ink_faint")) if self.kind is ButtonKind.QUIET else self._disabled()
            )
        is_over, is_down = self.underMouse(), self.isDown()
        if self.kind is ButtonKind.PRIMARY:
            share = 0.8 if is_down else 0.9 if is_over else 1.0
            return mix("accent", "ink", share), None, colour("accent_ink")
        at_rest = colour("raised") if self.kind is ButtonKind.PLAIN else colour("raised", 0)
        fill = mix("line", "raised", 0.7) if is_down else mix("line_soft", "raised", 0.8) if is_over else at_rest
        if self.kind is ButtonKind.PLAIN:
            return fill, colour("line"), colour("ink")
        return fill, None, colour("ink") if is_over else colour("ink_soft")

    def _disabled(self) -> tuple[QColor, QColor | None, QColor]:
        return mix("free", "raised", 0.6), colour("line"), colour("ink_faint")


class LinkButton(Button):
    """A button that reads like a link."""

    def __init__(self, text: str, *, size: float = 13, parent: QWidget | None = None) -> None:
        super().__init__(text, ButtonKind.QUIET, parent)
        self._size = size

    def sizeHint(self) -> QSize:
        """Its text and nothing beside it, so that links line up with the text above them."""
        metrics = QFontMetrics(self._font())
        return QSize(metrics.horizontalAdvance(self.text()) + 2, metrics.height() + scaled(6))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the text, underlined under the mouse."""
        painter = QPainter(self)
        shown = QFont(self._font())
        shown.setUnderline(self.underMouse() and self.isEnabled())
        painter.setFont(shown)
        painter.setPen(colour("accent") if self.isEnabled() else colour("ink_faint"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        if self._is_ringed and self.hasFocus():
            paint_focus(painter, QRectF(self.rect()), 4)

    def _font(self) -> QFont:
        return font(self._size, MEDIUM)
