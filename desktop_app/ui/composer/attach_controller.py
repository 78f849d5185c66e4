"""Controllers for attachments and for files that are dropped onto the window."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMimeData
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.conversation.message import Attachment
from desktop_app.conversation.tools import is_on_other_host
from desktop_app.conversation.words import translatable
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.controller import Controller
from desktop_app.ui.importing.import_controller import ImportController
from desktop_app.ui.toast import Toast
from desktop_app.ui.transcript.conversation_controller import ConversationController
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.file_dialog import FileDialog

from .composer import Composer
from .draft_field import DraftField, given_files

MAX_FILES = 20  # attachments of one draft
TOO_MANY = translatable("A message takes {limit} attachments; the others were not attached")
AttachRequest = p.AttachFile | p.AttachImage
PASTED = "Pasted image.png"


class AttachController(Controller):
    """Lets the engine read attachments, and shows them as chips in the composer."""

    def __init__(
        self, bridge: Bridge, chat: ConversationController, window: QWidget, composer: Composer, toast: Toast
    ) -> None:
        super().__init__(bridge, chat)
        self._window, self._composer, self._toast = window, composer, toast
        self._folder = ""
        composer.attach_requested.connect(self.choose_files)
        composer.command_requested.connect(self.run)
        composer.field.image_given.connect(self.attach_image)
        composer.paths.query_changed.connect(self.complete)
        composer.paths.path_chosen.connect(self.attach_path)
        composer.attachments.removed.connect(self.stop)

    def choose_files(self) -> None:
        dialog = FileDialog(self._window, tr("Attach files"), str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self.attach_files)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def attach_files(self, files: list[str]) -> None:
        """Attach files by their paths."""
        free = max(MAX_FILES - len(self._composer.attachments.chips), 0)
        if len(files) > free:
            self._toast.show_message(tr(TOO_MANY).format(limit=MAX_FILES))
        for file in files[:free]:
            self._attach(Path(file).name, p.AttachFile(file))
        self._composer.take_focus()

    @in_task
    async def complete(self, query: str) -> None:
        """Offer files of the working folder that match the query."""
        if self._chat.conversation:
            found = await self._bridge.ask(p.CompletePath(self._chat.conversation, query))
            self._folder = found.folder
            self._composer.paths.offer(query, found.paths)

    def attach_path(self, path: str) -> None:
        """Attach a file by its path in the working folder."""
        self._attach(path, p.AttachFile(str(Path(self._folder, path)), path))

    def run(self, command: str) -> None:
        """Run a command, and attach its output."""
        conversation = self._chat.conversation
        if conversation:
            self._attach(f"$ {command}", lambda key: p.RunCommand(conversation, command, key))

    @in_task
    async def attach_image(self, image: QImage) -> None:
        """Attach an image that was pasted or dropped."""
        content = await asyncio.to_thread(_png_of, image)
        self._attach(PASTED, p.AttachImage(PASTED, content))

    @in_task
    async def _attach(self, name: str, request: AttachRequest | Callable[[str], p.RunCommand]) -> None:
        conversation, number = self._chat.conversation, self._composer.attachments.begin(name)
        attachments: tuple[Attachment, ...] = ()
        try:
            read = await self._bridge.ask(request(str(number)) if callable(request) else request)
            attachments = (read.attachment, *read.pages)
        except EngineFailure as error:
            if error.failure.kind != "cancelled":  # the bridge reports others
                raise
        finally:
            self._chat.drafts.attach(conversation, number, attachments)

    @in_task
    async def stop(self, number: int) -> None:
        """Stop the command whose chip was removed, if it is still running."""
        await self._bridge.ask(p.StopCommand(str(number)))


def _png_of(image: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


ARCHIVES = (".zip", ".palimpsest")


class DropController(Controller):
    """Decides whether files are imported or attached. The window's thread never accesses them, as a disk may hang."""

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        attach: AttachController,
        importing: ImportController,
        field: DraftField,
        toast: Toast,
    ) -> None:
        super().__init__(bridge, chat)
        self._attach, self._importing, self._toast = attach, importing, toast
        field.files_given.connect(lambda files: attach.attach_files(self._here(files)))
        importing.dropped.connect(self.import_files)

    def take(self, data: QMimeData, is_on_list: bool) -> None:
        """Import files dropped on the list of conversations, and folders and archives in any case; attach others."""
        files = given_files(data)
        if not files:
            self._attach.attach_image(data.imageData())
        elif is_on_list or self._importing.is_open:
            self.import_files(files)
        else:
            self._sort(self._here(files))

    def import_files(self, files: list[str]) -> None:
        """Open files for import, unless they are on another host."""
        if here := self._here(files):
            self._importing.open_with(tuple(here))

    @in_task
    async def _sort(self, files: list[str]) -> None:
        if await asyncio.to_thread(_is_for_import, files):
            self._importing.open_with(tuple(files))
        else:
            self._attach.attach_files(files)

    def _here(self, files: list[str]) -> list[str]:
        """Return the files that are not on another host, and report the others.

        On any access to those Windows would send that host the user's name and a proof of the password.
        """
        here = [file for file in files if not is_on_other_host(file)]
        if len(here) < len(files):
            self._toast.show_message(tr("It lies on another computer, and was not opened. Copy it to this one."))
        return here


def _is_for_import(paths: list[str]) -> bool:
    """Return whether any path is a folder or an archive, which cannot be attached."""
    return any(path.endswith(ARCHIVES) or os.path.isdir(path) for path in paths)
