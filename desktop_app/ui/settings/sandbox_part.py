"""The settings of the sandbox: for commands, and for the program of an MCP server."""

from __future__ import annotations

import os

from PySide6.QtWidgets import QWidget

from desktop_app.conversation.words import translatable
from desktop_app.settings import McpServer, Settings
from desktop_app.ui.engine_texts import tr_engine
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.file_dialog import ask_for_folder

from .entries import LongText, OnOff, Segments

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
    "off": translatable("Its program can do all that you can."),
}
FOLDER_ROWS = 2


class FolderLines(LongText):
    """Folders, one in each line."""

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
    """Return the entries of commands. fault: why there is no sandbox on this machine; "" if there is one."""
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
    """Return the entries of one server's program."""
    kinds = [(value, tr(name)) for value, name in SERVER_SANDBOXES]
    return (
        Segments("sandbox", kinds, server.sandbox, lambda value: tr(SERVER_NOTES[value]), tr("Sandbox")),
        FolderLines("writable", tr("Other folders that it may write"), server.writable),
    )
