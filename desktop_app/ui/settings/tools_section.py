"""Tools: where they search and work, how long a model may go on, what is always allowed, and MCP servers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.tools import Rule
from desktop_app.settings import McpServer, Settings
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import Button, LinkButton
from desktop_app.ui.widgets.layouts import horizontal, vertical
from desktop_app.ui.widgets.look import MEDIUM
from desktop_app.ui.widgets.text_label import TextLabel

from .form_list import FormList
from .mcp_form import McpForm
from .section import Field, Section, error_of, field_label, note
from .server_form import address_error

MIN_ROUNDS, MAX_ROUNDS = 1, 1_000
MCP_NOTE = "They provide tools through the Model Context Protocol. Their tools ask for permission like all others."
NO_RULES = "No permanent rules yet: tools ask before they change files, run commands or use the network."


def rounds_of(text: str) -> int:
    """Return how many rounds of a turn go on without the user. Raises ValueError."""
    if not text.isdecimal() or not MIN_ROUNDS <= int(text) <= MAX_ROUNDS:
        raise ValueError(f"Enter a number from {MIN_ROUNDS} to {MAX_ROUNDS:,}.")
    return int(text)


class RuleRow(QWidget):
    """A permanent rule, with a button that removes it."""

    def __init__(self, rule: Rule) -> None:
        super().__init__()
        self.rule = rule
        tool = "any tool" if rule.tool == "*" else rule.tool
        verb = "may" if rule.is_allowed else "must not"
        head = TextLabel(f"{tool} {verb}", size=13, weight=MEDIUM, tint="ink" if rule.is_allowed else "critical")
        pattern = TextLabel("anything" if rule.pattern == "*" else rule.pattern, size=13, is_mono=True, tint="ink_soft")
        self.remove = LinkButton("Remove")
        self.remove.setAccessibleName(f"Remove the rule: {tool} {verb} {rule.pattern}")
        horizontal(head, (pattern, 1), self.remove, holder=self, spacing=10)


class RuleList(Card):
    """The permanent rules."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        super().__init__()
        self.rows = [RuleRow(rule) for rule in rules]
        self.empty = TextLabel(NO_RULES, size=13, tint="ink_soft", wraps=True)
        self.column.addWidget(self.empty)
        self.empty.setVisible(not self.rows)
        self.column.addLayout(vertical(*self.rows, spacing=4))
        for rule_row in self.rows:
            rule_row.remove.clicked.connect(lambda _=False, rule_row=rule_row: self._remove(rule_row))

    def rules(self) -> tuple[Rule, ...]:
        """Return the rules that are left."""
        return tuple(rule_row.rule for rule_row in self.rows)

    def _remove(self, rule_row: RuleRow) -> None:
        self.rows.remove(rule_row)
        rule_row.hide()
        rule_row.deleteLater()
        self.empty.setVisible(not self.rows)


class ToolsSection(Section):
    """Everything about tools but which of them are on. Signal: grown(QWidget), to be scrolled into view."""

    grown = Signal(object)

    def __init__(self, settings: Settings, names_with_key: tuple[str, ...]) -> None:
        """Build the section without forms of servers: `add_form` adds them."""
        self._names_with_key = names_with_key
        self.search = Field("Web search", settings.search_url, "leave empty for DuckDuckGo, or enter a SearXNG address")
        self.rounds = Field("Ask me after this many rounds of tool calls", str(settings.max_rounds), "25")
        self.folder = Field("Working folder of new conversations", settings.folder, "leave empty for none")
        self.rules = RuleList(settings.rules)
        self.add_server = Button("+ Add an MCP server")
        pair = QWidget()
        horizontal((self.folder, 1), (self.rounds, 1), holder=pair, spacing=12)
        rules, servers = field_label("Always allowed"), field_label("MCP servers")
        super().__init__("Tools", self.search, pair, rules, self.rules, servers, note(MCP_NOTE), self.add_server)
        self._list = FormList[McpForm](self)
        self.add_server.clicked.connect(lambda _=False: self._add_new())

    @property
    def forms(self) -> list[McpForm]:
        return self._list.forms

    def add_form(self, server: McpServer) -> McpForm:
        """Add a form that edits this server."""
        return self._list.add(McpForm(server, f"mcp/{server.name}" in self._names_with_key))

    def apply_to(self, settings: Settings) -> Settings:
        return replace(
            settings,
            search_url=self.search.text().rstrip("/"),
            max_rounds=rounds_of(self.rounds.text()),
            folder=self.folder.text(),
            rules=self.rules.rules(),
            mcp_servers=tuple(form.server() for form in self.forms),
        )

    def keys(self) -> dict[str, str]:
        return self._list.keys()

    def first_wrong(self) -> QWidget | None:
        self.search.set_error(address_error(self.search.text()) if self.search.text() else "")
        self.rounds.set_error(error_of(rounds_of, self.rounds.text()))
        is_absolute = not self.folder.text() or Path(self.folder.text()).is_absolute()
        self.folder.set_error("" if is_absolute else "Enter the full path.")
        wrong = self._list.first_wrong()
        return next((field.edit for field in (self.search, self.folder, self.rounds) if field.error()), wrong)

    def _add_new(self) -> None:
        form = self.add_form(McpServer(""))
        form.name.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.grown.emit(form)
