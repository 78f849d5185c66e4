"""Drafts and queued messages, which are not in the record yet but survive a crash.

A message passes through the following states. Each change of state is one transaction of the archive, so that a message
is always in exactly one place. The methods of `Turns` return once the change is stored.

| state      | stored in                  | next                                                                       |
|------------|----------------------------|----------------------------------------------------------------------------|
| draft      | the conversation's draft   | recorded, if nothing runs in the conversation; else queued                 |
| queued     | the conversation's queue   | recorded, once it is the first and the turn before has finished, or when   |
|            |                            | the user sends it, or with the next request of the turn that it steers; a  |
|            |                            | draft again, if the user edits it; or removed                              |
| recorded   | the record                 | answered: its turn begins at once                                          |
| answered   | the record, with the reply | the end                                                                    |
| unanswered | the record                 | answered, on the user's request: its turn failed, was stopped or broke off |

If a transaction fails, the message stays where it was, and the error is raised. A queue that is read from the archive
is paused, since messages from before a restart are sent only on the user's request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from desktop_app.conversation.events import ArchiveError, QueueChanged
from desktop_app.conversation.message import Attachment, MessageDraft, user_message
from desktop_app.conversation.unsent import QueuedMessage, UnsentMessages, join_drafts

from .ports import Emit
from .session import Session, stamp
from .tasks import NamedLocks

if TYPE_CHECKING:  # so that a child process that reads files to import does not load peewee
    from desktop_app.archive.archive import Archive


class MessageQueue:
    """The drafts and the queued messages of all conversations.

    Changes are stored one after the other. A new message is in the queue before it is stored, so that a turn that ends
    in the meantime finds it.
    """

    def __init__(self, archive: Archive, publish: Emit) -> None:
        self._archive = archive
        self._publish = publish
        self._unsent: dict[str, UnsentMessages] = {}
        self._storing = NamedLocks()
        self._paused: set[str] = set()
        self._shown: dict[str, QueueChanged] = {}
        self._steering: dict[str, set[str]] = {}  # ids of messages by conversation, while a turn is running

    async def read(self, conversation: str) -> None:
        """Load the draft and the queue of an earlier run, unless they are loaded. Raises ArchiveError."""
        if conversation not in self._unsent:
            found = await self._archive.unsent(conversation)
            if conversation not in self._unsent:
                self._unsent[conversation] = found
                self._paused |= {conversation} if found.queue else set()

    def draft(self, conversation: str) -> MessageDraft:
        return self._of(conversation).draft

    def state(self, conversation: str) -> QueueChanged:
        """Return the event with the current queue."""
        steering = self._steering.get(conversation, ())
        queue = tuple([replace(one, is_steering=one.id in steering) for one in self._of(conversation).queue])
        return QueueChanged(conversation, queue, bool(queue) and conversation in self._paused)

    def show(self, conversation: str) -> QueueChanged:
        """Return the current queue for a window that shows it from now on: later changes are published."""
        state = self.state(conversation)
        self._note_shown(state)
        return state

    def next(self, conversation: str) -> QueuedMessage | None:
        """Return the message to send next; None while the queue is empty or paused."""
        state = self.state(conversation)
        return state.queue[0] if state.queue and not state.is_paused else None

    def find(self, conversation: str, message_id: str) -> QueuedMessage | None:
        """Return the message with that id; None if it is not queued."""
        return self._of(conversation).find(message_id)

    def edits(self, conversation: str) -> dict[str, str]:
        """Map the ids of sent messages to their unsent edits, the latest last."""
        return self._of(conversation).edits

    async def keep_draft(self, conversation: str, text: str, attachments: tuple[Attachment, ...] | None) -> None:
        """Store a draft in place of the previous one. attachments: None keeps the old ones. Raises ArchiveError."""
        await self.read(conversation)
        before = self.draft(conversation)
        draft = MessageDraft(text, before.attachments if attachments is None else attachments)
        if draft != before:
            await self._change(conversation, replace(self._of(conversation), draft=draft))

    async def keep_edits(self, conversation: str, edits: dict[str, str]) -> None:
        """Store the unsent edits of a conversation in place of the previous ones. Raises ArchiveError."""
        await self.read(conversation)
        if list(edits.items()) != list(self.edits(conversation).items()):
            await self._change(conversation, replace(self._of(conversation), edits=edits))

    async def add(self, conversation: str, message: QueuedMessage, is_draft: bool = False) -> None:
        """Append a message to the queue, which resumes it if it is paused. Raises ArchiveError.

        is_draft: whether the message is the draft, which is then emptied.
        """
        self.resume(conversation)
        before = self._of(conversation)
        try:
            await self._change(conversation, before.add(message, is_draft=is_draft))
        except ArchiveError:
            left = self._of(conversation).remove(message.id)
            self._unsent[conversation] = _with_draft(left, before.draft) if is_draft else left
            raise

    async def record(
        self, session: Session, message: QueuedMessage, is_queued: bool = False, is_draft: bool = False
    ) -> bool:
        """Move a message into the record, in one transaction. Return whether it was moved. Raises WorldError.

        is_queued: whether the message comes from the queue; it is not moved if it has left the queue. is_draft: whether
        it is the draft, which is then emptied.
        """
        async with self._storing.of(session.id):
            before = self._of(session.id)
            if is_queued and before.find(message.id) is None:
                return False
            left = before.remove(message.id)
            left = replace(left, draft=MessageDraft()) if is_draft else left
            self._unsent[session.id] = left
            try:
                recorded = await session.record_message(
                    stamp(replace(user_message(message.draft.text, message.draft.attachments), id=message.id)),
                    unsent=left if left != before else None,
                )
            except BaseException:
                now = self._of(session.id)
                now = now.add(message, is_first=True) if is_queued else now
                self._unsent[session.id] = _with_draft(now, before.draft) if is_draft else now
                self._publish_changes(session.id)  # the window may have seen the queue without the message
                raise
        self._publish_changes(session.id)
        self._publish(recorded)
        return True

    def steer(self, conversation: str, message_id: str) -> None:
        """Let a queued message enter the running turn with the turn's next request."""
        self._steering.setdefault(conversation, set()).add(message_id)
        self._publish_changes(conversation)

    async def record_steering(self, session: Session) -> None:
        """Move the messages that steer the running turn into the record, in their order. Raises WorldError."""
        for message in self.state(session.id).queue:
            if message.is_steering:
                await self.record(session, message, is_queued=True)

    def end_steering(self, conversation: str) -> None:
        """Let messages that have not entered the turn wait like the others, since it has ended."""
        if self._steering.pop(conversation, None):
            self._publish_changes(conversation)

    async def remove(self, conversation: str, message_id: str) -> None:
        """Remove a message from the queue, if it is still there. Raises ArchiveError."""
        async with self._storing.of(conversation):
            if self.find(conversation, message_id) is not None:
                await self._store(conversation, self._of(conversation).remove(message_id))

    async def take_back(self, conversation: str, message_id: str, draft: MessageDraft) -> MessageDraft | None:
        """Move a message from the queue to the beginning of the draft, in one transaction. Return the new draft.

        Returns None if it is no longer queued. Raises ArchiveError.
        """
        async with self._storing.of(conversation):
            message = self.find(conversation, message_id)
            if message is None:
                return None
            joined = join_drafts(message.draft, draft)
            await self._store(conversation, replace(self._of(conversation).remove(message_id), draft=joined))
            return joined

    def resume(self, conversation: str) -> None:
        """Resume a paused queue."""
        self._paused.discard(conversation)

    async def drop(self, conversation: str) -> None:
        """Drop the queue of a deleted conversation. Its draft stays in the archive. Raises ArchiveError."""
        await self.read(conversation)
        await self._change(conversation, replace(self._of(conversation), queue=()))
        self._paused.discard(conversation)
        self._unsent.pop(conversation, None)

    def _of(self, conversation: str) -> UnsentMessages:
        return self._unsent.get(conversation, UnsentMessages())

    async def _change(self, conversation: str, unsent: UnsentMessages) -> None:
        """Apply a change at once, and store the state that is current when the lock is free."""
        self._unsent[conversation] = unsent
        async with self._storing.of(conversation):
            await self._store(conversation, self._of(conversation))

    async def _store(self, conversation: str, unsent: UnsentMessages) -> None:
        self._unsent[conversation] = unsent
        await self._archive.store_unsent(conversation, unsent)
        self._publish_changes(conversation)

    def _publish_changes(self, conversation: str) -> None:
        state = self.state(conversation)
        if state != self._shown.get(conversation, QueueChanged(conversation)):
            self._note_shown(state)
            self._publish(state)

    def _note_shown(self, state: QueueChanged) -> None:
        if state.queue:
            self._shown[state.conversation] = state
        else:
            self._shown.pop(state.conversation, None)


def _with_draft(unsent: UnsentMessages, draft: MessageDraft) -> UnsentMessages:
    """Restore a draft that was emptied, in front of the text typed since."""
    return replace(unsent, draft=join_drafts(draft, unsent.draft))
