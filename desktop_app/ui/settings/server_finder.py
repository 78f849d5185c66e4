"""Finding servers that could be set up: a button, and a row for each that was found."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.settings import Server
from desktop_app.ui.widgets.buttons import Button, LinkButton
from desktop_app.ui.widgets.text_label import TextLabel

from .server_kinds import KINDS, place_of

FIND = "Find servers"
FINDING = "Looking…"
NOTHING = (
    "No new servers found: nothing else answers on the usual ports of this computer, and the environment holds no "
    "other provider’s key."
)


def found_words(server: Server) -> str:
    """A found server in one line: its name, where it is or which key it would use, and its models."""
    info = KINDS[server.kind]
    where = server.base_url.removesuffix("/v1") or f"key in {info.variable}"
    count = len(server.models)
    models = f"{count} model{'' if count == 1 else 's'}" if count else "no models listed"
    return f"{server.name} · {where} · {models}"


class FoundRow(QWidget):
    """One server that was found. Signal of its button: it is to be added."""

    def __init__(self, server: Server) -> None:
        super().__init__()
        self.server = server
        self.words = TextLabel(found_words(server), size=13, wraps=True)
        self.add = LinkButton("Add")
        self.add.setAccessibleName(f"Add {server.name}")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        row.addWidget(self.words, 1)
        row.addWidget(self.add, 0, Qt.AlignmentFlag.AlignTop)


class ServerFinder(QWidget):
    """beside: what stands before the button. Signals: find_requested; chosen(Server), no longer offered then."""

    find_requested = Signal()
    chosen = Signal(object)

    def __init__(self, beside: QWidget) -> None:
        super().__init__()
        self.button = Button(FIND)
        self.said = TextLabel(size=12, tint="ink_faint", wraps=True)
        self.rows: list[FoundRow] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        buttons = QHBoxLayout()
        buttons.setSpacing(10)
        buttons.addWidget(beside)
        buttons.addWidget(self.button)
        buttons.addStretch(1)
        self._column.addLayout(buttons)
        self._column.addWidget(self.said)
        self.said.hide()
        self.button.clicked.connect(lambda _=False: self._find())

    def show_found(self, servers: Sequence[Server], there: Sequence[Server]) -> None:
        """What was found, but for what stands where one of `there` does."""
        self._end("")
        taken = {place_of(server) for server in there}
        for server in servers:
            if place_of(server) not in taken:
                self._add_row(server)
        if not self.rows:
            self._end(NOTHING)

    def show_failure(self, words: str) -> None:
        """The search could not be made."""
        self._end(words)

    def _find(self) -> None:
        for row in tuple(self.rows):
            self._drop(row)
        self._say("")
        self.button.setText(FINDING)
        self.button.updateGeometry()
        self.button.setEnabled(False)
        self.find_requested.emit()

    def _end(self, words: str) -> None:
        self.button.setText(FIND)
        self.button.updateGeometry()
        self.button.setEnabled(True)
        self._say(words)

    def _say(self, words: str) -> None:
        self.said.set_text(words)
        self.said.setVisible(bool(words))

    def _add_row(self, server: Server) -> None:
        row = FoundRow(server)
        row.add.clicked.connect(lambda _=False: self._choose(row))
        self.rows.append(row)
        self._column.addWidget(row)

    def _choose(self, row: FoundRow) -> None:
        self._drop(row)
        self.chosen.emit(row.server)

    def _drop(self, row: FoundRow) -> None:
        self.rows.remove(row)
        row.hide()
        row.deleteLater()
