"""A record as the window shows it: messages with where they stand, and operations with their figures."""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from .memory import Fidelity
from .message import Message, Usage
from .transcript import Trigger


class MessageState(StrEnum):
    """Where a message is."""

    IN_VIEW = "in_view"
    PRUNED = "pruned"
    ARCHIVED = "archived"
    ABANDONED = "abandoned"


class MessageRow(msgspec.Struct, frozen=True):
    """A message of the record as the window shows it."""

    message: Message
    index: int
    """Among the messages of the current branch; -1 in another one."""
    tokens: int
    """As they are counted here; `Gauge.tokens_of` makes those of the request of them."""
    state: MessageState = MessageState.IN_VIEW
    is_pinned: bool = False
    operation_id: str = ""
    """What archived or pruned it."""
    sent_text: str = ""
    """What the model sees instead, if `state` is PRUNED."""
    versions: tuple[str, ...] = ()
    """The ids of all versions of the message, oldest first; empty if it is the only one."""


class MessageChange(msgspec.Struct, frozen=True):
    """Where a message stands now; its text is the same, and is not sent again. Fields as in `MessageRow`."""

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
    """An operation as the history panel and the mark in the chat show it."""

    id: str
    kind: str
    """"prune", "compaction", "failed", "flush", or "link" to another conversation. Of a failed compaction the only
    strategy is its cause, `tokens_after` is what must stay, and `note` says more of an error."""
    at: float
    trigger: Trigger | None
    """None if it is not known."""
    strategies: dict[str, int] = {}
    messages: int = 0
    """How many it shortened or archived, or memories it saved."""
    tokens_before: int = 0
    tokens_after: int = 0
    after_message_id: str = ""
    """The last message that it touched; the mark in the chat stands behind it."""
    summary: str = ""
    """Of a flush: the memories, a line each."""
    fidelity: Fidelity | None = None
    seconds: float = 0.0
    model: str = ""
    is_undone: bool = False
    is_elsewhere: bool = False
    """Whether it is of another branch, and changes nothing in the current one."""
    usage: Usage | None = None
    """What the provider reported for writing the summary."""
    note: str = ""
    """Why it was not done as it was wanted, or the title of a linked conversation."""
    linked: str = ""
    """The id of a linked conversation."""
    usable: int = 0
    """Tokens that a request could take then; 0 if that is not known."""

    @property
    def is_beginning(self) -> bool:
        """Whether it is the summary of another conversation, with which this one begins."""
        return self.kind == "compaction" and not self.messages

    @property
    def has_no_summary(self) -> bool:
        """Whether its messages left the window without a summary, only their facts kept."""
        return "last_messages" in self.strategies


class VersionRow(msgspec.Struct, frozen=True):
    """A version of a message, with the request of the branch that it leads to."""

    message_id: str
    number: int
    """Among all its versions, counted from 1."""
    text: str
    """How it begins."""
    at: float
    tokens: int
    """Of the request, as the gauge shows it in that branch."""
    is_current: bool = False
