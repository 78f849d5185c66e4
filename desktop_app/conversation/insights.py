"""Usage and costs of one or several conversations over time, and figures of their replay under another policy."""

from __future__ import annotations

import msgspec

from .gauge import Segment
from .memory import Fidelity
from .message import NO_USAGE, Usage
from .transcript import Trigger

REACHED = (0.75, 0.9, 0.95)
"""Shares of the window for which the number of conversations that reached them is shown: K1's thresholds."""


class Moment(msgspec.Struct, frozen=True):
    """The tokens in the window after a reply."""

    at: float
    tokens: int
    """Of the request and the reply."""
    is_measured: bool
    """Whether the provider reported the tokens; otherwise they are our own count."""


class OperationMoment(msgspec.Struct, frozen=True):
    """A step that made room, or failed to. Tokens are of the request before and after it."""

    at: float
    kind: str
    """"prune", "compaction", or "failed" for a compaction that could not be made."""
    trigger: Trigger
    tokens_before: int
    tokens_after: int
    messages: int = 0
    """Number of messages that it shortened or archived."""
    seconds: float = 0.0
    is_undone: bool = False
    note: str = ""
    """Why it was not done as requested; "" if it was."""
    operation: str = ""
    """An id, which is the same for all steps of a plan, since they are one operation for the user."""

    @property
    def freed(self) -> int:
        return 0 if self.is_undone else self.tokens_before - self.tokens_after

    @property
    def is_waited_for(self) -> bool:
        """Whether the user's message or the reply waited for it."""
        return self.trigger not in (Trigger.AFTER_TURN, Trigger.IDLE, Trigger.USER)


class UsageOf(msgspec.Struct, frozen=True):
    """Usage of a model for one purpose."""

    model: str
    purpose: str
    """"chat", "summary", "memory", "title", "digest" or "image"."""
    usage: Usage


class DayInsights(msgspec.Struct, frozen=True):
    """Figures of a day with requests, operations or truncated results."""

    day: str
    """In the form 2026-11-22."""
    usage: Usage = NO_USAGE
    operations: int = 0
    freed: int = 0
    truncated: int = 0
    """Number of tool results that were truncated when they were recorded."""
    bytes_left_out: int = 0

    def plus(self, other: DayInsights) -> DayInsights:
        """Return the sums of both, for the day of this one."""
        return DayInsights(
            self.day,
            self.usage.plus(other.usage),
            self.operations + other.operations,
            self.freed + other.freed,
            self.truncated + other.truncated,
            self.bytes_left_out + other.bytes_left_out,
        )


class Insights(msgspec.Struct, frozen=True):
    """The figures of one conversation, or the combined figures of several, without moments."""

    conversations: int = 1
    moments: tuple[Moment, ...] = ()
    operations: tuple[OperationMoment, ...] = ()
    recorded: dict[Segment, int] = {}
    """Sizes of all recorded messages by segment, in tokens of our own count, or in characters."""
    is_counted: bool = True
    """Whether `recorded` is in tokens."""
    usage: tuple[UsageOf, ...] = ()
    """Largest first."""
    fidelity: Fidelity = Fidelity()
    """What became of the facts in archived messages, over all active compactions."""
    days: tuple[DayInsights, ...] = ()
    """Oldest first."""
    sizes: tuple[int, ...] = ()
    """The latest tokens of each conversation for which a provider reported them."""
    fullest: tuple[float, ...] = ()
    """The highest share of the usable window that each conversation reached."""
    spills: dict[str, int] = {}
    """The bytes of each long output that is stored in a file, by its name."""

    def reached(self, share: float) -> int:
        """Return the number of conversations that ever reached the share."""
        return sum(fullest >= share for fullest in self.fullest)

    @property
    def average_size(self) -> int:
        """Average tokens after a reply; for several conversations, after the last one of each. 0 if unknown."""
        sizes = [moment.tokens for moment in self.moments] or self.sizes
        return round(sum(sizes) / len(sizes)) if sizes else 0

    def freed(self, kind: str) -> int:
        """Return the tokens that operations of the kind freed."""
        return sum(operation.freed for operation in self.operations if operation.kind == kind)

    def steps_of_operations(self) -> tuple[tuple[OperationMoment, ...], ...]:
        """Return the steps of each operation, in the order of their first ones."""
        steps: dict[str, tuple[OperationMoment, ...]] = {}
        for step in self.operations:
            steps[step.operation] = (*steps.get(step.operation, ()), step)
        return tuple(steps.values())

    def spent(self, purpose: str = "") -> Usage:
        """Return the usage of all requests, or of the requests for one purpose."""
        total = NO_USAGE
        for part in self.usage:
            if purpose in ("", part.purpose):
                total = total.plus(part.usage)
        return total

    @property
    def all_days(self) -> DayInsights:
        """The sums of all days."""
        total = DayInsights("")
        for day in self.days:
            total = total.plus(day)
        return total


class Replayed(msgspec.Struct, frozen=True):
    """Figures of a replay so far. Tokens are our own count."""

    requests: int = 0
    tokens_sent: int = 0
    """Tokens of all requests."""
    tokens_cached: int = 0
    """Tokens in the common beginning of a request and the one before, which a cache therefore contains."""
    tokens_replied: int = 0
    compactions: int = 0
    share_after: float = 0.0
    """Average share of the usable window after compactions."""
    pruned: int = 0
    """Number of results and inputs that were shortened."""
    requests_too_large: int = 0
    """Number of requests that did not fit even after making room."""
    facts: int = 0
    """Number of facts in archived messages."""
    facts_kept: int = 0
    """Number of these facts that the request still contained, verbatim or in the summary."""
    longest_seconds: float = 0.0
    """The longest time to make room."""
