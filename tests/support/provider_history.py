"""What providers refuse in a conversation's shape: calls without results, results without calls, blank texts, ids of
other characters. Written from their refusals (tests/models/errors/vectors), not from our requests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from provider_script import Json

ANTHROPIC_ID = re.compile(r"[a-zA-Z0-9_-]+")
MAX_MARKERS = 4
ADAPTIVE = re.compile(r"-4-[6-9]|-5\b")
"""Of Claude's models, those that decide themselves how much they think."""


def problem_in(shape: str, body: Json) -> str:
    """What that API would have against the request; empty when it takes it."""
    rules = {"anthropic": _anthropic, "gemini": _gemini, "openai": _openai, "responses": _responses, "ollama": _ollama}
    return next(rules[shape](body), "")


def _openai(body: Json) -> Iterator[str]:
    messages: Sequence[Json] = body["messages"]
    if "tool_choice" in body and not body.get("tools"):
        yield "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."
    if body.get("tools") == []:
        yield "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead."
    if not messages:
        yield "Invalid 'messages': empty array."
    waiting: list[str] = []
    for index, message in enumerate(messages):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in waiting:
                yield f"messages.[{index}] with role 'tool' must follow a message with 'tool_calls'."
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            break
        waiting = [call["id"] for call in message.get("tool_calls") or ()]
        if message.get("content") is None and not waiting:
            yield f"Invalid value for 'messages.[{index}].content': expected a string, got null."
    if waiting:
        yield f"The following tool_call_ids did not have response messages: {', '.join(waiting)}"


def _responses(body: Json) -> Iterator[str]:
    kinds = ("function_call", "function_call_output")
    called, answered = ([item["call_id"] for item in body["input"] if item.get("type") == kind] for kind in kinds)
    if sorted(called) != sorted(answered):
        yield f"Each function call must have its output: {called} are answered by {answered}"
    if len(set(called)) < len(called):
        yield f"Each call_id is used once: {called}"


def _anthropic(body: Json) -> Iterator[str]:
    messages: Sequence[Json] = body["messages"]
    if not messages or messages[0]["role"] != "user":
        yield 'messages: first message must use the "user" role'
    markers = sum("cache_control" in part for part in _all_parts(body))
    if markers > MAX_MARKERS:
        yield f"A maximum of {MAX_MARKERS} blocks with cache_control may be provided. Found {markers}."
    kinds = {part.get("type") for message in messages for part in _parts(message["content"])}
    if kinds & {"tool_use", "tool_result"} and not body.get("tools"):  # litellm refuses in its place
        yield "tools: Requests which have `tool_use` or `tool_result` blocks in them must define tools"
    called: list[str] = []
    for index, message in enumerate([*messages, {"content": []}]):
        parts = _parts(message["content"])
        answered = [part["tool_use_id"] for part in parts if part.get("type") == "tool_result"]
        if sorted(answered) != sorted(called):
            yield f"messages.{index}: each `tool_use` must have its `tool_result`: {called} are answered by {answered}"
        called = [part["id"] for part in parts if part.get("type") == "tool_use"]
        if len(set(called)) < len(called) or not all(map(ANTHROPIC_ID.fullmatch, called)):
            yield f"messages.{index}.tool_use.id: ids must be unique and match '^[a-zA-Z0-9_-]+$': {called}"
        if any(part.get("type") == "text" and not part["text"].strip() for part in parts):
            yield "messages: text content blocks must contain non-whitespace text"
        if any(part.get("type") == "thinking" and not part.get("signature") for part in parts):
            yield f"messages.{index}: Invalid `signature` in `thinking` block"
    yield from _thinking(body)


def _thinking(body: Json) -> Iterator[str]:
    """https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting, and what applications report."""
    thinking, decides_itself = body.get("thinking") or {}, bool(ADAPTIVE.search(body.get("model", "")))
    if (body.get("temperature", 1) != 1 or body.get("top_p", 1) < 0.95) and thinking:
        yield "`temperature` may only be set to 1 when thinking is enabled, and `top_p` to 0.95 or more."
    if thinking.get("type") == ("enabled" if decides_itself else "adaptive"):
        yield f"thinking.type: {thinking['type']} is not supported on this model"
    if decides_itself:
        return
    if thinking and not 1024 <= thinking["budget_tokens"] < body["max_tokens"]:
        yield "`max_tokens` must be greater than `thinking.budget_tokens`, which is at least 1024."
    kinds = [[part["type"] for part in _parts(message["content"])] for message in body["messages"]]
    asked = max((n for n, kind in enumerate(kinds) if not n % 2 and "text" in kind), default=0)
    running = kinds[asked + 1 :: 2]
    if thinking and running and running[0][0] != "thinking":
        yield f"messages.{asked + 1}.content.0.type: Expected `thinking`, but found `{running[0][0]}`."
    if not thinking and any("thinking" in kind for kind in running):
        yield "When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`."


def _gemini(body: Json) -> Iterator[str]:
    if not body["contents"]:
        yield "* GenerateContentRequest.contents: contents is not specified"
    calls, before = 0, ""
    for content in [*body["contents"], {"parts": []}]:
        parts: Sequence[Json] = content["parts"]
        if sum("functionResponse" in part or "function_response" in part for part in parts) != calls:
            yield "The number of function response parts must be that of function call parts of the turn before."
        calls = sum("functionCall" in part or "function_call" in part for part in parts)
        if calls and before not in ("user", "function"):
            yield "A function call turn must come immediately after a user turn or a function response turn."
        before = content.get("role", "user")


def _ollama(body: Json) -> Iterator[str]:
    """It refuses none of this, but its templates take results for those of the calls right before them."""
    open_calls = 0
    for index, message in enumerate([*body["messages"], {"role": "user"}]):
        if message["role"] == "tool":
            open_calls -= 1
            if open_calls < 0:
                yield f"messages.{index}: a result without its call"
        elif open_calls:
            yield f"messages.{index}: {open_calls} calls without a result before it"
        else:
            open_calls = len(message.get("tool_calls") or ())


def _parts(content: Any) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _all_parts(body: Json) -> Iterator[Json]:
    yield from body.get("tools") or ()
    yield from body["system"] if isinstance(body.get("system"), list) else ()
    for message in body["messages"]:
        yield from _parts(message["content"])
