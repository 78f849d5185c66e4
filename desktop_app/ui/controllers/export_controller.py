"""The controller of exports: what, how, where to, and what the disk said."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from desktop_app.conversation.words import translatable
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.parts import Parts
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.file_dialog import FileDialog
from desktop_app.ui.widgets.formats import format_bytes

from .controller import Controller, open_folder_of
from .conversation_controller import ConversationController

if TYPE_CHECKING:
    from desktop_app.ui.export_sheet import ExportSheet

FILTERS = {"markdown": "Markdown (*.md)", "html": "HTML (*.html)", "json": "JSON Lines (*.jsonl)"}
PART_FROM = translatable("From the chosen message on")
PART_TO = translatable("Up to the chosen message")
FORBIDDEN = '<>:"/\\|?*'  # in names of files, on one system or another
SUFFIXES = {"markdown": "md", "html": "html", "json": "jsonl"}


class ExportController(Controller):
    """Writes the open conversation to a file of the user's choice."""

    def __init__(self, bridge: Bridge, parts: Parts, chat: ConversationController) -> None:
        super().__init__(bridge, parts, chat)
        self._sheet: ExportSheet | None = None
        self._conversation = self._path = self._first = self._last = ""

    @in_task
    async def open(self, first: str = "", last: str = "") -> None:
        """Ask what to export; the sheet stays until it is written. first, last: ids of messages at which it begins or
        ends."""
        from desktop_app.ui.export_sheet import ExportSheet

        if self._sheet is not None or not self._chat.conversation:
            return
        self._conversation, self._first, self._last = self._chat.conversation, first, last
        sheet = self._sheet = ExportSheet(self._parts, PART_FROM if first else PART_TO if last else "")
        sheet.file_requested.connect(self._choose_file)
        sheet.replace_requested.connect(lambda: self.export(self._path, is_replacing=True))
        sheet.rejected.connect(lambda: self.cancel(p.Computation.EXPORT, self._conversation))
        sheet.finished.connect(self._forget_sheet)
        await sheet.open_gradually()

    def _choose_file(self) -> None:
        if self._sheet is None:
            return
        kind = self._sheet.format.value()
        dialog = FileDialog(self._parts, tr("Export the conversation"), str(Path.home()))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)  # the engine refuses, and the sheet asks
        dialog.setNameFilters([FILTERS[kind], tr("All files (*)")])
        dialog.setDefaultSuffix(SUFFIXES[kind])
        dialog.selectFile(f"{file_name_of(self._parts.header.title)}.{SUFFIXES[kind]}")
        dialog.fileSelected.connect(self.export)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @in_task
    async def export(self, path: str, is_replacing: bool = False) -> None:
        """Write it there, as the sheet says."""
        sheet, self._path = self._sheet, path
        if sheet is None:
            return
        how = sheet.format.value(), sheet.scope.value(), is_replacing, self._first, self._last
        wanted = p.ExportConversation(self._conversation, path, *how)
        try:
            exported = await self._bridge.ask(wanted)
        except EngineFailure as error:
            if sheet is not self._sheet:
                raise
            sheet.show_failure(error.failure)
            return
        if sheet is self._sheet:
            sheet.accept()
        file = Path(exported.path)
        text = tr("Exported to {file}, {size}").format(file=file.name, size=format_bytes(exported.bytes))
        self._parts.toast.show_message(text, tr("Open folder"), partial(open_folder_of, file))

    def _forget_sheet(self) -> None:
        if self._sheet is not None:
            self._sheet.deleteLater()
        self._sheet = None


def file_name_of(title: str) -> str:
    """Return a title as a file name that is valid on every system."""
    kept = "".join(" " if letter in FORBIDDEN or not letter.isprintable() else letter for letter in title)
    return " ".join(kept.split())[:80].strip(" .…") or tr("Conversation")
