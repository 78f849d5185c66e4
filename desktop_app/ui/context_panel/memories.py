"""The memories that are kept from conversation to conversation, and their share of each request."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.memory import Memory, is_valid_in
from desktop_app.ui.widgets.boxes import ScrollColumn
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.formats import format_number, pluralize
from desktop_app.ui.widgets.keep_focus import keep_focus_in
from desktop_app.ui.widgets.layouts import discard, horizontal, vertical
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.text_label import Run, TextLabel

from .memory_card import CurrentScope, MemoryCard

CARDS = 40  # cards made at a time
EMPTY = (
    "Nothing is remembered yet.\n\nBefore older messages leave the context window, the model notes what is worth "
    "remembering. A note is used in the same folder or conversation until you choose Use everywhere. You can change "
    "notes here, switch them off or delete them, and add your own."
)
OFF = "Memory is off in the settings: nothing here is sent, and nothing new is saved."


class MemoryList(QWidget):
    """The list of memories, newest first. Its signals are those of its cards."""

    write_requested = Signal(object)
    delete_requested = Signal(object)
    conversation_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._memories: tuple[Memory, ...] = ()
        self._titles: Mapping[str, str] = {}
        self._here = CurrentScope()
        self._max_cards = CARDS
        self.total = TextLabel(size=13, tint="ink_soft")
        self.add = LinkButton("+ Add")
        self.add.setAccessibleName("Add a memory")
        self.off = TextLabel(OFF, size=13, tint="warning", wraps=True)
        self.empty = TextLabel(EMPTY, size=13, tint="ink_soft", wraps=True)
        self.more = LinkButton("Show earlier memories")
        self.area = ScrollColumn()
        self.area.column.setContentsMargins(0, 0, 12, 0)
        self.cards: list[MemoryCard] = []
        for widget in (self.off, self.empty, self.more):
            self.area.add(widget)
        vertical(horizontal((self.total, 1), self.add, margins=(0, 0, 12, 0)), (self.area, 1), holder=self)
        self.add.clicked.connect(lambda _=False: self.begin_new())
        self.more.clicked.connect(lambda _=False: self._show_more())
        self.set_on(True)
        self.set_memories((), 0, 0, {})

    def set_on(self, is_on: bool) -> None:
        self.off.setVisible(not is_on)

    def set_memories(
        self,
        memories: Sequence[Memory],
        tokens: int,
        most: int,
        titles: Mapping[str, str],
        here: CurrentScope | None = None,
    ) -> None:
        """Show these memories, those of the open conversation first; one that is being edited stays as it is.

        tokens: those of the memories that are sent in it, of a budget of `most`. titles: of conversations, by their
        ids. here: the open conversation.
        """
        self._memories, self._titles, self._here = tuple(memories), titles, here or CurrentScope()
        used = sum(map(self._is_used_here, memories))
        count = pluralize(len(memories), "memory", "memories")
        count = f"{format_number(used)} of {count}" if used < len(memories) else count
        self.total.set_runs(
            (Run(format_number(tokens), "ink", BOLD), Run(f" of {format_number(most)} tokens · {count}"))
        )
        self.total.set_hint("Of all memories, those that are used in this conversation" if used < len(memories) else "")
        self._rebuild()

    def begin_new(self) -> None:
        """Add an empty card to write in."""
        if any(not card.memory.text for card in self.cards):
            return
        now = time.time()
        card = self._make_card(Memory(uuid.uuid4().hex, "", now, now))
        for unknown in (card.origin, card.scope):
            unknown.hide()
        card.abandoned.connect(lambda: self._abandon(card))
        self.cards.insert(0, card)
        self.area.column.insertWidget(self._first, card)
        self.empty.hide()
        card.begin_edit()

    @property
    def _first(self) -> int:
        return self.area.column.indexOf(self.empty) + 1

    def _rebuild(self) -> None:
        with keep_focus_in(self):
            self._put_cards()

    def _put_cards(self) -> None:
        kept = {card.memory.id: card for card in self.cards if card.editing is not None}
        newest = sorted(self._memories, key=lambda memory: (self._is_used_here(memory), memory.at), reverse=True)
        shown = newest[: self._max_cards]
        listed = {memory.id for memory in shown}
        cards = [card for card in kept.values() if card.memory.id not in listed and not card.memory.text]
        cards += [kept.get(memory.id) or self._make_card(memory) for memory in shown]
        for card in [card for card in self.cards if card not in cards]:
            self._drop(card)
        self.cards = cards
        for index, card in enumerate(cards):
            self.area.column.insertWidget(self._first + index, card)
        self.empty.setVisible(not cards)
        self.more.setVisible(len(newest) > len(shown))

    def _is_used_here(self, memory: Memory) -> bool:
        return is_valid_in(memory, self._here.conversation, self._here.folder)

    def _make_card(self, memory: Memory) -> MemoryCard:
        card = MemoryCard(memory, self._titles.get(memory.conversation, ""), self._here)
        card.write_requested.connect(self.write_requested)
        card.delete_requested.connect(self.delete_requested)
        card.conversation_requested.connect(self.conversation_requested)
        return card

    def _drop(self, card: MemoryCard) -> None:
        if card in self.cards:
            self.cards.remove(card)
        discard(card)
        self.empty.setVisible(not self.cards)

    def _abandon(self, card: MemoryCard) -> None:
        with keep_focus_in(self):
            self._drop(card)

    def _show_more(self) -> None:
        self._max_cards += CARDS
        self._rebuild()
