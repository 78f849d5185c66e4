"""What is written and not sent yet: the draft, and the messages that wait for the end of a turn."""

from __future__ import annotations

from desktop_app.conversation.message import Attachment, MessageDraft

from .base import ConversationRequest, Done, EngineResponse


class SendQueued(ConversationRequest[Done], frozen=True):
    """Send a queued message now; the turn is stopped, and its reply kept as it is. The others follow."""

    message_id: str


class RemoveQueued(ConversationRequest[Done], frozen=True):
    message_id: str


class DraftRead(EngineResponse, frozen=True):
    """What stands in the composer now."""

    draft: MessageDraft


class TakeBackQueued(ConversationRequest[DraftRead], frozen=True):
    """Take a message out of the queue to change it; it stands before the draft that there is."""

    message_id: str
    draft: MessageDraft


class KeepDraft(ConversationRequest[Done], frozen=True):
    """Store the draft, so that it is there after a restart. attachments None: those that were stored last."""

    text: str
    attachments: tuple[Attachment, ...] | None = None


UnsentRequest = SendQueued | RemoveQueued | TakeBackQueued | KeepDraft
