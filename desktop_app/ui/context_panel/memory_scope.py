"""Where a memory is used, in words, and the menu that changes it."""

from __future__ import annotations

from pathlib import PurePath
from typing import get_args

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.conversation.memory import Memory, MemoryScope
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.formats import shorten

NAME_MOST = 24
"""Characters of a folder's name or a title."""


class Here(msgspec.Struct, frozen=True):
    """The open conversation and its working folder; "" for none."""

    conversation: str = ""
    folder: str = ""


def anchored(memory: Memory, here: Here) -> Memory:
    """Return the memory with the folder and conversation that it can be limited to: its own, else those of the open
    conversation."""
    own = bool(memory.conversation)
    folder = memory.folder or ("" if own else here.folder)
    return replace(memory, folder=folder, conversation=memory.conversation or here.conversation)


def scope_words(scope: MemoryScope, memory: Memory, title: str, here: Here) -> str:
    """Return where a memory of that scope is used, such as "Only in the folder billing"."""
    if scope == "user":
        return "In every conversation"
    if scope == "folder":
        return f"Only in the folder {shorten(PurePath(memory.folder).name or memory.folder, NAME_MOST)}"
    if memory.conversation == here.conversation:
        return "Only in this conversation"
    return f"Only in “{shorten(title, NAME_MOST)}”" if title else "Only in another conversation"


class ScopeButton(LinkButton):
    """Says where the memory is used, and offers the other places. chosen: a `Memory` with the new scope."""

    chosen = Signal(object)

    def __init__(self, memory: Memory, title: str, here: Here, parent: QWidget | None = None) -> None:
        self._memory, self._title, self._here = memory, title, here
        super().__init__(f"{scope_words(memory.scope, memory, title, here)} ▾", size=12, parent=parent)
        self.setToolTip(memory.folder if memory.scope == "folder" else "Where this memory is sent")
        self.setAccessibleName(f"Where it is used: {scope_words(memory.scope, memory, title, here)}")
        self.clicked.connect(lambda _=False: self.offer())

    def offer(self) -> None:
        """Open the menu of scopes."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        wider = anchored(self._memory, self._here)
        for scope in get_args(MemoryScope):
            if (scope == "folder" and not wider.folder) or (scope == "conversation" and not wider.conversation):
                continue
            action = menu.addAction(scope_words(scope, wider, self._title, self._here))
            action.setCheckable(True)
            action.setChecked(scope == self._memory.scope)
            action.setData(scope)
        menu.triggered.connect(self._choose)
        menu.popup(self.mapToGlobal(QPoint(0, self.height() + 2)))

    def _choose(self, action: QAction) -> None:
        scope: MemoryScope = action.data()
        if scope != self._memory.scope:
            anchored_one = self._memory if scope == "user" else anchored(self._memory, self._here)
            self.chosen.emit(replace(anchored_one, scope=scope))
