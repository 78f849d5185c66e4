"""Translate requests from the chat format to OpenAI's Responses API, and its events to chat chunks. Pure.

The Codex models have no other API. litellm can also translate, but then opens its own connections.
https://platform.openai.com/docs/api-reference/responses-streaming
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from desktop_app.conversation.openai_chat import Json

from .json_fields import field_of

NEEDS_RESPONSES = re.compile(r"gpt-(5\.([4-9]|\d\d)|[6-9])")
"""Models with which OpenAI refuses tools in chat completions while they reason: GPT-5.4 and later."""

FINISH_REASONS = {"max_output_tokens": "length", "content_filter": "content_filter"}


def is_answered_by_responses(catalogue: Mapping[str, Json], name: str) -> bool:
    """Return whether OpenAI offers that model, or its tools, only in this API."""
    published = catalogue.get(name) or catalogue.get(f"openai/{name}") or {}
    return published.get("mode") == "responses" or bool(NEEDS_RESPONSES.match(name))


def responses_request_of(request: Json) -> Json:
    """Translate a request. Nothing is stored at OpenAI, so reasoning is received and returned encrypted."""
    chat: list[Json] = request["messages"]
    instructions = "\n\n".join(m["content"] for m in chat if m["role"] == "system")
    body: Json = {
        "input": [item for message in chat if message["role"] != "system" for item in _items(message)],
        "max_output_tokens": max(request["max_tokens"], 16),  # the API refuses less
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
    }
    if instructions:
        body["instructions"] = instructions
    if request.get("reasoning_effort"):
        body["reasoning"] = {"effort": request["reasoning_effort"]}
    if request.get("tools"):
        body["tools"] = [{"type": "function", "strict": False} | tool["function"] for tool in request["tools"]]
    return body


def _items(message: Json) -> Iterator[Json]:
    if message["role"] == "tool":
        yield {"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}
        return
    yield from message.get("reasoning_details", ())
    if message["content"]:
        yield {"role": message["role"], "content": _content(message)}
    for call in message.get("tool_calls", ()):
        yield {"type": "function_call", "call_id": call["id"]} | call["function"]


def _content(message: Json) -> str | list[Json]:
    content = message["content"]
    if isinstance(content, str):
        return content
    return [
        {"type": "input_image", "image_url": part["image_url"]["url"]}
        if part["type"] == "image_url"
        else {"type": "input_text", "text": part["text"]}
        for part in content
    ]


def chunk_of(event: Any) -> SimpleNamespace | None:
    """Return an event as a chunk of OpenAI's chat format; None if it has no content."""
    kind = str(getattr(event.type, "value", event.type))
    match kind:
        case "response.output_text.delta" | "response.refusal.delta":
            return _chunk(content=event.delta)
        case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
            return _chunk(reasoning_content=event.delta)
        case "response.output_item.added" if field_of(event.item, "type") == "function_call":
            function = SimpleNamespace(name=field_of(event.item, "name"), arguments=field_of(event.item, "arguments"))
            return _call(event.output_index, field_of(event.item, "call_id"), function)
        case "response.function_call_arguments.delta":
            return _call(event.output_index, None, SimpleNamespace(name=None, arguments=event.delta))
        case "response.output_item.done" if field_of(event.item, "type") == "reasoning":
            return _chunk(reasoning_details=[_reasoning(event.item)])
        case "response.completed" | "response.incomplete" | "response.failed":
            return _last(event.response, kind)
        case "error":
            return _error(getattr(event, "error", None) or event)
        case _:
            return None


def _last(response: Any, kind: str) -> SimpleNamespace:
    if kind == "response.failed":
        return _error(field_of(response, "error"))
    reason = field_of(field_of(response, "incomplete_details"), "reason")
    usage = field_of(response, "usage")
    reported = {
        "prompt_tokens": field_of(usage, "input_tokens"),
        "completion_tokens": field_of(usage, "output_tokens"),
        "cached_tokens": field_of(field_of(usage, "input_tokens_details"), "cached_tokens"),
    }
    return _chunk(finish=FINISH_REASONS.get(str(reason), "stop"), usage=reported)


def _reasoning(item: Any) -> Json:
    """Return a reasoning item in the form in which it is returned: without its id, since nothing is stored."""
    fields = item if isinstance(item, dict) else item.model_dump(exclude_none=True)
    return {name: value for name, value in fields.items() if name in ("type", "summary", "encrypted_content")}


def _error(error: Any) -> SimpleNamespace:
    fields = {name: field_of(error, name) for name in ("message", "type", "code")}
    return SimpleNamespace(choices=[], usage=None, error=fields)


def _call(index: int, call_id: str | None, function: SimpleNamespace) -> SimpleNamespace:
    return _chunk(tool_calls=[SimpleNamespace(index=index, id=call_id, function=function)])


def _chunk(finish: str | None = None, usage: Json | None = None, **delta: Any) -> SimpleNamespace:
    fields = {"content": None, "tool_calls": None} | delta
    return SimpleNamespace(
        choices=[SimpleNamespace(delta=SimpleNamespace(**fields), finish_reason=finish)], usage=usage
    )
