"""The forms of MCP servers, programs or addresses, and the settings of the sandbox for them and for commands."""

from __future__ import annotations

import os
import re
import shlex

from PySide6.QtWidgets import QWidget

from desktop_app.conversation.model_servers import KeyPlace
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import SettingsRead
from desktop_app.settings import McpServer, Settings
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.widgets.buttons import Button, LinkButton
from desktop_app.ui.widgets.file_dialog import ask_for_folder
from desktop_app.ui.widgets.inputs import Segmented, ToggleSwitch
from desktop_app.ui.widgets.layouts import horizontal

from .entries import Field, FormEntry, LongText, OnOff, Segments
from .forms import Form, FormList
from .server_form import KEY_HINTS, parse_address

SANDBOX_NOTE = translatable(
    "Commands of models and programs of MCP servers can then write the working folder and a temporary folder of their "
    "own, and read most other files, but no keys. What you type after “!” runs outside of it."
)
NO_SANDBOX = translatable("{fault} Commands run without a sandbox.")
NETWORKS = (("ask", translatable("Ask")), ("allowed", translatable("Allowed")), ("off", translatable("Off")))
NETWORK_NOTES = {
    "ask": translatable("There is none, until a model asks for it and you allow the command."),
    "allowed": translatable("Each command can send what it reads to any address, and reach servers on this machine."),
    "off": translatable("There is none. A model can still ask to run a command outside of the sandbox."),
}
SERVER_SANDBOXES = (
    ("network", translatable("With network")),
    ("closed", translatable("No network")),
    ("off", translatable("None")),
)
SERVER_NOTES = {
    "network": translatable("Its program can write only to its folder and those below, and can read no keys."),
    "closed": translatable("As with network, but it can reach neither other computers nor servers on this one."),
    "off": translatable("Its program can do everything that you can."),
}
FOLDER_ROWS = 2


class FolderLines(LongText):
    """A field for folders, one a line."""

    def __init__(self, name: str, label: str, folders: tuple[str, ...]) -> None:
        super().__init__(
            name, label, "\n".join(folders), FOLDER_ROWS, tr("One folder in each line, with its full path.")
        )
        self.choose = LinkButton(tr("Add a folder…"))
        self.choose.clicked.connect(lambda _=False: ask_for_folder(self, label, "", self.area.appendPlainText))
        self.column.insertWidget(self.column.indexOf(self.message), self.choose)

    def value(self) -> tuple[str, ...]:
        lines = tuple(line.strip() for line in self.area.toPlainText().splitlines() if line.strip())
        if not all(os.path.isabs(os.path.expanduser(line)) for line in lines):
            raise ValueError(tr("Enter the full path."))
        return lines


def sandbox_entries(settings: Settings, fault: str) -> tuple[QWidget, ...]:
    """Return the entries for commands. fault: why this machine has no sandbox; "" if it has one."""
    about = tr(NO_SANDBOX).format(fault=tr_engine(fault)) if fault else tr(SANDBOX_NOTE)
    networks = [(value, tr(name)) for value, name in NETWORKS]
    return (
        OnOff("is_sandboxed", tr("Run commands and MCP servers in a sandbox"), settings.is_sandboxed, about),
        Segments(
            "command_network",
            networks,
            settings.command_network,
            lambda value: tr(NETWORK_NOTES[value]),
            tr("Network for commands in the sandbox"),
        ),
        FolderLines("writable_folders", tr("Other folders that commands may write"), settings.writable_folders),
    )


def server_entries(server: McpServer) -> tuple[Segments, FolderLines]:
    """Return the sandbox entries of one server's program."""
    kinds = [(value, tr(name)) for value, name in SERVER_SANDBOXES]
    return (
        Segments("sandbox", kinds, server.sandbox, lambda value: tr(SERVER_NOTES[value]), tr("Sandbox")),
        FolderLines("writable", tr("Other folders that it may write"), server.writable),
    )


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
