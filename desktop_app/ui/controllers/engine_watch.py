"""What the user is told of the engine: its deaths, its failures, bugs."""

from __future__ import annotations

from desktop_app.conversation.events import DataProgressed, Failure, TurnEvent, TurnFailed
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import ConversationOpened, Welcome
from desktop_app.ui.bridge import ENGINE_DIED, Bridge
from desktop_app.ui.engine_texts import join_sentences
from desktop_app.ui.parts import Parts
from desktop_app.ui.transcript.cards import SETTING_WORDS
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.formats import format_percent

from .controller import Controller
from .conversation_controller import ConversationController
from .settings_controller import SettingsController

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
        self, bridge: Bridge, parts: Parts, chat: ConversationController, settings: SettingsController
    ) -> None:
        super().__init__(bridge, parts, chat)
        self._settings = settings
        self._has_died = self._is_opening = False
        self._end: Failure | None = None  # why the engine is not started again by itself
        self._broken_off: set[str] = set()  # conversations whose turns ended with the engine
        chat.shown.connect(self._show_what_broke_off)
        bridge.happened.connect(self.note_opening)
        bridge.became_ready.connect(self.note_ready)
        bridge.engine_died.connect(self.note_death)
        bridge.engine_gave_up.connect(self.note_end)
        for signal in (bridge.engine_gave_up, bridge.archive_refused):
            signal.connect(self._stop_counting)
        bridge.failed.connect(self.show_failure)
        bridge.crashed.connect(self.show_bug)

    def note_opening(self, event: TurnEvent) -> None:
        """Say what is waited for where the archive takes long to open, and how far that is."""
        if isinstance(event, DataProgressed) and event.work == "opening":
            share = format_percent(event.done / event.whole) if event.whole else ""
            told = tr(UPDATING).format(share=share) if share else tr(OPENING)
            self._parts.toast.show_message(told, stays=True, is_quiet=self._is_opening)
            self._is_opening = True

    def note_ready(self, welcome: Welcome) -> None:
        """Say that the engine is back if it had died, show its warnings, and open a conversation."""
        self._end = None
        if self._is_opening:
            self._is_opening = False
            self._parts.toast.end_stay()
        if self._has_died:
            self._has_died = False
            self._parts.toast.show_message(tr(CAME_BACK))
        for warning in welcome.warnings:
            self._parts.failure.show_failure(warning)
        self._chat.welcome()

    def _stop_counting(self) -> None:
        """Let nothing say that it counts where nobody does."""
        if self._parts.gauge.gauge is None:
            self._parts.gauge.refuse()
            self._parts.panel.breakdown.refuse()

    def note_death(self) -> None:
        """Note that the engine died and will be started again."""
        self._has_died = True
        self._broken_off |= self._chat.turns.running
        self._chat.note_engine_death()

    def note_end(self, failure: Failure) -> None:
        """Show that the engine died and is not started again by itself."""
        self._end = failure
        self._broken_off |= self._chat.turns.running
        self._chat.note_engine_death()
        self._parts.failure.show_failure(failure, tr("Restart"), self._bridge.start_engine)

    def show_failure(self, failure: Failure) -> None:
        """Show why a request failed: as a card, or as a toast if a line says it all."""
        if failure is ENGINE_DIED:  # the toast says it when the engine is back
            return
        if failure is self._end:
            self.note_end(failure)  # with its way out again
        elif failure.detail or failure.kept:
            way = tr(SETTING_WORDS.get(failure.setting_field, ""))
            self._parts.failure.show_failure(failure, way, lambda: self._settings.open(failure.setting))
        else:
            self._parts.toast.show_message(join_sentences(failure.title, failure.advice))

    def show_bug(self, words: str) -> None:
        """Show a bug of the window, which is in the log."""
        failure = Failure(
            kind="bug",
            title=translatable("Something went wrong in this window"),
            detail=words,
            kept=translatable("Your conversations are safe."),
            advice=translatable(
                "The log file has the details. If something looks wrong, close the window and open it again."
            ),
        )
        self._parts.failure.show_failure(failure)

    def _show_what_broke_off(self, opened: ConversationOpened) -> None:
        """Show a card for a turn that ended with the engine, unless its reply was stored to its end."""
        if opened.conversation.id in self._broken_off:
            self._broken_off.discard(opened.conversation.id)
            if opened.rows and not _is_answer(opened.rows[-1].message):
                self._chat.apply(TurnFailed(opened.conversation.id, self._bridge.with_last_end(BROKE_OFF)))


def _is_answer(message: Message) -> bool:
    """Return whether it is a reply that ends a turn."""
    return message.role is Role.ASSISTANT and not message.is_interrupted and not message.tool_calls
