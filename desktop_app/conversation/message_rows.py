"""Rows of a record for the window: messages with their states, and operations with their figures."""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from .memory import Fidelity
from .message import Message, Usage
from .transcript import Trigger


class MessageState(StrEnum):
    """The state of a message: in the view, or why it is not."""

    IN_VIEW = "in_view"
    PRUNED = "pruned"
    ARCHIVED = "archived"
    ABANDONED = "abandoned"


class MessageRow(msgspec.Struct, frozen=True):
    """A message of the record, for the window."""

    message: Message
    index: int
    """Index among the messages of the current branch; -1 in another one."""
    tokens: int
    """Our own count; `Gauge.tokens_of` converts it to tokens of the request."""
    state: MessageState = MessageState.IN_VIEW
    is_pinned: bool = False
    operation_id: str = ""
    """The operation that archived or pruned it; "" for none."""
    sent_text: str = ""
    """The text in its place for the model, if `state` is PRUNED."""
    versions: tuple[str, ...] = ()
    """The ids of all versions of the message, oldest first; empty if it is the only one."""


class MessageChange(msgspec.Struct, frozen=True):
    """The new state of a message, without its text, which has not changed. Fields as in `MessageRow`."""

    message_id: str
    state: MessageState = MessageState.IN_VIEW
    is_pinned: bool = False
    operation_id: str = ""
    sent_text: str = ""

    def apply_to(self, row: MessageRow) -> MessageRow:
        return replace(
            row,
            state=self.state,
            is_pinned=self.is_pinned,
            operation_id=self.operation_id,
            sent_text=self.sent_text,
        )


class OperationRow(msgspec.Struct, frozen=True):
    """An operation, for the history panel and the mark in the chat."""

    id: str
    kind: str
    """"prune", "compaction", "failed", "flush", or "link" to another conversation. For a failed compaction, the only
    strategy is its cause, `tokens_after` are the tokens that must stay, and `note` gives details of an error."""
    at: float
    trigger: Trigger | None
    """None if unknown."""
    strategies: dict[str, int] = {}
    messages: int = 0
    """Number of messages that it shortened or archived, or of memories that it saved."""
    tokens_before: int = 0
    tokens_after: int = 0
    after_message_id: str = ""
    """The last message that it changed, after which the mark in the chat is shown."""
    summary: str = ""
    """The summary; for a flush, the memories, one per line."""
    fidelity: Fidelity | None = None
    seconds: float = 0.0
    model: str = ""
    is_undone: bool = False
    is_elsewhere: bool = False
    """Whether it belongs to another branch, and changes nothing in the current one."""
    usage: Usage | None = None
    """Usage that the provider reported for writing the summary."""
    note: str = ""
    """Why it was not done as requested, or the title of a linked conversation."""
    linked: str = ""
    """The id of a linked conversation."""
    usable: int = 0
    """The usable window in tokens at the time; 0 if unknown."""

    @property
    def is_beginning(self) -> bool:
        """Whether it is a summary of another conversation, with which this one begins."""
        return self.kind == "compaction" and not self.messages

    @property
    def has_no_summary(self) -> bool:
        """Whether its messages left the window without a summary, keeping only their facts."""
        return "last_messages" in self.strategies


class VersionRow(msgspec.Struct, frozen=True):
    """A version of a message, with the size of the request in its branch."""

    message_id: str
    number: int
    """Number among all versions, from 1."""
    text: str
    """The beginning of its text."""
    at: float
    tokens: int
    """Tokens of the request, as shown by the gauge in that branch."""
    is_current: bool = False
