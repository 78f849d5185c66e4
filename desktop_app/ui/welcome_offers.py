"""What the first page offers to a new user: servers that were found, samples, and where the important things are."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop_app.conversation.words import translatable
from desktop_app.settings import Server

from .translation import tr
from .widgets.boxes import Card
from .widgets.buttons import Button, LinkButton
from .widgets.layouts import STRETCH, horizontal, vertical
from .widgets.look import MEDIUM
from .widgets.text_label import TextLabel

SAMPLES = {
    "interview.jsonl": translatable("An interview (5,600 tokens, fills most of the built-in model’s window)"),
    "migration.jsonl": translatable("An agent at work (149 messages, 68 tool calls, four times that window)"),
}
PLACES = {
    "gauge": (translatable("Gauge"), translatable("how full the window is, counted on the request as it will be sent")),
    "optimize": (translatable("Optimize"), translatable("a plan that you see, and can edit, before anything changes")),
    "history": (translatable("History"), translatable("every operation, the original messages, and the way back")),
}


class FoundServers(QWidget):
    """A line for each server that was found on this computer. Signal: chosen(Server)."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.servers: tuple[Server, ...] = ()
        self.buttons: list[Button] = []  # one for each
        self._lines: QVBoxLayout = vertical(holder=self, spacing=6)
        self.hide()

    def show_servers(self, servers: Sequence[Server]) -> None:
        """Show these in place of those before; hide without any."""
        while (item := self._lines.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        self.servers = tuple(servers)
        self.buttons = [self._add(server) for server in servers]
        self.setVisible(bool(servers))

    def _add(self, server: Server) -> Button:
        line, button = Card(), Button(tr("Use {server}").format(server=server.name))
        button.clicked.connect(lambda: self.chosen.emit(server))
        words = TextLabel(about(server), tint="ink_soft", size=13, wraps=True)
        line.column.addLayout(horizontal(TextLabel(server.name, weight=MEDIUM), (words, 1), button, spacing=12))
        self._lines.addWidget(line)
        return button


def about(server: Server) -> str:
    """Return where a server was found, and what it has."""
    if not server.base_url:
        return tr("its key is in the environment")
    if not server.models:
        return tr("runs on this computer and asks for a key")
    return tr("runs on this computer, with %n models", "", len(server.models))


class SampleOffers(QWidget):
    """The samples. Signal: chosen(str), the name of the file."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.links = {name: LinkButton(tr(words), shrinks=True) for name, words in SAMPLES.items()}
        for name, link in self.links.items():
            link.clicked.connect(lambda _=False, name=name: self.chosen.emit(name))
        title = TextLabel(tr("Long conversations to try it with:"), tint="ink_soft", size=13)
        vertical(title, *(horizontal(link, STRETCH) for link in self.links.values()), holder=self, spacing=2)


class PlaceHints(QWidget):
    """A sentence on each of the important things. Signal: chosen(str), the one that is to be pointed at."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.links = {name: LinkButton(tr(title)) for name, (title, _) in PLACES.items()}
        for name, link in self.links.items():
            link.setToolTip(tr("Show where it is"))
            link.clicked.connect(lambda _=False, name=name: self.chosen.emit(name))
        lines = [
            horizontal(link, (TextLabel(tr(PLACES[name][1]), tint="ink_soft", size=13, wraps=True), 1), spacing=8)
            for name, link in self.links.items()
        ]
        vertical(*lines, holder=self, spacing=2)
