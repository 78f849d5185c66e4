"""Unsent texts, which are not in the record: drafts, queued messages, and edits of sent messages."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from .message import MessageDraft


class QueuedMessage(msgspec.Struct, frozen=True):
    """A message that is sent once the turns before it have ended."""

    id: str
    """The id that it will have in the record, which shows after a crash whether it was sent."""
    draft: MessageDraft
    is_research: bool = False
    """Whether the web is searched for the answer; the text begins with the command."""
    is_steering: bool = False
    """Whether it enters the running turn with its next request, instead of waiting for the turn's end. Not stored."""


class UnsentMessages(msgspec.Struct, frozen=True):
    """The draft in the composer, the queue, the next message first, and the edits that were not sent."""

    draft: MessageDraft = MessageDraft()
    queue: tuple[QueuedMessage, ...] = ()
    edits: dict[str, str] = {}
    """The new texts of sent messages by their ids, the latest last."""

    def add(self, message: QueuedMessage, is_first: bool = False, is_draft: bool = False) -> UnsentMessages:
        """Return a copy with the message in the queue. is_draft: whether it was the draft, which is then cleared."""
        queue = (message, *self.queue) if is_first else (*self.queue, message)
        return replace(self, draft=MessageDraft() if is_draft else self.draft, queue=queue)

    def find(self, message_id: str) -> QueuedMessage | None:
        """Return that message, if it is queued."""
        return next((message for message in self.queue if message.id == message_id), None)

    def remove(self, message_id: str) -> UnsentMessages:
        """Return a copy without the message."""
        return replace(self, queue=tuple(message for message in self.queue if message.id != message_id))


def join_drafts(first: MessageDraft, second: MessageDraft) -> MessageDraft:
    """Return a draft with the texts and attachments of both."""
    text = "\n\n".join(text for text in (first.text, second.text) if text.strip())
    return MessageDraft(text, (*first.attachments, *second.attachments))
