"""Parameters that a model accepts for a reply, and their fields in a request. Pure except for litellm's tables."""

from __future__ import annotations

import re
from typing import Any, get_args

from desktop_app.conversation.openai_chat import Json
from desktop_app.conversation.setup import OptionName, ReplyOptions
from desktop_app.settings import ServerKind

from .endpoint import PREFIX
from .provider_dialects import REQUIRES_REASONING

FIXED_SAMPLING = re.compile(r"(.*/)?(gpt-5|o\d)")
"""OpenAI's reasoning models, which refuse any temperature except the default."""
OPTIONS: tuple[OptionName, ...] = get_args(OptionName)


def supported_options(litellm: Any, kind: ServerKind, name: str) -> tuple[OptionName, ...]:
    """Return the parameters that such a server accepts for that model. litellm: the library itself."""
    known = litellm.get_supported_openai_params(model=name, custom_llm_provider=PREFIX[kind]) or ()
    refused: set[OptionName] = set()
    if FIXED_SAMPLING.match(name.lower()) or (kind == "anthropic" and not _accepts_temperature(litellm, name)):
        refused |= {"temperature", "top_p"}
    if REQUIRES_REASONING.search(name.lower()):
        refused |= {"temperature"}  # litellm would leave it out
    return tuple(option for option in OPTIONS if option in known and option not in refused)


def _accepts_temperature(litellm: Any, name: str) -> bool:
    """Return whether that Claude model accepts a temperature: newer ones refuse any."""
    fields: Json = {}
    litellm.AnthropicConfig.apply_sampling_param(fields, name, "temperature", 0.5, True, "temperature")
    return bool(fields)


def option_fields(options: ReplyOptions, supported: tuple[OptionName, ...], kind: ServerKind) -> Json:
    """Return the fields for the parameters that are set and supported; others are not sent."""
    names = [name for name in options.names() if name in supported]
    if kind == "anthropic" and "temperature" in names and "top_p" in names:
        names.remove("top_p")  # newer models refuse both together
    return {name: getattr(options, name) for name in names}
