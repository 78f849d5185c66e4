"""The controller of stored data in the settings: measures, backs up, restores, exports and cleans up."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from time import localtime, strftime
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.conversation.events import DataProgressed, Failure
from desktop_app.conversation.words import translatable
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.controller import Controller
from desktop_app.ui.importing.import_controller import ImportController
from desktop_app.ui.toast import Toast
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
    """Handles the requests of the data section. Closing the settings cancels a running task if it can be cancelled."""

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        settings: SettingsController,
        importing: ImportController,
        window: QWidget,
        toast: Toast,
    ) -> None:
        super().__init__(bridge, chat)
        self._window, self._toast = window, toast
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
        self._toast.show_message(tr("Backing up…"), stays=True)
        try:
            backup = await self._bridge.ask(p.BackUpNow())
        except EngineFailure:
            self._toast.hide()
            raise
        self._toast.show_message(_backup_outcome(backup))

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
        if section.isVisible():  # its request was before this connection
            self._refresh()

    def _forget(self) -> None:
        section, self._section = self._section, None
        if section is not None and any(task.is_working for task in section.tasks):
            self.cancel(p.Computation.DATA, "")

    @in_task
    async def _refresh(self) -> None:
        await self._show_content()

    async def _show_content(self) -> None:
        """Show the current content, in two requests, since the one for backups is quick."""
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
        outcome: Callable[[R], str],
        then: Callable[[R], Coroutine[Any, Any, None]] | None = None,
    ) -> Failure | None:
        """Send the request, call `then` with the response, and show progress and outcome. Return the failure, if any.

        outcome: returns the text for a response. Once the settings are closed, it is shown in a toast.
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
            await self._show_backups()  # before the outcome, which may announce a new one
            words = outcome(done)
        except EngineFailure as error:
            failure = error.failure
            if section is not self._section:
                raise
        if section is not self._section:
            self._toast.show_message(words)
            return failure
        section.set_busy(False)
        if failure is None:
            task.end(words)
        elif failure.kind == "exists":
            return failure  # the caller asks whether to replace the file
        elif failure.kind == "cancelled":
            task.end(tr(STOPPED))
        else:
            task.fail(failure)
        await (self._show_stored() if failure is None else self._show_content())
        return failure

    @in_task
    async def _back_up_there(self) -> None:
        if self._section is not None:
            await self._work(self._section.backups.task, tr("Backing up…"), p.BackUpNow(), _backup_outcome)

    @in_task
    async def _restore(self, file: str) -> None:
        """Restore a backup, then restart the engine and reset the window."""
        if self._section is None:
            return
        self._chat.drafts.keep()  # so that they are in the copy of the present state
        task = self._section.backups.task
        await self._work(task, tr("Restoring…"), p.RestoreBackup(file), lambda _: tr(RESTORED), self._restart)

    async def _restart(self, restored: p.BackupRestored) -> None:
        """Start another engine, since this one has closed the archive. Raises EngineFailure if the restore failed."""
        self._chat.start_over()
        await self._bridge.restart_engine()
        if restored.failure is not None:
            raise EngineFailure(restored.failure)

    @in_task
    async def _clean_up(self, keys: tuple[str, ...]) -> None:
        if self._section is not None:
            await self._work(self._section.space.task, tr("Removing…"), p.CleanUp(keys), _removal_outcome)

    # Everything as a file

    def _choose_export(self) -> None:
        dialog = FileDialog(self._window, tr("Export everything"), str(Path.home()))
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
        """Write everything to that file; ask before replacing an existing one."""
        if self._section is None:
            return
        task = self._section.whole
        failure = await self._work(task, tr("Exporting…"), p.ExportWhole(path, is_replacing), _export_outcome)
        if failure is not None and failure.kind == "exists" and self._section is not None:
            question = tr("A file {name} already exists. Replace it?").format(name=escape_name(Path(path).name))
            task.ask(question, tr("Replace it"), lambda: self.export(path, is_replacing=True))

    def _import(self) -> None:
        """Open the sheet that imports our own files and other programs' files."""
        self._settings.close_dialog()
        self._importing.open()

    def _open_folder(self) -> None:
        if self._section is not None and self._section.stored is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(self._section.stored.folder))

    def _note(self, event: DataProgressed) -> None:
        if event.work == "data" and self._section is not None:
            self._section.set_progress(event.done, event.total)


def _backup_outcome(done: p.BackedUp) -> str:
    text = tr("Backed up and checked: %n conversations, {size}.", "", done.backup.conversations)
    return text.format(size=format_bytes(done.backup.size))


def _export_outcome(done: p.WholeExported) -> str:
    text = tr("Exported to {file}: %n conversations, {size}.", "", done.archive.conversations)
    text = text.format(file=Path(done.archive.file).name, size=format_bytes(done.bytes))
    if done.archive.unreadable:
        text += " " + tr("%n damaged entries are missing in it.", "", done.archive.unreadable)
    return text


def _removal_outcome(done: p.CleanedUp) -> str:
    lines = [tr("%n items removed, {size} freed.", "", done.removed).format(size=format_bytes(done.freed))]
    lines += [join_sentences(problem.title, problem.detail, problem.kept, problem.advice) for problem in done.problems]
    return "\n".join(lines)
