"""What is stored: measured, backed up, restored, written to a file, and cleaned up, in the section of the settings."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from time import localtime, strftime
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from desktop_app.conversation.events import DataProgressed, Failure
from desktop_app.conversation.words import translatable
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.controller import Controller
from desktop_app.ui.importing.import_controller import ImportController
from desktop_app.ui.parts import Parts
from desktop_app.ui.transcript.conversation_controller import ConversationController
from desktop_app.ui.translation import join_sentences, tr
from desktop_app.ui.widgets.file_dialog import FileDialog
from desktop_app.ui.widgets.number_formats import escape_name, format_bytes

from .settings_controller import SettingsController

if TYPE_CHECKING:
    from .backup_part import TaskBlock
    from .data_section import DataSection
    from .settings_dialog import SettingsDialog


R = TypeVar("R", bound=p.EngineResponse)
ZIP = "Zip (*.zip)"
RESTORED = translatable("Restored. What was there before is kept as a copy, which is in the list.")
STOPPED = translatable("Stopped. What was removed before stays removed; nothing else was changed.")


class DataController(Controller):
    """Carries out what the section asks for. What has begun goes on when the settings are closed, but for what can be
    cancelled."""

    def __init__(
        self,
        bridge: Bridge,
        parts: Parts,
        chat: ConversationController,
        settings: SettingsController,
        importing: ImportController,
    ) -> None:
        super().__init__(bridge, parts, chat)
        self._settings, self._importing = settings, importing
        self._section: DataSection | None = None
        bridge.listen(self._note, DataProgressed)
        settings.dialog_opened.connect(self._use)

    def open(self) -> None:
        """Show the section."""
        self._settings.open("data")

    @in_task
    async def back_up(self) -> None:
        """Make a backup, from anywhere in the window."""
        self._parts.toast.show_message(tr("Backing up…"), stays=True)
        try:
            made = await self._bridge.ask(p.BackUpNow())
        except EngineFailure:
            self._parts.toast.hide()
            raise
        self._parts.toast.show_message(_told_of_backup(made))

    def _use(self, dialog: SettingsDialog) -> None:
        section = self._section = dialog.data
        section.content_requested.connect(self._refresh)
        section.folder_requested.connect(self._open_folder)
        section.backups.backup_requested.connect(self._back_up_there)
        section.backups.restore_requested.connect(self._restore)
        section.export_requested.connect(self._choose_export)
        section.import_requested.connect(self._import)
        section.space.removal_requested.connect(self._clean_up)
        section.cancel_requested.connect(lambda: self.cancel(p.Computation.DATA, ""))
        dialog.finished.connect(self._forget)
        if section.isVisible():  # it has asked already
            self._refresh()

    def _forget(self) -> None:
        section, self._section = self._section, None
        if section is not None and any(task.is_working for task in section.tasks):
            self.cancel(p.Computation.DATA, "")

    @in_task
    async def _refresh(self) -> None:
        await self._show_content()

    async def _show_content(self) -> None:
        """Show what there is now; two answers, since the smaller one is quick."""
        await self._show_backups()
        await self._show_stored()

    async def _show_stored(self) -> None:
        if (section := self._section) is None:
            return
        described = await self._bridge.ask(p.DescribeData())
        if section is self._section:
            section.show_stored(described.stored)

    async def _show_backups(self) -> None:
        if (section := self._section) is None:
            return
        backups = await self._bridge.ask(p.ListBackups())
        if section is self._section:
            section.backups.show_backups(backups.backups)

    async def _work(
        self,
        task: TaskBlock,
        doing: str,
        request: p.EngineRequest[R],
        told: Callable[[R], str],
        then: Callable[[R], Coroutine[Any, Any, None]] | None = None,
    ) -> Failure | None:
        """Ask for that, and show how far it is and what came of it; `then` is done before. Return why it failed.

        Once the settings are closed a toast says it.
        """
        if (section := self._section) is None:
            return None
        section.set_busy(True)
        task.begin(doing)
        failure, words = None, ""
        try:
            done = await self._bridge.ask(request)
            if then is not None:
                await then(done)
            await self._show_backups()  # before it is said that one is there
            words = told(done)
        except EngineFailure as error:
            failure = error.failure
            if section is not self._section:
                raise
        if section is not self._section:
            self._parts.toast.show_message(words)
            return failure
        section.set_busy(False)
        if failure is None:
            task.end(words)
        elif failure.kind == "exists":
            return failure  # which is a question
        elif failure.kind == "cancelled":
            task.end(tr(STOPPED))
        else:
            task.fail(failure)
        await (self._show_stored() if failure is None else self._show_content())
        return failure

    @in_task
    async def _back_up_there(self) -> None:
        if self._section is not None:
            await self._work(self._section.backups.task, tr("Backing up…"), p.BackUpNow(), _told_of_backup)

    @in_task
    async def _restore(self, file: str) -> None:
        """Restore a backup; then the engine and the window begin anew with it."""
        if self._section is None:
            return
        self._chat.drafts.keep()  # in what is kept as a copy
        task = self._section.backups.task
        await self._work(task, tr("Restoring…"), p.RestoreBackup(file), lambda _: tr(RESTORED), self._begin_anew)

    async def _begin_anew(self, restored: p.BackupRestored) -> None:
        """Start another engine, since this one has let go of the archive. Raises EngineFailure if that failed."""
        self._chat.start_over()
        await self._bridge.restart_engine()
        if restored.failure is not None:
            raise EngineFailure(restored.failure)

    @in_task
    async def _clean_up(self, keys: tuple[str, ...]) -> None:
        if self._section is not None:
            await self._work(self._section.space.task, tr("Removing…"), p.CleanUp(keys), _told_of_removal)

    # Everything as a file

    def _choose_export(self) -> None:
        dialog = FileDialog(self._parts, tr("Export everything"), str(Path.home()))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)  # the engine refuses, and the section asks
        dialog.setNameFilters([ZIP, tr("All files (*)")])
        dialog.setDefaultSuffix("zip")
        dialog.selectFile(strftime("palimpsest-%Y-%m-%d.zip", localtime()))
        dialog.fileSelected.connect(self.export)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @in_task
    async def export(self, path: str, is_replacing: bool = False) -> None:
        """Write everything to that file; ask before another one is replaced."""
        if self._section is None:
            return
        task = self._section.whole
        failure = await self._work(task, tr("Exporting…"), p.ExportWhole(path, is_replacing), _told_of_export)
        if failure is not None and failure.kind == "exists" and self._section is not None:
            question = tr("There is a file {name} already. Replace it?").format(name=escape_name(Path(path).name))
            task.ask(question, tr("Replace it"), lambda: self.export(path, is_replacing=True))

    def _import(self) -> None:
        """Import a file of ours, or what other programs have written, in the sheet for both."""
        self._settings.close_dialog()
        self._importing.open()

    def _open_folder(self) -> None:
        if self._section is not None and self._section.stored is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(self._section.stored.folder))

    def _note(self, event: DataProgressed) -> None:
        if event.work == "data" and self._section is not None:
            self._section.set_progress(event.done, event.total)


def _told_of_backup(done: p.BackedUp) -> str:
    told = tr("Backed up and checked: %n conversations, {size}.", "", done.backup.conversations)
    return told.format(size=format_bytes(done.backup.size))


def _told_of_export(done: p.WholeExported) -> str:
    told = tr("Exported to {file}: %n conversations, {size}.", "", done.conversations)
    told = told.format(file=Path(done.file).name, size=format_bytes(done.bytes))
    if done.unreadable:
        told += " " + tr("%n damaged entries are missing in it.", "", done.unreadable)
    return told


def _told_of_removal(done: p.CleanedUp) -> str:
    told = [tr("%n items removed, {size} freed.", "", done.removed).format(size=format_bytes(done.freed))]
    told += [join_sentences(problem.title, problem.detail, problem.kept, problem.advice) for problem in done.problems]
    return "\n".join(told)
