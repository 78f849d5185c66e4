"""The sheet of a project: its name, the settings that its conversations share, and its memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.listing import CacheReset
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.setup import Project, RecallScope, find_project, normal_name
from desktop_app.conversation.words import translatable
from desktop_app.ui.cache_notice import CacheNotice
from desktop_app.ui.context_panel.memory_card import CurrentScope, MemoryCard
from desktop_app.ui.context_panel.requests import PanelRequests
from desktop_app.ui.model_words import project_change_words
from desktop_app.ui.settings.entries import Choice, Field, FolderField, LongText, Segments, note, section
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import ScrollColumn, keep_focus_in
from desktop_app.ui.widgets.buttons import Button, ButtonKind, LinkButton
from desktop_app.ui.widgets.layouts import discard, vertical
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.sheet import Sheet
from desktop_app.ui.widgets.text_label import TextLabel

from .project_page import RECALL_NAMES, recall_meaning

PAGE = 10  # cards shown at first, and added by each click on the link below them
EMPTY = translatable(
    "Nothing is remembered about this project yet. What the model notes in its conversations is listed here, and is "
    "used in this project only, until you choose otherwise."
)


class ProjectMemories(QWidget):
    """Cards of the memories, the newest first. Each change is stored at once. requests: the signals of the cards."""

    def __init__(self, project: Project) -> None:
        super().__init__()
        self._project = project
        self._memories: tuple[Memory, ...] = ()
        self._titles: Mapping[str, str] = {}
        self._limit = PAGE
        self.requests = PanelRequests(self)
        self.cards: list[MemoryCard] = []
        self.title = TextLabel(tr("Memories"), size=14, weight=BOLD)
        self.empty = TextLabel(tr(EMPTY), size=13, tint="ink_soft", wraps=True)
        self.more = LinkButton(tr("Show earlier memories"))
        self._column = vertical(self.title, self.empty, self.more, holder=self, spacing=10)
        self.more.clicked.connect(self._show_more)
        self.more.hide()

    def show_memories(self, memories: Sequence[Memory], titles: Mapping[str, str]) -> None:
        """Show the project's memories. titles: the titles of conversations, by their ids."""
        own = [memory for memory in memories if memory.scope == "project" and memory.project == self._project.id]
        self._memories = tuple(sorted(own, key=lambda memory: memory.at, reverse=True))
        self._titles = titles
        self._put_cards()

    def _put_cards(self) -> None:
        here = CurrentScope(project=self._project)
        with keep_focus_in(self):
            for card in self.cards:
                discard(card)
            newest = self._memories[: self._limit]
            self.cards = [MemoryCard(m, self._titles.get(m.conversation, ""), here, self.requests) for m in newest]
            for place, card in enumerate(self.cards, start=2):
                self._column.insertWidget(place, card)
        self.empty.setVisible(not self._memories)
        self.more.setVisible(len(self._memories) > len(self.cards))

    def _show_more(self) -> None:
        self._limit += PAGE
        self._put_cards()


WIDTH = 600
COUNT_PAUSE = 300  # milliseconds from the last change of the instructions to counting their tokens
ABOUT = translatable(
    "What its conversations share, from their next request on. A conversation’s own settings come first."
)
SENT = translatable("Sent after the system prompt of each conversation of the project.")
READ_ANEW = translatable(
    "After a change, the provider has to read each conversation again, without help from its cache."
)
GONE = translatable("This folder does not exist at the moment. Until it does, tools cannot work in it.")
Offers = Sequence[tuple[str, str]]
"""Pairs of a text and its value."""


class ProjectSheet(Sheet):
    """Signals: save_requested(Project), with the id "" if it is new; count_requested(text), for the instructions;
    delete_requested."""

    save_requested = Signal(object)
    count_requested = Signal(str)
    delete_requested = Signal()

    def __init__(
        self,
        project: Project,
        others: Sequence[Project],
        models: Offers,
        policies: Offers,
        parent: QWidget | None = None,
        *,
        reset: CacheReset | None = None,
    ) -> None:
        """project: its id is "" if it is new. others: the other projects, whose names are taken. reset: what other
        instructions cost in the open conversation; None for nothing."""
        super().__init__(parent, width=WIDTH, title=tr("Project") if project.id else tr("New project"))
        self._project, self._others, self._reset = project, others, reset
        self.memories = ProjectMemories(project)
        self._build_fields(models, policies)
        self.cancel = Button(tr("Cancel"))
        self.save = Button(tr("Save") if project.id else tr("Create"), ButtonKind.PRIMARY)
        self.delete = Button(tr("Delete project"), ButtonKind.QUIET)
        self.area = ScrollColumn(spacing=20)
        for part in self._sections():
            self.area.add(part)
        head = (TextLabel(tr(ABOUT), size=13, tint="ink_soft", wraps=True),)
        self.lay_out(self.area, self.cancel, self.save, leading=(self.delete,) if project.id else (), head=head)
        self._counting = QTimer(self, singleShot=True, interval=COUNT_PAUSE)
        self._connect()
        self.set_first(self.name.edit)
        self._before = self._texts()

    def unsaved(self) -> str:
        return tr("Discard what is written here?") if self._texts() != self._before else ""

    def _texts(self) -> tuple[str, ...]:
        texts = (self.name.text(), self.folder.text(), self.instructions.value())
        return (*texts, self.policy.value(), self.model.value(), self.recall.value())

    def written(self) -> Project:
        """Return the edited project. Raises ValueError."""
        reach: RecallScope = next(scope for scope in RECALL_NAMES if scope == self.recall.value())
        return replace(
            self._project,
            name=self.name.value(),
            folder=self.folder.value(),
            instructions=self.instructions.value(),
            policy=self.policy.value(),
            model=self.model.value(),
            recall_in=reach,
        )

    def show_tokens(self, text: str, tokens: int) -> None:
        """Show the number of tokens of the instructions, unless they have changed since."""
        if text == self.instructions.value():
            size = tr("%n tokens of each request", "", tokens)
            self.tokens.set_text(" · ".join((size, tr(SENT))) if text else tr(SENT))

    def refuse(self, message: str) -> None:
        """Show why the project could not be saved; the sheet stays open."""
        self.name.explain(message, is_error=True)
        self.save.setEnabled(True)
        self.area.ensureWidgetVisible(self.name)

    def _build_fields(self, models: Offers, policies: Offers) -> None:
        project, as_set = self._project, (tr("As in the settings"), "")
        self.name = Field("", tr("Name"), project.name, tr("such as a client, a book or a journey"), self._parse_name)
        self.folder = FolderField("", tr("Working folder"), project.folder, tr("leave empty for none"))
        self.model = Choice("", tr("Model of new conversations"), [as_set, *models], project.model)
        self.policy = Choice("", tr("Making room"), [as_set, *policies], project.policy)
        self.instructions = LongText("", "", project.instructions)
        self.instructions.area.setAccessibleName(tr("Instructions"))
        self.tokens, self.reread, self.notice = note(tr(SENT)), note(tr(READ_ANEW)), CacheNotice()
        self.reread.hide()
        names = [(scope, tr(name)) for scope, name in RECALL_NAMES.items()]
        self.recall = Segments("", names, project.recall_in, recall_meaning)
        self.recall.choices.setAccessibleName(tr("The model may look things up in"))

    def _sections(self) -> list[QWidget]:
        remembered = [self.memories] if self._project.id else []
        return [
            self.name,
            section(tr("Instructions"), self.instructions, self.tokens, self.reread, self.notice),
            section(tr("Work"), self.folder, (self.model, self.policy)),
            section(tr("The model may look things up in"), self.recall),
            *remembered,
        ]

    def _connect(self) -> None:
        self.cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self._save)
        self.delete.clicked.connect(self._delete)
        self.folder.changed.connect(self._look_for_folder)
        self._look_for_folder()
        self._counting.timeout.connect(lambda: self.count_requested.emit(self.instructions.value()))
        self.instructions.changed.connect(self._note_instructions)
        self.notice.silenced.connect(self._forget_reset)
        self._counting.start()

    def _note_instructions(self) -> None:
        is_changed = bool(self._project.id) and self.instructions.value() != self._project.instructions
        self.reread.setVisible(is_changed and self._reset is None)
        self.notice.show_reset(self._reset if is_changed else None, project_change_words)
        self._counting.start()

    def _forget_reset(self) -> None:
        self._reset = None
        self._note_instructions()

    def _look_for_folder(self) -> None:
        """Show an error if a folder that was chosen earlier no longer exists."""
        folder = self.folder.text()
        is_gone = bool(folder) and folder == self._project.folder and not Path(folder).is_dir()
        self.folder.explain(tr(GONE) if is_gone else "", is_error=is_gone)

    def _parse_name(self, text: str) -> str:
        name = normal_name(text)
        if not name:
            raise ValueError(tr("Enter a name for the project."))
        if find_project(self._others, name) is not None:
            raise ValueError(tr("Another project has this name."))
        return name

    def _save(self) -> None:
        wrong = [widget for entry in (self.name, self.folder) if (widget := entry.check()) is not None]
        if wrong:
            wrong[0].setFocus(Qt.FocusReason.OtherFocusReason)
            self.area.ensureWidgetVisible(wrong[0])
            return
        self.save.setEnabled(False)
        self.save_requested.emit(self.written())

    def _delete(self) -> None:
        self.discard()
        self.delete_requested.emit()
