"""The conversations as a Qt model: groups and lines, with what each conversation does."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.ui.live_turns import Activity
from desktop_app.ui.theme import STATUS_WORDS
from desktop_app.ui.widgets.formats import format_percent

from .groups import Heading, SidebarRow, details_of, group_by_age

AnyIndex = QModelIndex | QPersistentModelIndex
LINE_ROLE = Qt.ItemDataRole.UserRole
DOING_ROLE = LINE_ROLE + 1


class ConversationModel(QAbstractListModel):
    """Groups and conversations. Signal: renamed(id, title), when the user has written another title."""

    renamed = Signal(str, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._conversations: tuple[ConversationInfo, ...] = ()
        self._lines: list[SidebarRow] = []
        self._doings: Mapping[str, Activity] = {}

    @property
    def conversations(self) -> tuple[ConversationInfo, ...]:
        """All of them, newest first."""
        return tuple(line for line in self._lines if isinstance(line, ConversationInfo))

    def show_conversations(self, conversations: Sequence[ConversationInfo]) -> None:
        """Another list; rows that only changed their figures stay where they are."""
        self._conversations = tuple(conversations)
        new = group_by_age(self._conversations, time.time())
        if [_name(line) for line in new] == [_name(line) for line in self._lines]:
            self._lines = new
            self.tell_ages()
            return
        self.beginResetModel()
        self._lines = new
        self.endResetModel()

    def show_activities(self, activities: Mapping[str, Activity]) -> None:
        """What conversations do, by their ids; of those that are not named there is nothing to say."""
        if activities != self._doings:
            self._doings = activities
            self.tell_ages()

    def title_of(self, conversation: str) -> str:
        """Its title; "" if it is not listed."""
        return next((info.title for info in self.conversations if info.id == conversation), "")

    def tell_ages(self) -> None:
        """The clock has moved on."""
        if self._lines:
            self.dataChanged.emit(self.index(0), self.index(len(self._lines) - 1))

    def row_of(self, conversation: str) -> int:
        """The row of that id; -1 if it is not listed."""
        return next((n for n, line in enumerate(self._lines) if _name(line) == conversation), -1)

    def info_of(self, conversation: str) -> ConversationInfo | None:
        """What is listed of that conversation."""
        return next((i for i in self._conversations if i.id == conversation), None)

    def line(self, row: int) -> SidebarRow:
        """What stands in that row."""
        return self._lines[row]

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        """Groups and conversations."""
        return 0 if parent.isValid() else len(self._lines)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Groups are only read; conversations can be chosen and renamed."""
        if not index.isValid() or isinstance(self._lines[index.row()], Heading):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The line, and what it says."""
        if not index.isValid():
            return None
        line = self._lines[index.row()]
        if role == LINE_ROLE:
            return line
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return line.title
        activity = None if isinstance(line, Heading) else self._doings.get(line.id)
        if role == DOING_ROLE:
            return activity
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return line.title if isinstance(line, Heading) else _spoken(line, activity)
        return None

    def setData(self, index: AnyIndex, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Takes a new title as a wish; the list changes when it is stored."""
        line = self._lines[index.row()]
        title = str(value).strip()
        if role != Qt.ItemDataRole.EditRole or isinstance(line, Heading) or not title or title == line.title:
            return False
        self.renamed.emit(line.id, title)
        return True


def _name(line: SidebarRow) -> str:
    return f"group {line.title}" if isinstance(line, Heading) else line.id


def _spoken(info: ConversationInfo, activity: Activity | None) -> str:
    full = f"{format_percent(info.share)} of the context window used, {STATUS_WORDS[info.status]}"
    said = activity.value if activity is not None else ""
    return "\n".join(filter(None, (info.title, said, f"{details_of(info, time.time())} · {full}")))
