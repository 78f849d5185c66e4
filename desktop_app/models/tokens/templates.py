"""The overhead of chat templates around the texts of a request, and the template of each model by its name.

The numbers were fitted to the output of real renderers for forty synthetic requests (tests/bench/peers/renderers.py,
compared again by tests/bench/test_template_costs.py): llama.cpp's collection of templates, mistral-common and
openai-harmony. docs/tokenizers.md has the remaining errors, and how each row was verified.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from desktop_app.context.counting.picture_tokens import PictureRule
from desktop_app.context.counting.tokens import Overhead

from .estimate import family_of

OPENAI = Overhead(tool=0, tools=12, tool_form="openai")
"""OpenAI's published rule, for messages and for tools."""
CHATML = Overhead(message=5, assistant=6, priming=4)
"""SmolLM2's: <|im_start|>, the role, a newline, <|im_end|>, a newline. The role is two tokens for an assistant, and one
for all others; the priming is the beginning of an assistant's message."""
# Qwen's roles are one token. All results of one reply are sent as one user message.
QWEN = Overhead(message=5, result=8, results=4, calls=-1, call=4, tools=76, tool=1, tools_alone=5).forms(
    "arguments", "json"
)
# <|start_header_id|>, the role, <|end_header_id|>, an empty line, <|eot_id|>; the reply's beginning, and
# <|begin_of_text|>. There is always a system prompt, which begins with two dates. Tools are in the first question.
LLAMA_3 = Overhead(
    message=5,
    priming=5,
    system=25,
    unasked=25,
    result=6,
    tools=56,
    tool=0,
    quotes_results=True,
    drops_text=True,
).forms("parameters", "indented")
# <｜User｜> before a question, <｜Assistant｜> and </think> before a reply, an end mark after it; a mark at the
# beginning. A reply to results has no mark before it.
DEEPSEEK = Overhead(message=1, assistant=4, priming=4, system=0, result=2, calling=-3, calls=2, call=3, tool=0)
# DSML, since V3.2: calls are tags with attributes, and so are results in V3.2.
DSML = replace(DEEPSEEK, assistant=3, silent=1, calls=12, call=2, argument=2, tools=246).forms("attributes", "function")
# [INST] and [/INST] around a question, an end mark after a reply, a mark at the beginning.
MISTRAL = Overhead(message=2, assistant=1, priming=1, result=2, call=2, tools=2, tool=1).forms("raw", "json")
# An id is about eight tokens.
MISTRAL_WITH_IDS = replace(MISTRAL, result=10, call=10)

OVERHEADS: dict[str, Overhead] = {
    # The built-in model's template adds no system prompt; its makers' published template adds one of 21 tokens.
    "smollm2": CHATML,
    "openai": OPENAI,
    # <|start|>, the role, <|message|>, <|end|>; a reply also has a channel. The template's own system message comes
    # first; ours becomes a developer message. Each call is a message: without a text, a reply has no other.
    "gpt-oss": Overhead(
        message=4,
        assistant=6,
        silent=-6,
        priming=2,
        system=68,
        unasked=61,
        result=12,
        calls=1,
        call=13,
        tools=27,
        tool=-1,
        tools_alone=4,
    ).forms("raw", "typescript"),
    "qwen-2.5": replace(QWEN, unasked=21, tools_alone=0, result=13, results=5),
    "qwen-3": QWEN,
    "qwen-3-coder": replace(QWEN, result=9, results=5, tools=173, tool=-1, tools_alone=24).forms("tags", "xml"),
    # A reply after the last question has the marks of thoughts.
    "qwen-3.5": replace(
        QWEN, calling=4, silent=-1, priming=5, calls=0, call=5, tools=197, tools_alone=4, call_form="tags"
    ),
    "llama-2": Overhead(message=8, assistant=2, priming=0),  # [INST] and [/INST] are written as text
    "llama-3": LLAMA_3,
    # Its template is not available; the marks are Llama 3's with other names.
    "llama-4": replace(LLAMA_3, system=5, unasked=0, drops_text=False),
    "deepseek-3.1": DEEPSEEK.forms("raw", "none"),
    "deepseek-3.2": replace(DSML, calling=-1, result=14, results=9),
    "deepseek-4": replace(DSML, calling=1, priming=3, result=7, tools=221),
    "mistral-v1": Overhead(message=5),  # [INST] and [/INST] are written as text
    "mistral-v3": replace(MISTRAL_WITH_IDS, system=0, result=19, calls=3, call=-4, call_form="list"),
    "mistral-v7": replace(MISTRAL_WITH_IDS, calls=3, call=-4, call_form="list"),
    "mistral-v11": MISTRAL_WITH_IDS,
    "mistral-v13": MISTRAL,
    # Templates whose vocabulary is not available: fitted with o200k's tokens and their own marks.
    "glm": Overhead(message=2, assistant=5, result=5, results=1, calls=-1, call=4, argument=4, tools=100, tool=0).forms(
        "pairs", "json"
    ),
    "kimi": Overhead(unasked=19, result=13, calls=2, call=6, tools=7, tool=0).forms("raw", "json"),
    "minimax": Overhead(
        message=5, priming=6, unasked=11, result=10, results=5, calls=3, call=0, argument=-4, tools=96, tool=4
    ).forms("attributes", "function"),
    "gemma-4": Overhead(
        message=5,
        calling=-4,
        silent=1,
        priming=8,
        result=11,
        calls=-2,
        call=2,
        argument=2,
        tools=-9,
        tool=20,
        tools_alone=13,
    ).forms("gemma", "gemma"),
    # <start_of_turn>, the role, a newline, <end_of_turn>, a newline; <bos>.
    "gemma-2": Overhead(message=5, priming=4),
    # Google charges hardly more than the texts in a schema.
    "gemini": Overhead(tool=4, tool_form="words"),
    # 549 tokens for the first tool and 53 for each further one, measured with small tools; 27 more than the text for
    # each message of a round with tools, in two published coding sessions.
    "claude": Overhead(result=27, call=23, tools=496, tool=20),
}
"""Known templates; all others have OpenAI's rule for messages."""

# Matched with the name after the last slash, up to a colon; the first match counts.
_PATTERNS = tuple(
    (template, re.compile(pattern))
    for template, pattern in (
        ("gpt-oss", r"gpt-?oss"),
        ("qwen-2.5", r"qwq|qvq|qwen-?([12]|coder|$)"),
        ("qwen-3-coder", r"qwen-?3-?coder"),
        ("deepseek-3.1", r"deepseek-?(v3(?!\.2)|r1|v3[.-]1)"),
        ("deepseek-3.2", r"deepseek-?v3\.2"),
        ("gemma-4", r"gemma-?([4-9]|3n)"),
        (
            "mistral-v7",
            r"(mistral|pixtral)-(large-2411|small-(2501|2503|24b-instruct-25)|small-?3(?!\.2))|mistral-saba",
        ),
        ("mistral-v3", r"nemo|mistral-large-2407|ministral-(3b|8b)|pixtral-12b|mistral-7b.*v0\.3|codestral-mamba"),
        ("mistral-v11", r"mistral-small-(2506|3\.2)|devstral-(small|medium)-?2507|magistral-(small|medium)-2506"),
        ("mistral-v11", r"devstral-small-2505|codestral-2508|mistral-medium-2508"),
    )
)
_BY_FAMILY = {
    "o200k": "openai",
    "cl100k": "openai",
    "qwen": "qwen-3",
    "deepseek": "deepseek-4",
    "mistral": "mistral-v13",
    "gemma-3": "gemma-2",
    "claude-2": "claude",
    "claude-4.7": "claude",
}
"""The template of a family's newest models, if its name is not the family's."""


_RULES: tuple[tuple[PictureRule, str], ...] = (
    ("openai-4o-mini", r"gpt-4o-mini"),
    ("openai-nano", r"gpt-(4\.1|5[\d.]*)-nano"),
    ("openai-mini", r"gpt-(4\.1|5[\d.]*)-mini"),
    ("openai-o4-mini", r"(?<![a-z0-9])o4-mini"),
    ("openai-o", r"(?<![a-z0-9])o[13](?!\d)"),
    ("openai-5", r"gpt-[5-9]"),
    ("openai", r"gpt-4|chatgpt|computer-use"),
    ("claude", r"claude"),
    ("gemini", r"gemini"),
    ("gemma", r"gemma-?([3-9]|3n)|medgemma|shieldgemma"),
    ("qwen-2.5", r"qwen-?2(\.5)?-?(vl|omni)|qvq"),
    ("qwen-3", r"qwen-?(3-?(vl|omni)|3\.[5-9]|[4-9])"),
    ("llama-4", r"llama-?4"),
    ("pixtral", r"pixtral"),
    ("mistral", r"mistral|ministral|magistral|devstral"),
)
_PICTURES: tuple[tuple[PictureRule, re.Pattern[str]], ...] = tuple(
    (rule, re.compile(pattern)) for rule, pattern in _RULES
)
"""Rules for counting pictures. The first match counts."""


def picture_rule_of(model_name: str) -> PictureRule:
    """Return the rule for counting pictures by a model's name; "" if none is known."""
    own = model_name.lower().replace("_", "-").rpartition("/")[2]
    for rule, pattern in _PICTURES:
        if pattern.search(own):
            return rule
    return ""


def template_of(model_name: str) -> str:
    """Return the template by a model's name, such as "qwen-3-coder"; by default, its family's newest."""
    family = family_of(model_name)
    own = model_name.lower().replace("_", "-").rpartition("/")[2].partition(":")[0]
    if "deepseek" in own and "distill" in own:
        return "deepseek-3.1"
    of_family = (template for template, pattern in _PATTERNS if _is_of(template, family) and pattern.search(own))
    return next(of_family, _BY_FAMILY.get(family, family))


def _is_of(template: str, family: str) -> bool:
    return template == "gpt-oss" if family == "o200k" else template.partition("-")[0] == family.partition("-")[0]


def overhead_of(model_name: str) -> Overhead:
    """Return the overhead of that model's template, with the rule for counting its pictures."""
    overhead, rule = OVERHEADS.get(template_of(model_name), Overhead()), picture_rule_of(model_name)
    return replace(overhead, pictures=rule) if rule else overhead
