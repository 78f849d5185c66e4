"""What a call would touch, in full: it is what the user allows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import RequiredPermission
from desktop_app.ui.transcript.row_text import arguments_text
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.invisible import escape_invisible
from desktop_app.ui.widgets.layouts import vertical
from desktop_app.ui.widgets.long_text import LongTextField
from desktop_app.ui.widgets.look import Corner, StyleAware, colour, paint_box

from .question_text import DONE_BY, target_of

MAX_LINES = 6  # shown at once; more lines scroll
MARGIN = 16


class Targets(StyleAware, QWidget):
    """Shows commands, paths and hosts in a fixed-pitch font, and all arguments of the call on request."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._short = self._whole = ""
        self._is_whole = False
        self.text = LongTextField(size=13, is_mono=True)
        self.text.installEventFilter(self)
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("What it would do"))
        vertical(self.text, holder=self, margins=(12, 8, 4, 8))

    @property
    def has_more(self) -> bool:
        """Whether the arguments say more than what is shown first."""
        return bool(self._whole) and self._whole.partition(": ")[2] != self._short

    def show_needs(self, needs: Sequence[RequiredPermission], call: ToolCall | None) -> None:
        """Show what is needed, without the arguments."""
        self._whole = arguments_text(call) if call else ""
        if len(needs) == 1:
            self._short = target_of(needs[0])
        else:
            lines = [tr(DONE_BY[need.kind]).format(target=target_of(need)) for need in needs]
            self._short = "\n".join(lines) or self._whole
        self._is_whole = False
        self._show(self._short)

    def toggle_whole(self) -> bool:
        """Show or hide all arguments; return whether they are shown now."""
        self._is_whole = not self._is_whole
        self._show(f"{self._short}\n\n{self._whole}" if self._is_whole else self._short)
        return self._is_whole

    def words(self) -> str:
        """Return what is shown first, for screen readers."""
        return escape_invisible(self._short)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.text and isinstance(event, QResizeEvent) and event.size().width() != event.oldSize().width():
            QTimer.singleShot(0, self, self._fit)  # once the text has its new width
        return super().eventFilter(watched, event)

    def refresh_style(self) -> None:
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_box(QPainter(self), QRectF(self.rect()), colour("code"), None, Corner.CONTROL)

    def _show(self, text: str) -> None:
        self.text.show_text(escape_invisible(text))
        self._fit()

    def _fit(self) -> None:
        limit = MAX_LINES * (2 if self._is_whole else 1)
        lines, policy = self.text.lines(limit + 1), Qt.ScrollBarPolicy
        self.text.setVerticalScrollBarPolicy(policy.ScrollBarAsNeeded if lines > limit else policy.ScrollBarAlwaysOff)
        self.text.setFixedHeight(min(lines, limit) * self.text.fontMetrics().lineSpacing() + 8)
        self.setFixedHeight(self.text.height() + MARGIN)
