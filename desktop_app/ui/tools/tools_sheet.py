"""Which tools the model may call, what each adds to a request, and which MCP servers do not answer."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.events import Failure
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import ToolOffer, ToolsListed
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.widgets.boxes import Card, ScrollColumn
from desktop_app.ui.widgets.buttons import Button, LinkButton
from desktop_app.ui.widgets.inputs import ToggleSwitch
from desktop_app.ui.widgets.layouts import discard, horizontal, vertical
from desktop_app.ui.widgets.look import BOLD, MEDIUM
from desktop_app.ui.widgets.number_formats import first_line, format_number
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
        """Show whether the tool is on, without a signal."""
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
        head = (self.total, self.folder, self.warning)
        self.lay_out(self.area, self.close_button, leading=(self.more,), head=head, spacing=12)
        self.warning.setVisible(not can_call)
        self.set_first(self.close_button)
        self.close_button.clicked.connect(self.accept)
        self.more.clicked.connect(self._request_settings)
        self._show_total(tools)
        self.steps = self._build(tools)

    def show_tools(self, tools: ToolsListed) -> None:
        """Show these tools; when they are the same ones, only their switches change."""
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
