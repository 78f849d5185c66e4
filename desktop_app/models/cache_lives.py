"""For how long the provider or server of a model keeps the beginning of a request after its last use. Pure.

Anthropic: five minutes, or an hour if its markers ask for it, for twice the price of the tokens written
(https://platform.claude.com/docs/en/build-with-claude/prompt-caching). OpenAI: a day from GPT-4.1 and GPT-5 on, unless
the organization keeps no data; 30 minutes from GPT-5.6 on; five to ten minutes for older models
(https://developers.openai.com/api/docs/guides/prompt-caching). Azure: a day from GPT-5.5 on, unasked
(https://learn.microsoft.com/azure/foundry/openai/how-to/prompt-caching). Gemini caches by itself for a few minutes,
DeepSeek for hours. Claude in Bedrock and Vertex is sent no markers, so that nothing is cached.

A local server keeps the newest prefix until another conversation needs its place. Ollama unloads a model after five
idle minutes, LM Studio after an hour.
"""

from __future__ import annotations

import re

from desktop_app.settings import ServerKind

from .tokens.estimate import family_of

MINUTES, HALF_HOUR, HOUR, DAY = 300, 1_800, 3_600, 86_400
"""Seconds. MINUTES is also assumed for providers that do not say."""

_GPT = re.compile(r"gpt-(\d+)(?:\.(\d+))?")
_DAY_FROM, _AZURE_DAY_FROM, _HALF_HOUR_FROM = (5, 0), (5, 5), (5, 6)
"""Versions of GPT; 4.1 is kept for a day as well."""
_OF_LOCAL: dict[ServerKind, int | None] = {"ollama": MINUTES, "lm_studio": HOUR, "llama_cpp": None, "vllm": None}


def may_keep_an_hour(kind: ServerKind, name: str) -> bool:
    """Return whether the user may choose that the model's provider keeps a prefix for an hour."""
    return kind == "anthropic" or (kind == "openrouter" and family_of(name) == "claude")


def cache_life(kind: ServerKind, name: str, is_local: bool, keeps_an_hour: bool = False) -> int | None:
    """Return the seconds that a prefix is kept after its last use; 0 for not at all, None for no end.

    name: the server's name of the model. is_local: whether it runs on this machine. keeps_an_hour: the user's choice.
    """
    if kind in _OF_LOCAL:
        return _OF_LOCAL[kind]
    if is_local:
        return None
    family = family_of(name)
    if may_keep_an_hour(kind, name):
        return HOUR if keeps_an_hour else MINUTES
    if kind in ("bedrock", "vertex"):
        return MINUTES if family == "gemini" else 0
    if family == "deepseek":
        return HOUR
    return _life_of_gpt(kind, name) if kind in ("openai", "azure") else MINUTES


def _life_of_gpt(kind: ServerKind, name: str) -> int:
    found = _GPT.search(name.lower())
    version = (int(found[1]), int(found[2] or 0)) if found else (0, 0)
    if version >= _HALF_HOUR_FROM and kind == "openai":
        return HALF_HOUR
    day_from = _AZURE_DAY_FROM if kind == "azure" else _DAY_FROM
    return DAY if version >= day_from or (version == (4, 1) and kind == "openai") else MINUTES
