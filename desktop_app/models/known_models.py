"""Models that litellm 1.106.2's catalogue lacks or has wrong, each number with its source; and models to propose.

Prices are in US dollars per million tokens, as published; limits are *estimated* until a server reports its own.
"""

from __future__ import annotations

from desktop_app.chat.ports import Price
from desktop_app.settings import ServerKind

from .token_limits import ModelCapabilities


def _dollars(prompt: float, reply: float, cached: float) -> Price:
    return Price(prompt / 1e6, reply / 1e6, cached / 1e6)


# https://platform.moonshot.ai/docs/pricing/chat, and openrouter.ai/moonshotai (262,144 for both); the July model had
# half of that window. No longest reply is published; the documentation's examples ask for 32 * 1,024 tokens
# (https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model), thoughts included.
_KIMI_REPLY = 32_768
_KIMI_K2 = ModelCapabilities(262_144, _KIMI_REPLY, True, False, _dollars(0.60, 2.50, 0.15))
_KIMI_K2_TURBO = ModelCapabilities(262_144, _KIMI_REPLY, True, False, _dollars(1.15, 8.00, 0.15))

# https://openai.com/index/introducing-gpt-5-for-developers: 400,000 tokens are 272,000 of the prompt and 128,000 of the
# reply, and more in a prompt is refused (github.com/cline/cline/issues/5474, github.com/openai/codex/issues/19339).
# The catalogue has 400,000 for the prompt of these.
_CODEX = ModelCapabilities(272_000, 128_000)

KNOWN: dict[str, ModelCapabilities] = {
    # https://ai.google.dev/gemini-api/docs/gemini-3: 1M in, 64K out; 2, 12 and 0.20 dollars up to 200,000 tokens.
    "gemini-3-pro-preview": ModelCapabilities(1_048_576, 65_536, True, True, _dollars(2.00, 12.00, 0.20)),
    "gpt-5.1-codex": _CODEX,
    "gpt-5.1-codex-max": _CODEX,
    "gpt-5.1-codex-mini": _CODEX,
    "kimi-k2": _KIMI_K2,
    "kimi-k2-0711-preview": ModelCapabilities(131_072, _KIMI_REPLY, True, False, _dollars(0.60, 2.50, 0.15)),
    "kimi-k2-0905-preview": _KIMI_K2,
    "kimi-k2-0905": _KIMI_K2,
    "kimi-k2-thinking": _KIMI_K2,
    "kimi-k2-turbo-preview": _KIMI_K2_TURBO,
    "kimi-k2-thinking-turbo": _KIMI_K2_TURBO,
}
"""By the name behind the last slash. What is 0 or None here is taken from the catalogue."""

PROPOSED: dict[ServerKind, tuple[str, ...]] = {
    "anthropic": (
        "claude-sonnet-4-6",
        "claude-opus-4-6",
        "claude-haiku-4-5",
        "claude-sonnet-4-5",
        "claude-opus-4-5",
    ),
    "openai": ("gpt-5.3-codex", "gpt-5.1-codex", "gpt-5.1-codex-max", "gpt-5.1-codex-mini", "gpt-5.1"),
    "gemini": ("gemini-3-pro-preview", "gemini-3-flash-preview", "gemini-3.1-pro-preview"),
    "moonshot": ("kimi-k2.5", "kimi-k2-0905-preview", "kimi-k2-thinking", "kimi-k2-turbo-preview"),
    "openrouter": (
        "anthropic/claude-sonnet-4.6",
        "anthropic/claude-opus-4.6",
        "anthropic/claude-haiku-4.5",
        "google/gemini-3-pro-preview",
        "google/gemini-3-flash-preview",
        "openai/gpt-5.3-codex",
        "moonshotai/kimi-k2.5",
    ),
}
"""What the settings window proposes before any server was asked."""
