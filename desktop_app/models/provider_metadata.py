"""Provider metadata of a tool call: what the provider wants back with the call, stored with it as JSON.

Gemini signs a call with its reasoning; OpenRouter and OpenAI's Responses API return the reasoning itself, encrypted or
not. Without it the model goes on as if it had not reasoned. Another model may refuse it.
"""

from __future__ import annotations

import msgspec

from desktop_app.conversation.openai_chat import Json


class ProviderMetadata(msgspec.Struct, frozen=True, omit_defaults=True):
    """More fields of a call, and of the message that makes it, in OpenAI's format."""

    writer: str
    """The model that gave them, as the record names it."""
    call: Json = {}
    message: Json = {}


def encode_metadata(metadata: ProviderMetadata) -> str:
    """Return the JSON that is stored with a call; "" for empty metadata."""
    return msgspec.json.encode(metadata).decode() if metadata.call or metadata.message else ""


def decode_metadata(stored: str, writer: str) -> ProviderMetadata | None:
    """Return the metadata, or None if there is none, another model wrote it, or it cannot be read."""
    try:
        metadata = msgspec.json.decode(stored, type=ProviderMetadata) if stored else None
    except msgspec.DecodeError:
        return None
    return metadata if metadata is not None and metadata.writer == writer else None
