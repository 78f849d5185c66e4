"""The controller of what a user who looks elsewhere is told: a long reply has ended, or a question waits."""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication

from desktop_app.conversation.events import QuestionAnswered, QuestionAsked, TurnEvent, TurnFinished, TurnStarted
from desktop_app.settings import Settings
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.desktop_notifications import DesktopNotifier
from desktop_app.ui.parts import Parts
from desktop_app.ui.questions.question_text import pending_question_text
from desktop_app.ui.translation import tr

from .controller import Controller
from .conversation_controller import ConversationController

LONG = 8.0  # seconds of a turn, after which somebody may have turned to something else


class AwayController(Controller):
    """Notifies through the desktop while the window is not in front. A click opens the conversation in it."""

    def __init__(self, bridge: Bridge, parts: Parts, chat: ConversationController) -> None:
        super().__init__(bridge, parts, chat)
        self._is_on = True
        self._began: dict[str, float] = {}
        self._told: set[str] = set()
        self.long = LONG
        self.notifier = DesktopNotifier(self)
        self.notifier.opened.connect(self._open)
        parts.installEventFilter(self)
        bridge.happened.connect(self.note)

    def use(self, settings: Settings) -> None:
        self._is_on = settings.is_notifying

    def note(self, event: TurnEvent) -> None:
        """Notify of an event, if it is one that somebody may wait for."""
        name = event.conversation
        match event:
            case TurnStarted():
                self._began[name] = monotonic()
            case QuestionAsked():
                self._notify(name, pending_question_text(event, self._title(name)))
            case QuestionAnswered():
                self._withdraw(name)
            case TurnFinished(reason=reason):
                seconds = monotonic() - self._began.pop(name, monotonic())
                if reason == "stopped":
                    self._withdraw(name)
                elif seconds >= self.long:
                    self._notify(
                        name, tr("The reply is ready.") if reason == "finished" else tr("It ended with an error.")
                    )
            case _:
                pass

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.WindowActivate:
            for conversation in tuple(self._told):
                self._withdraw(conversation)
        return False

    def _notify(self, conversation: str, text: str) -> None:
        if self._is_on and not self._parts.isActiveWindow():
            QApplication.alert(self._parts)
            self._told.add(conversation)
            self.notifier.notify(conversation, self._title(conversation), text)

    def _withdraw(self, conversation: str) -> None:
        if conversation in self._told:
            self._told.remove(conversation)
            self.notifier.withdraw(conversation)

    def _title(self, conversation: str) -> str:
        return self._parts.sidebar.list.conversations.title_of(conversation)

    def _open(self, conversation: str) -> None:
        """Bring the window to the front, with that conversation."""
        self._parts.come_to_front()
        if conversation != self._chat.conversation:
            self._chat.open(conversation)
