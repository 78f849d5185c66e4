"""A whole output or attached text in a window of its own, read in pages as it is scrolled, searched by the engine."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QLineEdit, QPlainTextEdit, QWidget

from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import SpillRead
from desktop_app.ui.transcript.row_text import beginning_of_output
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.layouts import horizontal, vertical
from desktop_app.ui.widgets.look import StyleAware, colour, font, restyle, scale
from desktop_app.ui.widgets.number_formats import escape_name, first_line, format_bytes
from desktop_app.ui.widgets.text_label import TextLabel

PAGE = 1_000  # lines read at a time
LINE = 2_000  # characters of a line that are shown: Qt lays out a line as a whole
PAUSE = 150  # milliseconds from the last key to the search
NEAR_END = 4  # screens from the end at which the next page is read
NO_MATCH = translatable("No matching lines.")


class SpillViewer(StyleAware, QDialog):
    """Signal: page_requested(query, offset, limit), answered by `show_page`; `search` requests the first."""

    page_requested = Signal(str, int, int)

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(escape_name(first_line(title, 120)))
        self._shown = self._total = 0
        self._is_reading = False
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Search in this text…"))
        self.field.setAccessibleName(tr("Search in this text"))
        self.field.setClearButtonEnabled(True)
        self.note = TextLabel(size=12, tint="ink_faint")
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setFrameStyle(0)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName(tr("Whole text"))
        self._pause = QTimer(self, interval=PAUSE, singleShot=True)
        head = horizontal((self.field, 1), self.note, spacing=12, margins=(14, 10, 14, 10))
        vertical(head, (self.text, 1), holder=self, spacing=0)
        self.resize(scale(860), scale(640))
        self.refresh_style()
        self.field.textChanged.connect(lambda _: self._pause.start())
        self._pause.timeout.connect(self.search)
        self.text.verticalScrollBar().valueChanged.connect(lambda _: self._look_ahead())
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self._find)

    def query(self) -> str:
        """Return what the shown lines contain; "" for all lines."""
        return self.field.text().strip()

    def search(self) -> None:
        """Request the first page of lines that contain the query."""
        self._pause.stop()
        self._shown = self._total = 0
        self._is_reading = True
        self.page_requested.emit(self.query(), 0, PAGE)

    def show_page(self, query: str, offset: int, page: SpillRead) -> None:
        """Show the lines from `offset` on, unless another query or page was requested meanwhile."""
        if query != self.query() or offset != self._shown:
            return
        self._is_reading = False
        if not offset:
            self.text.clear()
        self._total, self._shown = page.total, offset + len(page.lines)
        width = len(str(max(page.lines[-1][0] if page.lines else 0, 1_000)))
        text = "\n".join(f"{number:>{width}}  {_shorten_line(line)}" for number, line in page.lines)
        if text:
            self.text.appendPlainText(text)
        if not offset:
            self.text.moveCursor(self.text.textCursor().MoveOperation.Start)
        found = tr("%n lines with “{query}”", "", page.total) if query else tr("%n lines · {size}", "", page.total)
        found = found.format(query=query, size=format_bytes(page.bytes))
        self.note.set_text(found if page.total or not query else tr(NO_MATCH))

    def show_failure(self, message: str) -> None:
        """Show why the lines cannot be read; scrolling and searching request them again."""
        self._is_reading = False
        self.note.set_text(message)

    def _look_ahead(self) -> None:
        bar = self.text.verticalScrollBar()
        is_near = bar.value() + NEAR_END * bar.pageStep() >= bar.maximum()
        if is_near and not self._is_reading and 0 < self._shown < self._total:
            self._is_reading = True
            self.page_requested.emit(self.query(), self._shown, PAGE)

    def _find(self) -> None:
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def refresh_style(self) -> None:
        self.text.setFont(font(12.5, is_mono=True))
        rules = f"background: {colour('paper').name()}; color: {colour('ink').name()}; padding: {scale(8)}px;"
        restyle(self.text, f"QPlainTextEdit {{ {rules} }}")  # not of the scroll bars, which are its children


def _shorten_line(line: str) -> str:
    shown, is_all = beginning_of_output(line, 1, LINE)
    left = (len(shown) if is_all else len(line)) - LINE
    return " ".join((f"{shown[:LINE]}…", tr("(%n more characters)", "", left))) if left > 0 else shown
