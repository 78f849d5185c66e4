"""The controller of the queue: messages that wait for the end of the reply."""

from __future__ import annotations

from desktop_app.conversation.events import QueueChanged
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, in_task
from desktop_app.ui.controller import Controller
from desktop_app.ui.transcript.conversation_controller import ConversationController

from .composer import Composer
from .queue_list import QueueList


class QueueController(Controller):
    """Shows the queue of the open conversation, and lets the user change it."""

    def __init__(self, bridge: Bridge, chat: ConversationController, queue: QueueList, composer: Composer) -> None:
        super().__init__(bridge, chat)
        self._queue, self._composer = queue, composer
        queue.edit_requested.connect(self.edit)
        queue.send_requested.connect(self.send_now)
        queue.steer_requested.connect(self.steer)
        queue.remove_requested.connect(self.remove)
        composer.field.queued_wanted.connect(self.edit_last)
        chat.opened.connect(self.note_opened)
        bridge.listen(self.note, QueueChanged)

    def note_opened(self, opened: p.ConversationOpened) -> None:
        self._queue.set_queue(opened.queue, opened.is_paused)

    def note(self, event: QueueChanged) -> None:
        if event.conversation == self._chat.conversation:
            self._queue.set_queue(event.queue, event.is_paused)

    def send_now(self, message_id: str) -> None:
        self.post(p.SendQueued, message_id)
        self._composer.take_focus()  # the row that has the focus is removed

    def steer(self, message_id: str) -> None:
        """Let a message enter the running turn."""
        self.post(p.SteerQueued, message_id)
        self._composer.take_focus()

    def remove(self, message_id: str) -> None:
        self.post(p.RemoveQueued, message_id)
        self._composer.take_focus()

    def edit_last(self) -> None:
        """Put the message that was queued last back into the composer."""
        if rows := self._queue.rows:
            self.edit(rows[-1].message.id)

    @in_task
    async def edit(self, message_id: str) -> None:
        """Put a message back into the composer, before the draft. If it is sent again, it is the last in the queue."""
        conversation = self._chat.conversation
        draft = self._composer.draft()
        taken = await self._bridge.ask(p.TakeBackQueued(conversation, message_id, draft))
        self._chat.drafts.take_back(conversation, draft, taken.draft)
