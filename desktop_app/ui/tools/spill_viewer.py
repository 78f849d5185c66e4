"""A whole output in a window of its own: read in pages as it is scrolled, and searched by the engine."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from desktop_app.engine.protocol import SpillRead
from desktop_app.ui.theme import theme
from desktop_app.ui.transcript.live_tools import plain_output
from desktop_app.ui.widgets.formats import first_line, format_bytes, format_number, pluralize
from desktop_app.ui.widgets.look import RESTYLING, colour, font, restyle, scaled
from desktop_app.ui.widgets.text_label import TextLabel

PAGE = 1_000  # lines read at a time
LINE = 2_000  # characters of a line that are shown: Qt lays out a line as a whole
PAUSE = 150  # milliseconds from the last key to the search
NEAR_END = 4  # screens from the end at which the next page is read
NOTHING = "No matching lines."


class SpillViewer(QDialog):
    """Signal: page_requested(spill, query, offset, limit); the answer goes to `show_page`. `search` begins it."""

    page_requested = Signal(str, str, int, int)

    def __init__(self, spill: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(first_line(title, 120))
        self.spill = spill
        self._shown = self._total = 0
        self._is_reading = False
        self.field = QLineEdit()
        self.field.setPlaceholderText("Search in this output…")
        self.field.setAccessibleName("Search in this output")
        self.field.setClearButtonEnabled(True)
        self.note = TextLabel(size=12, tint="ink_faint")
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setFrameStyle(0)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName("Full output")
        self._pause = QTimer(self, interval=PAUSE, singleShot=True)
        self._lay_out()
        self._dress()
        self.field.textChanged.connect(lambda _: self._pause.start())
        self._pause.timeout.connect(self.search)
        self.text.verticalScrollBar().valueChanged.connect(lambda _: self._look_ahead())
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self._find)

    def query(self) -> str:
        """What the shown lines have in them; "" for all lines."""
        return self.field.text().strip()

    def search(self) -> None:
        """Asks for the first page of what is wanted now."""
        self._pause.stop()
        self._shown = self._total = 0
        self._is_reading = True
        self.page_requested.emit(self.spill, self.query(), 0, PAGE)

    def show_page(self, query: str, offset: int, page: SpillRead) -> None:
        """The lines from `offset` on. What nobody waits for any more is passed over."""
        if query != self.query() or offset != self._shown:
            return
        self._is_reading = False
        if not offset:
            self.text.clear()
        self._total, self._shown = page.total, offset + len(page.lines)
        width = len(str(max(page.lines[-1][0] if page.lines else 0, 1_000)))
        words = "\n".join(f"{number:>{width}}  {_shortened(line)}" for number, line in page.lines)
        if words:
            self.text.appendPlainText(words)
        if not offset:
            self.text.moveCursor(self.text.textCursor().MoveOperation.Start)
        found = pluralize(page.total, "line") + (f" with “{query}”" if query else f" · {format_bytes(page.bytes)}")
        self.note.set_text(found if page.total or not query else NOTHING)

    def show_failure(self, words: str) -> None:
        """The lines that were asked for cannot be had; scrolling and searching ask again."""
        self._is_reading = False
        self.note.set_text(words)

    def changeEvent(self, event: QEvent) -> None:
        """Follows the theme and the font scale."""
        super().changeEvent(event)
        if event.type() in RESTYLING:
            self._dress()

    def _look_ahead(self) -> None:
        bar = self.text.verticalScrollBar()
        is_near = bar.value() + NEAR_END * bar.pageStep() >= bar.maximum()
        if is_near and not self._is_reading and 0 < self._shown < self._total:
            self._is_reading = True
            self.page_requested.emit(self.spill, self.query(), self._shown, PAGE)

    def _find(self) -> None:
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(14, 10, 14, 10)
        head.setSpacing(12)
        head.addWidget(self.field, 1)
        head.addWidget(self.note)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.text, 1)
        self.resize(scaled(860), scaled(640))

    def _dress(self) -> None:
        self.text.setFont(font(12.5, is_mono=True))
        rules = f"background: {theme.palette.paper}; color: {colour('ink').name()}; padding: {scaled(8)}px;"
        restyle(self.text, f"QPlainTextEdit {{ {rules} }}")  # not of the scroll bars, which are its children


def _shortened(line: str) -> str:
    shown = plain_output(line)
    return shown if len(shown) <= LINE else f"{shown[:LINE]}… ({format_number(len(shown) - LINE)} characters more)"
