"""Usage and costs of one or several conversations over time, and the same past replayed under another policy."""

from __future__ import annotations

import msgspec

from .gauge import Segment
from .memory import Fidelity
from .message import NO_USAGE, Usage
from .transcript import Trigger

REACHED = (0.75, 0.9, 0.95)
"""Shares of the window of which is told how many conversations reached them: K1's thresholds."""


class Moment(msgspec.Struct, frozen=True):
    """How full the window was when a reply had ended."""

    at: float
    tokens: int
    """Of the request and the reply."""
    is_measured: bool
    """Whether the provider reported them; else they are counted here."""


class OperationMoment(msgspec.Struct, frozen=True):
    """One step that made room, or failed to. Tokens are of the request before and after it."""

    at: float
    kind: str
    """"prune", "compaction", or "failed" for a compaction that could not be made."""
    trigger: Trigger
    tokens_before: int
    tokens_after: int
    messages: int = 0
    """How many it shortened or archived."""
    seconds: float = 0.0
    is_undone: bool = False
    note: str = ""
    """Why it was not done as it was wanted; "" if it was."""
    operation: str = ""
    """The same for all steps of one plan, which are one operation for the user."""

    @property
    def freed(self) -> int:
        return 0 if self.is_undone else self.tokens_before - self.tokens_after

    @property
    def is_waited_for(self) -> bool:
        """Whether the user's message or the reply waited until it was done."""
        return self.trigger not in (Trigger.AFTER_TURN, Trigger.USER)


class UsageOf(msgspec.Struct, frozen=True):
    """What one model was asked for one purpose."""

    model: str
    purpose: str
    """"chat", "summary", "memory", "title", "digest" or "image"."""
    usage: Usage


class DayInsights(msgspec.Struct, frozen=True):
    """One day on which something was asked, freed or truncated."""

    day: str
    """As 2026-11-22."""
    usage: Usage = NO_USAGE
    operations: int = 0
    freed: int = 0
    truncated: int = 0
    """Tool results that were cut as they entered."""
    bytes_left_out: int = 0

    def plus(self, other: DayInsights) -> DayInsights:
        """Return the figures of both together, for the day of this one."""
        return DayInsights(
            self.day,
            self.usage.plus(other.usage),
            self.operations + other.operations,
            self.freed + other.freed,
            self.truncated + other.truncated,
            self.bytes_left_out + other.bytes_left_out,
        )


class Insights(msgspec.Struct, frozen=True):
    """The figures of one conversation, or of several together; then there are no moments."""

    conversations: int = 1
    moments: tuple[Moment, ...] = ()
    operations: tuple[OperationMoment, ...] = ()
    said: dict[Segment, int] = {}
    """All that was recorded, by segment: tokens as they are counted here, or characters."""
    is_counted: bool = True
    """Whether `said` is in tokens."""
    usage: tuple[UsageOf, ...] = ()
    """Largest first."""
    fidelity: Fidelity = Fidelity()
    """Of all compactions that hold: what became of the facts of what they archived."""
    days: tuple[DayInsights, ...] = ()
    """Oldest first."""
    sizes: tuple[int, ...] = ()
    """How many tokens each conversation had at last, of those in which a provider reported them."""
    fullest: tuple[float, ...] = ()
    """The share of the usable window that each conversation had at its fullest."""
    spills: dict[str, int] = {}
    """The bytes of each long output that is kept in a file, by its name."""

    def reached(self, share: float) -> int:
        """Return how many conversations were once that full."""
        return sum(one >= share for one in self.fullest)

    @property
    def average_size(self) -> int:
        """Tokens after a reply, on average; of several conversations those that each had at last. 0: not known."""
        sizes = [moment.tokens for moment in self.moments] or self.sizes
        return round(sum(sizes) / len(sizes)) if sizes else 0

    def freed(self, kind: str) -> int:
        """Return the tokens that operations of that kind freed."""
        return sum(one.freed for one in self.operations if one.kind == kind)

    def steps_of_operations(self) -> tuple[tuple[OperationMoment, ...], ...]:
        """Return the steps of each operation, in the order of their first ones."""
        steps: dict[str, tuple[OperationMoment, ...]] = {}
        for one in self.operations:
            steps[one.operation] = (*steps.get(one.operation, ()), one)
        return tuple(steps.values())

    def spent(self, purpose: str = "") -> Usage:
        """Return what all requests took, or those for one purpose."""
        total = NO_USAGE
        for part in self.usage:
            if purpose in ("", part.purpose):
                total = total.plus(part.usage)
        return total

    @property
    def whole(self) -> DayInsights:
        """All days together."""
        total = DayInsights("")
        for day in self.days:
            total = total.plus(day)
        return total


class Replayed(msgspec.Struct, frozen=True):
    """What came of it so far. Tokens as they are counted here."""

    requests: int = 0
    tokens_sent: int = 0
    """Of all requests together."""
    tokens_cached: int = 0
    """Those of them that a request shares with the beginning of the one before, so that a cache has them."""
    tokens_replied: int = 0
    compactions: int = 0
    share_after: float = 0.0
    """Of what can be used, that the compactions left on average."""
    pruned: int = 0
    """Results and inputs that were shortened."""
    requests_too_large: int = 0
    """Those that did not fit, whatever was archived."""
    facts: int = 0
    """Found in what was archived."""
    facts_kept: int = 0
    """Those of them that the request still had, word for word or in the summary."""
    longest_seconds: float = 0.0
    """That one making of room took."""
