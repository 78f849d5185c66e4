"""What is dropped onto the window or pasted into the draft: attached, or imported; files of other hosts are refused."""

from __future__ import annotations

import asyncio
import os

from PySide6.QtCore import QMimeData

from desktop_app.conversation.other_hosts import is_on_other_host
from desktop_app.ui.bridge import Bridge, in_task
from desktop_app.ui.composer.draft_field import given_files
from desktop_app.ui.parts import Parts
from desktop_app.ui.translation import tr

from .attach_controller import AttachController
from .controller import Controller
from .conversation_controller import ConversationController
from .import_controller import ImportController

ARCHIVES = (".zip", ".palimpsest")


class DropController(Controller):
    """Decides where files go. None of them is looked at in the window's thread: a disk may not answer."""

    def __init__(
        self,
        bridge: Bridge,
        parts: Parts,
        chat: ConversationController,
        attach: AttachController,
        importing: ImportController,
    ) -> None:
        super().__init__(bridge, parts, chat)
        self._attach, self._importing = attach, importing
        parts.composer.field.files_given.connect(lambda files: attach.attach_files(self._here(files)))
        importing.dropped.connect(self.import_files)

    def take(self, given: QMimeData, is_on_list: bool) -> None:
        """Import what is dropped on the list of conversations, and folders and archives anywhere; attach the rest."""
        files = given_files(given)
        if not files:
            self._attach.attach_image(given.imageData())
        elif is_on_list or self._importing.is_open:
            self.import_files(files)
        else:
            self._sort(self._here(files))

    def import_files(self, files: list[str]) -> None:
        """Look through files that were dropped where imports are."""
        if here := self._here(files):
            self._importing.open_with(tuple(here))

    @in_task
    async def _sort(self, files: list[str]) -> None:
        if await asyncio.to_thread(_is_for_import, files):
            self._importing.open_with(tuple(files))
        else:
            self._attach.attach_files(files)

    def _here(self, files: list[str]) -> list[str]:
        """Return the files that are not on another host, and say so of the others: Windows would send it the user's
        name and an answer that proves the password as soon as anybody looked."""
        here = [file for file in files if not is_on_other_host(file)]
        if len(here) < len(files):
            self._parts.toast.show_message(tr("It lies on another computer, and was not opened. Copy it to this one."))
        return here


def _is_for_import(paths: list[str]) -> bool:
    """Return whether any is a folder or an archive, which cannot be attached."""
    return any(path.endswith(ARCHIVES) or os.path.isdir(path) for path in paths)
