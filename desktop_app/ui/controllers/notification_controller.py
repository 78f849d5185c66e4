"""The controller of what the toast says of the open conversation's events."""

from __future__ import annotations

from functools import partial

from desktop_app.conversation.events import ReplyStarted, RoomEnded, TurnEvent, TurnFailed, TurnFinished
from desktop_app.engine import protocol as p
from desktop_app.settings import Settings
from desktop_app.ui.bridge import Bridge, in_task
from desktop_app.ui.notifications import Notification, Notifications, RetryNotice
from desktop_app.ui.parts import Parts
from desktop_app.ui.translation import tr
from desktop_app.ui.window_memory import WindowMemory

from .context_controller import ContextController
from .controller import Controller
from .conversation_controller import ConversationController

EXPLAINED = "is_summary_explained"
"""The name of what the window remembers once it has explained the first summary."""
SHOWN_EXPLANATION = 60_000  # milliseconds: it comes once


class NotificationController(Controller):
    """Shows notifications in the toast, and carries out what they offer."""

    def __init__(
        self,
        bridge: Bridge,
        parts: Parts,
        chat: ConversationController,
        context: ContextController,
        memory: WindowMemory,
    ) -> None:
        super().__init__(bridge, parts, chat)
        self._context, self._memory = context, memory
        self._notifications = Notifications()
        self._notifications.is_explained = memory.is_set(EXPLAINED, False)
        self._retry = RetryNotice(parts.toast, chat.stop)
        self._shown = ""
        chat.shown.connect(self.note_opened)
        bridge.happened.connect(self.note)
        bridge.engine_died.connect(self.note_engine_death)
        bridge.engine_gave_up.connect(self.note_engine_death)

    def use(self, settings: Settings) -> None:
        self._notifications.is_automatic = settings.is_automatic

    def note_opened(self, opened: p.ConversationOpened) -> None:
        """Take the state of the conversation as no news, and end what was told of another one."""
        if self._shown != opened.conversation.id:
            self._shown = opened.conversation.id
            self._retry.end()
        self._notifications.open(opened.gauge)
        self._parts.toast.turn_to(self._shown)

    def note_engine_death(self) -> None:
        """End what was told of a turn: nothing runs until the engine is back."""
        self._retry.end()
        self._parts.toast.end_stay()

    def note(self, event: TurnEvent) -> None:
        """Notify of an event, if it is one of the open conversation that the user should know of."""
        if event.conversation != self._chat.conversation:
            return
        if isinstance(event, ReplyStarted | TurnFailed | TurnFinished | RoomEnded):  # what a toast that stays tells of
            self._parts.toast.end_stay()
        self._retry.note(event)
        notification = self._notifications.notification_of(event)
        if notification is not None:
            self._notify(notification)

    def _notify(self, notification: Notification) -> None:
        conversation = self._chat.conversation
        show = partial(self._parts.toast.show_message, stays=notification.stays, about=conversation)
        if notification.is_stoppable:
            show(notification.text, tr("Stop"), self._stop_room, is_quiet=True)
        elif notification.is_optimizable:
            show(notification.text, tr("Optimize…"), self._context.optimize)
        elif notification.explains:
            self._notifications.is_explained = True
            self._memory.set(EXPLAINED, True)
            self._memory.save()
            look = partial(self._show_operation, notification.explains)
            show(notification.text, tr("Show history"), look, milliseconds=SHOWN_EXPLANATION, is_kept=True)
        else:
            undo = partial(self._undo, conversation, notification.undo)
            show(notification.text, tr("Undo") if notification.undo else "", undo)

    def _show_operation(self, operation: str) -> None:
        self._parts.panel.show()
        self._parts.panel.show_operation(operation)

    def _stop_room(self) -> None:
        self._notifications.note_stop()
        self.post(p.StopRoom)

    @in_task
    async def _undo(self, conversation: str, operations: tuple[str, ...]) -> None:
        """Undo the operations one after the other."""
        for operation in operations:
            await self._bridge.ask(p.UndoOperation(conversation, operation))
