"""The built-in model where it is not installed: offered, installed, used without another start."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop_app.conversation.events import DataProgressed, Failure, TurnEvent
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.builtin_offer import BuiltinOffer
from desktop_app.ui.parts import Parts
from desktop_app.ui.translation import tr

from .controller import Controller
from .conversation_controller import ConversationController
from .settings_controller import BUILTIN, SettingsController

if TYPE_CHECKING:
    from desktop_app.ui.settings.settings_dialog import SettingsDialog


class BuiltinController(Controller):
    """Serves the offer of the first page and, while they are open, that of the settings."""

    def __init__(
        self, bridge: Bridge, parts: Parts, chat: ConversationController, settings: SettingsController
    ) -> None:
        super().__init__(bridge, parts, chat)
        self._offers: list[BuiltinOffer] = []
        self._is_installing = False
        self._add(parts.chat_pane.welcome.offer)
        chat.shown.connect(self.note_opened)
        settings.dialog_opened.connect(self._use)
        bridge.happened.connect(self._note)

    def note_opened(self, opened: p.ConversationOpened) -> None:
        """Look for the model again: another program may have installed it meanwhile."""
        if not opened.conversation.messages:
            self._look()

    def _use(self, dialog: SettingsDialog) -> None:
        self._add(dialog.builtin)
        dialog.finished.connect(lambda: self._offers.remove(dialog.builtin))
        self._look()

    def _add(self, offer: BuiltinOffer) -> None:
        self._offers.append(offer)
        offer.install_requested.connect(self.install)
        offer.cancel_requested.connect(lambda: self.cancel(p.Computation.MODEL, ""))
        if self._is_installing:
            offer.begin()

    @in_task
    async def _look(self) -> None:
        try:
            self._show(await self._bridge.ask(p.ListModels()))
        except EngineFailure:  # it ended, which is told; when it is back, a conversation is opened
            return

    def _show(self, listed: p.ModelsListed) -> None:
        for model in listed.models:
            for offer in self._offers if model.is_builtin else ():
                offer.show_model(model)

    @in_task
    async def install(self) -> None:
        """Fetch the model, which answers from then on where it is chosen."""
        self._is_installing = True
        for offer in self._offers:
            offer.begin()
        try:
            failure = await self._fetch()
        except BaseException:  # a bug, which is told as all are, or the end of the window
            self._finish(BuiltinOffer.clear)
            raise
        self._finish(lambda offer: offer.end(failure))

    async def _fetch(self) -> Failure | None:
        try:
            self._show(await self._bridge.ask(p.InstallBuiltinModel()))
        except EngineFailure as error:
            return error.failure
        self._parts.toast.show_message(tr("The built-in model is installed."))
        if self._chat.conversation and self._parts.header.model_id == BUILTIN:
            await self._chat.use_model(BUILTIN)  # it is counted by its own tokenizer now
        return None

    def _finish(self, show: Callable[[BuiltinOffer], None]) -> None:
        self._is_installing = False
        for offer in self._offers:
            show(offer)

    def _note(self, event: TurnEvent) -> None:
        if isinstance(event, DataProgressed) and event.work == "model":
            for offer in self._offers:
                offer.task.set_progress(event.done, event.whole)
