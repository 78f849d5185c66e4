"""Drafts and queued messages of all conversations, kept in the archive at each change so that a crash loses nothing."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from msgspec.structs import replace

from desktop_app.conversation.events import ArchiveError, QueueChanged
from desktop_app.conversation.message import Attachment, MessageDraft
from desktop_app.conversation.unsent import QueuedMessage, UnsentMessages, join_drafts

from .ports import Emit, WorldError
from .tasks import NamedLocks

if TYPE_CHECKING:  # so that a child process that reads files to import does not load peewee
    from desktop_app.archive.archive import Archive

log = logging.getLogger(__name__)


class MessageQueue:
    """The messages that wait, in order, and the drafts.

    A message stays stored until the record has it; the one that is being sent is not shown. What is read from
    the archive is paused: nothing that was typed before a restart is sent without the user's word.
    """

    def __init__(self, archive: Archive, publish: Emit) -> None:
        self._archive = archive
        self._publish = publish
        self._unsent: dict[str, UnsentMessages] = {}
        self._sending: dict[str, str] = {}
        self._paused: set[str] = set()
        self._shown: dict[str, QueueChanged] = {}

    async def read(self, conversation: str) -> None:
        """Read what an earlier run left, unless that was done. Raises ArchiveError."""
        if conversation not in self._unsent:
            found = await self._archive.unsent(conversation)
            if conversation not in self._unsent:
                self._unsent[conversation] = found
                self._paused |= {conversation} if found.queue else set()

    def forget_recorded(self, conversation: str, is_recorded: Callable[[str], bool]) -> None:
        """Forget what the record has: a crash came before it was taken out of the queue."""
        unsent = self._of(conversation)
        left = tuple(message for message in unsent.queue if not is_recorded(message.id))
        self._unsent[conversation] = replace(unsent, queue=left)
        self._note_shown(self.state(conversation))

    def draft(self, conversation: str) -> MessageDraft:
        return self._of(conversation).draft

    def state(self, conversation: str) -> QueueChanged:
        """Return the messages that wait, as the window shows them."""
        sending = self._sending.get(conversation)
        waiting = tuple(message for message in self._of(conversation).queue if message.id != sending)
        return QueueChanged(conversation, waiting, bool(waiting) and conversation in self._paused)

    def show(self, conversation: str) -> QueueChanged:
        """Return the same for a window that shows it from now on: later differences are published."""
        state = self.state(conversation)
        self._note_shown(state)
        return state

    def find(self, conversation: str, message_id: str) -> QueuedMessage | None:
        """Return that message, if it waits."""
        return next((message for message in self.state(conversation).queue if message.id == message_id), None)

    def next(self, conversation: str) -> QueuedMessage | None:
        """Return the message that is sent next; None while the queue is empty or paused."""
        state = self.state(conversation)
        return state.queue[0] if state.queue and not state.is_paused else None

    async def keep_draft(self, conversation: str, text: str, attachments: tuple[Attachment, ...] | None) -> None:
        """Store the draft in place of the one before; attachments None: those that it has. Raises ArchiveError."""
        await self.read(conversation)
        before = self.draft(conversation)
        draft = MessageDraft(text, before.attachments if attachments is None else attachments)
        if draft != before:
            await self._change(conversation, replace(self._of(conversation), draft=draft))

    def edits(self, conversation: str) -> dict[str, str]:
        """Return the edits of sent messages that were not sent, by the messages' ids, the latest last."""
        return self._of(conversation).edits

    async def keep_edits(self, conversation: str, edits: dict[str, str]) -> None:
        """Store all edits of the conversation. Raises ArchiveError."""
        await self.read(conversation)
        if list(edits.items()) != list(self.edits(conversation).items()):
            await self._change(conversation, replace(self._of(conversation), edits=edits))

    async def add(self, conversation: str, message: QueuedMessage, is_draft: bool = False) -> None:
        """Put a message at the end, which resumes a paused queue. Raises ArchiveError; then it is not in the queue.

        is_draft: it is the draft, which is emptied with it.
        """
        self.resume(conversation)
        await self._store(conversation, self._of(conversation).add(message, is_draft=is_draft), message)

    @asynccontextmanager
    async def sending(
        self, conversation: str, message: QueuedMessage | None, is_draft: bool = False
    ) -> AsyncGenerator[None, None]:
        """Store a message, if there is one, before all that wait: its turn begins in the block.

        If that fails with a WorldError, it is forgotten: its sender still has it, and where it was the draft, it
        is that again. Raises ArchiveError.
        """
        if message is None:
            yield
            return
        self.begin(conversation, message.id)
        await self._store(conversation, self._of(conversation).add(message, is_first=True, is_draft=is_draft), message)
        try:
            yield
        except WorldError:
            await self._give_up(conversation, message, is_draft)
            raise
        except BaseException:
            self.release(conversation, message.id)
            raise

    async def _store(self, conversation: str, unsent: UnsentMessages, message: QueuedMessage) -> None:
        """Store them with a message that was added. Raises ArchiveError; then it is not among them."""
        before = self._of(conversation)
        try:
            await self._change(conversation, unsent)
        except ArchiveError:
            self._unsent[conversation] = replace(self._of(conversation).remove(message.id), draft=before.draft)
            raise

    async def remove(self, conversation: str, message_id: str) -> None:
        """Remove a message that waits; nothing happens if it does not wait any more. Raises ArchiveError."""
        if self.find(conversation, message_id) is not None:
            await self._change(conversation, self._of(conversation).remove(message_id))

    async def take_back(self, conversation: str, message_id: str, draft: MessageDraft) -> MessageDraft | None:
        """Take a message out of the queue and put it before the draft, in one step; return the new draft.

        None if it does not wait any more. Raises ArchiveError.
        """
        message = self.find(conversation, message_id)
        if message is None:
            return None
        joined = join_drafts(message.draft, draft)
        await self._change(conversation, replace(self._of(conversation).remove(message_id), draft=joined))
        return joined

    def begin(self, conversation: str, message_id: str) -> None:
        """Note that a message is being sent: until it is recorded, it neither waits nor is it forgotten."""
        self._sending[conversation] = message_id
        self._tell(conversation)

    async def end(self, conversation: str, is_recorded: Callable[[str], bool]) -> None:
        """Forget the message that was being sent; one that was not recorded waits again. Never raises ArchiveError."""
        message_id = self._sending.get(conversation, "")
        if message_id and is_recorded(message_id):
            try:
                await self._change(conversation, self._of(conversation).remove(message_id))
            except ArchiveError as error:  # the record has it, so that it is not read again
                log.warning("a message that was sent is still stored as queued: %s", error)
        self.release(conversation, message_id)

    def release(self, conversation: str, message_id: str) -> None:
        """Let a message wait again that was being sent, unless it is forgotten already."""
        if message_id and self._sending.get(conversation) == message_id:
            del self._sending[conversation]
            self._tell(conversation)

    async def _give_up(self, conversation: str, message: QueuedMessage, is_draft: bool) -> None:
        """Forget a message whose turn could not begin; one that was the draft is in front of it again."""
        self.release(conversation, message.id)
        left = self._of(conversation).remove(message.id)
        draft = join_drafts(message.draft, left.draft) if is_draft else left.draft
        await self._change(conversation, replace(left, draft=draft))

    def resume(self, conversation: str) -> None:
        """Resume a paused queue, on the user's request."""
        self._paused.discard(conversation)

    async def drop(self, conversation: str) -> None:
        """Drop the queue of a conversation that is deleted; its draft stays in the archive. Raises ArchiveError."""
        await self.read(conversation)
        await self._change(conversation, replace(self._of(conversation), queue=()))
        self._paused.discard(conversation)
        if conversation not in self._sending:
            self._unsent.pop(conversation, None)

    def _of(self, conversation: str) -> UnsentMessages:
        return self._unsent.get(conversation, UnsentMessages())

    async def _change(self, conversation: str, unsent: UnsentMessages) -> None:
        # At once here, and in order there: the archive carries out its calls one after the other.
        self._unsent[conversation] = unsent
        await self._archive.store_unsent(conversation, unsent)
        self._tell(conversation)

    def _tell(self, conversation: str) -> None:
        state = self.state(conversation)
        if state != self._shown.get(conversation, QueueChanged(conversation)):
            self._note_shown(state)
            self._publish(state)

    def _note_shown(self, state: QueueChanged) -> None:
        if state.queue:
            self._shown[state.conversation] = state
        else:
            self._shown.pop(state.conversation, None)


class TurnLocks(NamedLocks):
    """A lock of each conversation, held while a turn is about to begin there, or while none may begin."""

    def __init__(self) -> None:
        super().__init__()
        self._resting: set[str] = set()

    def is_beginning(self, conversation: str) -> bool:
        """Return whether a turn is about to begin, behind which a message that is sent now is queued."""
        return self.is_locked(conversation) and conversation not in self._resting

    @asynccontextmanager
    async def when_free(
        self, conversation: str, is_taken: Callable[[], bool], settle: Callable[[str], Awaitable[None]]
    ) -> AsyncGenerator[None, None]:
        """Hold the lock once no turn runs. is_taken: whether one does. settle: waits for its end."""
        while True:
            await settle(conversation)
            async with self.of(conversation):
                if not is_taken():
                    yield
                    return

    @asynccontextmanager
    async def resting(self, conversation: str, refuse: Callable[[], None]) -> AsyncGenerator[None, None]:
        """Let no turn begin during the block: a message sent now waits. refuse: raises if a turn runs."""
        refuse()
        async with self.of(conversation):
            refuse()  # one may have begun in the meantime
            self._resting.add(conversation)
            try:
                yield
            finally:
                self._resting.discard(conversation)
