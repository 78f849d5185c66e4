"""The forms of MCP servers: programs on this machine, or addresses."""

from __future__ import annotations

import re
import shlex

from desktop_app.conversation.model_servers import KeyPlace
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import SettingsRead
from desktop_app.settings import McpServer
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.buttons import Button
from desktop_app.ui.widgets.inputs import Segmented, ToggleSwitch
from desktop_app.ui.widgets.layouts import horizontal

from .entries import Field, FormEntry
from .forms import Form, FormList
from .sandbox_part import server_entries
from .server_form import parse_address
from .server_kinds import KEY_HINTS

PROGRAM, ADDRESS = "program", "address"
MCP_NOTE = translatable(
    "They provide tools through the Model Context Protocol. Their tools ask for permission like all others."
)
VARIABLE_HINT = translatable("Kept in the settings file: put the key of a server with an address in its own field.")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def parse_command(text: str) -> tuple[str, ...]:
    """Return the words of a command line, quoted as in a shell. Raises ValueError, also for an empty one."""
    words = _split(text)
    if not words:
        raise ValueError(tr("Enter the program and its arguments."))
    return words


def parse_environment(text: str) -> dict[str, str]:
    """Return the variables of NAME=value words, quoted as in a shell. Raises ValueError."""
    variables: dict[str, str] = {}
    for word in _split(text):
        name, equals, value = word.partition("=")
        if not equals or not _VARIABLE.fullmatch(name):
            raise ValueError(tr("Write each variable as NAME=value, with quotes around values that contain spaces."))
        variables[name] = value
    return variables


def _split(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError:
        raise ValueError(tr("A quotation mark is not closed.")) from None


class McpForm(Form[McpServer]):
    """Edits one MCP server."""

    key_prefix = "mcp/"

    def __init__(self, server: McpServer, key_place: KeyPlace) -> None:
        hint = tr(KEY_HINTS[key_place]) if key_place else tr("only if the server needs one")
        super().__init__(
            server, server.name, tr("for example tracker"), tr("New MCP server"), Field("", tr("Key"), "", hint)
        )
        self.stored_key = f"mcp/{server.name}" if key_place else ""
        self.switch = ToggleSwitch(tr("Enabled"))
        self.switch.setChecked(server.is_on)
        self.way = Segmented(((PROGRAM, tr("Program")), (ADDRESS, tr("Address"))))
        self.way.choose(ADDRESS if server.url else PROGRAM)
        variables = shlex.join(f"{name}={value}" for name, value in server.environment.items())
        command = shlex.join(server.command)
        self.command = Field("command", tr("Command"), command, "npx -y @scope/server --option", parse_command)
        self.variables = Field(
            "environment",
            tr("Environment"),
            variables,
            tr("NAME=value OTHER='with spaces'"),
            parse_environment,
            tr(VARIABLE_HINT),
        )
        self.sandbox, self.writable = server_entries(server)
        self.url = Field("url", tr("Address"), server.url, "https://tools.example.com/mcp", parse_address)
        self.remove.setText(tr("Remove"))
        self.column.addLayout(horizontal((self.title, 1), self.switch, self.remove, spacing=12))
        self.add_rows(
            self.name, self.way, self.command, self.variables, self.sandbox, self.writable, self.url, self.key
        )
        self._show_way()
        self.way.chosen.connect(self._show_way)

    def used_entries(self) -> list[FormEntry]:
        is_address = self.way.value() == ADDRESS
        program = [self.name, self.command, self.variables, self.sandbox, self.writable]
        return [self.name, self.url, self.key] if is_address else program

    def blank(self) -> McpServer:
        return McpServer("", folder=self.original.folder, is_on=self.switch.isChecked())

    def _show_way(self) -> None:
        used = self.used_entries()
        for entry in (self.command, self.variables, self.sandbox, self.writable, self.url, self.key):
            entry.setVisible(entry in used)


class McpList(FormList[McpForm]):
    """All MCP servers."""

    def __init__(self, read: SettingsRead) -> None:
        self._read = read
        self.add_server = Button(tr("+ Add an MCP server"))
        super().__init__("mcp_servers", tr(MCP_NOTE), self.add_server, tr("No MCP server is set up yet."))
        self.add_server.clicked.connect(lambda _=False: self.show_new(self.add_form(McpServer(""))))

    def add_form(self, server: McpServer) -> McpForm:
        """Add a form that edits this server."""
        return self.add(McpForm(server, self._read.key_place(f"mcp/{server.name}")))
