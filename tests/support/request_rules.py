"""What providers accept: the strictest of their rules, written from what they refuse, not from what we build.

Each rule names who refuses otherwise. What is checked is the request in OpenAI's chat shape, as it goes out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

Json = dict[str, Any]

CALL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")  # Anthropic: ^[a-zA-Z0-9_-]+$; Bedrock and OpenAI: at most 64 characters
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")  # OpenAI, Anthropic, Bedrock
SPEAKER = re.compile(r"[^\s<|\\/>]{1,64}")  # OpenAI's `name`


def legal_for_all(chat: Sequence[Json]) -> list[str]:
    """What a provider would refuse in that request, a line each, with the message's index; empty when it is legal."""
    rules = (_system, _order, _pairs, _contents, _calls, _names)
    return [problem for rule in rules for problem in rule(chat)]


def _system(chat: Sequence[Json]) -> Iterator[str]:
    """One system message, in front: Qwen's, Gemma's and Mistral's templates raise for any other."""
    for index, message in enumerate(chat):
        if message["role"] == "system" and index > 0:
            yield f"{index}: a system message that is not the first one"


FOLLOWERS = {"user": {"assistant"}, "assistant": {"user"}, "tool": {"tool", "assistant"}}


def _order(chat: Sequence[Json]) -> Iterator[str]:
    """A user's message first (Anthropic, Gemini), then strictly in turn; after results the model (Mistral)."""
    said = [(index, m) for index, m in enumerate(chat) if m["role"] != "system"]
    if said and said[0][1]["role"] != "user":
        yield f"{said[0][0]}: the first message is of the role {said[0][1]['role']}"
    for (_, message), (index, follower) in pairwise(said):
        allowed = {"tool"} if message.get("tool_calls") else FOLLOWERS[message["role"]]
        if follower["role"] not in allowed:
            yield f"{index}: {follower['role']} after {message['role']}"


def _pairs(chat: Sequence[Json]) -> Iterator[str]:
    """Every call has its one result directly behind it, and every result its call (all of them)."""
    waiting: list[str] = []
    for index, message in enumerate(chat):
        if message["role"] == "tool":
            if message["tool_call_id"] in waiting:
                waiting.remove(message["tool_call_id"])
            else:
                yield f"{index}: a result without its call before it"
            continue
        if waiting:
            yield f"{index}: {len(waiting)} calls without a result before it"
        waiting = [call["id"] for call in message.get("tool_calls") or []]
    if waiting:
        yield f"{len(chat)}: {len(waiting)} calls without a result at the end"


def _contents(chat: Sequence[Json]) -> Iterator[str]:
    """No blank text anywhere (Anthropic, Bedrock); of a message that only calls the content is null.

    litellm puts a placeholder of its own into a blank text for Anthropic, also beside calls.
    """
    for index, message in enumerate(chat):
        content = message.get("content")
        if content is None:
            if not message.get("tool_calls"):
                yield f"{index}: no content ({message['role']})"
        elif isinstance(content, str):
            if not content.strip():
                yield f"{index}: blank content ({message['role']}{' with calls' * bool(message.get('tool_calls'))})"
        elif not content or any(part["type"] == "text" and not part["text"].strip() for part in content):
            yield f"{index}: a blank part ({message['role']})"


def _calls(chat: Sequence[Json]) -> Iterator[str]:
    """Ids are well formed and each is used once in a request (Anthropic); arguments are an object (all but OpenAI)."""
    seen: set[str] = set()
    for index, message in enumerate(chat):
        for call in message.get("tool_calls") or []:
            if not CALL_ID.fullmatch(call["id"]):
                yield f"{index}: the call id {call['id'][:80]!r}"
            if call["id"] in seen:
                yield f"{index}: the call id {call['id'][:80]!r} twice"
            seen.add(call["id"])
            if not _is_object(call["function"]["arguments"]):
                yield f"{index}: arguments that are no JSON object: {call['function']['arguments'][:80]!r}"


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _names(chat: Sequence[Json]) -> Iterator[str]:
    """Names are of the characters that are allowed."""
    for index, message in enumerate(chat):
        for call in message.get("tool_calls") or []:
            if not TOOL_NAME.fullmatch(call["function"]["name"]):
                yield f"{index}: the tool's name {call['function']['name'][:80]!r}"
        name = message.get("name")
        if name is not None and message["role"] != "tool" and not SPEAKER.fullmatch(name):
            yield f"{index}: the speaker's name {name[:80]!r}"
