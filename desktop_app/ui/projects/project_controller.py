"""Controllers of projects: the sheet, moving conversations, and the project of the open conversation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.conversation.listing import CacheReset, ConversationInfo
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.setup import Project, working_folder
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.controller import Controller
from desktop_app.ui.header import Header
from desktop_app.ui.model_words import reset_words
from desktop_app.ui.panes import ChatPane
from desktop_app.ui.settings.settings_controller import SettingsController
from desktop_app.ui.sidebar.conversation_model import ConversationModel
from desktop_app.ui.sidebar.listing_controller import ListingController
from desktop_app.ui.sidebar.sidebar import Sidebar
from desktop_app.ui.toast import Toast
from desktop_app.ui.transcript.conversation_controller import ConversationController
from desktop_app.ui.translation import join_sentences, tr
from desktop_app.ui.widgets.number_formats import first_line

if TYPE_CHECKING:
    from desktop_app.ui.sidebar.choice_palettes import ProjectChoice

    from .project_sheet import ProjectSheet


async def read_reset(bridge: Bridge, chat: ConversationController) -> CacheReset | None:
    """Return what another beginning of its requests costs in the open conversation; None for nothing."""
    return (await bridge.ask(p.ReadCacheReset(chat.conversation))).reset if chat.conversation else None


class ProjectSheetController(Controller):
    """Opens the sheet of a project, and stores its changes. Signals: saved(ProjectsListed, is_new);
    delete_requested(id); memories_changed."""

    saved = Signal(object, bool)
    delete_requested = Signal(str)
    memories_changed = Signal()

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        settings: SettingsController,
        window: QWidget,
        listed: ConversationModel,
        toast: Toast,
    ) -> None:
        super().__init__(bridge, chat)
        self._settings, self._window, self._listed, self._toast = settings, window, listed, toast
        self._sheet: ProjectSheet | None = None

    @in_task
    async def open(self, project: Project) -> None:
        """Open the sheet of a project. An id of "" makes it a new one."""
        from desktop_app.ui.settings.sections import policies_offered
        from desktop_app.ui.settings.summary_choice import model_choices

        from .project_sheet import ProjectSheet

        settings = (await self._bridge.ask(p.ReadSettings())).settings
        models = (await self._bridge.ask(p.ListModels())).models
        own = self._listed.project_of(self._chat.conversation)
        reset = await read_reset(self._bridge, self._chat) if own is not None and own.id == project.id else None
        if self._sheet is not None:
            return
        policies = [(text, name) for name, text in policies_offered(settings)]
        others = [known for known in self._listed.projects if known.id != project.id]
        offers = model_choices(models), policies
        sheet = self._sheet = ProjectSheet(project, others, *offers, self._window, reset=reset)
        sheet.notice.silenced.connect(self._settings.stop_warning_of_resets)
        sheet.save_requested.connect(lambda written: self._save(sheet, written))
        sheet.count_requested.connect(lambda text: self._count(sheet, text))
        sheet.delete_requested.connect(lambda: self.delete_requested.emit(project.id))
        requests = sheet.memories.requests
        requests.write_requested.connect(lambda memory: self._write(sheet, memory))
        requests.delete_requested.connect(lambda memory: self._delete_memory(sheet, memory))
        requests.conversation_requested.connect(lambda name: self._leave_for(sheet, name))
        sheet.finished.connect(self._forget_sheet)
        sheet.open()
        if project.id:
            await self._show_memories(sheet, p.ListMemories(self._chat.conversation))

    @in_task
    async def _save(self, sheet: ProjectSheet, written: Project) -> None:
        try:
            stored = await self._bridge.ask(p.SaveProject(written))
        except EngineFailure as error:
            if sheet is not self._sheet:
                raise
            sheet.refuse(join_sentences(error.failure.title, error.failure.advice))
            return
        if sheet is self._sheet:
            sheet.accept()
        self.saved.emit(stored, not written.id)

    @in_task
    async def _count(self, sheet: ProjectSheet, text: str) -> None:
        """Count the tokens of the instructions with the open conversation's tokenizer."""
        if not self._chat.conversation:
            return
        counted = await self._bridge.ask(p.CountDraft(self._chat.conversation, text))
        if sheet is self._sheet:
            sheet.show_tokens(text, counted.tokens)

    @in_task
    async def _write(self, sheet: ProjectSheet, memory: Memory) -> None:
        await self._show_memories(sheet, p.WriteMemory(memory, self._chat.conversation))
        self.memories_changed.emit()

    @in_task
    async def _delete_memory(self, sheet: ProjectSheet, memory: Memory) -> None:
        """Delete a memory; the toast offers to restore it."""
        await self._show_memories(sheet, p.WriteMemory(replace(memory, is_deleted=True), self._chat.conversation))
        self.memories_changed.emit()
        words = tr("“{memory}” forgotten").format(memory=first_line(memory.text, 60))
        back = replace(memory, is_deleted=False)
        self._toast.show_message(words, tr("Undo"), lambda: self._write(sheet, back))

    async def _show_memories(self, sheet: ProjectSheet, request: p.ListMemories | p.WriteMemory) -> None:
        known = await self._bridge.ask(request)
        titles = {info.id: info.title for info in self._listed.conversations}
        if sheet is self._sheet:
            sheet.memories.show_memories(known.memories, titles)

    def _leave_for(self, sheet: ProjectSheet, conversation: str) -> None:
        sheet.leave(lambda: self._chat.open(conversation))

    def _forget_sheet(self) -> None:
        if self._sheet is not None:
            self._sheet.deleteLater()
        self._sheet = None


class ProjectController(Controller):
    """Creates, changes, deletes and restores projects, and moves conversations between them."""

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        listing: ListingController,
        sheets: ProjectSheetController,
        window: QWidget,
        sidebar: Sidebar,
        header: Header,
        pane: ChatPane,
        toast: Toast,
    ) -> None:
        super().__init__(bridge, chat)
        self._listing, self._sheets = listing, sheets
        self._window, self._sidebar, self._header, self._pane, self._toast = window, sidebar, header, pane, toast
        self._info: ConversationInfo | None = None  # of the open conversation
        self._list = sidebar.list
        self._listed = sidebar.list.conversations
        bridge.projects_changed.connect(self.show)
        bridge.conversations_changed.connect(self.note_listed)
        chat.opened.connect(self.note_opened)
        self._connect()

    def _connect(self) -> None:
        listed, page = self._list, self._pane.project
        listed.settings_requested.connect(self.open_settings)
        listed.project_delete_requested.connect(self.delete)
        listed.new_project_requested.connect(self.make)
        listed.all_projects_requested.connect(self.choose_to_open)
        listed.project_choice_requested.connect(self.choose_for)
        listed.move_requested.connect(self.move)
        self._listed.project_renamed.connect(self.rename)
        page.settings_requested.connect(self.open_settings)
        page.conversation_chosen.connect(self._chat.open)
        self._header.project_requested.connect(self.offer)
        self._sheets.saved.connect(self._note_saved)
        self._sheets.delete_requested.connect(self.delete)

    # What is shown

    def show(self, projects: tuple[Project, ...]) -> None:
        """Show these projects if they have changed."""
        if projects != self._listed.projects:
            self._listed.show_projects(projects)
            self._show_here()

    def note_opened(self, opened: p.ConversationOpened) -> None:
        self._info = opened.conversation
        self._show_here()

    def note_listed(self, conversations: Sequence[ConversationInfo]) -> None:
        """Update the window when the open conversation has moved to another project."""
        found = next((info for info in conversations if self._info and info.id == self._info.id), None)
        if found is not None and self._info is not None:
            is_moved = (found.project, found.folder) != (self._info.project, self._info.folder)
            self._info = found
            if is_moved:
                self._show_here()

    def _show_here(self) -> None:
        """Show the open conversation's project and the folder that applies."""
        info = self._info
        if info is None:
            return
        project = self._listed.project(info.project)
        folder = working_folder(info.folder, project.folder if project is not None else "")
        name = project.name if project is not None and folder.source == "project" else ""
        self._header.show_project(project)
        self._header.show_folder(folder.value, name)
        others = [other for other in self._listed.conversations if other.project == info.project and other.messages]
        self._pane.show_project(project, others)

    def has_some(self) -> bool:
        """Return whether there are projects."""
        return bool(self._listed.projects)

    def is_in_one(self) -> bool:
        """Return whether the open conversation is in a project."""
        return self._info is not None and self._listed.project(self._info.project) is not None

    # Changing projects

    def make(self) -> None:
        """Open the sheet of a new project; once saved, a conversation in it is opened."""
        self._sheets.open(Project("", ""))

    def open_settings(self, project: str = "") -> None:
        """Open the sheet of a project; "" for the open conversation's project."""
        known = self._listed.project(project or (self._info.project if self._info is not None else ""))
        if known is not None:
            self._sheets.open(known)

    def _note_saved(self, stored: p.ProjectsListed, is_new: bool) -> None:
        self.show(stored.projects)
        if is_new:
            self.go_to(stored.changed)

    @in_task
    async def rename(self, project: str, name: str) -> None:
        known = self._listed.project(project)
        if known is not None:
            await self._save(replace(known, name=name))

    @in_task
    async def delete(self, project: str) -> None:
        """Delete a project; its conversations stay, and the toast offers to restore it."""
        known = self._listed.project(project)
        if known is None:
            return
        self.show((await self._bridge.ask(p.DeleteProject(project))).projects)
        words = tr("Project “{name}” deleted. Its conversations stay.").format(name=known.name)
        self._toast.show_message(words, tr("Undo"), lambda: self.restore(project))

    @in_task
    async def restore(self, project: str) -> None:
        self.show((await self._bridge.ask(p.RestoreProject(project))).projects)

    async def _save(self, project: Project) -> str:
        """Store a project, and return its id."""
        stored = await self._bridge.ask(p.SaveProject(project))
        self.show(stored.projects)
        return stored.changed

    # Moving

    @in_task
    async def move(self, conversations: tuple[str, ...], project: str) -> None:
        """Move conversations into a project, or out of theirs with ""; the toast offers to undo it."""
        before: dict[str, list[str]] = defaultdict(list)
        for name in conversations:
            now = self._listed.project_of(name)
            before[now.id if now is not None else ""].append(name)
        known, own = self._listed.project(project), self._listed.project_of(self._chat.conversation)
        is_own = self._chat.conversation in conversations and _instructions_of(own) != _instructions_of(known)
        reset = await read_reset(self._bridge, self._chat) if is_own else None
        await self._move(conversations, project)
        count = len(conversations)
        if known is None:
            one, several = tr("“{title}” is in no project now"), tr("%n conversations are in no project now", "", count)
        else:
            one, several = tr("“{title}” moved to {project}"), tr("%n conversations moved to {project}", "", count)
        words = self._listing.words_for(conversations, one, several, project=known.name if known is not None else "")
        words = f"{words} · {reset_words(reset)}" if reset is not None else words
        self._toast.show_message(words, tr("Undo"), lambda: self._move_back(dict(before)))

    @in_task
    async def _move_back(self, before: dict[str, list[str]]) -> None:
        for project, conversations in before.items():
            await self._move(tuple(conversations), project)

    async def _move(self, conversations: tuple[str, ...], project: str) -> None:
        listed = await self._bridge.ask(p.MoveConversations(conversations, project))
        self._chat.blanks.move(conversations, project)
        self._listing.show(listed.conversations)
        self.note_listed(listed.conversations)

    @in_task
    async def _move_to_new(self, conversations: tuple[str, ...], name: str) -> None:
        self.move(conversations, await self._save(Project("", name)))

    # Choosing

    def choose_for(self, conversations: tuple[str, ...]) -> None:
        """Let the user choose a project to move conversations to."""
        from desktop_app.ui.sidebar.choice_palettes import ProjectChoice

        if conversations:
            has_project = any(self._listed.project_of(name) is not None for name in conversations)
            self._choose(
                ProjectChoice.MOVE,
                lambda project: self.move(conversations, project),
                lambda name: self._move_to_new(conversations, name),
                can_leave=has_project,
            )

    def choose_to_open(self) -> None:
        """Let the user choose a project to show in the list."""
        from desktop_app.ui.sidebar.choice_palettes import ProjectChoice

        self._choose(ProjectChoice.OPEN, self.go_to, self._make_named)

    def choose_to_begin(self) -> None:
        """Let the user choose a project for a new conversation."""
        from desktop_app.ui.sidebar.choice_palettes import ProjectChoice

        self._choose(ProjectChoice.BEGIN, self._chat.open_new, self._make_named)

    def go_to(self, project: str) -> None:
        """Show a project in the list, and open its page."""
        self._sidebar.show()
        self._list.show_project(project)
        self._chat.open_new(project)

    def _make_named(self, name: str) -> None:
        self._sheets.open(Project("", name))

    def _choose(
        self,
        choice: ProjectChoice,
        use: Callable[[str], object],
        make: Callable[[str], object],
        *,
        can_leave: bool = False,
    ) -> None:
        from desktop_app.ui.sidebar.choice_palettes import ProjectPalette

        infos = self._listed.conversations
        counted = [(project, sum(info.project == project.id for info in infos)) for project in self._listed.projects]
        palette = ProjectPalette(choice, counted, self._window, can_leave=can_leave)
        palette.project_chosen.connect(use)
        palette.project_named.connect(make)
        palette.finished.connect(palette.deleteLater)
        palette.open()

    def offer(self) -> None:
        """Open the menu of the open conversation's project, below its name."""
        known = self._listed.project(self._info.project) if self._info is not None else None
        if known is None or self._info is None:
            return
        button, conversation = self._header.project, self._info.id
        menu = QMenu(button)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        begin = tr("New conversation in {project}").format(project=known.name)
        menu.addAction(begin, lambda: self._chat.open_new(known.id))
        menu.addAction(tr("Show in the list"), lambda: self._list.show_project(known.id))
        menu.addAction(tr("Project settings…"), lambda: self.open_settings(known.id))
        menu.addAction(tr("Move to project…"), lambda: self.choose_for((conversation,)))
        menu.popup(button.mapToGlobal(QPoint(0, button.height() + 4)))


def _instructions_of(project: Project | None) -> str:
    return project.instructions if project is not None else ""
