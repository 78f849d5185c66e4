"""The page of an empty conversation in a project, and the texts of recall scopes."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.setup import Project, RecallScope
from desktop_app.conversation.words import translatable
from desktop_app.ui.sidebar.arrangement import details_of
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import Card, page_of
from desktop_app.ui.widgets.buttons import Button, LinkButton
from desktop_app.ui.widgets.layouts import STRETCH, FlowLayout, horizontal, vertical
from desktop_app.ui.widgets.look import BOLD, MEDIUM, StyleAware, scale
from desktop_app.ui.widgets.number_formats import first_line
from desktop_app.ui.widgets.text_label import TextLabel

RECALL_NAMES: dict[RecallScope, str] = {
    "conversation": translatable("This conversation"),
    "project": translatable("This project"),
    "everything": translatable("Everything"),
}
RECALL_MEANINGS: dict[RecallScope, str] = {
    "conversation": translatable(
        "The model can look up what was said earlier in the same conversation. Before it looks anywhere else, it asks "
        "you."
    ),
    "project": translatable(
        "It may also look in the other conversations of the project. What it finds is sent to the conversation’s model."
    ),
    "everything": translatable(
        "It may look in all conversations, including those in other projects, without asking. What it finds is sent to "
        "the conversation’s model."
    ),
}


def recall_meaning(scope: str) -> str:
    """Return the explanation of a recall scope; "" for an unknown one."""
    return next((tr(meaning) for known, meaning in RECALL_MEANINGS.items() if known == scope), "")


WIDTH = 720
MAX_CONVERSATIONS, MAX_INSTRUCTIONS = 6, 220  # conversations listed; characters shown


class ProjectPage(StyleAware, QWidget):
    """Signals: settings_requested(id); files_requested; conversation_chosen(id)."""

    settings_requested = Signal(str)
    files_requested = Signal()
    conversation_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._project = Project("", "")
        self.title = TextLabel(size=22, weight=BOLD, wraps=True)
        about = tr("What you write below begins a conversation in this project. Files dropped here are attached to it.")
        self.settings = Button(tr("Project settings…"))
        self.files = Button(tr("Attach files…"))
        self.settings.clicked.connect(lambda: self.settings_requested.emit(self._project.id))
        self.files.clicked.connect(self.files_requested)
        self.facts = Card()
        self.listed = QWidget()
        self.links: list[LinkButton] = []  # to the listed conversations
        self._column = QWidget()
        self._content = vertical(
            2, TextLabel(tr("Project"), size=13, tint="ink_soft"), self.title,
            TextLabel(about, tint="ink_soft", size=15, wraps=True), self.facts,
            FlowLayout(self.settings, self.files), self.listed, 3,
            holder=self._column, margins=(0, 16, 0, 16), spacing=12,
        )  # fmt: skip
        vertical(page_of(self._column), holder=self)
        self.refresh_style()

    def show_project(self, project: Project, conversations: Sequence[ConversationInfo]) -> None:
        """Show a project. conversations: the ones in it that have messages, newest first."""
        self._project = project
        self.title.set_text(project.name)
        self._replace_facts(project)
        self._replace_list(conversations[:MAX_CONVERSATIONS])

    def refresh_style(self) -> None:
        self._column.setMaximumWidth(scale(WIDTH))

    def _replace_facts(self, project: Project) -> None:
        facts = Card()
        for name, value in (
            (tr("Instructions"), first_line(project.instructions, MAX_INSTRUCTIONS) or tr("none yet")),
            (tr("Working folder"), project.folder or tr("none")),
            (tr("The model may look things up in"), tr(RECALL_NAMES[project.recall_in])),
        ):
            words = TextLabel(value, size=13, tint="ink_soft", wraps=True)
            facts.column.addLayout(vertical(TextLabel(name, size=13, weight=MEDIUM), words, spacing=1))
        self._content.replaceWidget(self.facts, facts)
        self.facts.deleteLater()
        self.facts = facts

    def _replace_list(self, conversations: Sequence[ConversationInfo]) -> None:
        listed, now = QWidget(), time.time()
        lines = vertical(holder=listed, spacing=2)
        if conversations:
            lines.addWidget(TextLabel(tr("Newest conversations"), size=13, tint="ink_soft"))
        self.links = [LinkButton(info.title, shrinks=True) for info in conversations]
        for link, info in zip(self.links, conversations, strict=True):
            link.clicked.connect(lambda _=False, name=info.id: self.conversation_chosen.emit(name))
            details = TextLabel(details_of(info, now), size=12, tint="ink_faint")
            lines.addLayout(horizontal(link, details, STRETCH, spacing=10))
        self._content.replaceWidget(self.listed, listed)
        self.listed.deleteLater()
        self.listed = listed
