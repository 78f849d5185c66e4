"""A request part by part, as the user looks at it: values that cross from the engine to the window."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from .gauge import Gauge, Segment
from .words import translatable


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
