"""The controller of the sheet of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import Signal

from desktop_app.conversation.memory import Memory
from desktop_app.conversation.setup import Project
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.engine_texts import join_sentences
from desktop_app.ui.parts import Parts
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.formats import first_line

from .controller import Controller
from .conversation_controller import ConversationController

if TYPE_CHECKING:
    from desktop_app.ui.projects.project_sheet import ProjectSheet


class ProjectSheetController(Controller):
    """Opens the sheet, and stores what is written in it. Signals: saved(ProjectsListed, is_new);
    delete_requested(id); memories_changed."""

    saved = Signal(object, bool)
    delete_requested = Signal(str)
    memories_changed = Signal()

    def __init__(self, bridge: Bridge, parts: Parts, chat: ConversationController) -> None:
        super().__init__(bridge, parts, chat)
        self._sheet: ProjectSheet | None = None

    @in_task
    async def open(self, project: Project) -> None:
        """Open the sheet of a project; of a new one, if its id is ""."""
        from desktop_app.ui.projects.project_sheet import ProjectSheet
        from desktop_app.ui.settings.sections import policies_offered
        from desktop_app.ui.settings.summary_choice import model_choices

        settings = (await self._bridge.ask(p.ReadSettings())).settings
        models = (await self._bridge.ask(p.ListModels())).models
        if self._sheet is not None:
            return
        policies = [(text, name) for name, text in policies_offered(settings)]
        others = [one for one in self._parts.sidebar.list.conversations.projects if one.id != project.id]
        sheet = self._sheet = ProjectSheet(project, others, model_choices(models), policies, self._parts)
        sheet.save_requested.connect(lambda written: self._save(sheet, written))
        sheet.count_requested.connect(lambda text: self._count(sheet, text))
        sheet.delete_requested.connect(lambda: self.delete_requested.emit(project.id))
        sheet.memories.requests.write_requested.connect(lambda memory: self._write(sheet, memory))
        sheet.memories.requests.delete_requested.connect(lambda memory: self._delete_memory(sheet, memory))
        sheet.memories.requests.conversation_requested.connect(lambda name: self._leave_for(sheet, name))
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
        """Count the tokens of the instructions, as the model of the open conversation counts."""
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
        """Delete a memory; the toast offers to bring it back."""
        await self._show_memories(sheet, p.WriteMemory(replace(memory, is_deleted=True), self._chat.conversation))
        self.memories_changed.emit()
        words = tr("“{memory}” forgotten").format(memory=first_line(memory.text, 60))
        back = replace(memory, is_deleted=False)
        self._parts.toast.show_message(words, tr("Undo"), lambda: self._write(sheet, back))

    async def _show_memories(self, sheet: ProjectSheet, request: p.ListMemories | p.WriteMemory) -> None:
        known = await self._bridge.ask(request)
        titles = {info.id: info.title for info in self._parts.sidebar.list.conversations.conversations}
        if sheet is self._sheet:
            sheet.memories.show_memories(known.memories, titles)

    def _leave_for(self, sheet: ProjectSheet, conversation: str) -> None:
        sheet.leave(lambda: self._chat.open(conversation))

    def _forget_sheet(self) -> None:
        if self._sheet is not None:
            self._sheet.deleteLater()
        self._sheet = None
