"""What each kind of server expects of a request beyond OpenAI's format. Pure.

The messages are already valid for every provider (`context/view`); what is applied here would be wrong, or wasted,
for other providers.
"""

from __future__ import annotations

import hashlib
import json
import re
import string
from collections.abc import Sequence

from desktop_app.context.counting.returned_reasoning import reasoning_to_return
from desktop_app.conversation.listing import ModelInfo, ReturnedReasoning
from desktop_app.conversation.message import Attachment, Message
from desktop_app.conversation.openai_chat import Json, chat_of
from desktop_app.conversation.tools import ToolSpec
from desktop_app.settings import ServerKind

from .cache_markers import with_cache_markers
from .provider_metadata import decode_metadata
from .tokens.families import family_of

REPORTS_USAGE_UNASKED: frozenset[ServerKind] = frozenset({"anthropic", "gemini", "ollama"})

MISTRAL_CALL_ID = re.compile(r"[a-zA-Z0-9]{9}")
"""The call ids that Mistral accepts (mistral-common's validator since version 3)."""
ID_CHARACTERS = string.ascii_letters + string.digits

REQUIRES_REASONING = re.compile(r"kimi-k2(\.[5-9]|p[5-9]|-thinking)")
"""Kimi models that refuse a tool call without `reasoning_content`, even a blank one
(https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model)."""


def request_of(
    kind: ServerKind,
    name: str,
    info: ModelInfo,
    messages: Sequence[Message],
    max_tokens: int,
    tools: Sequence[ToolSpec] = (),
    with_metadata: bool = True,
) -> Json:
    """Return the fields of a streaming request as litellm expects them, without the model.

    name: the model as its server calls it. with_metadata: whether provider metadata goes back with the tool calls.
    """
    family = family_of(name)
    chat = chat_of(messages if info.supports_vision else [_without_images(message) for message in messages])
    functions = [_function(tool) for tool in tools] if info.supports_tools else []
    request: Json = {"max_tokens": max_tokens, "stream": True}
    if kind not in REPORTS_USAGE_UNASKED:
        request["stream_options"] = {"include_usage": True}
    if kind == "ollama":
        request["num_ctx"] = info.window  # otherwise it uses a window of its own and truncates silently
    if family == "claude" and not functions and (functions := _functions_called_in(chat)):
        request["tool_choice"] = "none"
    if with_metadata:
        chat = [_with_metadata(sent, message, info.record_name) for sent, message in zip(chat, messages, strict=True)]
    if returned := returned_reasoning_of(name):
        reasoning = reasoning_to_return(messages, returned)
        chat = [
            sent | {"reasoning_content": text} if text else sent for sent, text in zip(chat, reasoning, strict=True)
        ]
    if family.startswith("mistral"):
        chat = [_with_mistral_ids(message) for message in chat]
    if kind == "gemini":
        chat = _join_duplicate_calls(chat)
    if kind == "anthropic" or (kind == "openrouter" and family == "claude"):
        chat, functions = with_cache_markers(chat, functions)
    return request | {"messages": chat} | ({"tools": functions} if functions else {})


def _function(tool: ToolSpec) -> Json:
    function = {"name": tool.name, "description": tool.description, "parameters": json.loads(tool.parameters)}
    return {"type": "function", "function": function}


def _functions_called_in(chat: list[Json]) -> list[Json]:
    """Return a dummy schema for each called tool: Anthropic refuses calls of tools that are not declared."""
    names = dict.fromkeys(call["function"]["name"] for message in chat for call in message.get("tool_calls", ()))
    return [_function(ToolSpec(name, "Not available now.")) for name in names]


def _without_images(message: Message) -> Message:
    """Replace each image by a line of text, for a model without vision."""
    if not any(isinstance(part, Attachment) and part.is_image for part in message.parts):
        return message
    parts = tuple(
        Attachment(part.name, "text/plain", "(an image, which this model cannot see)")
        if isinstance(part, Attachment) and part.is_image
        else part
        for part in message.parts
    )
    return Message(id=message.id, role=message.role, parts=parts, speaker=message.speaker)


def _with_metadata(sent: Json, message: Message, writer: str) -> Json:
    """Add the metadata that this model gave with its calls; another model's may be refused."""
    metadata = [decode_metadata(call.provider_metadata, writer) for call in message.tool_calls]
    if not any(metadata):
        return sent
    of_message = next((one.message for one in metadata if one and one.message), {})
    calls = [call | (one.call if one else {}) for call, one in zip(sent["tool_calls"], metadata, strict=True)]
    return sent | of_message | {"tool_calls": calls}


def returned_reasoning_of(name: str) -> ReturnedReasoning:
    """Return which reasoning goes back to that model. name: as its server calls it.

    Kimi and DeepSeek require the reasoning behind the calls of the current turn; that of earlier turns goes back only
    as far as it is required, since nothing else counts it.
    """
    if family_of(name) in ("kimi", "deepseek"):
        return "always" if REQUIRES_REASONING.search(name.lower()) else "running"
    return ""


def _with_mistral_ids(message: Json) -> Json:
    if message.get("tool_calls"):
        return message | {"tool_calls": [call | {"id": mistral_id_of(call["id"])} for call in message["tool_calls"]]}
    return message | {"tool_call_id": mistral_id_of(message["tool_call_id"])} if message["role"] == "tool" else message


def mistral_id_of(call_id: str) -> str:
    """Map any call id to nine letters and digits, deterministically. Ids that Mistral accepts stay as they are."""
    if MISTRAL_CALL_ID.fullmatch(call_id):
        return call_id
    number = int.from_bytes(hashlib.sha256(call_id.encode()).digest()[:8], "big")
    return "".join(ID_CHARACTERS[number // len(ID_CHARACTERS) ** digit % len(ID_CHARACTERS)] for digit in range(9))


def _join_duplicate_calls(chat: list[Json]) -> list[Json]:
    """Keep one of several calls with the same name and arguments in a message, and join their results.

    litellm drops the duplicates for Gemini but keeps their results, and Gemini refuses more results than calls.
    """
    joined: list[Json] = []
    kept_for: dict[str, str] = {}
    for message in chat:
        if message.get("tool_calls"):
            calls, kept_for = _distinct_calls(message["tool_calls"])
            message = message | {"tool_calls": calls}
        elif message["role"] == "tool" and message["tool_call_id"] in kept_for:
            first = next(m for m in reversed(joined) if m.get("tool_call_id") == kept_for[message["tool_call_id"]])
            first["content"] += f"\n\n{message['content']}"
            continue
        joined.append(dict(message))
    return joined


def _distinct_calls(calls: list[Json]) -> tuple[list[Json], dict[str, str]]:
    """Return the calls without duplicates, and for each duplicate's id the id of the call that is kept."""
    first: dict[str, Json] = {}
    kept_for: dict[str, str] = {}
    for call in calls:
        function = call["function"]
        key = json.dumps([function["name"], json.loads(function["arguments"] or "{}")], sort_keys=True)
        if first.setdefault(key, call) is not call:
            kept_for[call["id"]] = first[key]["id"]
    return list(first.values()), kept_for
