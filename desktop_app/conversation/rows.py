"""A record as the window shows it: messages with how they stand, and operations with their figures."""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from .facts import Fidelity
from .message import Message, Usage
from .transcript import Trigger


class MessageState(StrEnum):
    """Where a message is, for the eye: in the view whole, in the view shortened, archived behind an
    operation, or on an abandoned branch (edited or regenerated)."""

    IN_VIEW = "in_view"
    PRUNED = "pruned"
    ARCHIVED = "archived"
    ABANDONED = "abandoned"


class MessageRow(msgspec.Struct, frozen=True):
    """A message of the record as the window shows it. index: its position among the conversation's messages.

    sent_text: what the model sees instead, if `state` is PRUNED. operation_id: what archived or pruned it.
    """

    message: Message
    index: int
    tokens: int
    state: MessageState = MessageState.IN_VIEW
    is_pinned: bool = False
    operation_id: str = ""
    sent_text: str = ""


class MessageChange(msgspec.Struct, frozen=True):
    """How a message stands now; its words are the same, and are not sent again. Fields as in `MessageRow`."""

    message_id: str
    state: MessageState = MessageState.IN_VIEW
    is_pinned: bool = False
    operation_id: str = ""
    sent_text: str = ""

    def apply_to(self, row: MessageRow) -> MessageRow:
        """The row as it stands now."""
        return replace(
            row,
            state=self.state,
            is_pinned=self.is_pinned,
            operation_id=self.operation_id,
            sent_text=self.sent_text,
        )


class OperationRow(msgspec.Struct, frozen=True):
    """A prune or a compaction as the history panel and the mark in the chat show it.

    kind: "prune", "compaction", "flush", or "link" to another conversation, whose id is `linked` and whose title stands
    in `note`. messages: how many it shortened or archived, or memories it saved, whose texts are lines of `summary`.
    after_message_id: the last message that it touched; the mark in the chat stands behind it.
    trigger: None if it is not known. usage: what the provider reported for writing the summary.
    note: why it was not done as it was wanted.
    """

    id: str
    kind: str
    at: float
    trigger: Trigger | None
    strategies: dict[str, int] = {}
    messages: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    after_message_id: str = ""
    summary: str = ""
    fidelity: Fidelity | None = None
    seconds: float = 0.0
    model: str = ""
    is_undone: bool = False
    usage: Usage | None = None
    note: str = ""
    linked: str = ""
