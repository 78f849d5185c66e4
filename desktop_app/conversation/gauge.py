"""Figures of an assembled request, in total and by part, as sent from the engine to the window."""

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
    """Tokens of no part: the template's text before the reply, and the remainder of rounding."""


class Status(StrEnum):
    """Fill level: by default below 75, and from 75, 80, 90, 95 % of the usable window; or unknown."""

    SAFE = "safe"
    WARNING = "warning"
    TIGHT = "tight"
    CRITICAL = "critical"
    EXCEEDED = "exceeded"
    UNKNOWN = "unknown"
    """The window is not known."""


class Provenance(StrEnum):
    """The origin of a figure."""

    MEASURED = "measured"
    ESTIMATED = "estimated"
    ASSUMED = "assumed"


def scaled_tokens(counted: int, scale: float) -> int:
    """Convert our own token count of a part of a request to the provider's tokens.

    It is rounded down, so that the parts leave a remainder, which stands for the tokens between messages.
    """
    return int(counted * scale)


class Gauge(msgspec.Struct, frozen=True):
    """Tokens of the assembled request by segment; they sum to `total` exactly. usable = window - reserve.

    The window may be a part of the model's window: then room is made as if it were all, but nothing is refused for it.
    """

    segments: dict[Segment, int]
    total: int
    window: int
    """Tokens that are used of the model's window; 0 if it is unknown; then room is never made."""
    reserve: int
    status: Status
    provenance: Provenance = Provenance.ESTIMATED
    """Measured: reported by the provider; estimated: our own count."""
    window_provenance: Provenance = Provenance.ESTIMATED
    """Assumed if the model's window is unknown."""
    thresholds: tuple[float, float, float, float] = (0.75, 0.80, 0.90, 0.95)
    """Shares of the usable window at which warning, tight, critical and exceeded begin."""
    tokenizer: str = ""
    """The name of the tokenizer that counted."""
    stated_window: int = 0
    """The model's stated window, if its server's behaviour showed a smaller one; otherwise 0."""
    scale: float = 1.0
    """The provider's tokens for one of our own count, by which `total` and messages are scaled."""
    spare: int = 0
    """Tokens of the model's window beyond `window`."""
    cached: int = 0
    """Tokens of the request that the provider has in its cache."""
    cached_until: float = 0.0
    """Seconds since 1970 at which they expire; 0 for never."""

    @property
    def is_window_known(self) -> bool:
        return self.window > 0

    def tokens_of(self, counted: int) -> int:
        """Convert our own token count of a message or another part to tokens of this request."""
        return scaled_tokens(counted, self.scale)

    @property
    def usable(self) -> int:
        """Maximum tokens of a request."""
        return self.window - self.reserve

    @property
    def whole_window(self) -> int:
        """The model's window."""
        return self.window + self.spare

    @property
    def limit(self) -> int:
        """Tokens of the longest request that the model takes."""
        return self.usable + self.spare

    @property
    def share(self) -> float:
        """The used share of the usable window; above 1 if the request does not fit, 0 if the window is unknown."""
        if not self.is_window_known:
            return 0.0
        return self.total / self.usable if self.usable > 0 else 1.0

    @property
    def free(self) -> int:
        """Remaining tokens; 0 if the window is full."""
        return max(self.usable - self.total, 0)


class PartKind(StrEnum):
    """The kind of a part of a request. Only MESSAGE is a single message of the record."""

    MESSAGE = "message"
    SUMMARY = "summary"
    INSTRUCTIONS = "instructions"
    """The project's instructions."""
    MEMORY = "memory"
    RECALLED = "recalled"
    SYNTHETIC = "synthetic"
    """Inserted so that the provider accepts the request, such as a result for a call without one."""
    TOOLS = "tools"
    FRAME = "frame"
    """Tokens of no other part, such as those before the reply."""


class SentPart(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A part of a request, in the form for the model."""

    kind: PartKind
    role: str
    """"system", "user", "assistant" or "tool"; "" for none."""
    name: str
    """The tool of a result, the server of schemas, or the speaker; otherwise ""."""
    text: str
    """The beginning of the text."""
    characters: int
    """Length of the full text."""
    tokens: int
    segment: Segment
    message_id: str = ""
    """The recorded message that it is, or precedes; "" for none."""
    operation_id: str = ""
    """The operation that shortened it, or that wrote the summary; "" for none."""
    tokens_before: int = 0
    """Tokens before it was shortened; 0 if it was not."""
    stands_for: int = 0
    """Number of archived messages that a summary replaces, or of tools in the schemas."""
    is_pinned: bool = False
    repair: str = ""
    """Description of a repaired fault in the history; "" for none."""
    at: float = 0.0
    """Time of the message in seconds since 1970; 0 for parts that are no message."""
    other_segments: tuple[Segment, ...] = ()
    """Segments besides `segment` that count some of its tokens, such as the calls of a reply."""
    arguments: str = ""
    """The beginning of the arguments of the call whose result it is."""
    provider_form: str = ""
    """"readable" or "encrypted" if its provider wrote it itself, in its own form; otherwise ""."""


class SentRequest(msgspec.Struct, frozen=True):
    """A request: its figures, and its parts, whose tokens sum to the gauge's total unless only some were requested."""

    gauge: Gauge
    parts: tuple[SentPart, ...]
    cached: int = 0
    """Number of first parts that the provider last read from its cache; 0 if none or unknown."""
    unlisted: tuple[int, int] = (0, 0)
    """Index at which parts are left out of a list that is too long, and their number."""


class PartChange(StrEnum):
    """The change of a part between two requests."""

    SAME = "same"
    CHANGED = translatable("changed")
    ADDED = translatable("added")
    REMOVED = translatable("removed")


class ComparedPart(msgspec.Struct, frozen=True):
    """A part of the later of two requests, or one that only the earlier one had."""

    part: SentPart
    change: PartChange
    tokens_before: int = 0
    """Its tokens in the earlier request; 0 if it was not there."""
