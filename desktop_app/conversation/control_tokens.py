"""Control tokens of chat templates in what is only text: `<|im_end|>` in a page must not end a message.

A hosted provider reads them as text. A local server fills a template and turns the whole into tokens at once, so that
those in a message become what they say: the end of it, and the beginning of one of another role. A space behind the
first sign keeps them text, as near to what was written as can be read.
"""

from __future__ import annotations

import re

_CONTROL = re.compile(
    r"<(?="
    # ChatML, Llama 3, Phi, Harmony and others; DeepSeek; Llama 2
    r"\|[\w/]{1,40}\|>|/?\|\w{1,40}>|｜[^<>\s]{1,40}｜>|</?SYS>"
    # The ends of a text, turns and images; SmolLM2 and StarCoder; GLM
    r"|/?s>|(?:start|end)_of_(?:turn|image|text|audio)>|(?:bos|eos|pad|unk|mask|sop|eop|eoh|eot)>"
    r"|(?:repo_?name|file_sep|filename|gh_stars|empty_output|(?:issue|jupyter|fim|commit)_\w{1,20})>"
    # Qwen, Hermes and others, around thoughts, calls and results
    r"|/?(?:think(?:ing)?|tools?|(?:tool|function)_(?:call|response|result|output)s?)>"
    # Mistral; EXAONE; GLM
    r")|\[(?=\|\w{1,40}\|\]|/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS|TOOL_CONTENT|ARGS|THINK"
    r"|PREFIX|SUFFIX|MIDDLE|IMG|BOS|EOS|[gs]?MASK)\])"
)


def break_control_tokens(text: str) -> str:
    """Return the text in which no template's control token is left; itself if it has none. Again it changes nothing."""
    return _CONTROL.sub(lambda found: f"{found[0]} ", text) if "<" in text or "[" in text else text
