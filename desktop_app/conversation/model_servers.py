"""Servers of models as values: what a server offers, what a test of it found, and control tokens in messages to it.

Control tokens of chat templates occur in plain text: `<|im_end|>` in a page must not end a message. A hosted provider
reads them as text. A local server fills a template and tokenizes the whole, so that those in a message would end it and
begin one of another role. A space after the first character keeps them text, and as readable as can be.
"""

from __future__ import annotations

import re
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
