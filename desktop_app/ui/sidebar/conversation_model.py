"""The conversations as a Qt model: in groups, with what goes on in each conversation."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from msgspec.structs import replace
from PySide6.QtCore import QAbstractListModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.ui.live_turns import Activity
from desktop_app.ui.theme import STATUS_WORDS
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.formats import format_percent, format_title
from desktop_app.ui.widgets.row_list import AnyIndex

from .arrangement import Arrangement, Heading, SidebarRow, arrange_rows, details_of

ROW_ROLE = Qt.ItemDataRole.UserRole
ACTIVITY_ROLE = ROW_ROLE + 1
PAGE = 250
"""Rows that views know of at first: they measure each of them whenever the list changes."""


class ConversationModel(QAbstractListModel):
    """Headings and conversations. Signal: renamed(id, title), when the user has written another title."""

    renamed = Signal(str, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._all: dict[str, ConversationInfo] = {}
        self._rows: list[SidebarRow] = []
        self._numbers: dict[str, int] = {}  # the row of each key
        self._count = 0  # rows that views know of
        self._activities: Mapping[str, Activity] = {}
        self.arrangement = Arrangement()

    @property
    def conversations(self) -> tuple[ConversationInfo, ...]:
        """All conversations, newest first, those too that are not shown now."""
        return tuple(self._all.values())

    @property
    def sections(self) -> tuple[str, ...]:
        """The sections that the user has made."""
        return tuple(sorted({info.section for info in self._all.values() if info.section}, key=str.casefold))

    def show_conversations(self, conversations: Sequence[ConversationInfo]) -> None:
        """Show another list; rows of which only the figures have changed stay selected."""
        self._all = {info.id: replace(info, title=format_title(info.title)) for info in conversations}
        self._show_rows()

    def arrange(self, arrangement: Arrangement) -> None:
        """List other conversations, or in another order."""
        self.arrangement, self._count = arrangement, 0
        self._show_rows()

    def _show_rows(self) -> None:
        rows = arrange_rows(self._all.values(), self.arrangement, time.time())
        numbers = {_key(row): number for number, row in enumerate(rows)}
        if self._count and list(numbers) == list(self._numbers):
            self._rows = rows
            self.refresh()
            return
        self.beginResetModel()
        self._rows, self._numbers = rows, numbers
        self._count = min(max(self._count, PAGE), len(rows))
        self.endResetModel()

    def show_activities(self, activities: Mapping[str, Activity]) -> None:
        """Show what goes on in conversations, by their ids."""
        if activities != self._activities:
            self._activities = activities
            self.refresh()

    def refresh(self) -> None:
        """Repaint the rows, whose ages depend on the clock."""
        if self._count:
            self.dataChanged.emit(self.index(0), self.index(self._count - 1))

    def title_of(self, conversation: str) -> str:
        """Return the title of that id; "" if it is not listed."""
        info = self.info_of(conversation)
        return info.title if info is not None else ""

    def info_of(self, conversation: str) -> ConversationInfo | None:
        return self._all.get(conversation)

    def row_of(self, conversation: str) -> int:
        """Return the row of that id; -1 if it is not shown."""
        return self._numbers.get(conversation, -1)

    def index_of(self, conversation: str) -> QModelIndex:
        """Return its index, which is not valid if views do not know of its row."""
        return self.index(self.row_of(conversation))

    def reveal(self, conversation: str) -> None:
        """Let views know of its row."""
        if (row := self.row_of(conversation)) >= self._count:
            self._grow(row + PAGE)

    def canFetchMore(self, parent: AnyIndex) -> bool:
        return not parent.isValid() and self._count < len(self._rows)

    def fetchMore(self, parent: AnyIndex) -> None:
        self._grow(self._count + PAGE)

    def _grow(self, count: int) -> None:
        count = min(count, len(self._rows))
        self.beginInsertRows(QModelIndex(), self._count, count - 1)
        self._count = count
        self.endInsertRows()

    def is_heading(self, row: int) -> bool:
        return isinstance(self._rows[row], Heading)

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._count

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


def _key(row: SidebarRow) -> str:
    return f"group {row.title}" if isinstance(row, Heading) else row.id


def _description(info: ConversationInfo, activity: Activity | None) -> str:
    used = tr("{share} of the context window used, {status}").format(
        share=format_percent(info.share), status=tr(STATUS_WORDS[info.status])
    )
    section = tr("in {section}").format(section=info.section) if info.section else ""
    places = (tr("pinned") if info.is_pinned else "", section)
    details = f"{details_of(info, time.time())} · {used}"
    lines = (info.title, tr(activity.value) if activity is not None else "", *places, details)
    return "\n".join(filter(None, lines))
