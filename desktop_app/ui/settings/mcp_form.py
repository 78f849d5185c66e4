"""The forms of MCP servers, programs or addresses, and the settings of the sandbox for them and for commands."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.model_servers import KeyPlace
from desktop_app.conversation.tool_servers import ServerStatus, ToolServerState
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import SettingsRead
from desktop_app.mcp_configurations import MAX_TEXT, BadConfiguration, ConfiguredServers, read_configuration
from desktop_app.settings import McpServer, Settings
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import Button, LinkButton
from desktop_app.ui.widgets.file_dialog import ask_for_file, ask_for_folder
from desktop_app.ui.widgets.inputs import Segmented, ToggleSwitch
from desktop_app.ui.widgets.layouts import discard, horizontal, vertical
from desktop_app.ui.widgets.long_text import TextArea
from desktop_app.ui.widgets.look import Corner, Tint
from desktop_app.ui.widgets.text_label import TextLabel

from .entries import Field, FormEntry, LongText, OnOff, Segments, note
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
ALLOWANCES = (("", translatable("None")), ("reading", translatable("Only reading")), ("all", translatable("All")))
ALLOWANCE_NOTES = {
    "": translatable("Each tool asks, until you allow it."),
    "reading": translatable("Tools of which the server says that they only read run without a question."),
    "all": translatable("All its tools run without a question, also when it changes them later."),
}
HEADER_HINT = translatable(
    "One in each line, for example “X-Team: 7”. Kept in the settings file; the key has its own field."
)
_HEADER = re.compile(r"([\w!#$%&'*+.^`|~-]+):[ \t]*(\S.*)", re.ASCII)
STATUSES: dict[ServerStatus, tuple[str, Tint]] = {
    "off": (translatable("Switched off"), "ink_faint"),
    "idle": (translatable("Not started yet"), "ink_faint"),
    "starting": (translatable("Starting"), "accent"),
    "running": (translatable("Running"), "ok"),
    "failed": (translatable("Does not answer"), "critical"),
}


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


class McpHeaderLines(LongText):
    """A field for headers, one a line."""

    def __init__(self, headers: dict[str, str]) -> None:
        text = "\n".join(f"{name}: {value}" for name, value in headers.items())
        super().__init__("headers", tr("Headers"), text, FOLDER_ROWS, tr(HEADER_HINT))

    def value(self) -> dict[str, str]:
        lines = [line.strip() for line in self.area.toPlainText().splitlines() if line.strip()]
        found = [_HEADER.fullmatch(line) for line in lines]
        if not all(found):
            raise ValueError(tr("Write each header as “Name: value”."))
        return {match[1]: match[2] for match in found if match is not None}


class StatePane(QWidget):
    """The state of a server, with its last lines. Signals: try_requested; folder_allowed(folder)."""

    try_requested = Signal()
    folder_allowed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.button = Button(tr("Test"))
        self.button.reserve_width_for(tr("Test"), tr("Reconnect"))
        self.status = TextLabel(size=13, wraps=True)
        self.details = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.home = TextLabel(size=12, tint="ink_faint", wraps=True)
        self.lines = TextLabel(size=12, tint="ink_soft", wraps=True, is_mono=True)
        self.box = Card(corner=Corner.CONTROL)
        self.box.column.addWidget(self.lines)
        self.links: list[LinkButton] = []
        self._links = vertical(spacing=2)
        head = horizontal(self.button, (self.status, 1), spacing=12)
        vertical(head, self.details, self._links, self.box, self.home, holder=self, spacing=6)
        self.button.clicked.connect(lambda _=False: self.try_requested.emit())
        self.show_state(ToolServerState(""))

    def begin(self) -> None:
        """Show that the server is being started."""
        self.button.setEnabled(False)
        self.status.set_text(tr("Starting… The first start may install it."))
        self.status.set_tint("accent")

    def show_state(self, state: ToolServerState) -> None:
        words, tint = STATUSES[state.status]
        tools = tr("%n tools", "", state.tools)
        self.button.setEnabled(True)
        self.button.setText(tr("Reconnect") if state.status in ("running", "failed") else tr("Test"))
        self.status.set_text(f"{tr(words)} · {tools}" if state.status == "running" else tr(words))
        self.status.set_tint(tint)
        own = [failure for failure in state.failures if not (failure.kind == "sandbox" and state.wanted)]
        texts = [tr_engine(text) for failure in own for text in (failure.detail, failure.advice) if text]
        self._set(self.details, "\n".join(texts))
        self._set(self.home, tr("Its own files are in {folder}.").format(folder=state.home) if state.home else "")
        self.lines.set_text(state.lines)
        self.box.setVisible(bool(state.lines.strip()) and state.status != "failed")
        for link in self.links:
            discard(link)
        self.links = [self._link(folder) for folder in state.wanted]

    def _link(self, folder: str) -> LinkButton:
        link = LinkButton(tr("It wants to write in {folder}: allow it").format(folder=folder))
        link.clicked.connect(lambda _=False: self.folder_allowed.emit(folder))
        self._links.addWidget(link)
        return link

    @staticmethod
    def _set(label: TextLabel, text: str) -> None:
        label.set_text(text)
        label.setVisible(bool(text))


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


PASTE_ROWS = 6
PASTE_HINT = translatable("“mcpServers” as Claude, Cursor, VS Code, Codex and others have it, in JSON or TOML.")
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
    """Edits one MCP server. Signal: try_requested, to start it as it is written."""

    try_requested = Signal()
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
        self.headers = McpHeaderLines(server.headers)
        allowances = [(value, tr(name)) for value, name in ALLOWANCES]
        self.allowed = Segments(
            "allowed",
            allowances,
            server.allowed,
            lambda value: tr(ALLOWANCE_NOTES[value]),
            tr("Tools that run without a question"),
        )
        self.state = StatePane()
        self.state.try_requested.connect(self._try)
        self.state.folder_allowed.connect(self._allow)
        self.remove.setText(tr("Remove"))
        self.column.addLayout(horizontal((self.title, 1), self.switch, self.remove, spacing=12))
        self.add_rows(
            *(self.state, self.name, self.way, self.command, self.variables, self.sandbox, self.writable),
            *(self.url, self.key, self.headers, self.allowed),
        )
        self._show_way()
        self.way.chosen.connect(self._show_way)

    def used_entries(self) -> list[FormEntry]:
        is_address = self.way.value() == ADDRESS
        program = [self.name, self.command, self.variables, self.sandbox, self.writable, self.allowed]
        return [self.name, self.url, self.key, self.headers, self.allowed] if is_address else program

    def blank(self) -> McpServer:
        return McpServer("", folder=self.original.folder, is_on=self.switch.isChecked())

    def _show_way(self) -> None:
        used = self.used_entries()
        for entry in (self.command, self.variables, self.sandbox, self.writable, self.url, self.key, self.headers):
            entry.setVisible(entry in used)

    def key_to_use(self) -> str | None:
        """Return the key that is written in the form; None for the stored one."""
        return self.key.text() or (None if self.name.text() == self.original.name else "")

    def _try(self) -> None:
        if self.check() is None:
            self.state.begin()
            self.try_requested.emit()

    def _allow(self, folder: str) -> None:
        """Add a folder to those that the program may write, and start it again with it."""
        if folder not in self.writable.value():
            self.writable.area.appendPlainText(folder)
        self._try()


class McpList(FormList[McpForm]):
    """All MCP servers. Signal: try_requested(McpForm)."""

    try_requested = Signal(object)

    def __init__(self, read: SettingsRead) -> None:
        self._read = read
        self._states: dict[str, ToolServerState] = {}
        self.add_server = Button(tr("+ Add an MCP server"))
        self.paste = PasteBox()
        below = QWidget()
        vertical(horizontal(self.add_server, self.paste.open, 1, spacing=12), self.paste, holder=below, spacing=8)
        super().__init__("mcp_servers", tr(MCP_NOTE), below, tr("No MCP server is set up yet."))
        self.paste.pasted.connect(self._add_pasted)
        self.paste.open.clicked.connect(lambda _=False: self.grown.emit(self.paste))
        self.add_server.clicked.connect(lambda _=False: self.show_new(self.add_form(McpServer(""))))

    def add_form(self, server: McpServer) -> McpForm:
        """Add a form that edits this server."""
        form = self.add(McpForm(server, self._read.key_place(f"mcp/{server.name}")))
        form.try_requested.connect(lambda: self.try_requested.emit(form))
        if (state := self._states.get(server.name)) is not None:
            form.state.show_state(state)
        return form

    def show_states(self, states: Sequence[ToolServerState]) -> None:
        """Show the states of the servers in their forms, which may not have been added yet."""
        self._states = {state.name: state for state in states}
        for form in self.forms:
            if (state := self._states.get(form.original.name)) is not None:
                form.state.show_state(state)

    def go_to(self, setting: str) -> QWidget | None:
        """Return the widget of "mcp_servers/NAME", or "mcp_servers/NAME/writable"; None if there is no such server."""
        name = setting.removeprefix("mcp_servers/").removesuffix("/writable")
        form = next((form for form in self.forms if form.original.name == name), None)
        return form.state.button if form is not None else None

    def _add_pasted(self, found: ConfiguredServers) -> None:
        taken = {form.name.text() for form in self.forms}
        for server in found.servers:
            count, name = 1, server.name
            while name in taken:
                count += 1
                name = f"{server.name} {count}"
            taken.add(name)
            form = self.add_form(replace(server, name=name))
            form.key.edit.setText(found.keys.get(server.name, ""))
            self.show_new(form)
        self.changed.emit()


class PasteBox(QWidget):
    """A field for the configuration of another program. Signal: pasted(ConfiguredServers)."""

    pasted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.open = Button(tr("Paste or import…"))
        self.text = TextArea(rows=PASTE_ROWS)
        self.text.setAccessibleName(tr("Configuration of another program"))
        card = Card(corner=Corner.CONTROL)
        card.column.addWidget(self.text)
        self.add = Button(tr("Add these servers"))
        self.file = LinkButton(tr("Choose a file…"))
        self.remarks = TextLabel(size=12, tint="warning", wraps=True)
        self.remarks.hide()
        buttons = horizontal(self.add, self.file, 1, spacing=12)
        vertical(note(tr(PASTE_HINT)), card, buttons, self.remarks, holder=self, spacing=8)
        self.open.clicked.connect(self._open)
        self.add.clicked.connect(self._add)
        self.file.clicked.connect(self._choose)
        self.hide()

    def _open(self) -> None:
        self.show()
        clipboard = QGuiApplication.clipboard().text()
        if (not self.text.toPlainText() and "command" in clipboard) or "url" in clipboard:
            self.text.setPlainText(clipboard[:MAX_TEXT])
        self.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def _choose(self) -> None:
        ask_for_file(self, tr("Configuration of another program"), self._read)

    def _read(self, file: str) -> None:
        try:
            content = Path(file).read_bytes()[:MAX_TEXT]
        except OSError as error:
            self._remark(f"{file}: {error.strerror}")
        else:
            self.text.setPlainText(content.decode(errors="replace"))

    def _add(self) -> None:
        try:
            found = read_configuration(self.text.toPlainText())
        except BadConfiguration as error:
            self._remark(tr_engine(str(error)))
            return
        self._remark("\n".join(tr_engine(remark) for remark in found.remarks))
        self.text.clear()
        self.pasted.emit(found)

    def _remark(self, text: str) -> None:
        self.remarks.set_text(text)
        self.remarks.setVisible(bool(text))
