"""The projects to choose from: to move conversations there, to go there, or to begin a conversation in one."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.setup import Project, find_project, normal_name
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.palette_sheet import PaletteSheet
from desktop_app.ui.widgets.row_list import ListRow

NONE, NEW = " none", " new"  # keys of the rows that are no project; ids have no space


class ProjectChoice(Enum):
    """What a project is chosen for."""

    MOVE = translatable("Move to project")
    OPEN = translatable("Go to project")
    BEGIN = translatable("New conversation in")


class ProjectPalette(PaletteSheet):
    """A name can be typed or chosen. Signals: project_chosen(id), "" for none; project_named(name), of a new one."""

    project_chosen = Signal(str)
    project_named = Signal(str)

    def __init__(
        self,
        choice: ProjectChoice,
        projects: Sequence[tuple[Project, int]],
        parent: QWidget | None = None,
        *,
        can_leave: bool = False,
    ) -> None:
        """projects: each with how many conversations it has. can_leave: offer no project, too."""
        super().__init__(parent, title=tr(choice.value), has_body=False)
        self._projects = sorted(projects, key=lambda pair: pair[0].name.casefold())
        self._can_leave = can_leave
        self.field.textChanged.connect(self._list)
        self.list.row_chosen.connect(self._choose)
        self._list()

    def _list(self) -> None:
        name = normal_name(self.query())
        fitting = [pair for pair in self._projects if name.casefold() in pair[0].name.casefold()]
        rows = [ListRow(project.id, project.name, tr("%n conversations", "", count)) for project, count in fitting]
        if name and find_project([project for project, _ in self._projects], name) is None:
            rows.append(ListRow(NEW, name, tr("new project")))
        if self._can_leave and not name:
            rows.append(ListRow(NONE, tr("No project")))
        self.show_rows(rows)
        empty = tr("There are no projects yet: type the name of a new one.")
        self.note.set_text(tr("↑ ↓ to choose · Enter to open · Esc to close") if rows else empty)

    def _choose(self, key: str) -> None:
        name = normal_name(self.query())
        self.accept()
        if key == NEW:
            self.project_named.emit(name)
        else:
            self.project_chosen.emit("" if key == NONE else key)
