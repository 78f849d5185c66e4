"""Adapt requests to each kind of server, beyond OpenAI's format. Pure.

The messages are already valid for every provider (`context/view`); the changes that are made here would be wrong or
useless for other providers.
"""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Sequence
from typing import Any

import msgspec

from desktop_app.context.view.dialect import (
    NOT_AVAILABLE,
    part_without_control_tokens,
    reasoning_of,
    without_control_tokens,
)
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message, with_parts
from desktop_app.conversation.openai_chat import Json, chat_of, function_of
from desktop_app.conversation.tools import ToolSpec
from desktop_app.settings import ServerKind

from .tokens.estimate import family_of

FILLS_TEMPLATES: frozenset[ServerKind] = frozenset({"openai_compatible", "ollama", "lm_studio", "llama_cpp", "vllm"})
"""Servers that tokenize the rendered template, or may do so; others read control tokens in messages as text."""
BY_ITS_MAKER = re.compile(r"(?:anthropic/|x-ai/|moonshotai/|openai/(?!gpt-oss)|google/gemini)", re.IGNORECASE)
"""Models that OpenRouter gets from their makers; others run on servers that fill templates."""
REPORTS_USAGE_UNASKED: frozenset[ServerKind] = frozenset({"anthropic", "gemini", "ollama"})

MISTRAL_CALL_ID = re.compile(r"[a-zA-Z0-9]{9}")
"""The call ids that Mistral accepts (mistral-common's validator since version 3)."""
ID_CHARACTERS = string.ascii_letters + string.digits

REQUIRES_REASONING = re.compile(r"kimi-k2(\.[5-9]|p[5-9]|-thinking)")
"""Kimi models that refuse a tool call without `reasoning_content`, which may be blank
(https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model)."""


class ProviderMetadata(msgspec.Struct, frozen=True, omit_defaults=True):
    """Data that a provider requires back with a call: additional fields of it and of its message, in OpenAI's format.

    Gemini adds a signature of its reasoning to a call; OpenRouter and OpenAI's Responses API return the reasoning
    itself, encrypted or not. Without it the model continues as if it had not reasoned. Another model may refuse it.
    """

    writer: str
    """The model that sent the data, as named in the record."""
    call: Json = {}
    message: Json = {}


def encode_metadata(metadata: ProviderMetadata) -> str:
    """Return the JSON that is stored with a call; "" for empty metadata."""
    return msgspec.json.encode(metadata).decode() if metadata.call or metadata.message else ""


def decode_metadata(stored: str, writer: str) -> ProviderMetadata | None:
    """Return the metadata, or None if there is none, another model wrote it, or it cannot be read."""
    try:
        metadata = msgspec.json.decode(stored, type=ProviderMetadata) if stored else None
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return metadata if metadata is not None and metadata.writer == writer else None


def request_of(
    kind: ServerKind,
    name: str,
    info: ModelInfo,
    messages: Sequence[Message],
    max_tokens: int,
    tools: Sequence[ToolSpec] = (),
) -> Json:
    """Return the fields of a streaming request as litellm expects them, without the model.

    name: the server's name of the model. The messages and the tools are already in the model's dialect (see
    `context/view/dialect.py`) and counted as they are sent here.
    """
    family = family_of(name)
    if info.breaks_control_tokens:  # again, since requests outside the conversation are not assembled from a view
        messages = [with_parts(message, [*map(part_without_control_tokens, message.parts)]) for message in messages]
        tools = [without_control_tokens(tool) for tool in tools]
    chat = [_with_metadata(sent, m, info.record_name) for sent, m in zip(chat_of(messages), messages, strict=True)]
    functions = [function_of(tool) for tool in tools]
    request: Json = {"max_tokens": max_tokens, "stream": True}
    if kind not in REPORTS_USAGE_UNASKED:
        request["stream_options"] = {"include_usage": True}
    if kind == "ollama":
        request["num_ctx"] = info.window  # otherwise it uses its default window and truncates silently
    if tools and all(tool.description == NOT_AVAILABLE for tool in tools):
        request["tool_choice"] = "none"
    if info.returned_reasoning:
        pairs = zip(chat, map(reasoning_of, messages), strict=True)
        chat = [sent | {"reasoning_content": text} if text else sent for sent, text in pairs]
    if family.startswith("mistral"):
        chat = [_with_mistral_ids(message) for message in chat]
    if kind == "anthropic" or (kind == "openrouter" and family == "claude"):
        chat, functions = with_cache_markers(chat, functions)
    return request | {"messages": chat} | ({"tools": functions} if functions else {})


def _with_metadata(sent: Json, message: Message, writer: str) -> Json:
    """Add the metadata that this model sent with its calls; another model's may be refused."""
    metadata = [decode_metadata(call.provider_metadata, writer) for call in message.tool_calls]
    if not any(metadata):
        return sent
    of_message = next((each.message for each in metadata if each and each.message), {})
    calls = [call | (each.call if each else {}) for call, each in zip(sent["tool_calls"], metadata, strict=True)]
    return sent | of_message | {"tool_calls": calls}


def dialect_fields(kind: ServerKind, name: str) -> dict[str, Any]:
    """Return the fields of `ModelInfo` about the model's dialect. name: the server's name of the model.

    Kimi and DeepSeek require the reasoning before the calls of the current turn; earlier turns' reasoning is returned
    only where it is required, since it is not counted otherwise. For Gemini, litellm drops all but one of equal calls,
    but not their results, so only one is sent. Anthropic refuses calls of tools that are not declared.
    """
    family, returned = family_of(name), ""
    if family in ("kimi", "deepseek"):
        returned = "always" if REQUIRES_REASONING.search(name.lower()) else "running"
    return {
        "returned_reasoning": returned,
        "joins_duplicate_calls": kind == "gemini",
        "declares_called_tools": family == "claude",
        "breaks_control_tokens": kind in FILLS_TEMPLATES or (kind == "openrouter" and not BY_ITS_MAKER.match(name)),
    }


def _with_mistral_ids(message: Json) -> Json:
    if message.get("tool_calls"):
        return message | {"tool_calls": [call | {"id": mistral_id_of(call["id"])} for call in message["tool_calls"]]}
    return message | {"tool_call_id": mistral_id_of(message["tool_call_id"])} if message["role"] == "tool" else message


def mistral_id_of(call_id: str) -> str:
    """Map any call id to nine letters and digits, deterministically. Ids that Mistral accepts are not changed."""
    if MISTRAL_CALL_ID.fullmatch(call_id):
        return call_id
    number = int.from_bytes(hashlib.sha256(call_id.encode()).digest()[:8], "big")
    return "".join(ID_CHARACTERS[number // len(ID_CHARACTERS) ** digit % len(ID_CHARACTERS)] for digit in range(9))


MARKER: Json = {"type": "ephemeral"}


def with_cache_markers(chat: list[Json], tools: list[Json]) -> tuple[list[Json], list[Json]]:
    """Return copies of the messages and tools, in OpenAI's format, with cache markers on some of them.

    A prompt is read in the order tools, system, messages; a marker caches everything up to it, and four are allowed.
    One is on the last tool and one on the system prompt, which survive every compaction; one is at the end of this
    request; and one is where the previous request ended, since Anthropic looks back only 20 blocks from a marker, and a
    round of many parallel calls is longer than that. One-off requests such as summaries, which have neither tools nor a
    reply yet, get no markers: writing to the cache costs a quarter more.
    (https://docs.claude.com/en/docs/build-with-claude/prompt-caching)
    """
    if not tools and not any(message["role"] == "assistant" for message in chat):
        return chat, tools
    indexes = {_end_of_previous(chat), len(chat) - 1}
    if chat and chat[0]["role"] == "system":
        indexes.add(0)
    marked = [_with_marker(message) if index in indexes else message for index, message in enumerate(chat)]
    return marked, [*tools[:-1], tools[-1] | {"cache_control": MARKER}] if tools else []


def _end_of_previous(chat: list[Json]) -> int:
    """Return the index before the newest reply, where the previous request ended; -1 if there was none."""
    newest = next((index for index in range(len(chat) - 1, -1, -1) if chat[index]["role"] == "assistant"), 0)
    return newest - 1


def _with_marker(message: Json) -> Json:
    content = message["content"]
    if isinstance(content, list) and content:
        return message | {"content": [*content[:-1], content[-1] | {"cache_control": MARKER}]}
    if message["role"] == "tool":
        return message | {"cache_control": MARKER}  # on the result itself, not on its text
    return message | {"content": [{"type": "text", "text": content, "cache_control": MARKER}]}
