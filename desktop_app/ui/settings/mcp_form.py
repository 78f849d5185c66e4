"""The form of an MCP server: a program on this machine, or an address."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection

from desktop_app.settings import McpServer
from desktop_app.ui.widgets.inputs import Segmented, ToggleSwitch
from desktop_app.ui.widgets.layouts import horizontal

from .form_list import NamedForm
from .section import Field, error_of
from .server_form import address_error

PROGRAM, ADDRESS = "program", "address"
VARIABLE_HINT = "Kept in the settings file: put the key of a server with an address in its own field."
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def command_of(text: str) -> tuple[str, ...]:
    """Return the words of a command line, quoted as in a shell. Raises ValueError, also for an empty one."""
    words = _split(text)
    if not words:
        raise ValueError("Enter the program and its arguments.")
    return words


def environment_of(text: str) -> dict[str, str]:
    """Return the variables of NAME=value words, quoted as in a shell. Raises ValueError."""
    variables: dict[str, str] = {}
    for word in _split(text):
        name, equals, value = word.partition("=")
        if not equals or not _VARIABLE.fullmatch(name):
            raise ValueError("Write each variable as NAME=value, with quotes around values that contain spaces.")
        variables[name] = value
    return variables


def _split(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError:
        raise ValueError("A quotation mark is not closed.") from None


class McpForm(NamedForm):
    """Edits one MCP server."""

    def __init__(self, server: McpServer, has_key: bool) -> None:
        key_name = f"mcp/{server.name}" if has_key else ""
        super().__init__(server.name, "for example tracker", "New MCP server", "Remove", key_name)
        self.original = server
        self.switch = ToggleSwitch("Enabled")
        self.switch.setChecked(server.is_on)
        self.way = Segmented(((PROGRAM, "Program"), (ADDRESS, "Address")))
        self.way.choose(ADDRESS if server.url else PROGRAM)
        self.command = Field("Command", shlex.join(server.command), "npx -y @scope/server --option")
        variables = shlex.join(f"{name}={value}" for name, value in server.environment.items())
        self.variables = Field("Environment", variables, "NAME=value OTHER='with spaces'")
        self.variables.set_hint(VARIABLE_HINT)
        self.url = Field("Address", server.url, "https://tools.example.com/mcp")
        key = "A key is saved; type to replace it" if has_key else "only if the server needs one"
        self.key = Field("Key", "", key, is_secret=True)
        self.column.addLayout(horizontal((self.title, 1), self.switch, self.remove, spacing=12))
        for widget in (self.name, self.way, self.command, self.variables, self.url, self.key):
            self.column.addWidget(widget)
        self._show_way()
        self.way.chosen.connect(lambda _: self._show_way())

    @property
    def is_address(self) -> bool:
        return self.way.value() == ADDRESS

    def server(self) -> McpServer:
        """Return the server as it is written. Raises ValueError."""
        return McpServer(
            name=self.name.text(),
            command=() if self.is_address else command_of(self.command.text()),
            url=self.url.text() if self.is_address else "",
            environment={} if self.is_address else environment_of(self.variables.text()),
            folder=self.original.folder,
            is_on=self.switch.isChecked(),
        )

    def keys(self) -> dict[str, str]:
        name = f"mcp/{self.name.text()}"
        changed = {self.stored_key: ""} if self.stored_key not in ("", name) else {}
        return {**changed, name: self.key.text()} if self.is_address and self.key.text() else changed

    def check(self, taken: Collection[str]) -> Field | None:
        name = self.name.text()
        is_named = bool(name) and "/" not in name
        is_taken = "Another MCP server has this name." if name in taken else ""
        self.name.set_error(is_taken if is_named else "Enter a name without “/”.")
        self.url.set_error(address_error(self.url.text()) if self.is_address else "")
        self.command.set_error("" if self.is_address else error_of(command_of, self.command.text()))
        wrong_variable = "" if self.is_address else error_of(environment_of, self.variables.text())
        self.variables.set_hint(VARIABLE_HINT)
        if wrong_variable:
            self.variables.set_error(wrong_variable)
        wrong = (field for field in (self.name, self.url, self.command) if field.error())
        return next(wrong, self.variables if wrong_variable else None)

    def _show_way(self) -> None:
        for field in (self.command, self.variables):
            field.setVisible(not self.is_address)
        for field in (self.url, self.key):
            field.setVisible(self.is_address)
