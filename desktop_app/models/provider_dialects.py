"""What each kind of server wants in a request, beyond OpenAI's shape. Pure.

Messages in the view are legal everywhere (context/legal.py); what follows here would be wrong, or a waste, elsewhere.
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

from .cache_markers import mark
from .provider_metadata import read
from .tokens.families import family_of

WITHOUT_STREAM_OPTIONS: frozenset[ServerKind] = frozenset({"anthropic", "gemini", "ollama"})
"""Those that report their usage without being asked."""

MISTRAL_ID = re.compile(r"[a-zA-Z0-9]{9}")
"""What Mistral accepts as a call's id (mistral-common's validator since version 3)."""
LETTERS = string.ascii_letters + string.digits

ALWAYS_THINKS = re.compile(r"kimi-k2(\.[5-9]|p[5-9]|-thinking)")
"""Kimi's models that refuse a call without `reasoning_content`, be it blank
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
    """The fields of a streaming request as litellm wants them, but for the model. name: as its server calls it.

    with_metadata: whether what this model gave with its calls goes back with them.
    """
    family = family_of(name)
    chat = chat_of(messages if info.supports_vision else [_without_images(message) for message in messages])
    offered = [_function(tool) for tool in tools] if info.supports_tools else []
    request: Json = {"max_tokens": max_tokens, "stream": True}
    if kind not in WITHOUT_STREAM_OPTIONS:
        request["stream_options"] = {"include_usage": True}
    if kind == "ollama":
        request["num_ctx"] = info.window  # else it loads the model with a window of its own, and cuts in silence
    if family == "claude" and not offered and (offered := _functions_named_in(chat)):
        request["tool_choice"] = "none"
    if with_metadata:
        chat = [_with_metadata(sent, message, info.record_name) for sent, message in zip(chat, messages, strict=True)]
    if thoughts := returned_reasoning_of(name):
        back = reasoning_to_return(messages, thoughts)
        chat = [sent | {"reasoning_content": told} if told else sent for sent, told in zip(chat, back, strict=True)]
    if family.startswith("mistral"):
        chat = [_with_short_ids(message) for message in chat]
    if kind == "gemini":
        chat = _with_twins_joined(chat)
    if kind == "anthropic" or (kind == "openrouter" and family == "claude"):
        chat, offered = mark(chat, offered)
    return request | {"messages": chat} | ({"tools": offered} if offered else {})


def _function(tool: ToolSpec) -> Json:
    function = {"name": tool.name, "description": tool.description, "parameters": json.loads(tool.parameters)}
    return {"type": "function", "function": function}


def _functions_named_in(chat: list[Json]) -> list[Json]:
    """A schema for each tool that was called: Anthropic refuses calls of tools that are not declared."""
    names = dict.fromkeys(call["function"]["name"] for message in chat for call in message.get("tool_calls", ()))
    return [_function(ToolSpec(name, "Not available now.")) for name in names]


def _without_images(message: Message) -> Message:
    """The same with each image as a line of text, for a model that cannot see."""
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
    """The message with what that model gave with its calls; what another gave may be refused."""
    extras = [read(call.provider_metadata, writer) for call in message.tool_calls]
    if not any(extras):
        return sent
    of_message = next((one.message for one in extras if one and one.message), {})
    calls = [call | (one.call if one else {}) for call, one in zip(sent["tool_calls"], extras, strict=True)]
    return sent | of_message | {"tool_calls": calls}


def returned_reasoning_of(name: str) -> ReturnedReasoning:
    """Return which of that model's thoughts go back to it. name: as its server calls it.

    Kimi and DeepSeek ask for those that led to the calls of the turn that runs; those of turns that are over go back
    only as far as they must, since nobody counts them.
    """
    if family_of(name) in ("kimi", "deepseek"):
        return "always" if ALWAYS_THINKS.search(name.lower()) else "running"
    return ""


def _with_short_ids(message: Json) -> Json:
    if message.get("tool_calls"):
        return message | {"tool_calls": [call | {"id": short_id(call["id"])} for call in message["tool_calls"]]}
    return message | {"tool_call_id": short_id(message["tool_call_id"])} if message["role"] == "tool" else message


def short_id(call_id: str) -> str:
    """Nine letters and digits for any id: the same ones each time, others for another id. Mistral's own stay."""
    if MISTRAL_ID.fullmatch(call_id):
        return call_id
    number = int.from_bytes(hashlib.sha256(call_id.encode()).digest()[:8], "big")
    return "".join(LETTERS[number // len(LETTERS) ** place % len(LETTERS)] for place in range(9))


def _with_twins_joined(chat: list[Json]) -> list[Json]:
    """Of calls in one message that are the same in name and arguments, one; its result holds those of all.

    litellm leaves the others out for Gemini, but not their results, and Gemini refuses more results than calls.
    """
    result: list[Json] = []
    kept_for: dict[str, str] = {}
    for message in chat:
        if message.get("tool_calls"):
            calls, kept_for = _distinct(message["tool_calls"])
            message = message | {"tool_calls": calls}
        elif message["role"] == "tool" and message["tool_call_id"] in kept_for:
            first = next(m for m in reversed(result) if m.get("tool_call_id") == kept_for[message["tool_call_id"]])
            first["content"] += f"\n\n{message['content']}"
            continue
        result.append(dict(message))
    return result


def _distinct(calls: list[Json]) -> tuple[list[Json], dict[str, str]]:
    """The calls without those that are there already, and for each of these the id of the one that stays."""
    first: dict[str, Json] = {}
    kept_for: dict[str, str] = {}
    for call in calls:
        function = call["function"]
        key = json.dumps([function["name"], json.loads(function["arguments"] or "{}")], sort_keys=True)
        if first.setdefault(key, call) is not call:
            kept_for[call["id"]] = first[key]["id"]
    return list(first.values()), kept_for
