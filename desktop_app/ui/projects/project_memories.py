"""What is remembered in a project, in its sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QWidget

from desktop_app.conversation.memory import Memory
from desktop_app.conversation.setup import Project
from desktop_app.conversation.words import translatable
from desktop_app.ui.context_panel.memory_card import CurrentScope, MemoryCard
from desktop_app.ui.context_panel.requests import PanelRequests
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.card_list import keep_focus_in
from desktop_app.ui.widgets.layouts import discard, vertical
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.text_label import TextLabel

PAGE = 10  # cards that are shown at first, and at each click on the link below them
EMPTY = translatable(
    "Nothing is remembered about this project yet. What the model notes in its conversations is listed here, and is "
    "used in this project only, until you choose otherwise."
)


class ProjectMemories(QWidget):
    """Cards of the memories, newest first. Each change is stored at once. requests: what is asked for in them."""

    def __init__(self, project: Project) -> None:
        super().__init__()
        self._project = project
        self._memories: tuple[Memory, ...] = ()
        self._titles: Mapping[str, str] = {}
        self._limit = PAGE
        self.requests = PanelRequests(self)
        self.cards: list[MemoryCard] = []
        self.title = TextLabel(tr("Memories"), size=14, weight=BOLD)
        self.empty = TextLabel(tr(EMPTY), size=13, tint="ink_soft", wraps=True)
        self.more = LinkButton(tr("Show earlier memories"))
        self._column = vertical(self.title, self.empty, self.more, holder=self, spacing=10)
        self.more.clicked.connect(self._show_more)
        self.more.hide()

    def show_memories(self, memories: Sequence[Memory], titles: Mapping[str, str]) -> None:
        """Show those of the project. titles: of conversations, by their ids."""
        own = [one for one in memories if one.scope == "project" and one.project == self._project.id]
        self._memories = tuple(sorted(own, key=lambda one: one.at, reverse=True))
        self._titles = titles
        self._put_cards()

    def _put_cards(self) -> None:
        here = CurrentScope(project=self._project)
        with keep_focus_in(self):
            for card in self.cards:
                discard(card)
            shown = self._memories[: self._limit]
            self.cards = [MemoryCard(m, self._titles.get(m.conversation, ""), here, self.requests) for m in shown]
            for place, card in enumerate(self.cards, start=2):
                self._column.insertWidget(place, card)
        self.empty.setVisible(not self._memories)
        self.more.setVisible(len(self._memories) > len(self.cards))

    def _show_more(self) -> None:
        self._limit += PAGE
        self._put_cards()
