"""The controller of the insights page, which reads the figures and exports them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.conversation.events import TurnEvent, TurnFinished, ViewChanged
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.composer.composer import Composer
from desktop_app.ui.controller import Controller
from desktop_app.ui.panes import Pages
from desktop_app.ui.sidebar.conversation_model import ConversationModel
from desktop_app.ui.transcript.conversation_controller import ConversationController
from desktop_app.ui.translation import join_sentences, tr
from desktop_app.ui.widgets.file_dialog import FileDialog

if TYPE_CHECKING:
    from .insights_page import InsightsPage


FILE_NAME = "insights.csv"


class InsightsController(Controller):
    """Shows the page in place of the conversation, and keeps its figures current."""

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        window: QWidget,
        pages: Pages,
        composer: Composer,
        listed: ConversationModel,
    ) -> None:
        super().__init__(bridge, chat)
        self._window, self._pages, self._composer, self._listed = window, pages, composer, listed
        self.page: InsightsPage | None = None
        self._asked = 0
        self._reading: str | None = None  # the conversation whose figures are being read, "" for several; None if idle
        chat.opened.connect(self.note_opened)
        bridge.listen(self.note, TurnFinished, ViewChanged)

    @property
    def is_shown(self) -> bool:
        """Whether the window shows the page."""
        return self.page is not None and self._pages.currentWidget() is self.page

    def toggle(self) -> None:
        """Show the page, or the conversation again."""
        if self.is_shown:
            self._close()
            return
        page = self.page or self._make()
        self._pages.setCurrentWidget(page)
        page.offer_project(bool(self._project()))
        page.scope.button(page.scope.value()).setFocus(Qt.FocusReason.OtherFocusReason)
        self.read()

    def note_opened(self, opened: p.ConversationOpened) -> None:
        """Read the figures again when another conversation is opened."""
        if self.page is not None and self.is_shown:
            self.page.offer_project(bool(self._project()))
            if self.page.scope.value() != "all":
                self.read()

    def note(self, event: TurnEvent) -> None:
        """Read the figures again when they may have changed."""
        is_current = event.conversation == self._chat.conversation and self.page is not None and self.page.is_one
        if is_current and self.is_shown:
            self.read()

    @in_task
    async def read(self) -> None:
        """Read the figures of the chosen scope; only the newest request is shown."""
        page = self.page
        if page is None:
            return
        self._asked += 1
        asked, (self._reading, project) = self._asked, self._scope()
        page.show_reading()
        try:
            read = await self._bridge.ask(p.ReadInsights(self._reading, project))
        except EngineFailure as error:
            if asked == self._asked and error.failure.kind != "cancelled":
                page.say(join_sentences(error.failure.title, error.failure.advice))
        else:
            if asked == self._asked:
                page.show_insights(read)
        finally:
            if asked == self._asked:
                self._reading = None

    def choose_file(self) -> None:
        """Let the user choose the file to export to."""
        dialog = FileDialog(self._window, tr("Export insights"), str(Path.home() / FILE_NAME), tr("Tables (*.csv)"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("csv")
        dialog.fileSelected.connect(self.export)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @in_task
    async def export(self, path: str) -> None:
        if self.page is None:
            return
        try:
            await self._bridge.ask(p.ExportInsights(path, *self._scope()))
        except EngineFailure as error:
            self.page.say(join_sentences(error.failure.title, error.failure.detail, error.failure.advice))
        else:
            self.page.say(tr("Written to {path}").format(path=path))

    def _scope(self) -> tuple[str, str]:
        """Return the conversation and the project whose figures are shown; "" and "" for all."""
        scope = self.page.scope.value() if self.page is not None else "one"
        return self._chat.conversation if scope == "one" else "", self._project() if scope == "project" else ""

    def _project(self) -> str:
        """Return the project of the conversation; "" if it is in none."""
        info = self._listed.info_of(self._chat.conversation)
        return info.project if info is not None else ""

    def _make(self) -> InsightsPage:
        from .insights_page import InsightsPage

        page = self.page = InsightsPage()
        self._pages.addWidget(page)
        page.scope_changed.connect(self._change_scope)
        page.export_requested.connect(self.choose_file)
        page.cancel_requested.connect(self._cancel)
        page.closed.connect(self._close)
        return page

    def _change_scope(self) -> None:
        self._cancel()
        self.read()

    def _cancel(self) -> None:
        if self._reading is not None:
            self.cancel(p.Computation.INSIGHTS, self._reading)

    def _close(self) -> None:
        self._cancel()
        self._pages.show_chat()
        self._composer.take_focus()
