"""How long a request and a reply may be, and how people write such numbers."""

from __future__ import annotations

import re

import msgspec

from desktop_app.chat.ports import Price
from desktop_app.conversation.gauge import Provenance

ASSUMED_WINDOW = 128_000
"""Of a cloud model that nobody knows (features.md C6)."""

DEFAULT_MAX_OUTPUT = 4_096
"""Where nobody says how long a reply may be; never more than a quarter of the window."""

_TOKENS = re.compile(r"\s*(\d[\d_,' ]*(?:\.\d+)?)\s*([kKmM]?)\s*(?:tokens?)?\s*")


class ModelLimits(msgspec.Struct, frozen=True):
    """Window and longest reply in tokens. max_output 0: unknown.

    reported_at: when the server reported the window, if that was in an earlier run.
    """

    window: int
    max_output: int = 0
    provenance: Provenance = Provenance.MEASURED
    reported_at: float = 0.0

    def reply_limit(self) -> int:
        """The longest reply to ask for. Some servers name the whole window."""
        return min(self.max_output, self.window) or min(DEFAULT_MAX_OUTPUT, self.window // 4)


_STORED_NAMES = {"supports_tools": "has_tools", "supports_vision": "has_eyes"}


class ModelCapabilities(msgspec.Struct, frozen=True, rename=_STORED_NAMES):
    """What somebody tells of a model; 0 and None where nothing was said."""

    window: int = 0
    max_output: int = 0
    supports_tools: bool | None = None
    supports_vision: bool | None = None
    price: Price | None = None

    def or_else(self, other: ModelCapabilities) -> ModelCapabilities:
        """The same, with what it leaves open as the other one has it."""
        return ModelCapabilities(
            self.window or other.window,
            self.max_output or other.max_output,
            other.supports_tools if self.supports_tools is None else self.supports_tools,
            other.supports_vision if self.supports_vision is None else self.supports_vision,
            self.price or other.price,
        )


def tokens_from_text(text: str) -> int:
    """Reads "200K", "1M", "256k", "128,000" or "8192" as tokens. K is 1,000, since vendors round that way.

    Raises ValueError, whose text can be shown.
    """
    match = _TOKENS.fullmatch(text)
    if match is None:
        raise ValueError(f"“{text}” is not a number of tokens. Write it like 8192, 200K or 1M.")
    number = float(re.sub(r"[_,' ]", "", match[1]))
    tokens = round(number * {"": 1, "k": 1_000, "m": 1_000_000}[match[2].lower()])
    if tokens < 1:
        raise ValueError("The number of tokens must be at least 1.")
    return tokens
