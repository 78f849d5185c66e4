"""What providers refuse in a conversation's shape, in their own words: calls without results, results without calls,
blank texts, ids of other characters. Written from their refusals (tests/models/errors/vectors), not from our requests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from provider_script import Json

ANTHROPIC_ID = re.compile(r"[a-zA-Z0-9_-]+")
MOST_MARKERS = 4


def problem_in(shape: str, body: Json) -> str:
    """What that API would say against the request; empty when it takes it."""
    rules = {"anthropic": _anthropic, "gemini": _gemini, "openai": _openai, "ollama": _nothing}
    return next(rules[shape](body), "")


def _nothing(body: Json) -> Iterator[str]:
    yield from ()


def _openai(body: Json) -> Iterator[str]:
    messages: Sequence[Json] = body["messages"]
    if not messages:
        yield "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array."
    waiting: list[str] = []
    for index, message in enumerate(messages):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in waiting:
                yield (
                    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
                    "'tool_calls'."
                )
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            break
        waiting = [call["id"] for call in message.get("tool_calls") or ()]
        if message.get("content") is None and not waiting:
            yield f"Invalid value for 'messages.[{index}].content': expected a string, got null."
    if waiting:
        yield (
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(waiting)}"
        )


def _anthropic(body: Json) -> Iterator[str]:
    messages: Sequence[Json] = body["messages"]
    if not messages:
        yield "messages: at least one message is required"
    elif messages[0]["role"] != "user":
        yield 'messages: first message must use the "user" role'
    markers = sum("cache_control" in part for part in _all_parts(body))
    if markers > MOST_MARKERS:
        yield f"A maximum of {MOST_MARKERS} blocks with cache_control may be provided. Found {markers}."
    called: list[str] = []
    for index, message in enumerate(messages):
        parts = _parts(message["content"])
        answered = [part["tool_use_id"] for part in parts if part.get("type") == "tool_result"]
        yield from _unpaired(index, called, answered)
        called = [part["id"] for part in parts if part.get("type") == "tool_use"]
        yield from _bad_ids(index, called)
        for part in parts:
            if part.get("type") == "text" and not part["text"].strip():
                yield "messages: text content blocks must contain non-whitespace text"
    yield from _unpaired(len(messages), called, [])


def _unpaired(index: int, called: list[str], answered: list[str]) -> Iterator[str]:
    missing = [call for call in called if call not in answered]
    if missing:
        yield (
            f"messages.{index - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the next "
            "message."
        )
    strange = [call for call in answered if call not in called]
    if strange:
        yield (
            f"messages.{index}.content.0: unexpected `tool_use_id` found in `tool_result` blocks: {strange[0]}. Each "
            "`tool_result` block must have a corresponding `tool_use` block in the previous message."
        )


def _bad_ids(index: int, called: list[str]) -> Iterator[str]:
    for number, call in enumerate(called):
        if not ANTHROPIC_ID.fullmatch(call):
            yield f"messages.{index}.content.{number}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
    if len(set(called)) < len(called):
        yield f"messages.{index}: `tool_use` ids must be unique"


def _gemini(body: Json) -> Iterator[str]:
    contents: Sequence[Json] = body["contents"]
    if not contents:
        yield "* GenerateContentRequest.contents: contents is not specified\n"
    calls, before = 0, ""
    for content in contents:
        parts: Sequence[Json] = content["parts"]
        answers = sum("functionResponse" in part or "function_response" in part for part in parts)
        if answers != calls:
            yield (
                "Please ensure that the number of function response parts is equal to the number of function call "
                "parts of the function call turn."
            )
        calls = sum("functionCall" in part or "function_call" in part for part in parts)
        if calls and before not in ("user", "function"):
            yield (
                "Please ensure that function call turn comes immediately after a user turn or after a function "
                "response turn."
            )
        before = content.get("role", "user")
    if calls:
        yield (
            "Please ensure that the number of function response parts is equal to the number of function call parts "
            "of the function call turn."
        )


def _parts(content: Any) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _all_parts(body: Json) -> Iterator[Json]:
    yield from body.get("tools") or ()
    yield from body["system"] if isinstance(body.get("system"), list) else ()
    for message in body["messages"]:
        yield from _parts(message["content"])
