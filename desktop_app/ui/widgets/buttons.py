"""Buttons that paint themselves."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFocusEvent, QFont, QFontMetrics, QHelpEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QPushButton, QSizePolicy, QToolTip, QWidget

from .look import CONTROL_HEIGHT, MEDIUM, Corner, StyleAware, colour, font, mix, paint_box, paint_focus, scale

MIN_LINK = 60  # pixels: the minimum width of a link that may shrink
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
KEYBOARD = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)


class ButtonKind(StrEnum):
    """The prominence of a button."""

    PLAIN = "plain"
    PRIMARY = "primary"
    QUIET = "quiet"


class Button(StyleAware, QPushButton):
    """A button that Enter presses as well as the space bar. Its focus ring is shown only after keyboard navigation."""

    def __init__(
        self, text: str, kind: ButtonKind = ButtonKind.PLAIN, parent: QWidget | None = None, *, padding: int = 26
    ) -> None:
        """padding: pixels left and right of the text, in total, before the font scale."""
        super().__init__(text, parent)
        self._padding = padding
        self.kind = kind
        self.setAutoDefault(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._is_ringed = False
        self._texts: tuple[str, ...] = ()

    def reserve_width_for(self, *texts: str) -> None:
        """Reserve the width of the longest of these texts, so that nothing moves when the button's text changes."""
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
            if not event.isAutoRepeat():  # a key still held down from opening a sheet must not press its buttons
                self.click()
        else:
            super().keyPressEvent(event)

    def _font(self) -> QFont:
        return font(14, MEDIUM)

    def _paint_ring(self, painter: QPainter) -> None:
        box = QRectF(self.rect())
        if self.kind is ButtonKind.PRIMARY:  # a ring in the accent colour would be invisible on its fill
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
    """Add the full text to the tooltip of a button whose text is elided; return whether the event was handled."""
    if event.type() != QEvent.Type.ToolTip or not isinstance(event, QHelpEvent) or shown_text() == button.text():
        return False
    QToolTip.showText(event.globalPos(), "\n".join(filter(None, (button.text(), button.toolTip()))), button)
    return True


class LinkButton(Button):
    """A button that looks like a link, without padding, so that it aligns with the text above."""

    def __init__(self, text: str, *, size: float = 13, shrinks: bool = False, parent: QWidget | None = None) -> None:
        """shrinks: whether the text is elided where there is too little space."""
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
        look = QFont(self._font())
        look.setUnderline(self.underMouse() and self.isEnabled())
        painter.setFont(look)
        painter.setPen(colour("accent" if self.isEnabled() else "ink_faint"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._shown_text())
        if self._is_ringed and self.hasFocus():
            paint_focus(painter, QRectF(self.rect()), Corner.TAG)

    def _shown_text(self) -> str:
        return QFontMetrics(self._font()).elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())

    def _font(self) -> QFont:
        return font(self._size, MEDIUM)
