"""A test of a server: its button, and what it found, line by line."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.model_servers import CheckResult, CheckState
from desktop_app.ui.model_words import result_words
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.buttons import Button
from desktop_app.ui.widgets.layouts import discard, horizontal, vertical
from desktop_app.ui.widgets.look import BOLD, Tint, scale
from desktop_app.ui.widgets.text_label import TextLabel

from .entries import note

MARKS: dict[CheckState, tuple[str, Tint]] = {
    "good": ("✓", "ok"),
    "unsure": ("!", "warning"),
    "bad": ("✗", "critical"),
}


class CheckPane(QWidget):
    """Signals: start_requested, stop_requested."""

    start_requested = Signal()
    stop_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.is_running = False
        self.button = Button(tr("Test"))
        self.button.set_room_for(tr("Test"), tr("Stop"))
        self.about = note("")
        self.lines: list[QWidget] = []
        self._column = vertical(spacing=4)
        head = horizontal(self.button, (self.about, 1), spacing=12)
        vertical(head, self._column, holder=self, spacing=8)
        self.button.clicked.connect(self._press)

    def begin(self) -> None:
        """Show that a test is under way."""
        for line in self.lines:
            discard(line)
        self.lines = []
        self._set_running(True)

    def add(self, results: Sequence[CheckResult]) -> None:
        """Append what was found."""
        for result in results:
            mark, tint = MARKS[result.state]
            line = QWidget()
            sign = TextLabel(mark, size=13, weight=BOLD, tint=tint)
            sign.setFixedWidth(scale(14))
            words = TextLabel(result_words(result), size=13, wraps=True)
            horizontal((sign, 0, Qt.AlignmentFlag.AlignTop), (words, 1), holder=line, spacing=8)
            self.lines.append(line)
            self._column.addWidget(line)

    def end(self) -> None:
        """Show that the test is over."""
        self._set_running(False)

    def explain(self, text: str) -> None:
        """Say what a test would do."""
        self.about.set_text(text)

    def _press(self) -> None:
        (self.stop_requested if self.is_running else self.start_requested).emit()

    def _set_running(self, is_running: bool) -> None:
        self.is_running = is_running
        self.button.setText(tr("Stop") if is_running else tr("Test"))
