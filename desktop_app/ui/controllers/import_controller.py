"""Importing conversations of other programs: what to look through, what of it, and what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from desktop_app.conversation.events import ImportProgressed, TurnEvent
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.parts import Parts
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.file_dialog import FileDialog

from .controller import Controller
from .conversation_controller import ConversationController

if TYPE_CHECKING:
    from desktop_app.ui.importing.import_sheet import ImportSheet


class ImportController(Controller):
    """Opens the sheet, and carries out what is chosen in it."""

    def __init__(self, bridge: Bridge, parts: Parts, chat: ConversationController) -> None:
        super().__init__(bridge, parts, chat)
        self._sheet: ImportSheet | None = None
        self._paths: tuple[str, ...] = ()
        bridge.happened.connect(self._note)
        parts.sidebar.import_requested.connect(self.open)
        parts.chat_pane.welcome.import_requested.connect(self.open)

    def open(self) -> None:
        """Ask what to look through."""
        from desktop_app.ui.importing.import_sheet import ImportSheet

        if self._sheet is not None:
            return
        sheet = self._sheet = ImportSheet(self._parts)
        sheet.files_requested.connect(lambda: self._ask_for(QFileDialog.FileMode.ExistingFiles))
        sheet.folder_requested.connect(lambda: self._ask_for(QFileDialog.FileMode.Directory))
        sheet.paths_given.connect(self.look_through)
        sheet.import_requested.connect(self._import)
        sheet.rejected.connect(lambda: self.cancel(p.Computation.IMPORT, ""))
        sheet.finished.connect(self._forget_sheet)
        sheet.open()

    def open_with(self, paths: tuple[str, ...]) -> None:
        """Look through these, which were dropped on the list."""
        if self._sheet is None:
            self.open()
            self.look_through(paths)

    @in_task
    async def look_through(self, paths: tuple[str, ...]) -> None:
        """Show what can be imported from these files, folders and zips."""
        sheet, self._paths = self._sheet, paths
        if sheet is None:
            return
        sheet.show_looking(paths)
        try:
            looked = await self._bridge.ask(p.LookThrough(paths))
        except EngineFailure as error:
            if sheet is not self._sheet:
                raise
            sheet.show_failure(error.failure)
            return
        if sheet is self._sheet:
            sheet.show_found(looked)

    @in_task
    async def _import(self) -> None:
        sheet = self._sheet
        if sheet is None:
            return
        chosen = sheet.chosen()
        sheet.show_importing()
        try:
            finished = await self._bridge.ask(p.ImportConversations(self._paths, chosen))
        except EngineFailure as error:
            if error.failure.kind == "cancelled":
                self._parts.toast.show_message(tr("Import cancelled. What was imported before stays."))
                return
            if sheet is not self._sheet:
                raise
            sheet.show_failure(error.failure)
            return
        if sheet is self._sheet:
            sheet.accept()
        if self._chat.conversation in chosen:
            self._chat.open(self._chat.conversation)  # which may have become longer
        self._tell(finished)

    def _tell(self, finished: p.ImportFinished) -> None:
        """Say what came of it, and offer to open the conversation that was said last."""
        count, unread = finished.conversations, len(finished.unread)
        told = tr("%n conversations imported", "", count) if count else tr("There was nothing new to import.")
        if unread:
            told = " · ".join((told, tr("%n could not be read", "", unread)))
        show = tr("Show", "a conversation") if finished.newest else ""
        self._parts.toast.show_message(told, show, lambda: self._chat.open(finished.newest))

    def _ask_for(self, mode: QFileDialog.FileMode) -> None:
        """Let the user choose files, or a folder."""
        dialog = FileDialog(self._parts, tr("What to import"), str(Path.home()))
        dialog.setFileMode(mode)
        if mode is QFileDialog.FileMode.Directory:
            dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.filesSelected.connect(lambda chosen: self.look_through(tuple(chosen)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _note(self, event: TurnEvent) -> None:
        if isinstance(event, ImportProgressed) and self._sheet is not None:
            self._sheet.set_progress(event.bytes_read, event.bytes)

    def _forget_sheet(self) -> None:
        if self._sheet is not None:
            self._sheet.deleteLater()
        self._sheet = None
