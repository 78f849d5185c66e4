"""Which parameters of a reply a model takes, and the fields of a request for them. Pure but for litellm's tables."""

from __future__ import annotations

import re
from typing import Any, get_args

from desktop_app.conversation.openai_chat import Json
from desktop_app.conversation.setup import OptionName, ReplyOptions
from desktop_app.settings import ServerKind

from .endpoint import PREFIX
from .provider_dialects import REQUIRES_REASONING

FIXED_SAMPLING = re.compile(r"(.*/)?(gpt-5|o\d)")
"""OpenAI's models that reason refuse any temperature but their own."""
OPTIONS: tuple[OptionName, ...] = get_args(OptionName)


def supported_options(litellm: Any, kind: ServerKind, name: str) -> tuple[OptionName, ...]:
    """Return the parameters that such a server takes for that model. litellm: the library itself."""
    known = litellm.get_supported_openai_params(model=name, custom_llm_provider=PREFIX[kind]) or ()
    refused: set[OptionName] = set()
    if FIXED_SAMPLING.match(name.lower()) or (kind == "anthropic" and not _samples(litellm, name)):
        refused |= {"temperature", "top_p"}
    if REQUIRES_REASONING.search(name.lower()):
        refused |= {"temperature"}  # litellm would leave it out
    return tuple(option for option in OPTIONS if option in known and option not in refused)


def _samples(litellm: Any, name: str) -> bool:
    """Return whether that Claude takes a temperature: newer ones refuse any."""
    taken: Json = {}
    litellm.AnthropicConfig.apply_sampling_param(taken, name, "temperature", 0.5, True, "temperature")
    return bool(taken)


def option_fields(options: ReplyOptions, supported: tuple[OptionName, ...], kind: ServerKind) -> Json:
    """Return the fields of the parameters that are set and taken; the others are not sent."""
    taken = [name for name in options.names() if name in supported]
    if kind == "anthropic" and "temperature" in taken and "top_p" in taken:
        taken.remove("top_p")  # newer models refuse both together
    return {name: getattr(options, name) for name in taken}
