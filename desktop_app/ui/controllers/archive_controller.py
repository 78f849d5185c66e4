"""What is done when the archive cannot be opened: a backup is restored, or an empty one begun; then all starts anew."""

from __future__ import annotations

from desktop_app.conversation.events import Failure
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.data.archive_sheet import ArchiveSheet
from desktop_app.ui.parts import Parts
from desktop_app.ui.translation import tr

from .controller import Controller
from .conversation_controller import ConversationController


class ArchiveController(Controller):
    """Shows the sheet for an archive that cannot be opened, and carries out what is chosen there."""

    def __init__(self, bridge: Bridge, parts: Parts, chat: ConversationController) -> None:
        super().__init__(bridge, parts, chat)
        self.sheet: ArchiveSheet | None = None
        self._failure: Failure | None = None
        bridge.archive_refused.connect(self._offer)
        bridge.failed.connect(self._show_again)

    @in_task
    async def _offer(self, failure: Failure) -> None:
        self._failure = failure
        self._parts.failure.show_failure(failure)
        found = await self._bridge.ask(p.ListBackups())
        sheet = self.sheet = ArchiveSheet(failure, found.backups, self._parts)
        sheet.restore_requested.connect(lambda file: self._mend(p.RestoreBackup(file)))
        sheet.empty_requested.connect(lambda: self._mend(p.BeginEmpty()))
        sheet.again_requested.connect(self._start_again)
        sheet.finished.connect(self._show_card)
        sheet.open()

    def _show_card(self) -> None:
        """The card stays where the sheet was closed without a choice, and leads back to it."""
        sheet, self.sheet = self.sheet, None
        if sheet is not None:
            sheet.deleteLater()
        if (failure := self._failure) is not None:
            self._parts.failure.show_failure(failure, tr("Choose what to do…"), lambda: self._offer(failure))

    def _show_again(self, failure: Failure) -> None:
        """Lead back to the sheet from what could not be done without the archive."""
        if failure is self._failure and self.sheet is None:
            self._show_card()

    @in_task
    async def _mend(self, request: p.RestoreBackup | p.BeginEmpty) -> None:
        if self.sheet is None:
            return
        self.sheet.set_busy(True)
        try:
            await self._bridge.ask(request)
        except EngineFailure as error:
            if self.sheet is not None:
                self.sheet.set_busy(False)
                self.sheet.show_failure(error.failure)
            return
        await self._begin_anew()

    @in_task
    async def _start_again(self) -> None:
        await self._begin_anew()

    async def _begin_anew(self) -> None:
        self._failure = None
        self._parts.failure.clear()
        if self.sheet is not None:
            self.sheet.accept()
        self._chat.start_over()
        await self._bridge.restart_engine()
