"""A model's dialect by its name and its kind of server. Pure, and imported without what speaks to servers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .tokens.estimate import family_of

if TYPE_CHECKING:
    from desktop_app.settings import ServerKind

FILLS_TEMPLATES: frozenset[ServerKind] = frozenset({"openai_compatible", "ollama", "lm_studio", "llama_cpp", "vllm"})
"""Servers that tokenize the rendered template, or may do so; others read control tokens in messages as text."""
BY_ITS_MAKER = re.compile(r"(?:anthropic/|x-ai/|moonshotai/|openai/(?!gpt-oss)|google/gemini)", re.IGNORECASE)
"""Models that OpenRouter gets from their makers; others run on servers that fill templates."""

REQUIRES_REASONING = re.compile(r"kimi-k2(\.[5-9]|p[5-9]|-thinking)")
"""Kimi models that refuse a tool call without `reasoning_content`, which may be blank
(https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model)."""

MAX_DESCRIPTION = 1_024
"""Characters of a tool's description that OpenAI accepts."""


def dialect_fields(kind: ServerKind, name: str) -> dict[str, Any]:
    """Return the fields of `ModelInfo` about the model's dialect. name: the server's name of the model.

    Kimi and DeepSeek require the reasoning before the calls of the current turn; earlier turns' reasoning is returned
    only where it is required, since it is not counted otherwise. For Gemini, litellm drops all but one of equal calls,
    but not their results, so only one is sent. Anthropic refuses calls of tools that are not declared.
    """
    family, returned = family_of(name), ""
    if family in ("kimi", "deepseek"):
        returned = "always" if REQUIRES_REASONING.search(name.lower()) else "running"
    if family == "minimax" and kind != "openrouter":  # which has a field for reasoning that is returned
        returned = "tagged"
    return {
        "returned_reasoning": returned,
        "joins_duplicate_calls": kind == "gemini" or (kind == "vertex" and family == "gemini"),
        "declares_called_tools": family == "claude",
        "max_description": MAX_DESCRIPTION if kind == "openai" else 0,
        "breaks_control_tokens": kind in FILLS_TEMPLATES or (kind == "openrouter" and not BY_ITS_MAKER.match(name)),
    }
