"""Palettes to choose a project, a deleted conversation or a persona."""

from __future__ import annotations

import time
from collections.abc import Sequence
from enum import Enum

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.setup import Persona, Project, find_project, normal_name
from desktop_app.conversation.words import translatable
from desktop_app.ui.palette.command_palette import fuzzy_rank
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.number_formats import first_line, format_time
from desktop_app.ui.widgets.palette_sheet import PaletteSheet
from desktop_app.ui.widgets.row_list import ListRow
from desktop_app.ui.widgets.text_label import Run

NONE, NEW = " none", " new"  # keys of rows that are no project; ids contain no spaces


class ProjectChoice(Enum):
    """The purpose of choosing a project, with the palette's title."""

    MOVE = translatable("Move to project")
    OPEN = translatable("Go to project")
    BEGIN = translatable("New conversation in")


class ProjectPalette(PaletteSheet):
    """A palette of projects, and of a new one with the typed name.

    Signals: project_chosen(id), "" for none; project_named(name), for a new project.
    """

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
        """projects: each with its number of conversations. can_leave: also offer "No project"."""
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
        self.show_note(tr("↑ ↓ to choose · Enter to open · Esc to close") if rows else empty)

    def _choose(self, key: str) -> None:
        name = normal_name(self.query())
        self.accept()
        if key == NEW:
            self.project_named.emit(name)
        else:
            self.project_chosen.emit("" if key == NONE else key)


class DeletedPalette(PaletteSheet):
    """A palette of deleted conversations, found by words of their titles.

    Signal: restore_requested(id), by a click or Enter, after which the palette closes.
    """

    restore_requested = Signal(str)

    def __init__(self, conversations: Sequence[ConversationInfo], parent: QWidget | None = None) -> None:
        """conversations: the deleted ones, in the order of the list."""
        super().__init__(parent, title=tr("Deleted conversations"), has_body=False)
        self._conversations = conversations
        self.field.textChanged.connect(self._list)
        self.list.row_chosen.connect(self._choose)
        self._list()

    def _list(self) -> None:
        words, now = self.query().casefold().split(), time.time()
        found = [info for info in self._conversations if all(word in info.title.casefold() for word in words)]
        self.show_rows([self._row_of(info, now) for info in found])
        if not self._conversations:
            self.show_note(tr("No conversation is deleted."))
        elif found:
            self.show_note(tr("↑ ↓ to choose · Enter to restore · Esc to close"))
        else:
            self.show_note(tr("No title contains these words."))

    def _row_of(self, info: ConversationInfo, now: float) -> ListRow:
        about = (tr("%n messages", "", info.messages), format_time(info.updated_at, now))
        return ListRow(info.id, info.title, " · ".join(about))

    def _choose(self, conversation: str) -> None:
        self.accept()
        self.restore_requested.emit(conversation)


class PersonaPalette(PaletteSheet):
    """A palette of personas. Signal: persona_chosen(name), once the palette is closed."""

    persona_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, title=tr("New conversation with"))
        self._personas: tuple[Persona, ...] = ()
        self._help = self.note.text()
        self.field.textChanged.connect(lambda _: self._show())
        self.list.row_chosen.connect(self._choose)

    def offer(self, personas: Sequence[Persona]) -> None:
        """Offer these personas."""
        self._personas = tuple(personas)
        empty = tr("There are no personas yet: “Conversation settings…” in the ⋯ menu saves one.")
        self.show_note(self._help if personas else empty)
        self.field.clear()
        self._show()

    def _show(self) -> None:
        ranked = [(fuzzy_rank(self.query(), persona.name), persona) for persona in self._personas]
        fitting = sorted((pair for pair in ranked if pair[0] is not None), key=lambda pair: pair[0] or (0, 0))
        self.show_rows([_row_of(persona) for _, persona in fitting])

    def _choose(self, name: str) -> None:
        self.accept()
        self.persona_chosen.emit(name)


def _row_of(persona: Persona) -> ListRow:
    about = first_line(persona.setup.system_prompt or "", 120)
    return ListRow(persona.name, persona.name, persona.model.rpartition("/")[2], body=(Run(about),))
