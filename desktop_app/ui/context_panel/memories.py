"""The memories that are kept from conversation to conversation, and their share of each request."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.memory import Memory, is_valid_in
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.card_list import CardList
from desktop_app.ui.widgets.formats import format_number
from desktop_app.ui.widgets.layouts import horizontal, vertical
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.text_label import Run, TextLabel, fill_runs

from .memory_card import CurrentScope, MemoryCard
from .requests import PanelRequests

CARDS = 40  # cards made at a time
EMPTY = translatable(
    "Nothing is remembered yet.\n\nBefore older messages leave the context window, the model notes what is worth "
    "remembering. A note is used in the same project, folder or conversation until you choose Use everywhere. You can "
    "change notes here, switch them off or delete them, and add your own."
)
OFF = translatable("Memory is off in the settings: nothing here is sent, and nothing new is saved.")
PENDING = translatable(
    "The latest changes are not in the request yet: they join it when its beginning changes for another reason, or "
    "once the provider’s cache of it has expired."
)
MemoryItem = tuple[Memory, str, CurrentScope]  # with the title of its conversation, and the open one


@dataclass(frozen=True)
class MemorySize:
    """Tokens of the memories in the next request, and the most that they may take."""

    tokens: int = 0
    limit: int = 0
    is_pending: bool = False
    """Whether there are changes that are not in it yet."""


class MemoryList(QWidget):
    """The list of memories, newest first."""

    def __init__(self, requests: PanelRequests) -> None:
        super().__init__()
        self._requests = requests
        self._memories: tuple[Memory, ...] = ()
        self._new: Memory | None = None  # one that the user is writing
        self._titles: Mapping[str, str] = {}
        self._here = CurrentScope()
        self.total = TextLabel(size=13, tint="ink_soft", wraps=True)
        self.add = LinkButton(tr("+ Add"))
        self.add.setAccessibleName(tr("Add a memory"))
        self.off = TextLabel(tr(OFF), size=13, tint="warning", wraps=True)
        self.pending = TextLabel(tr(PENDING), size=12, tint="ink_faint", wraps=True)
        self.list = CardList(self._card_of, tr(EMPTY), tr("Show earlier memories"), CARDS)
        head = horizontal((self.total, 1), self.add, margins=(0, 0, 12, 0))
        vertical(head, self.off, self.pending, (self.list, 1), holder=self)
        self.add.clicked.connect(lambda _=False: self.begin_new())
        self.set_on(True)
        self.set_memories((), MemorySize(), {})

    @property
    def cards(self) -> list[MemoryCard]:
        """The cards from top to bottom."""
        return list(self.list.cards.values())

    def set_on(self, is_on: bool) -> None:
        self.off.setVisible(not is_on)

    def set_memories(
        self,
        memories: Sequence[Memory],
        size: MemorySize,
        titles: Mapping[str, str],
        here: CurrentScope | None = None,
    ) -> None:
        """Show these memories, those of the open conversation first; one that is being edited stays as it is.

        titles: of conversations, by their ids. here: the open conversation.
        """
        self._memories, self._titles, self._here = tuple(memories), titles, here or CurrentScope()
        used = sum(map(self._is_used_here, memories))
        is_part = used < len(memories)
        count = tr("{used} of %n memories", "", len(memories)) if is_part else tr("%n memories", "", len(memories))
        total = fill_runs(
            tr("{tokens} of {most} tokens in the request · {memories}"),
            tokens=Run(format_number(size.tokens), "ink", BOLD),
            most=format_number(size.limit),
            memories=count.format(used=format_number(used)),
        )
        self.total.set_runs(total)
        self.pending.setVisible(size.is_pending)
        self.total.set_hint(tr("Of all memories, those that are used in this conversation") if is_part else "")
        self._show()

    def begin_new(self) -> None:
        """Add an empty card to write in."""
        if self._new is None:
            now = time.time()
            self._new = Memory(uuid.uuid4().hex, "", now, now)
            self._show()
            self.list.cards[self._new.id].begin_edit()

    def _show(self) -> None:
        newest = sorted(self._memories, key=lambda memory: (self._is_used_here(memory), memory.at), reverse=True)
        shown = [self._new, *newest] if self._new else newest
        self.list.set_items(
            {memory.id: (memory, self._titles.get(memory.conversation, ""), self._here) for memory in shown}
        )

    def _is_used_here(self, memory: Memory) -> bool:
        return is_valid_in(memory, self._here.conversation, self._here.folder, self._here.project_id)

    def _card_of(self, item: MemoryItem, old: MemoryCard | None) -> MemoryCard:
        if old is not None and old.editing is not None:
            return old
        card = MemoryCard(*item, self._requests)
        card.abandoned.connect(self._drop_new)
        return card

    def _drop_new(self) -> None:
        self._new = None
        self._show()
        self.add.setFocus(Qt.FocusReason.OtherFocusReason)
