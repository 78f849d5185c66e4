"""Controllers for toasts about the open conversation, and for desktop notifications while the window is behind."""

from __future__ import annotations

from functools import partial
from time import monotonic

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QApplication, QWidget

from desktop_app.conversation.events import (
    QuestionAnswered,
    QuestionAsked,
    ReplyStarted,
    RoomEnded,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from desktop_app.engine import protocol as p
from desktop_app.settings import Settings

from .bridge import Bridge, in_task
from .composer.question_text import pending_question_text
from .context_panel.context_controller import ContextController
from .context_panel.context_panel import ContextPanel
from .controller import Controller
from .desktop_notifications import DesktopNotifier
from .sidebar.conversation_model import ConversationModel
from .toast import Notification, Notifications, RetryNotice, Toast
from .transcript.conversation_controller import ConversationController
from .translation import tr
from .window_memory import WindowMemory

EXPLAINED = "is_summary_explained"
"""The name of the stored flag that the first summary has been explained."""
SHOWN_EXPLANATION = 60_000  # milliseconds; long, because it is shown only once


class NotificationController(Controller):
    """Shows notifications in the toast, and carries out their actions."""

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        context: ContextController,
        memory: WindowMemory,
        panel: ContextPanel,
        toast: Toast,
    ) -> None:
        super().__init__(bridge, chat)
        self._panel, self._toast = panel, toast
        self._context, self._memory = context, memory
        self._notifications = Notifications()
        self._notifications.is_explained = memory.is_set(EXPLAINED, False)
        self._retry = RetryNotice(toast, chat.stop)
        self._shown = ""
        chat.opened.connect(self.note_opened)
        bridge.listen(self.note)
        bridge.engine_died.connect(self.note_engine_death)
        bridge.engine_gave_up.connect(self.note_engine_death)

    def use(self, settings: Settings) -> None:
        self._notifications.is_automatic = settings.is_automatic

    def note_opened(self, opened: p.ConversationOpened) -> None:
        """Take the conversation's present state as known, and end notices about another conversation."""
        if self._shown != opened.conversation.id:
            self._shown = opened.conversation.id
            self._retry.end()
        self._notifications.open(opened.gauge)
        self._toast.turn_to(self._shown)

    def note_engine_death(self) -> None:
        """End notices about a turn: nothing runs until the engine is back."""
        self._retry.end()
        self._toast.end_stay()

    def note(self, event: TurnEvent) -> None:
        """Notify of an event of the open conversation, if the user should know of it."""
        if event.conversation != self._chat.conversation:
            return
        if isinstance(
            event, ReplyStarted | TurnFailed | TurnFinished | RoomEnded
        ):  # a lasting toast is over with these
            self._toast.end_stay()
        self._retry.note(event)
        notification = self._notifications.notification_of(event)
        if notification is not None:
            self._notify(notification)

    def _notify(self, notification: Notification) -> None:
        conversation = self._chat.conversation
        show = partial(self._toast.show_message, stays=notification.stays, about=conversation)
        if notification.is_stoppable:
            show(notification.text, tr("Stop"), self._stop_room, is_quiet=True)
        elif notification.is_optimizable:
            show(notification.text, tr("Optimize…"), self._context.optimize)
        elif notification.explains:
            self._notifications.is_explained = True
            self._memory.set(EXPLAINED, True)
            self._memory.save()
            look = partial(self._panel.show_operation, notification.explains)
            show(notification.text, tr("Show history"), look, milliseconds=SHOWN_EXPLANATION, is_kept=True)
        else:
            undo = partial(self._undo, conversation, notification.undo)
            show(notification.text, tr("Undo") if notification.undo else "", undo)

    def _stop_room(self) -> None:
        self._notifications.note_stop()
        self.post(p.StopRoom)

    @in_task
    async def _undo(self, conversation: str, operations: tuple[str, ...]) -> None:
        """Undo the operations one after the other."""
        for operation in operations:
            await self._bridge.ask(p.UndoOperation(conversation, operation))


LONG = 8.0  # seconds of a turn, after which users may have turned to something else


class AwayController(Controller):
    """Shows desktop notifications while the window is not in front. A click on one opens its conversation.

    Signal: front_requested, for the window.
    """

    front_requested = Signal()

    def __init__(
        self, bridge: Bridge, chat: ConversationController, window: QWidget, listed: ConversationModel
    ) -> None:
        super().__init__(bridge, chat)
        self._window, self._listed = window, listed
        self._is_on = True
        self._began: dict[str, float] = {}
        self._notified: set[str] = set()  # conversations with a notification that is shown
        self.long = LONG
        self.notifier = DesktopNotifier(self)
        self.notifier.opened.connect(self._open)
        window.installEventFilter(self)
        bridge.listen(self.note, TurnStarted, QuestionAsked, QuestionAnswered, TurnFinished)

    def use(self, settings: Settings) -> None:
        self._is_on = settings.is_notifying

    def note(self, event: TurnEvent) -> None:
        """Notify of an event, if the user may be waiting for it."""
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
            for conversation in tuple(self._notified):
                self._withdraw(conversation)
        return False

    def _notify(self, conversation: str, text: str) -> None:
        if self._is_on and not self._window.isActiveWindow():
            QApplication.alert(self._window)
            self._notified.add(conversation)
            self.notifier.notify(conversation, self._title(conversation), text)

    def _withdraw(self, conversation: str) -> None:
        if conversation in self._notified:
            self._notified.remove(conversation)
            self.notifier.withdraw(conversation)

    def _title(self, conversation: str) -> str:
        return self._listed.title_of(conversation)

    def _open(self, conversation: str) -> None:
        """Bring the window to the front and open that conversation."""
        self.front_requested.emit()
        if conversation != self._chat.conversation:
            self._chat.open(conversation)
