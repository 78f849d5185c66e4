"""What a provider wants back with a tool call, besides what the call says: kept with the call, as JSON.

Gemini signs a call with its thoughts, OpenRouter and OpenAI's Responses API give the thoughts themselves, encrypted or
not; without them the model goes on as if it had not thought. They are of no use to another model, which may refuse
them.
"""

from __future__ import annotations

import msgspec

from desktop_app.conversation.openai_chat import Json


class ProviderMetadata(msgspec.Struct, frozen=True, omit_defaults=True):
    """writer: the model that gave them, as the record names it. call, message: more fields, in OpenAI's shape, of the
    call, and of the message that makes it."""

    writer: str
    call: Json = {}
    message: Json = {}


def written(extras: ProviderMetadata) -> str:
    """As they are kept with a call; "" for none."""
    return msgspec.json.encode(extras).decode() if extras.call or extras.message else ""


def read(kept: str, writer: str) -> ProviderMetadata | None:
    """Those that this model gave; None for another's, for none, and for what cannot be read any more."""
    try:
        extras = msgspec.json.decode(kept, type=ProviderMetadata) if kept else None
    except msgspec.DecodeError:
        return None
    return extras if extras is not None and extras.writer == writer else None
