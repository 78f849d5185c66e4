"""The list of memories, each a card that can be edited in place."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import get_args

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.conversation.memory import Memory, MemoryScope, is_valid_in
from desktop_app.conversation.setup import Project
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import Card, CardList
from desktop_app.ui.widgets.buttons import ENTER, LinkButton
from desktop_app.ui.widgets.inputs import ToggleSwitch
from desktop_app.ui.widgets.layouts import STRETCH, FlowLayout, discard, horizontal, vertical
from desktop_app.ui.widgets.long_text import LongTextField
from desktop_app.ui.widgets.look import BOLD, Corner, colour, paint_box
from desktop_app.ui.widgets.number_formats import first_line, format_number, format_time, shorten
from desktop_app.ui.widgets.text_label import Run, TextLabel, fill_runs

from .requests import PanelRequests

MAX_SPOKEN = 1_000
"""Characters of a memory in its accessible name; the engine stores no longer ones."""
MAX_NAME = 24
"""Characters of a folder's name or a title that are shown."""


class CurrentScope(msgspec.Struct, frozen=True):
    """The open conversation, its working folder and its project; "" and None for none."""

    conversation: str = ""
    folder: str = ""
    project: Project | None = None

    @property
    def project_id(self) -> str:
        return self.project.id if self.project is not None else ""


def fill_scope(memory: Memory, here: CurrentScope) -> Memory:
    """Return the memory with a folder, project and conversation to limit it to: its own, or else the open ones.

    It can be limited to the open project, wherever it comes from.
    """
    own = bool(memory.conversation)
    folder = memory.folder or ("" if own else here.folder)
    project = memory.project if memory.scope == "project" else here.project_id or memory.project
    return replace(memory, folder=folder, project=project, conversation=memory.conversation or here.conversation)


def scope_text(scope: MemoryScope, memory: Memory, title: str, here: CurrentScope) -> str:
    """Return where a memory with that scope is used, such as "Only in the folder billing"."""
    if scope == "user":
        return tr("In every conversation")
    if scope == "folder":
        folder = shorten(PurePath(memory.folder).name or memory.folder, MAX_NAME)
        return tr("Only in the folder {folder}").format(folder=folder)
    if scope == "project":
        if here.project is None or memory.project != here.project_id:
            return tr("Only in another project")
        return tr("Only in the project {project}").format(project=shorten(here.project.name, MAX_NAME))
    if memory.conversation == here.conversation:
        return tr("Only in this conversation")
    if not title:
        return tr("Only in another conversation")
    return tr("Only in “{title}”").format(title=shorten(title, MAX_NAME))


class ScopeButton(LinkButton):
    """A button that shows where a memory is used, with a menu of scopes. Signal: chosen(Memory), with the new scope."""

    chosen = Signal(object)

    def __init__(self, memory: Memory, title: str, here: CurrentScope) -> None:
        self._memory, self._title, self._here = memory, title, here
        scope = scope_text(memory.scope, memory, title, here)
        super().__init__(f"{scope} ▾", size=12)
        self.setToolTip(memory.folder if memory.scope == "folder" else tr("Where this memory is sent"))
        self.setAccessibleName(tr("Where it is used: {where}").format(where=scope))
        self.clicked.connect(lambda _=False: self.offer())

    def offer(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        wider = fill_scope(self._memory, self._here)
        for scope in get_args(MemoryScope):
            if scope != "user" and not getattr(wider, scope):
                continue
            action = menu.addAction(scope_text(scope, wider, self._title, self._here))
            action.setCheckable(True)
            action.setChecked(scope == self._memory.scope)
            action.setData(scope)
        menu.triggered.connect(self._choose)
        menu.popup(self.mapToGlobal(QPoint(0, self.height() + 2)))

    def _choose(self, action: QAction) -> None:
        scope: MemoryScope = action.data()
        if scope != self._memory.scope:
            limited = self._memory if scope == "user" else fill_scope(self._memory, self._here)
            self.chosen.emit(replace(limited, scope=scope))


ORIGINS = {
    "model": (translatable("Saved by the model"), translatable("Saved by the model in “{title}”")),
    "rule": (translatable("Saved automatically"), translatable("Saved automatically in “{title}”")),
    "user": (translatable("Written by you"), translatable("Written by you in “{title}”")),
}
"""By the author: without and with the title of the conversation that it comes from."""
UNKNOWN = (translatable("Saved"), translatable("Saved in “{title}”"))
EDIT_LINES = 4


def origin_text(memory: Memory, title: str, now: float) -> str:
    """Return the origin, such as "Saved by the model in “Trip to Lisbon” · Today 10:31"."""
    origin = tr(ORIGINS.get(memory.author, UNKNOWN)[bool(memory.conversation and title)]).format(title=title)
    return f"{origin} · {format_time(memory.changed_at or memory.at, now)}"


class EditBox(QWidget):
    """The field in which a memory is edited, and the links that save or cancel.

    Ctrl+Enter saves; Escape cancels if nothing was changed, and otherwise moves the focus to the links.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self._before = text
        self.field = LongTextField(size=13, rows=EDIT_LINES)
        self.field.show_text(text)
        self.field.setAccessibleName(tr("What is remembered"))
        self.field.setPlaceholderText(tr("Something to remember"))
        self.keep = LinkButton(tr("Save"))
        self.keep.setToolTip(tr("Save (Ctrl+Enter)"))
        self.leave = LinkButton(tr("Cancel"))
        links = horizontal(self.keep, self.leave, STRETCH, spacing=14)
        vertical(self.field, links, holder=self, margins=(8, 6, 4, 6), spacing=4)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.keep.click()
        elif event.key() == Qt.Key.Key_Escape:
            if self.field.written() == self._before:
                self.leave.click()
            else:
                self.keep.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_box(QPainter(self), QRectF(self.rect()), colour("paper"), colour("accent"), Corner.CONTROL)


class MemoryCard(Card):
    """A memory. Signal: abandoned, when the user leaves a new memory empty."""

    abandoned = Signal()

    def __init__(self, memory: Memory, title: str, here: CurrentScope, requests: PanelRequests) -> None:
        self.is_sent = memory.is_on and is_valid_in(memory, here.conversation, here.folder, here.project_id)
        super().__init__(tint="raised" if self.is_sent else "paper")
        self.memory, self._requests = memory, requests
        self.editing: EditBox | None = None
        self.text = TextLabel(memory.text, size=13, tint="ink" if self.is_sent else "ink_faint", wraps=True)
        self.origin = TextLabel(origin_text(memory, title, time.time()), size=12, tint="ink_faint", wraps=True)
        self.switch = ToggleSwitch("")
        self.switch.setChecked(memory.is_on)
        self.switch.setAccessibleName(tr("Send this memory: {text}").format(text=first_line(memory.text, 60)))
        self.switch.setToolTip(tr("Sent with each request where it applies"))
        self.scope = ScopeButton(memory, title, here)
        self.widen = LinkButton(tr("Use everywhere"), size=12)
        self.widen.setToolTip(tr("Send it in every conversation from now on"))
        self.edit = LinkButton(tr("Edit"))
        self.delete = LinkButton(tr("Delete"))
        self.show_conversation = LinkButton(tr("Show conversation"))
        self._lay_out(has_conversation=bool(memory.conversation and title))
        self.switch.toggled.connect(self._switch)
        self.scope.chosen.connect(requests.write_requested)
        self.widen.clicked.connect(lambda _=False: requests.write_requested.emit(replace(memory, scope="user")))
        self.edit.clicked.connect(self.begin_edit)
        self.delete.clicked.connect(lambda _=False: requests.delete_requested.emit(memory))
        self.show_conversation.clicked.connect(
            lambda _=False: requests.conversation_requested.emit(memory.conversation)
        )
        text = shorten(memory.text, MAX_SPOKEN)
        spoken = tr("Memory: {text}. {origin}").format(text=text, origin=self.origin.text())
        self.setAccessibleName(spoken)

    def begin_edit(self) -> None:
        if self.editing is not None:
            return
        box = self.editing = EditBox(self.memory.text)
        self._show_words(False)
        self.column.insertWidget(0, box)
        box.keep.clicked.connect(self._keep)
        box.leave.clicked.connect(self._leave)
        box.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _keep(self) -> None:
        words = self.editing.field.written().strip() if self.editing else ""
        if words and words != self.memory.text:
            self._requests.write_requested.emit(replace(self.memory, text=words, changed_at=time.time()))
        self._leave()

    def _leave(self) -> None:
        if self.editing is not None:
            discard(self.editing)
            self.editing = None
            self._show_words(True)
            self.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        if not self.memory.text:
            self.abandoned.emit()

    def _show_words(self, is_shown: bool) -> None:
        """Show the text and its actions, or hide them while the field replaces them."""
        for widget in (self.text, self.switch, self.scope, self.widen, self.edit, self.delete):
            widget.setVisible(is_shown and (widget is not self.widen or self.memory.scope != "user"))

    def _switch(self, is_on: bool) -> None:
        self._requests.write_requested.emit(replace(self.memory, is_on=is_on))

    def _lay_out(self, *, has_conversation: bool) -> None:
        head = horizontal((self.text, 1), self.switch, spacing=8)
        head.setAlignment(self.switch, Qt.AlignmentFlag.AlignTop)
        self.column.addLayout(head)
        self.column.addWidget(self.origin)
        self.column.addLayout(FlowLayout(self.scope, self.widen, gap=14))
        self.column.addLayout(FlowLayout(self.edit, self.delete, self.show_conversation, gap=14))
        self.widen.setVisible(self.memory.scope != "user")
        self.show_conversation.setVisible(has_conversation)


CARDS = 40  # cards that are created at a time
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
MemoryItem = tuple[Memory, str, CurrentScope]  # the second: the title of the memory's conversation, or ""


@dataclass(frozen=True)
class MemorySize:
    """Tokens of the memories in the next request, and their maximum."""

    tokens: int = 0
    limit: int = 0
    is_pending: bool = False
    """Whether there are changes that are not in the request yet."""


class MemoryList(QWidget):
    """The list of memories, newest first."""

    def __init__(self, requests: PanelRequests) -> None:
        super().__init__()
        self._requests = requests
        self._memories: tuple[Memory, ...] = ()
        self._new: Memory | None = None  # a memory that the user is writing
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
        """Show these memories, the ones that are used in the open conversation first; a card in editing stays.

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
        memories = [self._new, *newest] if self._new else newest
        self.list.set_items(
            {memory.id: (memory, self._titles.get(memory.conversation, ""), self._here) for memory in memories}
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
