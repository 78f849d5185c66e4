"""Buttons that paint themselves."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFocusEvent, QFont, QFontMetrics, QHelpEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QPushButton, QSizePolicy, QToolTip, QWidget

from .look import CONTROL_HEIGHT, MEDIUM, Corner, StyleAware, colour, font, mix, paint_box, paint_focus, scale

MIN_LINK = 60  # pixels of a link that may shrink
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
KEYBOARD = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)


class ButtonKind(StrEnum):
    """How prominent a button is."""

    PLAIN = "plain"
    PRIMARY = "primary"
    QUIET = "quiet"


class Button(StyleAware, QPushButton):
    """A button that Enter presses as the space bar does. Its ring is shown only when the keyboard brought the focus."""

    def __init__(
        self, text: str, kind: ButtonKind = ButtonKind.PLAIN, parent: QWidget | None = None, *, padding: int = 26
    ) -> None:
        """padding: pixels left and right of the text together."""
        super().__init__(text, parent)
        self._padding = padding
        self.kind = kind
        self.setAutoDefault(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._is_ringed = False
        self._texts: tuple[str, ...] = ()

    def set_room_for(self, *texts: str) -> None:
        """Keep room for the longest of these texts, so that nothing beside the button moves when its text changes."""
        self._texts = texts
        self.updateGeometry()

    def set_kind(self, kind: ButtonKind) -> None:
        self.kind = kind
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._font())
        width = max(map(metrics.horizontalAdvance, (self.text(), *self._texts)))
        return QSize(width + scale(self._padding), scale(CONTROL_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill, border, ink = self._colours()
        paint_box(painter, QRectF(self.rect()), fill, border, Corner.CONTROL)
        painter.setFont(self._font())
        painter.setPen(ink)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        if self._is_ringed and self.hasFocus():
            self._paint_ring(painter)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._is_ringed = event.reason() in KEYBOARD
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER:
            if not event.isAutoRepeat():  # a key that is held since it opened a sheet shall not answer it
                self.click()
        else:
            super().keyPressEvent(event)

    def _font(self) -> QFont:
        return font(14, MEDIUM)

    def _paint_ring(self, painter: QPainter) -> None:
        box = QRectF(self.rect())
        if self.kind is ButtonKind.PRIMARY:  # a ring of the accent would not be seen on its fill
            paint_box(painter, box.adjusted(2, 2, -2, -2), None, colour("accent_ink"), Corner.ROW, 1.5)
        else:
            paint_focus(painter, box, Corner.CONTROL)

    def _colours(self) -> tuple[QColor, QColor | None, QColor]:
        """Return the colours of the fill, the border and the text."""
        is_quiet = self.kind is ButtonKind.QUIET
        if not self.isEnabled():
            fill = colour("raised", 0) if is_quiet else mix("free", "raised", 0.6)
            return fill, None if is_quiet else colour("line"), colour("ink_faint")
        is_over, is_down = self.underMouse(), self.isDown()
        if self.kind is ButtonKind.PRIMARY:
            share = 0.8 if is_down else 0.9 if is_over else 1.0
            return mix("accent", "ink", share), None, colour("accent_ink")
        at_rest = colour("raised", 0 if is_quiet else 1)
        fill = mix("line", "raised", 0.7) if is_down else mix("line_soft", "raised", 0.8) if is_over else at_rest
        if is_quiet:
            return fill, None, colour("ink" if is_over else "ink_soft")
        return fill, colour("line"), colour("ink")


def explain_ellipsis(button: QAbstractButton, event: QEvent, shown_text: Callable[[], str]) -> bool:
    """Show the whole text above the tooltip where only a part of it is shown; return whether that was done."""
    if event.type() != QEvent.Type.ToolTip or not isinstance(event, QHelpEvent) or shown_text() == button.text():
        return False
    QToolTip.showText(event.globalPos(), "\n".join(filter(None, (button.text(), button.toolTip()))), button)
    return True


class LinkButton(Button):
    """A button that looks like a link, with no room around its text, so that it aligns with the text above."""

    def __init__(self, text: str, *, size: float = 13, shrinks: bool = False, parent: QWidget | None = None) -> None:
        """shrinks: where there is too little room the text ends in an ellipsis."""
        super().__init__(text, ButtonKind.QUIET, parent)
        self._size = size
        if shrinks:
            self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._font())
        return QSize(metrics.horizontalAdvance(self.text()) + 2, metrics.height() + scale(6))

    def minimumSizeHint(self) -> QSize:
        is_fixed = self.sizePolicy().horizontalPolicy() is QSizePolicy.Policy.Fixed
        size = self.sizeHint()
        return size if is_fixed else QSize(min(size.width(), scale(MIN_LINK)), size.height())

    def event(self, event: QEvent) -> bool:
        return explain_ellipsis(self, event, self._shown_text) or super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        shown = QFont(self._font())
        shown.setUnderline(self.underMouse() and self.isEnabled())
        painter.setFont(shown)
        painter.setPen(colour("accent" if self.isEnabled() else "ink_faint"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._shown_text())
        if self._is_ringed and self.hasFocus():
            paint_focus(painter, QRectF(self.rect()), Corner.TAG)

    def _shown_text(self) -> str:
        return QFontMetrics(self._font()).elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())

    def _font(self) -> QFont:
        return font(self._size, MEDIUM)
