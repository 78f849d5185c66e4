"""Families of models, which share a tokenizer, by the model's name; and what their chat formats add to a message."""

from __future__ import annotations

import re

from desktop_app.context.counting.tokens import Overhead
from desktop_app.models import builtin

CHATML = Overhead(message=5, assistant=6, priming=4)
"""SmolLM2's: <|im_start|>, the role, a newline, <|im_end|>, a newline. The role is two tokens for an assistant, one
for all others; the priming is such a message's beginning."""

OVERHEADS: dict[str, Overhead] = {
    "smollm2": CHATML,
    # features.md C3; the templates themselves take fewer, tool calls more.
    "mistral": Overhead(message=5, assistant=5),
    "mistral-v1": Overhead(message=5, assistant=5),
    # [INST] is three tokens and [/INST] four, and <s>; a reply ends with a space and </s>.
    "llama-2": Overhead(message=8, assistant=2, priming=0),
    # <|start_header_id|>, the role, <|end_header_id|>, an empty line, <|eot_id|>; the reply's beginning, and
    # <|begin_of_text|>. Llama 4's tokens have other names.
    "llama-3": Overhead(message=5, assistant=5, priming=5),
    "llama-4": Overhead(message=5, assistant=5, priming=5),
    # ChatML with roles of one token: <|im_start|>, the role, a newline, <|im_end|>, a newline.
    "qwen": Overhead(message=5, assistant=5, priming=3),
    "qwen-3.5": Overhead(message=5, assistant=5, priming=3),
    # <｜User｜> before a question, <｜Assistant｜> and an end mark around a reply; a mark at the beginning.
    "deepseek": Overhead(message=1, assistant=2, priming=2),
    # <start_of_turn>, the role, a newline, <end_of_turn>, a newline; <bos>.
    "gemma-2": Overhead(message=5, assistant=5, priming=4),
    "gemma-3": Overhead(message=5, assistant=5, priming=4),
}
"""Families whose template is known; all others have OpenAI's published rule."""

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


def overhead_of(family: str) -> Overhead:
    """Return what that family's chat format adds to the text."""
    return OVERHEADS.get(family, Overhead())
