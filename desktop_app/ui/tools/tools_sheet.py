"""The sheet of tools, and the viewer of a long output that was stored in a file."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QLineEdit, QPlainTextEdit, QWidget

from desktop_app.conversation.events import Failure
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import SpillRead, ToolOffer, ToolsListed
from desktop_app.ui.cache_notice import CacheNotice
from desktop_app.ui.transcript.row_text import beginning_of_output
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.widgets.boxes import Card, ScrollColumn
from desktop_app.ui.widgets.buttons import Button, LinkButton
from desktop_app.ui.widgets.inputs import ToggleSwitch
from desktop_app.ui.widgets.layouts import discard, horizontal, vertical
from desktop_app.ui.widgets.look import BOLD, MEDIUM, StyleAware, colour, font, restyle, scale
from desktop_app.ui.widgets.number_formats import escape_name, first_line, format_bytes, format_number
from desktop_app.ui.widgets.sheet import Sheet
from desktop_app.ui.widgets.text_label import Run, TextLabel, fill_runs

WIDTH = 620
BUILT_IN = translatable("Built in")
NO_TOOLS = translatable("No tools are available.")
NO_FOLDER = translatable("No working folder: tools for files and commands need one.")
CANNOT_CALL = translatable("This model cannot call tools. They become available when you choose another model.")


class ToolRow(QWidget):
    """A tool with its switch. Signal: switched(name, is_on)."""

    switched = Signal(str, bool)

    def __init__(self, offer: ToolOffer) -> None:
        super().__init__()
        self.name, about = offer.spec.name, offer.spec.description
        self.title = TextLabel(self.name, size=13, weight=MEDIUM, is_mono=True)
        tokens = TextLabel(tr("%n tokens", "", offer.tokens), size=12, tint="ink_faint")
        self.switch = ToggleSwitch("")
        self.switch.setAccessibleName(tr("Offer {tool}").format(tool=self.name))
        cost = tr("%n tokens in each request.", "", offer.tokens)
        self.switch.setAccessibleDescription(f"{about} {cost}")
        lines = vertical(horizontal((self.title, 1), tokens, spacing=10), spacing=1)
        if about.strip():
            lines.addWidget(TextLabel(first_line(about, 240), size=12, tint="ink_soft", wraps=True))
        horizontal((lines, 1), (self.switch, 0, Qt.AlignmentFlag.AlignVCenter), holder=self, spacing=12)
        self.show_offer(offer)
        self.switch.toggled.connect(lambda is_on: self.switched.emit(self.name, is_on))

    def show_offer(self, offer: ToolOffer) -> None:
        """Show whether the tool is on, without emitting `switched`."""
        self.switch.blockSignals(True)
        self.switch.setChecked(offer.is_on)
        self.switch.blockSignals(False)
        self.title.set_tint("ink" if offer.is_on else "ink_faint")


class ToolsSheet(Sheet):
    """Signals: switched(name, is_on); settings_requested, to add an MCP server."""

    switched = Signal(str, bool)
    settings_requested = Signal()

    def __init__(self, tools: ToolsListed, can_call: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent, width=WIDTH, closes_outside=True, title=tr("Tools"))
        self.rows: dict[str, ToolRow] = {}
        self.total = TextLabel(size=13, tint="ink_soft", wraps=True)
        self.folder = TextLabel(size=12, tint="ink_faint", wraps=True)
        self.warning = TextLabel(tr(CANNOT_CALL), size=13, tint="warning", wraps=True)
        self.area = ScrollColumn(spacing=14)
        self.more = LinkButton(tr("Add an MCP server…"))
        self.close_button = Button(tr("Done"))
        self.notice = CacheNotice()
        head = (self.total, self.folder, self.warning, self.notice)
        self.lay_out(self.area, self.close_button, leading=(self.more,), head=head, spacing=12)
        self.warning.setVisible(not can_call)
        self.set_first(self.close_button)
        self.close_button.clicked.connect(self.accept)
        self.more.clicked.connect(self._request_settings)
        self._show_total(tools)
        self.steps = self._build(tools)

    def show_tools(self, tools: ToolsListed) -> None:
        """Show these tools; if they are the same, only their switches change."""
        self.build()
        self._show_total(tools)
        if [offer.spec.name for offer in tools.tools] != list(self.rows) or not tools.tools:
            self._clear()
            self.steps = self._build(tools)
            self.build()
        for offer in tools.tools:
            self.rows[offer.spec.name].show_offer(offer)

    def _show_total(self, tools: ToolsListed) -> None:
        on = [offer for offer in tools.tools if offer.is_on]
        tokens = Run(format_number(tools.tokens), "ink", BOLD)
        text = tr("{tokens} tokens in each request · {on} of %n tools on", "", len(tools.tools))
        self.total.set_runs(fill_runs(text, tokens=tokens, on=format_number(len(on))))
        folder = tr("Working folder: {folder}") if tools.folder else tr(NO_FOLDER)
        self.folder.set_text(folder.format(folder=tools.folder))

    def _build(self, tools: ToolsListed) -> Iterator[QWidget]:
        """Build a card for each source of tools, row by row, and one for each failure."""
        for source in dict.fromkeys(offer.spec.source for offer in tools.tools):
            card = Card()
            card.column.setSpacing(12)
            card.column.addWidget(TextLabel(source or tr(BUILT_IN), size=13, weight=BOLD))
            self.area.add(card)
            for offer in tools.tools:
                if offer.spec.source == source:
                    tool = self.rows[offer.spec.name] = ToolRow(offer)
                    tool.switched.connect(self.switched)
                    card.column.addWidget(tool)
                    yield tool
        for failure in tools.failures:
            self.area.add(_failure_card(failure))
        if not tools.tools and not tools.failures:
            self.area.add(TextLabel(tr(NO_TOOLS), size=13, tint="ink_soft", wraps=True))

    def _clear(self) -> None:
        self.rows = {}
        for widget in [child for child in self.area.content.children() if isinstance(child, QWidget)]:
            discard(widget)

    def _request_settings(self) -> None:
        self.accept()
        self.settings_requested.emit()


def _failure_card(failure: Failure) -> Card:
    card = Card()
    card.column.addWidget(TextLabel(tr_engine(failure.title), size=13, weight=BOLD, tint="critical", wraps=True))
    for text in (failure.detail, failure.advice):
        if text:
            card.column.addWidget(TextLabel(tr_engine(text), size=12, tint="ink_soft", wraps=True))
    return card


PAGE = 1_000  # lines read at a time
LINE = 2_000  # characters shown of a line, since Qt lays out a complete line at once
PAUSE = 150  # milliseconds from the last key press to the search
NEAR_END = 4  # screens from the end at which the next page is read
NO_MATCH = translatable("No matching lines.")


class SpillViewer(StyleAware, QDialog):
    """A window with the lines of a long text, read page by page.

    Signal: page_requested(query, offset, limit), answered by `show_page`; `search` requests the first page.
    """

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
        """Return the text that the shown lines contain; "" for all lines."""
        return self.field.text().strip()

    def search(self) -> None:
        """Request the first page of lines that contain the query."""
        self._pause.stop()
        self._shown = self._total = 0
        self._is_reading = True
        self.page_requested.emit(self.query(), 0, PAGE)

    def show_page(self, query: str, offset: int, page: SpillRead) -> None:
        """Show the lines from `offset` on, unless another query or page has been requested since."""
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
        restyle(self.text, f"QPlainTextEdit {{ {rules} }}")  # not for the scroll bars, which are its children


def _shorten_line(line: str) -> str:
    beginning, is_all = beginning_of_output(line, 1, LINE)
    left = (len(beginning) if is_all else len(line)) - LINE
    return " ".join((f"{beginning[:LINE]}…", tr("(%n more characters)", "", left))) if left > 0 else beginning
