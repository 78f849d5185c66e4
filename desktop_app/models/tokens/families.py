"""Families of models, which share a tokenizer, by the model's name."""

from __future__ import annotations

import re

from desktop_app.models import builtin

# The first match counts. A distilled model has the tokenizer of the model that it was made from.
_PATTERNS = (
    ("smollm2", r"smollm-?2"),
    ("llama-3", r"deepseek.*distill.*llama"),
    ("qwen", r"deepseek.*distill.*qwen"),
    ("claude-2", r"claude-?(v?[12](?!\d)|instant)"),
    # Opus 4.7 brought a new tokenizer; every later model has it.
    ("claude-4.7", r"claude\D*(4[-.]([7-9]|[1-9]\d)(?!\d)|([5-9]|[1-9]\d)(?!\d))"),
    ("claude", r"claude"),
    ("gemma-2", r"gemma-?[12](?!\d)|(code|recurrent)gemma|gemma-?7b|gemini-(1|pro$|pro-vision)"),
    ("gemma-3", r"gemma"),
    ("gemini", r"gemini"),
    ("qwen-3.5", r"qwen-?(3\.[5-9]|[4-9])"),
    ("qwen", r"qwen|qwq|qvq"),
    ("deepseek-2", r"deepseek-?(v2|coder|llm|moe|math|prover-v1)"),
    ("deepseek", r"deepseek"),
    ("kimi", r"kimi|moonshot"),
    ("glm", r"(?<![a-z])(chat)?glm"),
    ("minimax", r"minimax"),
    # mistral-common's table of models; what is newer than it has Tekken.
    ("mistral-v1", r"mixtral|mistral-?(7b|tiny|v?0\.)|mathstral|codestral-?(22b|mamba|2405)"),
    ("mistral-v1", r"(mistral|pixtral)-(large-24|small-(2312|2402)|medium-2312|embed)|zephyr-7b|mistral$"),
    ("mistral", r"mistral|ministral|codestral|devstral|magistral|pixtral|voxtral"),
    ("llama-2", r"llama-?[12](?![\d])|code-?llama|vicuna|tiny-?llama|llama-?(7|13|30|33|65)b"),
    ("llama-4", r"llama-?4"),
    ("llama-3", r"(?<!o)llama"),
    ("cl100k", r"gpt-?4(?!o|\.\d|\d)|gpt-?3\.?5"),
    ("o200k", r"gpt|codex|(?<![a-z0-9])o[1-9](?![a-z0-9])"),
)
_FAMILIES = tuple((family, re.compile(pattern)) for family, pattern in _PATTERNS)


def families() -> set[str]:
    """Return every family, without the unknown one."""
    return {family for family, _ in _PATTERNS}


def family_of(model_name: str) -> str:
    """Return the family in a model's name, such as "claude" in "openrouter/anthropic/Claude-Sonnet"; "" when unknown.

    The name after the last slash decides, up to a colon; then the whole name, for families that only a folder names.
    """
    name = model_name.lower().replace("_", "-")
    if name == builtin.MODEL_ID:
        return "smollm2"
    own = name.rpartition("/")[2].partition(":")[0]
    return _matching(own) or _matching(name)


def _matching(name: str) -> str:
    return next((family for family, pattern in _FAMILIES if pattern.search(name)), "")
