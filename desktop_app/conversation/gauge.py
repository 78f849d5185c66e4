"""Figures of one assembled request, as a whole and part by part, as they cross from the engine to the window."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from .words import translatable


class Segment(StrEnum):
    """The categories of a request's tokens, in the order in which the gauge paints them."""

    SYSTEM = "system"
    SCHEMAS = "tool_schemas"
    MEMORY = "memory"
    SUMMARY = "summary"
    PINNED = "pinned"
    USER = "user"
    ASSISTANT = "assistant"
    REASONING = "reasoning"
    CALLS = "tool_calls"
    RESULTS = "tool_results"
    ATTACHMENTS = "attachments"
    FRAME = "frame"
    """What belongs to no part: what the template writes before the reply, and what rounding leaves over."""


class Status(StrEnum):
    """How full: below 75, from 75, 80, 90, 95 % of the usable window by default; or the window is not known."""

    SAFE = "safe"
    WARNING = "warning"
    TIGHT = "tight"
    CRITICAL = "critical"
    EXCEEDED = "exceeded"
    UNKNOWN = "unknown"
    """The window is not known."""


class Provenance(StrEnum):
    """Where a figure comes from."""

    MEASURED = "measured"
    ESTIMATED = "estimated"
    ASSUMED = "assumed"


def scaled_tokens(counted: int, scale: float) -> int:
    """Return the provider's tokens for those counted here, of a part of a request.

    Rounded down, so that the parts leave something over: that is what lies between the messages.
    """
    return int(counted * scale)


class Gauge(msgspec.Struct, frozen=True):
    """Tokens of the assembled request by segment; they sum to `total` exactly. usable = window - reserve."""

    segments: dict[Segment, int]
    total: int
    window: int
    """0 while it is not known; then nothing is ever done for want of room."""
    reserve: int
    status: Status
    provenance: Provenance = Provenance.ESTIMATED
    """Measured: reported by the provider; estimated: counted here."""
    window_provenance: Provenance = Provenance.ESTIMATED
    """Assumed when nobody could tell the model's window."""
    thresholds: tuple[float, float, float, float] = (0.75, 0.80, 0.90, 0.95)
    """Shares of the usable window at which warning, tight, critical and exceeded begin."""
    tokenizer: str = ""
    """The name of what counted."""
    stated_window: int = 0
    """The model's own window, where a smaller one was learned from what its server did; else 0."""
    scale: float = 1.0
    """The provider's tokens for one counted here: what `total` was scaled by, and what each message is told by."""

    @property
    def is_window_known(self) -> bool:
        return self.window > 0

    def tokens_of(self, counted: int) -> int:
        """Convert the tokens of a message or another part as they are counted here to those in this request."""
        return scaled_tokens(counted, self.scale)

    @property
    def usable(self) -> int:
        """Tokens that a request may take."""
        return self.window - self.reserve

    @property
    def share(self) -> float:
        """The part of the usable window that is taken; above 1 when it does not fit. 0 if the window is not known."""
        if not self.is_window_known:
            return 0.0
        return self.total / self.usable if self.usable > 0 else 1.0

    @property
    def free(self) -> int:
        """Tokens that are left; 0 when full."""
        return max(self.usable - self.total, 0)


class PartKind(StrEnum):
    """What a part of a request is. All but MESSAGE stand for no single message of the record."""

    MESSAGE = "message"
    SUMMARY = "summary"
    INSTRUCTIONS = "instructions"
    """Those of the project."""
    MEMORY = "memory"
    RECALLED = "recalled"
    SYNTHETIC = "synthetic"
    """Made up so that the provider accepts the request, such as a result for a call that has none."""
    TOOLS = "tools"
    FRAME = "frame"
    """What belongs to no part by itself, such as the tokens that introduce the reply."""


class SentPart(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One part of a request, as the model gets it."""

    kind: PartKind
    role: str
    """"system", "user", "assistant" or "tool"; "" where none speaks."""
    name: str
    """The tool whose result it is, the server whose schemas they are, or the speaker; else ""."""
    text: str
    """Its beginning."""
    characters: int
    """Of the whole text."""
    tokens: int
    segment: Segment
    message_id: str = ""
    """The message of the record that it is, or is for; "" for none."""
    operation_id: str = ""
    """The operation that shortened it, or whose summary it is."""
    tokens_before: int = 0
    """Before it was shortened; 0 if it was not."""
    stands_for: int = 0
    """How many archived messages a summary stands for, or how many tools the schemas are of."""
    is_pinned: bool = False
    repair: str = ""
    """What was wrong with the history here, in words; "" for nothing."""
    at: float = 0.0
    """When it was said; 0 for what nobody said."""
    other_segments: tuple[Segment, ...] = ()
    """Those that count some of its tokens beside `segment`, such as the calls of a reply."""
    arguments: str = ""
    """The beginning of the arguments of the call whose result it is."""


class SentRequest(msgspec.Struct, frozen=True):
    """A request: its figures, and its parts, whose tokens sum to the gauge's total, unless only some were asked for."""

    gauge: Gauge
    parts: tuple[SentPart, ...]
    cached: int = 0
    """How many of the first parts the provider read from its cache the last time; 0: none, or not known."""
    unlisted: tuple[int, int] = (0, 0)
    """Where parts are left out of the list, and how many, since there are more than anybody looks through."""


class PartChange(StrEnum):
    """What became of a part between two requests."""

    SAME = "same"
    CHANGED = translatable("changed")
    ADDED = translatable("added")
    REMOVED = translatable("removed")


class ComparedPart(msgspec.Struct, frozen=True):
    """A part of the later of two requests, or one that only the earlier one had."""

    part: SentPart
    change: PartChange
    tokens_before: int = 0
    """What it took in the earlier request; 0 if it was not there."""
