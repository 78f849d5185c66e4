"""A Qt model of the conversations, in projects and groups, with the activity of each."""

from __future__ import annotations

import time
from collections.abc import Container, Mapping, Sequence

from msgspec.structs import replace
from PySide6.QtCore import QAbstractListModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.gauge import Status
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.setup import Project
from desktop_app.ui.live_turns import Activity
from desktop_app.ui.theme import STATUS_WORDS
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.number_formats import format_percent, format_title
from desktop_app.ui.widgets.row_list import AnyIndex

from .arrangement import (
    ArchivedHeading,
    Arrangement,
    Heading,
    ProjectHeading,
    ProjectsHeading,
    SidebarRow,
    arrange_rows,
    details_of,
)

ROW_ROLE = Qt.ItemDataRole.UserRole
ACTIVITY_ROLE = ROW_ROLE + 1
PAGE = 250
"""Rows that the model reports at first, since views measure each of them whenever the list changes."""


class ConversationModel(QAbstractListModel):
    """Headings, projects and conversations. Signals: renamed(id, title) and project_renamed(id, name), by the user."""

    renamed = Signal(str, str)
    project_renamed = Signal(str, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._all: dict[str, ConversationInfo] = {}
        self._projects: dict[str, Project] = {}
        self._rows: list[SidebarRow] = []
        self._numbers: dict[str, int] = {}  # the row of each key
        self._count = 0  # rows reported to views
        self._activities: Mapping[str, Activity] = {}
        self._fills: dict[str, tuple[float, Status]] = {}
        self.arrangement = Arrangement()

    @property
    def conversations(self) -> tuple[ConversationInfo, ...]:
        """All conversations, the newest first, including those that are not shown."""
        return tuple(self._all.values())

    @property
    def projects(self) -> tuple[Project, ...]:
        """All projects, including those that are not listed."""
        return tuple(self._projects.values())

    def project(self, project: str) -> Project | None:
        """Return the project of that id; None if there is none or it is deleted."""
        return self._projects.get(project)

    def project_of(self, conversation: str) -> Project | None:
        """Return the project of a conversation; None if it is in none."""
        info = self.info_of(conversation)
        return None if info is None else self.project(info.project)

    def show_projects(self, projects: Sequence[Project]) -> None:
        """Replace the projects; deleted ones are left out."""
        self._projects = {project.id: project for project in projects if not project.is_deleted}
        self.rearrange()

    def show_conversations(self, conversations: Sequence[ConversationInfo]) -> None:
        """Replace the conversations. If only their figures have changed, the selection stays."""
        before = self._all
        self._all = {info.id: replace(info, title=format_title(info.title)) for info in conversations}
        is_stale = {name for name, info in self._all.items() if name in before and info.share != before[name].share}
        self._fills = {name: fill for name, fill in self._fills.items() if name in self._all and name not in is_stale}
        self.rearrange()

    def arrange(self, arrangement: Arrangement) -> None:
        """Change the filter or the order."""
        self.arrangement, self._count = arrangement, 0
        self.rearrange()

    def rearrange(self) -> None:
        """Update the rows to the current time: ages change and, after midnight, headings."""
        rows = arrange_rows(self._all.values(), self.projects, self.arrangement, time.time())
        numbers = {key_of(row): number for number, row in enumerate(rows)}
        if self._count and list(numbers) == list(self._numbers):
            self._rows = rows
            self.refresh()
            return
        self.beginResetModel()
        self._rows, self._numbers = rows, numbers
        self._count = min(max(self._count, PAGE), len(rows))
        self.endResetModel()

    def show_fill(self, conversation: str, fill: tuple[float, Status]) -> None:
        """Show the fill of an open conversation's window including its draft, instead of the stored one."""
        if self._fills.get(conversation) != fill and (row := self.row_of(conversation)) >= 0:
            self._fills[conversation] = fill
            self.dataChanged.emit(self.index(row), self.index(row))

    def fill_of(self, info: ConversationInfo) -> tuple[float, Status]:
        """Return the share of the usable window that a conversation fills, and its status."""
        return self._fills.get(info.id, (info.share, info.status))

    def show_activities(self, activities: Mapping[str, Activity]) -> None:
        """Show the activities of conversations, by their ids."""
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

    def find_blank(self, project: str, filled: Container[str]) -> ConversationInfo | None:
        """Return an empty conversation of the project that is neither pinned nor archived; None if there is none.

        project: "" for no project. filled: ids of conversations with messages that the list does not count yet.
        """
        own = (info for info in self._all.values() if info.project == project and not info.messages)
        return next((i for i in own if not (i.is_pinned or i.is_put_away or i.id in filled)), None)

    def row_of(self, conversation: str) -> int:
        """Return the row of a conversation or a project; -1 if it is not shown."""
        return self._numbers.get(conversation, -1)

    def index_of(self, conversation: str) -> QModelIndex:
        """Return its index, which is invalid if its row is not reported to views yet."""
        return self.index(self.row_of(conversation))

    def reveal(self, conversation: str) -> None:
        """Report its row to views."""
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
        """Return whether a row is no conversation."""
        return not isinstance(self._rows[row], ConversationInfo)

    def is_in_project(self, info: ConversationInfo) -> bool:
        """Return whether a conversation is listed below its project."""
        is_elsewhere = info.is_pinned or info.is_put_away or bool(self.arrangement.query.strip())
        return info.project in self._projects and not is_elsewhere

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._count

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        row = self._rows[index.row()] if index.isValid() else None
        match row:
            case ConversationInfo():
                can = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsDragEnabled
                return Qt.ItemFlag.ItemIsEnabled | can
            case ProjectHeading():
                return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsEditable
            case None | Heading():
                return Qt.ItemFlag.NoItemFlags
            case _:
                return Qt.ItemFlag.ItemIsEnabled

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role == ACTIVITY_ROLE:
            return self._activity_of(row)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return row.title
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._description(row)
        return None

    def setData(self, index: AnyIndex, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Request a new title or name; the list changes once it is stored."""
        row = self._rows[index.row()]
        title = " ".join(str(value).split()) if isinstance(row, ProjectHeading) else str(value).strip()
        if role != Qt.ItemDataRole.EditRole or not title or title == row.title:
            return False
        if isinstance(row, ProjectHeading):
            self.project_renamed.emit(row.project.id, title)
        elif isinstance(row, ConversationInfo):
            self.renamed.emit(row.id, title)
        return True

    def _activity_of(self, row: SidebarRow) -> Activity | None:
        """Return the activity of a conversation, or the most urgent one that a folded heading hides."""
        is_fold = isinstance(row, ProjectHeading | ArchivedHeading)
        ids = (row.id,) if isinstance(row, ConversationInfo) else row.hidden if is_fold else ()
        found = {self._activities.get(name) for name in ids}
        return next((activity for activity in Activity if activity in found), None)

    def _description(self, row: SidebarRow) -> str:
        activity = self._activity_of(row)
        match row:
            case ConversationInfo():
                return _describe_conversation(row, self.fill_of(row), activity, self.project(row.project))
            case ProjectHeading():
                state = tr("collapsed") if row.is_folded else tr("expanded")
                count = tr("%n conversations", "", row.count)
                words = tr("{name}, project, {count}").format(name=row.title, count=count)
                going_on = tr(activity.value) if activity is not None else ""
                return "\n".join(filter(None, (words, going_on, state if row.count else "")))
            case ArchivedHeading():
                count = tr("%n conversations", "", row.count)
                state = tr("collapsed") if row.is_folded else tr("expanded")
                return "\n".join((tr("Archived, {count}").format(count=count), state))
            case ProjectsHeading():
                return tr("New project…")
            case _:
                return row.title


def key_of(row: SidebarRow) -> str:
    """Return a stable key of a row: the id of a conversation or a project, or a heading's title."""
    match row:
        case ConversationInfo():
            return row.id
        case ProjectHeading():
            return row.project.id
        case _:
            return f"group {row.title}"


def _describe_conversation(
    info: ConversationInfo, fill: tuple[float, Status], activity: Activity | None, project: Project | None
) -> str:
    share, status = fill
    used = tr("{share} of the context window used, {status}").format(
        share=format_percent(share), status=tr(STATUS_WORDS[status])
    )
    where = tr("in the project {project}").format(project=project.name) if project is not None else ""
    places = (tr("pinned") if info.is_pinned else "", where)
    details = f"{details_of(info, time.time())} · {used}"
    lines = (info.title, tr(activity.value) if activity is not None else "", *places, details)
    return "\n".join(filter(None, lines))
