"""What the sidebar, the model picker and a search show: values about conversations, not their contents."""

from __future__ import annotations

from typing import Literal

import msgspec

from .gauge import Provenance, Status
from .message import Role

ReturnedReasoning = Literal["", "running", "always"]
"""None; those of the turn under way; those, and a blank for each that is left out."""


class ConversationInfo(msgspec.Struct, frozen=True):
    """One line of the sidebar. updated_at: seconds since 1970, UTC. share: of the usable window, when last seen.

    folder: the absolute path in which its tools work; "" when none was chosen.
    """

    id: str
    title: str
    created_at: float
    updated_at: float
    messages: int = 0
    model: str = ""
    share: float = 0.0
    status: Status = Status.SAFE
    folder: str = ""


class ModelInfo(msgspec.Struct, frozen=True):
    """A model that can be chosen. id: "builtin" or "server/model". window and max_output in tokens.

    window: 0 as long as nobody has told it. window_reported_at: when that was, in seconds since 1970, if it was in an
    earlier run and its server has not answered since; else 0.
    note: why it cannot be used now, in words for the user; empty when it can.
    supports_tools: whether it can call tools. supports_vision: whether it takes images.
    returned_reasoning: which of its reasoning goes back to it with its calls.
    """

    id: str
    label: str
    window: int
    max_output: int
    window_provenance: Provenance = Provenance.ESTIMATED
    is_builtin: bool = False
    note: str = ""
    supports_tools: bool = True
    supports_vision: bool = False
    window_reported_at: float = 0.0
    returned_reasoning: ReturnedReasoning = ""

    @property
    def record_name(self) -> str:
        """How the record names it: unique, and what stands behind the last slash is for people."""
        return self.id if "/" in self.id else f"{self.id}/{self.label}"


class SearchResult(msgspec.Struct, frozen=True):
    """A message that was found. index: its position in its conversation. score: higher is better.

    snippet: the place of the match, the found words between « and ».
    """

    conversation: str
    title: str
    message: str
    index: int
    role: Role
    archived: bool
    snippet: str
    score: float
    at: float = 0.0
