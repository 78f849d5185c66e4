"""The page of an empty conversation: what this program is, and ways to begin."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.conversation.foreign import FoundHistory
from desktop_app.conversation.words import translatable
from desktop_app.settings import Server

from .builtin_offer import BuiltinOffer
from .importing.history_offers import HistoryOffers
from .translation import tr
from .welcome_offers import FoundServers, PlaceHints, SampleOffers
from .widgets.boxes import page_of
from .widgets.buttons import Button, LinkButton
from .widgets.formats import shorten
from .widgets.layouts import FlowLayout, TileLayout, vertical
from .widgets.look import BOLD, Corner, StyleAware, colour, font, paint_box, scale
from .widgets.text_label import TextLabel

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
MAX_PERSONAS, MAX_PERSONA = 8, 28  # that are offered, and characters of a name


class PromptButton(Button):
    """An example: its subject, and the message that it sends."""

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
        room = QRect(0, 0, width - 32, 10_000)
        words = QFontMetrics(font(13)).boundingRect(room, int(Qt.TextFlag.TextWordWrap), self.prompt)
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
    """Signals: prompt_chosen(str), import_requested, models_requested, persona_chosen(name)."""

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
        content.insertSpacing(4, 8)  # above what can be done
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
        """Offer the servers that were found; they take the place of some examples."""
        self.found.show_servers(servers)
        self._make_room()

    def show_histories(self, histories: Sequence[FoundHistory]) -> None:
        """Offer what other programs keep on this computer; it takes the place of some examples, too."""
        self.histories.show_histories(histories)
        self._make_room()

    def _make_room(self) -> None:
        for prompt in self.prompts[2:]:
            prompt.setVisible(not self.found.servers and not self.histories.histories)

    def refresh_style(self) -> None:
        self._column.setMaximumWidth(scale(WIDTH))
