"""What a model can do, and numbers of tokens as people write them."""

from __future__ import annotations

import re

import msgspec

from desktop_app.chat.ports import Price

ASSUMED_WINDOW = 128_000
"""Of an unknown cloud model (features.md C6)."""

DEFAULT_MAX_OUTPUT = 4_096
"""Where the longest reply is unknown; at most a quarter of the window."""

_TOKENS = re.compile(r"\s*(\d[\d_,' ]*(?:\.\d+)?)\s*([kKmM]?)\s*(?:tokens?)?\s*")


_STORED_NAMES = {"supports_tools": "has_tools", "supports_vision": "has_eyes"}


class ModelCapabilities(msgspec.Struct, frozen=True, rename=_STORED_NAMES):
    """What a server or a catalogue reports of a model; 0 and None where it is unknown."""

    window: int = 0
    max_output: int = 0
    supports_tools: bool | None = None
    supports_vision: bool | None = None
    price: Price | None = None

    def or_else(self, other: ModelCapabilities) -> ModelCapabilities:
        """Fill in what is unknown from another one."""
        return ModelCapabilities(
            self.window or other.window,
            self.max_output or other.max_output,
            other.supports_tools if self.supports_tools is None else self.supports_tools,
            other.supports_vision if self.supports_vision is None else self.supports_vision,
            self.price or other.price,
        )


def tokens_from_text(text: str) -> int:
    """Read "200K", "1M", "256k", "128,000" or "8192". K is 1,000, as vendors use it.

    Raises ValueError with a text for the user.
    """
    match = _TOKENS.fullmatch(text)
    if match is None:
        raise ValueError(f"“{text}” is not a number of tokens. Write it like 8192, 200K or 1M.")
    number = float(re.sub(r"[_,' ]", "", match[1]))
    tokens = round(number * {"": 1, "k": 1_000, "m": 1_000_000}[match[2].lower()])
    if tokens < 1:
        raise ValueError("The number of tokens must be at least 1.")
    return tokens
