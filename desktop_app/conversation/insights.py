"""What a conversation took over its life, or several together: values for the page of insights."""

from __future__ import annotations

import msgspec

from .facts import Fidelity
from .gauge import Segment
from .message import Usage
from .transcript import Trigger


class Moment(msgspec.Struct, frozen=True):
    """How full the window was when a reply had ended."""

    at: float
    tokens: int
    """Of the request and the reply."""
    is_measured: bool
    """Whether the provider reported them; else they are counted here."""


class OperationMoment(msgspec.Struct, frozen=True):
    """One operation. Tokens are of the request before and after it."""

    at: float
    kind: str
    """"prune" or "compaction"."""
    trigger: Trigger
    tokens_before: int
    tokens_after: int
    seconds: float = 0.0
    is_undone: bool = False
    note: str = ""
    """Why it was not done as it was wanted; "" if it was."""

    @property
    def freed(self) -> int:
        return 0 if self.is_undone else self.tokens_before - self.tokens_after


class UsageOf(msgspec.Struct, frozen=True):
    """What one model was asked for one purpose."""

    model: str
    purpose: str
    """"chat", "summary", "memory", "title", "digest" or "image"."""
    usage: Usage


class Insights(msgspec.Struct, frozen=True):
    """The figures of one conversation, or of several together; then there are no moments."""

    conversations: int = 1
    moments: tuple[Moment, ...] = ()
    operations: tuple[OperationMoment, ...] = ()
    said: dict[Segment, int] = {}
    """Tokens of all that was recorded, by segment, as they are counted here."""
    usage: tuple[UsageOf, ...] = ()
    """Largest first."""
    fidelity: Fidelity = Fidelity()
    """Of all compactions that hold: what became of the facts of what they archived."""

    @property
    def began_at(self) -> float:
        return min((one.at for one in (*self.moments, *self.operations)), default=0.0)

    @property
    def ended_at(self) -> float:
        return max((one.at for one in (*self.moments, *self.operations)), default=0.0)

    def freed(self, kind: str) -> int:
        """Return the tokens that operations of that kind freed."""
        return sum(one.freed for one in self.operations if one.kind == kind)
