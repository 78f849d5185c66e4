"""Values of model servers: offered models and test results; and the protection from control tokens in messages.

Control tokens of chat templates occur in plain text: `<|im_end|>` in a page must not end a message. A hosted provider
reads them as text. A local server fills a template and tokenizes the result, so that a control token in a message would
end it and begin one with another role. A space after the first character makes it plain text, and still readable.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from .listing import WindowSource
from .quirks import Learned


class ModelPrice(msgspec.Struct, frozen=True):
    """US dollars per million tokens of the prompt and the reply."""

    prompt: float
    reply: float


class ModelOffer(msgspec.Struct, frozen=True):
    """A model that a server offers. 0 and None: neither the server nor the catalogue gives a value."""

    name: str
    window: int = 0
    max_output: int = 0
    supports_tools: bool | None = None
    supports_vision: bool | None = None
    price: ModelPrice | None = None
    window_source: WindowSource = ""
    runs_here: bool = False
    """Whether it is known to run on this machine, so that it costs nothing."""
    learned: Learned = Learned()
    """What refusals have taught about it, if it is set up."""


KeyPlace = Literal["", "stored", "session", "environment"]
"""The place of a server's key: none, stored permanently, known until the program ends, or in the environment."""
CheckStep = Literal["list", "window", "reply", "tools"]
"""The steps of a test, in order; each is one or two short requests, and the window starts one after the other."""
CheckKind = Literal["reached", "listed", "key", "window", "replied", "streamed", "tools"]
CheckState = Literal["good", "unsure", "bad"]


class CheckResult(msgspec.Struct, frozen=True):
    """One line of a test."""

    kind: CheckKind
    state: CheckState
    count: int = 0
    """Number of listed models, of tokens in the window, or of pieces in which the reply streamed."""
    seconds: float = 0.0
    detail: str = ""
    """The server's message, or advice."""
    source: WindowSource = ""
    """The source of the window's size."""
    dollars: float | None = None
    """Costs of the request; None if unknown."""


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
    """Return the text with all control tokens broken; the text itself if it has none. The function is idempotent."""
    return _CONTROL.sub(lambda found: f"{found[0]} ", text) if "<" in text or "[" in text else text
