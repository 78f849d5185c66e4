"""The conversations as a Qt model: groups by age, with what goes on in each conversation."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec
from PySide6.QtCore import QAbstractListModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.ui.live_turns import Activity
from desktop_app.ui.theme import STATUS_WORDS
from desktop_app.ui.widgets.formats import format_percent, pluralize
from desktop_app.ui.widgets.row_list import AnyIndex

ROW_ROLE = Qt.ItemDataRole.UserRole
ACTIVITY_ROLE = ROW_ROLE + 1


class Heading(msgspec.Struct, frozen=True):
    """A heading between conversations."""

    title: str


SidebarRow = Heading | ConversationInfo


class ConversationModel(QAbstractListModel):
    """Headings and conversations. Signal: renamed(id, title), when the user has written another title."""

    renamed = Signal(str, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows: list[SidebarRow] = []
        self._activities: Mapping[str, Activity] = {}

    @property
    def conversations(self) -> tuple[ConversationInfo, ...]:
        """All conversations, newest first."""
        return tuple(row for row in self._rows if isinstance(row, ConversationInfo))

    def show_conversations(self, conversations: Sequence[ConversationInfo]) -> None:
        """Show another list; rows of which only the figures have changed stay selected."""
        rows = group_by_age(conversations, time.time())
        if [_key(row) for row in rows] == [_key(row) for row in self._rows]:
            self._rows = rows
            self.refresh()
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def show_activities(self, activities: Mapping[str, Activity]) -> None:
        """Show what goes on in conversations, by their ids."""
        if activities != self._activities:
            self._activities = activities
            self.refresh()

    def refresh(self) -> None:
        """Repaint the rows, whose ages depend on the clock."""
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    def title_of(self, conversation: str) -> str:
        """Return the title of that id; "" if it is not listed."""
        info = self.info_of(conversation)
        return info.title if info is not None else ""

    def info_of(self, conversation: str) -> ConversationInfo | None:
        return next((info for info in self.conversations if info.id == conversation), None)

    def row_of(self, conversation: str) -> int:
        """Return the row of that id; -1 if it is not listed."""
        return next((number for number, row in enumerate(self._rows) if _key(row) == conversation), -1)

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        if not index.isValid() or isinstance(self._rows[index.row()], Heading):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        activity = None if isinstance(row, Heading) else self._activities.get(row.id)
        if role == ROW_ROLE:
            return row
        if role == ACTIVITY_ROLE:
            return activity
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return row.title
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.title if isinstance(row, Heading) else _description(row, activity)
        return None

    def setData(self, index: AnyIndex, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Request another title; the list changes once it is stored."""
        row = self._rows[index.row()]
        title = str(value).strip()
        if role != Qt.ItemDataRole.EditRole or isinstance(row, Heading) or not title or title == row.title:
            return False
        self.renamed.emit(row.id, title)
        return True


def group_by_age(conversations: Sequence[ConversationInfo], now: float) -> list[SidebarRow]:
    """Return the conversations, newest first, with a heading above each group."""
    rows: list[SidebarRow] = []
    title = ""
    for info in sorted(conversations, key=lambda info: info.updated_at, reverse=True):
        before, title = title, _heading_of(info.updated_at, now)
        if title != before:
            rows.append(Heading(title))
        rows.append(info)
    return rows


def age_text(at: float, now: float) -> str:
    """Return "now", "2 min", "3 h", "Tue", "3 Mar" or "3 Mar 2024"."""
    seconds = max(now - at, 0)
    then, today = datetime.fromtimestamp(at), datetime.fromtimestamp(now)
    days = (today.date() - then.date()).days
    if seconds < 60:
        return "now"
    if seconds < 3600:
        return f"{int(seconds // 60)} min"
    if days <= 0 or seconds < 12 * 3600:
        return f"{int(seconds // 3600)} h"
    if days < 7:
        return f"{then:%a}"
    return f"{then.day} {then:%b}" if then.year == today.year else f"{then.day} {then:%b} {then.year}"


def details_of(info: ConversationInfo, now: float) -> str:
    """Return the line under a title: "2 min · 1,204 messages"."""
    return f"{age_text(info.updated_at, now)} · {pluralize(info.messages, 'message')}"


def _heading_of(at: float, now: float) -> str:
    then, today = datetime.fromtimestamp(at), datetime.fromtimestamp(now)
    days = (today.date() - then.date()).days
    if days <= 0:
        return "Today"
    if days == 1:
        return "Yesterday"
    if days < 7:
        return "This week"
    return f"{then:%B}" if then.year == today.year else f"{then:%Y}"


def _key(row: SidebarRow) -> str:
    return f"group {row.title}" if isinstance(row, Heading) else row.id


def _description(info: ConversationInfo, activity: Activity | None) -> str:
    used = f"{format_percent(info.share)} of the context window used, {STATUS_WORDS[info.status]}"
    lines = (info.title, activity.value if activity is not None else "", f"{details_of(info, time.time())} · {used}")
    return "\n".join(filter(None, lines))
