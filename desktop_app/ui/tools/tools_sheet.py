"""Which tools the model may call, what each takes of a request, and which servers of tools do not answer."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.conversation.events import Failure
from desktop_app.engine.protocol import ToolOffer, ToolsListed
from desktop_app.ui.widgets.boxes import Card, ScrollColumn
from desktop_app.ui.widgets.buttons import Button, LinkButton
from desktop_app.ui.widgets.formats import first_line, format_number, pluralize
from desktop_app.ui.widgets.look import BOLD, MEDIUM
from desktop_app.ui.widgets.sheet import Sheet
from desktop_app.ui.widgets.switch import Switch
from desktop_app.ui.widgets.text_label import Run, TextLabel

WIDTH = 620
OURS = "Built in"
NONE = "No tools are available."
NO_FOLDER = "No working folder: tools for files and commands need one."
CANNOT = "This model cannot call tools. They become available when you choose another model."


class ToolRow(QWidget):
    """A tool with its switch. Signal: switched(name, is_on)."""

    switched = Signal(str, bool)

    def __init__(self, offer: ToolOffer) -> None:
        super().__init__()
        self.name = offer.spec.name
        self.title = TextLabel(offer.spec.name, size=13, weight=MEDIUM, is_mono=True)
        self.about = TextLabel(first_line(offer.spec.description, 240), size=12, tint="ink_soft", wraps=True)
        self.about.setVisible(bool(offer.spec.description.strip()))
        self.tokens = TextLabel(pluralize(offer.tokens, "token"), size=12, tint="ink_faint")
        self.switch = Switch("")
        self.switch.setAccessibleName(f"Offer {offer.spec.name}")
        self.switch.setAccessibleDescription(f"{offer.spec.description} {self.tokens.text()} in each request.")
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(self.title, 1)
        head.addWidget(self.tokens)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addLayout(head)
        words.addWidget(self.about)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        row.addLayout(words, 1)
        row.addWidget(self.switch, 0, Qt.AlignmentFlag.AlignVCenter)
        self.show_offer(offer)
        self.switch.toggled.connect(lambda is_on: self.switched.emit(self.name, is_on))

    def show_offer(self, offer: ToolOffer) -> None:
        """Whether it is on, without telling."""
        self.switch.blockSignals(True)
        self.switch.setChecked(offer.is_on)
        self.switch.blockSignals(False)
        self.title.set_tint("ink" if offer.is_on else "ink_faint")


class ToolsSheet(Sheet):
    """Signals: switched(name, is_on); settings_requested, to add a server of tools."""

    switched = Signal(str, bool)
    settings_requested = Signal()

    def __init__(self, tools: ToolsListed, can_call: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent, width=WIDTH, closes_outside=True)
        self.setWindowTitle("Tools")
        self.setAccessibleName("Tools")
        self.rows: dict[str, ToolRow] = {}
        self.total = TextLabel(size=13, tint="ink_soft", wraps=True)
        self.warning = TextLabel(CANNOT, size=13, tint="warning", wraps=True)
        self.warning.setVisible(not can_call)
        self.folder = TextLabel(size=12, tint="ink_faint", wraps=True)
        self.area = ScrollColumn(spacing=14)
        self.more = LinkButton("Add an MCP server…")
        self.close_button = Button("Done")
        self._lay_out()
        self.set_first(self.close_button)
        self.close_button.clicked.connect(self.accept)
        self.more.clicked.connect(self._go_to_settings)
        self.show_tools(tools)

    def show_tools(self, tools: ToolsListed) -> None:
        """Shows them; when the tools are the same ones, only their switches change."""
        on = [offer for offer in tools.tools if offer.is_on]
        tokens = Run(format_number(sum(offer.tokens for offer in on)), "ink", BOLD)
        self.total.set_runs(
            (tokens, Run(f" tokens in each request · {len(on)} of {pluralize(len(tools.tools), 'tool')} on"))
        )
        self.folder.set_text(f"Working folder: {tools.folder}" if tools.folder else NO_FOLDER)
        if [offer.spec.name for offer in tools.tools] != list(self.rows) or not tools.tools:
            self._rebuild(tools.tools, tools.failures)
        for offer in tools.tools:
            self.rows[offer.spec.name].show_offer(offer)

    def _rebuild(self, offers: Sequence[ToolOffer], failures: Sequence[Failure]) -> None:
        while self.area.column.count() > 1:
            taken = self.area.column.takeAt(0)
            widget = taken.widget() if taken else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.rows = {}
        for source in dict.fromkeys(offer.spec.source for offer in offers):
            card = Card()
            card.column.setSpacing(12)
            card.column.addWidget(TextLabel(source or OURS, size=13, weight=BOLD))
            for offer in offers:
                if offer.spec.source == source:
                    row = self.rows[offer.spec.name] = ToolRow(offer)
                    row.switched.connect(self.switched)
                    card.column.addWidget(row)
            self.area.add(card)
        for failure in failures:
            self.area.add(_failure_card(failure))
        if not offers and not failures:
            self.area.add(TextLabel(NONE, size=13, tint="ink_soft", wraps=True))

    def _go_to_settings(self) -> None:
        self.accept()
        self.settings_requested.emit()

    def _lay_out(self) -> None:
        head = QVBoxLayout()
        head.setContentsMargins(24, 18, 24, 0)
        head.setSpacing(4)
        head.addWidget(TextLabel("Tools", size=17, weight=BOLD))
        for label in (self.total, self.folder, self.warning):
            head.addWidget(label)
        body = QVBoxLayout()
        body.setContentsMargins(24, 0, 12, 0)
        body.addWidget(self.area)
        self.area.column.setContentsMargins(0, 0, 12, 4)
        footer = QWidget()
        row = QHBoxLayout(footer)
        row.setContentsMargins(24, 12, 24, 12)
        row.addWidget(self.more)
        row.addStretch(1)
        row.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addLayout(head)
        column.addLayout(body, 1)
        column.addWidget(footer)
        self.set_footer(footer)


def _failure_card(failure: Failure) -> Card:
    card = Card()
    card.column.addWidget(TextLabel(failure.title, size=13, weight=BOLD, tint="critical", wraps=True))
    for words in (failure.detail, failure.advice):
        if words:
            card.column.addWidget(TextLabel(words, size=12, tint="ink_soft", wraps=True))
    return card
