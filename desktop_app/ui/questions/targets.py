"""What a call would touch, word for word: nothing of it is ever cut off, since it is what the user allows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import RequiredPermission
from desktop_app.ui.transcript.row_text import arguments_text
from desktop_app.ui.widgets.invisible import escape_invisible
from desktop_app.ui.widgets.look import RESTYLING, colour, paint_box
from desktop_app.ui.widgets.text_area import TextArea

from .question_text import DONE_BY

MAX_LINES = 6  # laid out at once; what is longer scrolls
MARGIN = 16


class Targets(QWidget):
    """Commands, paths and hosts in the fixed-pitch font; on demand all arguments of the call."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._short = self._whole = ""
        self._is_whole = False
        self.text = TextArea(size=13, is_mono=True)
        self.text.installEventFilter(self)
        self.text.setReadOnly(True)
        self.text.setAccessibleName("What it would do")
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 4, 8)
        column.addWidget(self.text)

    @property
    def has_more(self) -> bool:
        """Whether the arguments say more than what is shown."""
        return bool(self._whole) and self._whole.partition(": ")[2] != self._short

    def show_needs(self, needs: Sequence[RequiredPermission], call: ToolCall | None) -> None:
        """What is needed; the arguments are folded away."""
        self._whole = arguments_text(call) if call else ""
        if len(needs) == 1:
            self._short = _told(needs[0])
        else:
            self._short = "\n".join(f"{DONE_BY[need.kind]}: {_told(need)}" for need in needs) or self._whole
        self._is_whole = False
        self._show(self._short)

    def toggle_whole(self) -> bool:
        """Shows all arguments, or hides them; whether they are shown now."""
        self._is_whole = not self._is_whole
        self._show(f"{self._short}\n\n{self._whole}" if self._is_whole else self._short)
        return self._is_whole

    def words(self) -> str:
        """What is shown first, for those who listen."""
        return escape_invisible(self._short)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Another width needs other lines; the text has it later than this does."""
        if watched is self.text and isinstance(event, QResizeEvent) and event.size().width() != event.oldSize().width():
            QTimer.singleShot(0, self, self._fit)
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        """Another font scale needs another height."""
        super().changeEvent(event)
        if event.type() in RESTYLING:
            self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the ground."""
        paint_box(QPainter(self), QRectF(self.rect()), colour("code"), None, 8)

    def _show(self, text: str) -> None:
        self.text.setPlainText(escape_invisible(text))
        self._fit()

    def _fit(self) -> None:
        """As high as its lines, up to a few."""
        most = MAX_LINES * (2 if self._is_whole else 1)
        lines, policy = self.text.lines(most + 1), Qt.ScrollBarPolicy
        self.text.setVerticalScrollBarPolicy(policy.ScrollBarAsNeeded if lines > most else policy.ScrollBarAlwaysOff)
        self.text.setFixedHeight(min(lines, most) * self.text.fontMetrics().lineSpacing() + 8)
        self.setFixedHeight(self.text.height() + MARGIN)


def _told(need: RequiredPermission) -> str:
    """What is needed; an end of a line within a path, which looks like another need, is marked."""
    return need.target if need.kind == "run" else need.target.replace("\n", "‹U+000A›")
