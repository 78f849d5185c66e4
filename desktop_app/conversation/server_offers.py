"""What a server of models offers, and what a test of it found: values that cross to the window."""

from __future__ import annotations

from typing import Literal

import msgspec

from .listing import WindowSource


class ModelPrice(msgspec.Struct, frozen=True):
    """US dollars for a million tokens, of the prompt and of the reply."""

    prompt: float
    reply: float


class ModelOffer(msgspec.Struct, frozen=True):
    """A model that a server has; 0 and None where the server and the catalogue say nothing."""

    name: str
    window: int = 0
    max_output: int = 0
    supports_tools: bool | None = None
    supports_vision: bool | None = None
    price: ModelPrice | None = None
    window_source: WindowSource = ""
    runs_here: bool = False
    """Whether it is known to run on this machine, so that it costs nothing."""


KeyPlace = Literal["", "stored", "session", "environment"]
"""Where the key of a server is: nowhere, kept for later, known until the program ends, in the environment."""
CheckStep = Literal["list", "window", "reply", "tools"]
"""In this order; each is one short request or two, and the window asks for one after the other."""
CheckKind = Literal["reached", "listed", "key", "window", "replied", "streamed", "tools"]
CheckState = Literal["good", "unsure", "bad"]


class CheckResult(msgspec.Struct, frozen=True):
    """One line of a test."""

    kind: CheckKind
    state: CheckState
    count: int = 0
    """Models that are listed, tokens of the window, or pieces in which the reply came."""
    seconds: float = 0.0
    detail: str = ""
    """What the server said, or what to do about it."""
    source: WindowSource = ""
    """Where the number of the window comes from."""
    dollars: float | None = None
    """What the request cost, where that is known."""
