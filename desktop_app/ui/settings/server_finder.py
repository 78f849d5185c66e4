"""Servers that can be found: a button that looks for them, and a row for each one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.settings import Server
from desktop_app.ui.widgets.buttons import Button, LinkButton
from desktop_app.ui.widgets.formats import pluralize
from desktop_app.ui.widgets.layouts import STRETCH, horizontal, vertical
from desktop_app.ui.widgets.text_label import TextLabel

from .section import note
from .server_kinds import KINDS, host_and_port

FIND, FINDING = "Find servers", "Looking…"
NOTHING = (
    "No new servers found: nothing else answers on the usual ports of this computer, and the environment holds no "
    "other provider’s key."
)


def server_summary(server: Server) -> str:
    """Return a found server in one line: its name, its address or the variable of its key, and its models."""
    where = server.base_url.removesuffix("/v1") or f"key in {KINDS[server.kind].variable}"
    models = pluralize(len(server.models), "model") if server.models else "no models listed"
    return f"{server.name} · {where} · {models}"


class FoundRow(QWidget):
    """A server that was found, with a button that adds it."""

    def __init__(self, server: Server) -> None:
        super().__init__()
        self.server = server
        self.add = LinkButton("Add")
        self.add.setAccessibleName(f"Add {server.name}")
        label = TextLabel(server_summary(server), size=13, wraps=True)
        horizontal((label, 1), (self.add, 0, Qt.AlignmentFlag.AlignTop), holder=self, spacing=12)


class ServerFinder(QWidget):
    """Signals: find_requested; chosen(Server), whose row then goes."""

    find_requested = Signal()
    chosen = Signal(object)

    def __init__(self, beside: QWidget) -> None:
        """beside: stands before the button."""
        super().__init__()
        self.button = Button(FIND)
        self.status = note("")
        self.status.hide()
        self.rows: list[FoundRow] = []
        buttons = horizontal(beside, self.button, STRETCH, spacing=10)
        self._column = vertical(buttons, self.status, holder=self, spacing=8)
        self.button.clicked.connect(lambda _=False: self._find())

    def show_found(self, servers: Sequence[Server], present: Sequence[Server]) -> None:
        """Show the servers that were found, but for those whose host and port a present one has."""
        taken = {host_and_port(server) for server in present}
        for server in servers:
            if host_and_port(server) not in taken:
                self._add_row(server)
        self.end("" if self.rows else NOTHING)

    def end(self, message: str) -> None:
        """End the search with a message."""
        self._set_button(FIND, is_enabled=True)
        self.status.set_text(message)
        self.status.setVisible(bool(message))

    def _find(self) -> None:
        for found in tuple(self.rows):
            self._drop(found)
        self.status.hide()
        self._set_button(FINDING, is_enabled=False)
        self.find_requested.emit()

    def _set_button(self, text: str, *, is_enabled: bool) -> None:
        self.button.setText(text)
        self.button.updateGeometry()
        self.button.setEnabled(is_enabled)

    def _add_row(self, server: Server) -> None:
        found = FoundRow(server)
        found.add.clicked.connect(lambda _=False: self._choose(found))
        self.rows.append(found)
        self._column.addWidget(found)

    def _choose(self, found: FoundRow) -> None:
        self._drop(found)
        self.chosen.emit(found.server)

    def _drop(self, found: FoundRow) -> None:
        self.rows.remove(found)
        found.hide()
        found.deleteLater()
