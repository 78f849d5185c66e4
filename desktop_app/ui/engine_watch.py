"""Controllers that report the engine's deaths, failures and bugs to the user, each with a way to continue.

If the archive cannot be opened, the user can restore a backup or begin an empty one. If the built-in model is not
installed, its installation is offered; it is used without a restart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from desktop_app.conversation.events import DataProgressed, Failure, TurnFailed
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.words import translatable
from desktop_app.engine import protocol as p
from desktop_app.engine.protocol import ConversationOpened, Welcome

from .bridge import ENGINE_DIED, Bridge, EngineFailure, in_task
from .context_panel.context_gauge import ContextGauge
from .context_panel.panel_breakdown import Breakdown
from .controller import Controller
from .failure_card import FailureCard
from .header import Header
from .settings.archive_sheet import ArchiveSheet
from .settings.settings_controller import BUILTIN, SettingsController
from .toast import Toast
from .transcript.cards import SETTING_WORDS
from .transcript.conversation_controller import ConversationController
from .translation import join_sentences, tr
from .welcome import BuiltinOffer
from .widgets.number_formats import format_percent

if TYPE_CHECKING:
    from .settings.settings_dialog import SettingsDialog


CAME_BACK = translatable("The engine stopped and was restarted. Nothing that was saved is lost.")
OPENING = translatable("Opening your conversations…")
UPDATING = translatable(
    "Your conversations are being brought up to date for this version. They are copied first: {share}."
)
BROKE_OFF = Failure(
    kind="engine",
    title=translatable("The reply was interrupted because the engine stopped"),
    detail=translatable("The part of Palimpsest that talks to models stopped unexpectedly and was restarted."),
    kept=translatable("Your message is saved, and so is the reply up to half a second before."),
    advice=translatable("Try again. If a tool was running, first check what it did."),
)


class EngineWatch(Controller):
    """Turns the bridge's signals into cards and toasts."""

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        settings: SettingsController,
        toast: Toast,
        card: FailureCard,
        gauge: ContextGauge,
        breakdown: Breakdown,
    ) -> None:
        super().__init__(bridge, chat)
        self._toast, self._card, self._gauge, self._breakdown = toast, card, gauge, breakdown
        self._settings = settings
        self._has_died = self._is_opening = False
        self._end: Failure | None = None  # why the engine is not restarted automatically
        self._broken_off: set[str] = set()  # conversations whose turns ended because the engine died
        chat.opened.connect(self._show_what_broke_off)
        bridge.listen(self.note_opening, DataProgressed)
        bridge.became_ready.connect(self.note_ready)
        bridge.engine_died.connect(self.note_death)
        bridge.engine_gave_up.connect(self.note_end)
        for signal in (bridge.engine_gave_up, bridge.archive_refused):
            signal.connect(self._stop_counting)
        bridge.failed.connect(self.show_failure)
        bridge.crashed.connect(self.show_bug)

    def note_opening(self, event: DataProgressed) -> None:
        """Show the progress of opening an archive that takes long."""
        if event.work == "opening":
            share = format_percent(event.done / event.total) if event.total else ""
            text = tr(UPDATING).format(share=share) if share else tr(OPENING)
            self._toast.show_message(text, stays=True, is_quiet=self._is_opening)
            self._is_opening = True

    def note_ready(self, welcome: Welcome) -> None:
        """Say that the engine is back if it had died, show its warnings, and open a conversation."""
        self._end = None
        if self._is_opening:
            self._is_opening = False
            self._toast.end_stay()
        if self._has_died:
            self._has_died = False
            self._toast.show_message(tr(CAME_BACK))
        for warning in welcome.warnings:
            self._card.show_failure(warning)
        self._chat.welcome()

    def _stop_counting(self) -> None:
        """Replace "counting…" in the gauge and the panel, as no engine counts."""
        if self._gauge.gauge is None:
            self._gauge.refuse()
            self._breakdown.refuse()

    def note_death(self) -> None:
        """Note that the engine died and will be started again."""
        self._has_died = True
        self._broken_off |= self._chat.turns.running
        self._chat.note_engine_death()

    def note_end(self, failure: Failure) -> None:
        """Show that the engine died and is not restarted automatically."""
        self._end = failure
        self._broken_off |= self._chat.turns.running
        self._chat.note_engine_death()
        self._card.show_failure(failure, tr("Restart"), self._bridge.start_engine)

    def show_failure(self, failure: Failure) -> None:
        """Show why a request failed: in a card, or in a toast if one line is enough."""
        if failure is ENGINE_DIED:  # the toast says it when the engine is back
            return
        if failure is self._end:
            self.note_end(failure)  # which offers the restart again
        elif failure.detail or failure.kept:
            way = tr(SETTING_WORDS.get(failure.setting_field, ""))
            self._card.show_failure(failure, way, lambda: self._settings.open(failure.setting))
        else:
            self._toast.show_message(join_sentences(failure.title, failure.advice))

    def show_bug(self, words: str) -> None:
        """Show a bug of the window, whose traceback is in the log."""
        failure = Failure(
            kind="bug",
            title=translatable("Something went wrong in this window"),
            detail=words,
            kept=translatable("Your conversations are safe."),
            advice=translatable(
                "The log file has the details. If something looks wrong, close the window and open it again."
            ),
        )
        self._card.show_failure(failure)

    def _show_what_broke_off(self, opened: ConversationOpened) -> None:
        """Show a card for a turn that ended because the engine died, unless its reply was stored completely."""
        if opened.conversation.id in self._broken_off:
            self._broken_off.discard(opened.conversation.id)
            if opened.rows and not _is_answer(opened.rows[-1].message):
                self._chat.apply(TurnFailed(opened.conversation.id, self._bridge.with_last_end(BROKE_OFF)))


def _is_answer(message: Message) -> bool:
    """Return whether the message is a reply that ends a turn."""
    return message.role is Role.ASSISTANT and not message.is_interrupted and not message.tool_calls


class ArchiveController(Controller):
    """Shows the sheet for an archive that cannot be opened, and carries out the user's choice."""

    def __init__(self, bridge: Bridge, chat: ConversationController, window: QWidget, card: FailureCard) -> None:
        super().__init__(bridge, chat)
        self._window, self._card = window, card
        self.sheet: ArchiveSheet | None = None
        self._failure: Failure | None = None
        bridge.archive_refused.connect(self._offer)
        bridge.failed.connect(self._show_again)

    @in_task
    async def _offer(self, failure: Failure) -> None:
        self._failure = failure
        self._card.show_failure(failure)
        found = await self._bridge.ask(p.ListBackups())
        sheet = self.sheet = ArchiveSheet(failure, found.backups, self._window)
        sheet.restore_requested.connect(lambda file: self._mend(p.RestoreBackup(file)))
        sheet.empty_requested.connect(lambda: self._mend(p.BeginEmpty()))
        sheet.again_requested.connect(self._start_again)
        sheet.finished.connect(self._show_card)
        sheet.open()

    def _show_card(self) -> None:
        """Show the failure in a card that leads back to the sheet, if that was closed without a choice."""
        sheet, self.sheet = self.sheet, None
        if sheet is not None:
            sheet.deleteLater()
        if (failure := self._failure) is not None:
            self._card.show_failure(failure, tr("Choose what to do…"), lambda: self._offer(failure))

    def _show_again(self, failure: Failure) -> None:
        """Lead back to the sheet when a request failed for lack of an archive."""
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
        await self._restart()

    @in_task
    async def _start_again(self) -> None:
        await self._restart()

    async def _restart(self) -> None:
        self._failure = None
        self._card.clear()
        if self.sheet is not None:
            self.sheet.accept()
        self._chat.start_over()
        await self._bridge.restart_engine()


class BuiltinController(Controller):
    """Serves the offers to install the built-in model: on the welcome page, and in the settings while they are open."""

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        settings: SettingsController,
        offer: BuiltinOffer,
        header: Header,
        toast: Toast,
    ) -> None:
        super().__init__(bridge, chat)
        self._header, self._toast = header, toast
        self._offers: list[BuiltinOffer] = []
        self._is_installing = False
        self._add(offer)
        chat.opened.connect(self.note_opened)
        settings.dialog_opened.connect(self._use)
        bridge.listen(self._note, DataProgressed)

    def note_opened(self, opened: p.ConversationOpened) -> None:
        """Look for the model again: another program may have installed it in the meantime."""
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
        except EngineFailure:  # it died, which is reported; when it is back, a conversation is opened
            return

    def _show(self, listed: p.ModelsListed) -> None:
        for model in listed.models:
            for offer in self._offers if model.is_builtin else ():
                offer.show_model(model)

    @in_task
    async def install(self) -> None:
        """Fetch the model, so that it can answer in conversations that use it."""
        self._is_installing = True
        for offer in self._offers:
            offer.begin()
        try:
            failure = await self._fetch()
        except BaseException:  # a bug, which is reported like others, or the end of the window
            self._finish(BuiltinOffer.clear)
            raise
        self._finish(lambda offer: offer.end(failure))

    async def _fetch(self) -> Failure | None:
        try:
            self._show(await self._bridge.ask(p.InstallBuiltinModel()))
        except EngineFailure as error:
            return error.failure
        self._toast.show_message(tr("The built-in model is installed."))
        if self._chat.conversation and self._header.model_id == BUILTIN:
            await self._chat.use_model(BUILTIN)  # tokens are counted by its own tokenizer now
        return None

    def _finish(self, show: Callable[[BuiltinOffer], None]) -> None:
        self._is_installing = False
        for offer in self._offers:
            show(offer)

    def _note(self, event: DataProgressed) -> None:
        if event.work == "model":
            for offer in self._offers:
                offer.task.set_progress(event.done, event.total)
