"""Tools: where they search and work, how long a model may go on by itself, what is allowed, and servers of tools."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop_app.settings import McpServer, Settings
from desktop_app.ui.widgets.buttons import Button
from desktop_app.ui.widgets.look import MEDIUM
from desktop_app.ui.widgets.text_label import TextLabel

from .field import Field
from .mcp_form import McpForm
from .named_forms import Forms
from .rules_list import RulesList
from .section import Section, note
from .server_form import address_error

ROUNDS = (1, 1_000)
SERVERS_NOTE = "They provide tools through the Model Context Protocol. Their tools ask for permission like all others."


def rounds_of(text: str) -> int:
    """How many requests of one turn go without the user. Raises ValueError."""
    least, most = ROUNDS
    if not text.isdecimal() or not least <= int(text) <= most:
        raise ValueError(f"Enter a number from {least} to {most:,}.")
    return int(text)


class ToolsSection(Section):
    """All that concerns tools, but for which of them are on: that is said in the sheet of the tools.

    Signal: grown(QWidget), by something that is to be brought into view.
    """

    grown = Signal(object)

    def __init__(self, settings: Settings, names_with_key: tuple[str, ...]) -> None:
        self._names_with_key = names_with_key
        self.search = Field("Web search", settings.search_url, "leave empty for DuckDuckGo, or enter a SearXNG address")
        self.rounds = Field("Ask me after this many rounds of tool calls", str(settings.rounds_most), "25")
        self.folder = Field("Working folder of new conversations", settings.folder, "leave empty for none")
        self.rules = RulesList(settings.rules)
        self.add_server = Button("+ Add an MCP server")
        pair = QWidget()
        row = QHBoxLayout(pair)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        row.addWidget(self.folder, 1)
        row.addWidget(self.rounds, 1)
        titles = [TextLabel(words, size=13, weight=MEDIUM) for words in ("Always allowed", "MCP servers")]
        super().__init__(
            "Tools", self.search, pair, titles[0], self.rules, titles[1], note(SERVERS_NOTE), self.add_server
        )
        self._forms = Forms[McpForm](self)
        for server in settings.mcp_servers:
            self._add_form(server)
        self.add_server.clicked.connect(lambda _=False: self._add_new())

    @property
    def forms(self) -> list[McpForm]:
        """One for each server of tools."""
        return self._forms.all

    def written(self, settings: Settings) -> Settings:
        """With everything of this section. Raises ValueError."""
        return replace(
            settings,
            search_url=self.search.text().rstrip("/"),
            rounds_most=rounds_of(self.rounds.text()),
            folder=self.folder.text(),
            rules=self.rules.rules(),
            mcp_servers=tuple(form.server() for form in self.forms),
        )

    def keys(self) -> dict[str, str]:
        """Keys of servers of tools, as "mcp/NAME"."""
        return self._forms.keys()

    def first_wrong(self) -> QWidget | None:
        """Says beside each field what is wrong with it."""
        self.search.complain(address_error(self.search.text()) if self.search.text() else "")
        self.rounds.complain(self._rounds_error())
        is_whole = not self.folder.text() or Path(self.folder.text()).is_absolute()
        self.folder.complain("" if is_whole else "Enter the full path.")
        own = [field.edit for field in (self.search, self.folder, self.rounds) if field.error()]
        return next(iter([*own, *self._forms.wrong()]), None)

    def _rounds_error(self) -> str:
        try:
            rounds_of(self.rounds.text())
        except ValueError as error:
            return str(error)
        return ""

    def _add_form(self, server: McpServer) -> McpForm:
        return self._forms.add(McpForm(server, f"mcp/{server.name}" in self._names_with_key))

    def _add_new(self) -> None:
        form = self._add_form(McpServer(""))
        form.name.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.grown.emit(form)
