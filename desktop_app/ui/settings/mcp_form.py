"""A server of tools (MCP): a program on this machine, or an address."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection

from PySide6.QtWidgets import QHBoxLayout

from desktop_app.settings import McpServer
from desktop_app.ui.widgets.segmented import Segmented
from desktop_app.ui.widgets.switch import Switch

from .field import Field
from .named_forms import NamedForm
from .server_form import address_error

PROGRAM, ADDRESS = "program", "address"
VARIABLE_HINT = "Kept in the settings file: put the key of a server with an address in its own field."
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def command_of(text: str) -> tuple[str, ...]:
    """A command line's words, quoted as in a shell. Raises ValueError when a quote is not closed."""
    return tuple(shlex.split(text))


def environment_of(text: str) -> dict[str, str]:
    """NAME=value, quoted as in a shell if there are blanks in it. Raises ValueError."""
    variables: dict[str, str] = {}
    for word in shlex.split(text):
        name, equals, value = word.partition("=")
        if not equals or not _VARIABLE.fullmatch(name):
            raise ValueError("Write each variable as NAME=value, with quotes around values that contain spaces.")
        variables[name] = value
    return variables


class McpForm(NamedForm):
    """Edits one server of tools."""

    def __init__(self, server: McpServer, has_key: bool) -> None:
        super().__init__(server.name, "for example tracker", "New MCP server", "Remove")
        self.original, self._has_key = server, has_key
        self.switch = Switch("Enabled")
        self.switch.setChecked(server.is_on)
        self.way = Segmented(((PROGRAM, "Program"), (ADDRESS, "Address")))
        self.way.choose(ADDRESS if server.url else PROGRAM)
        self.command = Field("Command", shlex.join(server.command), "npx -y @scope/server --option")
        variables = shlex.join(f"{name}={value}" for name, value in server.environment.items())
        self.variables = Field("Environment", variables, "NAME=value OTHER='with spaces'")
        self.variables.hint(VARIABLE_HINT)
        self.url = Field("Address", server.url, "https://tools.example.com/mcp")
        key = "A key is saved; type to replace it" if has_key else "only if the server needs one"
        self.key = Field("Key", "", key, is_secret=True)
        self._lay_out()
        self._show_way()
        self.way.chosen.connect(lambda _: self._show_way())

    @property
    def is_address(self) -> bool:
        """Whether it is reached over HTTP."""
        return self.way.value() == ADDRESS

    def server(self) -> McpServer:
        """The server as it is written. Raises ValueError."""
        return McpServer(
            name=self.name.text(),
            command=() if self.is_address else command_of(self.command.text()),
            url=self.url.text() if self.is_address else "",
            environment={} if self.is_address else environment_of(self.variables.text()),
            folder=self.original.folder,
            is_on=self.switch.isChecked(),
        )

    def keys(self) -> dict[str, str]:
        """Its key, if another one was typed; the old name's is removed with it."""
        old, new = f"mcp/{self.original.name}", f"mcp/{self.name.text()}"
        changed = {old: ""} if self._has_key and old != new else {}
        return {**changed, new: self.key.text()} if self.is_address and self.key.text() else changed

    def keys_when_removed(self) -> dict[str, str]:
        """What becomes of the key of a server that is removed."""
        return {f"mcp/{self.original.name}": ""} if self._has_key else {}

    def check(self, others: Collection[str]) -> Field | None:
        """Says beside each field what is wrong with it. The first such field, or None."""
        name = self.name.text()
        is_named = bool(name) and "/" not in name
        taken = "Another MCP server has this name." if name in others else ""
        self.name.complain(taken if is_named else "Enter a name without “/”.")
        self.url.complain(address_error(self.url.text()) if self.is_address else "")
        self.command.complain(self._command_error())
        self.variables.hint(VARIABLE_HINT)
        if error := self._environment_error():
            self.variables.complain(error)
        wrong = (field for field in (self.name, self.url, self.command) if field.error())
        return next(wrong, self.variables if error else None)

    def _command_error(self) -> str:
        if self.is_address:
            return ""
        try:
            return "" if command_of(self.command.text()) else "Enter the program and its arguments."
        except ValueError:
            return "A quotation mark is not closed."

    def _environment_error(self) -> str:
        try:
            environment_of("" if self.is_address else self.variables.text())
        except ValueError as error:
            return str(error) if "NAME" in str(error) else "A quotation mark is not closed."
        return ""

    def _show_way(self) -> None:
        for field in (self.command, self.variables):
            field.setVisible(not self.is_address)
        for field in (self.url, self.key):
            field.setVisible(self.is_address)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.title, 1)
        head.addWidget(self.switch)
        head.addWidget(self.remove)
        self.column.setSpacing(10)
        self.column.addLayout(head)
        for widget in (self.name, self.way, self.command, self.variables, self.url, self.key):
            self.column.addWidget(widget)
