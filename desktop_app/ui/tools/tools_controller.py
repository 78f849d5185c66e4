"""The controller of tools: the working folder, switching tools on and off, and full outputs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget
from shiboken6 import isValid

from desktop_app.conversation.events import ToolServersChanged
from desktop_app.conversation.setup import NO_FOLDER, working_folder
from desktop_app.conversation.words import translatable
from desktop_app.engine import protocol as p
from desktop_app.settings import Settings
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.composer.composer import Composer
from desktop_app.ui.controller import Controller
from desktop_app.ui.header import Header
from desktop_app.ui.settings.settings_controller import SettingsController
from desktop_app.ui.sidebar.conversation_model import ConversationModel
from desktop_app.ui.toast import Toast
from desktop_app.ui.transcript.conversation_controller import ConversationController
from desktop_app.ui.transcript.transcript_widget import TranscriptWidget
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.widgets.file_dialog import ask_for_folder

if TYPE_CHECKING:
    from .tools_sheet import SpillViewer, ToolsSheet


NO_SUCH_FOLDER = translatable("{folder} is not on this computer: tools cannot work there")


class ToolsController(Controller):
    """Shows and changes the tools and the working folder of the open conversation."""

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        settings: SettingsController,
        window: QWidget,
        header: Header,
        composer: Composer,
        transcript: TranscriptWidget,
        listed: ConversationModel,
        toast: Toast,
    ) -> None:
        super().__init__(bridge, chat)
        self._window, self._header, self._composer = window, header, composer
        self._listed, self._toast = listed, toast
        self._settings = settings
        self._sheet: ToolsSheet | None = None
        self._folder = ""
        self._can_call = True
        self._failing: tuple[str, ...] = ()
        bridge.listen(self._note_failing, ToolServersChanged)
        chat.opened.connect(self.note_opened)
        header.folder_requested.connect(self.offer_folder)
        composer.tools_requested.connect(self.open)
        transcript.whole_requested.connect(self.open_whole)
        transcript.attachment_requested.connect(self.open_attachment)
        transcript.stop_requested.connect(partial(self.post, p.StopTool))

    def note_opened(self, opened: p.ConversationOpened) -> None:
        self._folder, self._can_call = opened.conversation.folder, opened.model.supports_tools
        self._composer.show_tools(self._can_call, self._failing)
        if opened.is_folder_missing:
            message = tr(NO_SUCH_FOLDER).format(folder=self._folder)
            self._toast.show_message(message, tr("Choose another…"), self.choose_folder, about=opened.conversation.id)

    def _note_failing(self, event: ToolServersChanged) -> None:
        self._failing = event.failing
        self._composer.show_tools(self._can_call, self._failing)

    # The folder

    def offer_folder(self) -> None:
        """Let the user choose a folder; if the conversation or its project has one, offer the other choices first."""
        of_project = self._folder_of_project()
        folder = working_folder(self._folder, of_project).value
        if not folder and not of_project:
            self.choose_folder()
            return
        chip = self._header.folder
        menu = QMenu(chip)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Choose another folder…") if folder else tr("Choose a folder…"), self.choose_folder)
        if of_project and self._folder:
            menu.addAction(tr("Work in the folder of the project"), lambda: self.use_folder(""))
        if folder:
            none = NO_FOLDER if of_project else ""
            menu.addAction(tr("Work without a folder"), lambda: self.use_folder(none))
        menu.popup(chip.mapToGlobal(QPoint(0, chip.height() + 4)))

    def _folder_of_project(self) -> str:
        project = self._listed.project_of(self._chat.conversation)
        return project.folder if project is not None else ""

    def choose_folder(self) -> None:
        begin = working_folder(self._folder, self._folder_of_project()).value
        ask_for_folder(self._window, tr("Working folder of this conversation"), begin, self.use_folder)

    def use_folder(self, folder: str) -> None:
        """Set the open conversation's folder; NO_FOLDER for none, "" for the project's."""
        if self._chat.conversation:
            self._chat.open_with(p.ChooseFolder(self._chat.conversation, folder))

    # Which tools are on

    @in_task
    async def open(self) -> None:
        from .tools_sheet import ToolsSheet

        if self._sheet is not None or not self._chat.conversation:
            return
        tools = await self._bridge.ask(p.ListTools(self._chat.conversation))
        read = await self._bridge.ask(p.ReadCacheReset(self._chat.conversation))
        if self._sheet is not None:
            return
        sheet = self._sheet = ToolsSheet(tools, self._can_call, self._window)
        sheet.notice.show_reset(read.reset)
        sheet.notice.silenced.connect(self._settings.stop_warning_of_resets)
        sheet.switched.connect(self._switch)
        sheet.settings_requested.connect(self._settings.open)
        sheet.finished.connect(self._forget_sheet)
        await sheet.open_gradually()

    @in_task
    async def leave_out(self, source: str) -> None:
        """Switch all tools of a server off; the toast offers to undo it."""
        offers = (await self._bridge.ask(p.ListTools(self._chat.conversation))).tools
        names = {offer.spec.name for offer in offers if offer.spec.source == source and offer.is_on}
        await self._switch_all(names, is_on=False)
        text = tr("%n tools of {source} are no longer sent", "", len(names)).format(source=source)
        self._toast.show_message(text, tr("Undo"), lambda: self._bridge.start(self._switch_all(names, is_on=True)))

    async def _switch_all(self, names: set[str], *, is_on: bool) -> None:
        def switch(settings: Settings) -> Settings:
            off = [tool for tool in settings.tools_off if tool not in names]
            return replace(settings, tools_off=(*off, *([] if is_on else sorted(names))))

        await self._settings.change(switch)

    @in_task
    async def _switch(self, name: str, is_on: bool) -> None:
        try:
            await self._switch_all({name}, is_on=is_on)
        finally:  # so that the switch shows the stored state, even after a failure
            tools = await self._bridge.ask(p.ListTools(self._chat.conversation))
            if self._sheet is not None:
                self._sheet.show_tools(tools)

    # Whole outputs

    def open_whole(self, spill: str, title: str) -> None:
        """Open a window with the full text of an output."""
        self._open_viewer(title, lambda *page: p.ReadSpill(spill, *page))

    def open_attachment(self, message_id: str, part: int, title: str) -> None:
        """Open a window with a text that is attached to a message."""
        conversation = self._chat.conversation
        self._open_viewer(title, lambda *page: p.ReadAttachment(conversation, message_id, part, *page))

    def _open_viewer(self, title: str, request_of: Callable[..., p.ReadSpill | p.ReadAttachment]) -> None:
        from .tools_sheet import SpillViewer

        viewer = SpillViewer(title, self._window)
        viewer.page_requested.connect(lambda *page: self._read(viewer, request_of(*page)))
        viewer.search()
        viewer.show()

    @in_task
    async def _read(self, viewer: SpillViewer, request: p.ReadSpill | p.ReadAttachment) -> None:
        try:
            page = await self._bridge.ask(request)
        except EngineFailure as error:
            if isValid(viewer):
                viewer.show_failure(tr_engine(error.failure.title))
            return
        if isValid(viewer):  # it may have been closed in the meantime
            viewer.show_page(request.query, request.offset, page)

    def _forget_sheet(self) -> None:
        if self._sheet is not None:
            self._sheet.deleteLater()
        self._sheet = None
