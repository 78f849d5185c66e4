"""Controllers of imports and exports."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.conversation.events import ImportProgressed
from desktop_app.conversation.foreign import ImportOutcome
from desktop_app.conversation.message import MessageDraft
from desktop_app.conversation.words import translatable
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import ENGINE_DIED, Bridge, EngineFailure, in_task
from desktop_app.ui.composer.composer import Composer
from desktop_app.ui.controller import Controller, open_folder_of
from desktop_app.ui.header import Header
from desktop_app.ui.sidebar.conversation_model import ConversationModel
from desktop_app.ui.toast import Toast
from desktop_app.ui.transcript.conversation_controller import ConversationController
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.welcome import WelcomePage
from desktop_app.ui.widgets.file_dialog import FileDialog
from desktop_app.ui.widgets.number_formats import escape_name, format_bytes

if TYPE_CHECKING:
    from .export_sheet import ExportSheet
    from .import_sheet import ImportSheet


MANY = 5
"""Number of conversations from which the welcome page no longer offers histories; the import sheet still does."""


class ImportController(Controller):
    """Opens the import sheet, and carries out its requests.

    Signal: dropped(list of paths), for files dropped on the sheet.
    """

    dropped = Signal(list)

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        window: QWidget,
        welcome: WelcomePage,
        listed: ConversationModel,
        composer: Composer,
        toast: Toast,
    ) -> None:
        super().__init__(bridge, chat)
        self._window, self._toast = window, toast
        self._welcome, self._listed, self._composer = welcome, listed, composer
        self._sheet: ImportSheet | None = None
        self._paths: tuple[str, ...] = ()
        self._imported = 0  # conversations that the running import has stored
        self._is_broken_off = False  # whether the engine ended during an import
        bridge.listen(self._note, ImportProgressed)
        bridge.became_ready.connect(self._go_on)
        chat.opened.connect(self.note_opened)
        welcome.import_requested.connect(self.open)
        welcome.histories.chosen.connect(self.open_with)

    @in_task
    async def note_opened(self, opened: p.ConversationOpened) -> None:
        """Offer this computer's histories on the welcome page if there are few conversations."""
        if opened.conversation.messages:
            return
        if sum(info.messages > 0 for info in self._listed.conversations) >= MANY:
            self._welcome.show_histories(())
            return
        try:
            found = await self._bridge.ask(p.FindHistories())
        except EngineFailure:  # the engine ended, which is reported; its restart opens the conversation again
            return
        self._welcome.show_histories(found.histories)

    def open(self) -> None:
        """Open the import sheet."""
        from .import_sheet import ImportSheet

        if self._sheet is not None:
            return
        sheet = self._sheet = ImportSheet(self._window)
        sheet.files_requested.connect(lambda: self._ask_for(QFileDialog.FileMode.ExistingFiles))
        sheet.folder_requested.connect(lambda: self._ask_for(QFileDialog.FileMode.Directory))
        sheet.histories.chosen.connect(self.look_through)
        sheet.dropped.connect(self.dropped)
        sheet.import_requested.connect(self._import)
        sheet.rejected.connect(lambda: self.cancel(p.Computation.IMPORT, ""))
        sheet.finished.connect(self._forget_sheet)
        sheet.open()
        self._offer()

    @in_task
    async def _offer(self) -> None:
        """Offer other programs' histories on this computer, without reading them."""
        sheet = self._sheet
        found = await self._bridge.ask(p.FindHistories())
        if sheet is not None and sheet is self._sheet:
            sheet.show_offers(found)

    @property
    def is_open(self) -> bool:
        """Whether the import sheet is open."""
        return self._sheet is not None

    def open_with(self, paths: tuple[str, ...]) -> None:
        """Look through files dropped on the list or opened from outside, unless other files are being read."""
        self.open()
        if self._sheet is not None and self._sheet.is_reading:
            self._toast.show_message(tr("Another import is under way. Open the file again when it is done."))
        else:
            self.look_through(paths)

    @in_task
    async def look_through(self, paths: tuple[str, ...]) -> None:
        """Show the conversations that can be imported from these files, folders and zips."""
        await self._look_through(paths)

    async def _look_through(self, paths: tuple[str, ...]) -> None:
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
        chosen, self._imported = sheet.chosen(), 0
        sheet.show_importing()
        try:
            finished = await self._bridge.ask(p.ImportConversations(self._paths, chosen))
        except EngineFailure as error:
            if error.failure.kind == "cancelled":
                self._toast.show_message(" ".join((tr("Import cancelled."), self._how_far())))
                return
            if sheet is not self._sheet:
                raise
            self._is_broken_off = error.failure is ENGINE_DIED
            sheet.show_failure(error.failure, self._how_far())
            return
        if sheet is self._sheet:
            sheet.accept()
        if self._chat.conversation in chosen:
            self._chat.open(self._chat.conversation)  # since it may have new messages
        self._tell(finished.outcome)

    @in_task
    async def _go_on(self, _: p.Welcome) -> None:
        """Show the rest of an import that the end of the engine interrupted."""
        sheet, is_broken_off, self._is_broken_off = self._sheet, self._is_broken_off, False
        if sheet is None or not is_broken_off:
            return
        chosen = sheet.chosen()
        await self._look_through(self._paths)
        if sheet is self._sheet:
            sheet.show_rest(chosen, tr("The engine stopped during the import. What it had stored is marked below."))

    def _how_far(self) -> str:
        if not self._imported:
            return tr("Nothing was imported.")
        return tr("%n conversations were imported before. Importing again continues from there.", "", self._imported)

    def _tell(self, outcome: ImportOutcome) -> None:
        """Show the outcome of an import, and offer to open the newest conversation."""
        count, unread = outcome.conversations, len(outcome.unread)
        text = tr("%n conversations imported", "", count) if count else tr("There was nothing new to import.")
        if unread:
            text = " · ".join((text, tr("%n could not be read", "", unread)))
        show = tr("Show", "a conversation") if outcome.newest else ""
        self._toast.show_message(text, show, lambda: self._bridge.start(self._open_in_place(outcome.newest)))

    def import_files(self, files: list[str]) -> None:
        """Import these files, such as samples, without asking, and open the newest conversation."""
        self._bridge.start(self.import_and_open(files))

    async def import_and_open(self, files: list[str]) -> None:
        paths, names = tuple(files), ", ".join(escape_name(Path(file).name) for file in files)
        self._toast.show_message(tr("Importing {file}…").format(file=names), stays=True)
        try:
            looked = await self._bridge.ask(p.LookThrough(paths))
            for each in looked.unread:
                self._toast.show_message(f"{escape_name(each.file)}: {tr_engine(each.reason)}")
            if not looked.found:
                return
            chosen = frozenset(found.id for found in looked.found)
            outcome = (await self._bridge.ask(p.ImportConversations(paths, chosen))).outcome
        finally:
            self._toast.end_stay()
        await self._open_in_place(outcome.newest)
        self._tell(outcome)

    async def _open_in_place(self, conversation: str) -> None:
        """Open a conversation, and delete the one that was open before if it is empty and unused."""
        before = self._chat.conversation
        info = self._listed.info_of(before)
        is_used = info is None or info.messages or info.folder or info.policy
        self._chat.open(conversation)
        if not is_used and before != conversation and self._composer.draft() == MessageDraft():
            await self._bridge.ask(p.Delete((before,)))

    def _ask_for(self, mode: QFileDialog.FileMode) -> None:
        """Let the user choose files or a folder."""
        dialog = FileDialog(self._window, tr("What to import"), str(Path.home()))
        dialog.setFileMode(mode)
        if mode is QFileDialog.FileMode.Directory:
            dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.filesSelected.connect(lambda chosen: self.look_through(tuple(chosen)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _note(self, event: ImportProgressed) -> None:
        self._imported = event.imported
        if self._sheet is not None:
            self._sheet.set_progress(event)

    def _forget_sheet(self) -> None:
        if self._sheet is not None:
            self._sheet.deleteLater()
        self._sheet = None


FILTERS = {"markdown": "Markdown (*.md)", "html": "HTML (*.html)", "json": "JSON Lines (*.jsonl)"}
PART_FROM = translatable("From the chosen message on")
PART_TO = translatable("Up to the chosen message")
FORBIDDEN = '<>:"/\\|?*'  # in file names on some systems
SUFFIXES = {"markdown": "md", "html": "html", "json": "jsonl"}


class ExportController(Controller):
    """Exports the open conversation to a file that the user chooses."""

    def __init__(
        self, bridge: Bridge, chat: ConversationController, window: QWidget, header: Header, toast: Toast
    ) -> None:
        super().__init__(bridge, chat)
        self._window, self._header, self._toast = window, header, toast
        self._sheet: ExportSheet | None = None
        self._conversation = self._path = self._first = self._last = ""

    @in_task
    async def open(self, first: str = "", last: str = "") -> None:
        """Open the export sheet, which stays until the file is written.

        first, last: ids of the messages at which the export begins and ends; "" for all.
        """
        from .export_sheet import ExportSheet

        if self._sheet is not None or not self._chat.conversation:
            return
        self._conversation, self._first, self._last = self._chat.conversation, first, last
        sheet = self._sheet = ExportSheet(self._window, PART_FROM if first else PART_TO if last else "")
        sheet.file_requested.connect(self._choose_file)
        sheet.replace_requested.connect(lambda: self.export(self._path, is_replacing=True))
        sheet.rejected.connect(lambda: self.cancel(p.Computation.EXPORT, self._conversation))
        sheet.finished.connect(self._forget_sheet)
        await sheet.open_gradually()

    def _choose_file(self) -> None:
        if self._sheet is None:
            return
        kind = self._sheet.format.value()
        dialog = FileDialog(self._window, tr("Export the conversation"), str(Path.home()))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)  # the engine refuses, and the sheet asks
        dialog.setNameFilters([FILTERS[kind], tr("All files (*)")])
        dialog.setDefaultSuffix(SUFFIXES[kind])
        dialog.selectFile(f"{file_name_of(self._header.title)}.{SUFFIXES[kind]}")
        dialog.fileSelected.connect(self.export)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @in_task
    async def export(self, path: str, is_replacing: bool = False) -> None:
        """Write the file with the options chosen in the sheet."""
        sheet, self._path = self._sheet, path
        if sheet is None:
            return
        format, scope = sheet.format.value(), sheet.scope.value()
        request = p.ExportConversation(self._conversation, path, format, scope, is_replacing, self._first, self._last)
        try:
            exported = await self._bridge.ask(request)
        except EngineFailure as error:
            if sheet is not self._sheet:
                raise
            sheet.show_failure(error.failure)
            return
        if sheet is self._sheet:
            sheet.accept()
        file = Path(exported.path)
        text = tr("Exported to {file}, {size}").format(file=file.name, size=format_bytes(exported.bytes))
        self._toast.show_message(text, tr("Open folder"), partial(open_folder_of, file))

    def _forget_sheet(self) -> None:
        if self._sheet is not None:
            self._sheet.deleteLater()
        self._sheet = None


def file_name_of(title: str) -> str:
    """Return a title as a file name that is valid on every system."""
    kept = "".join(" " if letter in FORBIDDEN or not letter.isprintable() else letter for letter in title)
    return " ".join(kept.split())[:80].strip(" .…") or tr("Conversation")
