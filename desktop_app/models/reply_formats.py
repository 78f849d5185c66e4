"""Convert the events of a streaming reply, in each provider's format, to chunks in OpenAI's chat format. Pure.

An event is any JSON value. What cannot be converted is left out, and `ReplyReader` checks the types of the rest.

https://platform.claude.com/docs/en/build-with-claude/streaming
https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse
https://docs.ollama.com/api/chat
https://platform.openai.com/docs/api-reference/responses-streaming
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, cast
from uuid import uuid4

from desktop_app.conversation.openai_chat import Json
from desktop_app.settings import ServerKind

from .reply_reader import MalformedChunk, count_of, field_of, list_of, text_of, word_of

WireFormat = Literal["chat", "responses", "anthropic", "gemini", "ollama"]

NEEDS_RESPONSES = re.compile(r"gpt-(5\.([4-9]|\d\d)|[6-9])")
"""Models with which OpenAI refuses tools in chat completions while they reason: GPT-5.4 and later."""
INCOMPLETE = {"max_output_tokens": "length", "content_filter": "content_filter"}
"""Why a reply of the Responses API is incomplete, as a finish reason of the chat format."""


def wire_format(kind: ServerKind, name: str, catalogue: Mapping[str, Json]) -> WireFormat:
    """Return the format of a model's replies. name: the server's name of the model. catalogue: what is published."""
    if kind == "openai" and is_answered_by_responses(catalogue, name):
        return "responses"
    return kind if kind in ("anthropic", "gemini", "ollama") else "chat"


def is_answered_by_responses(catalogue: Mapping[str, Json], name: str) -> bool:
    """Return whether OpenAI offers that model, or its tools, only in the Responses API."""
    published = catalogue.get(name) or catalogue.get(f"openai/{name}") or {}
    return published.get("mode") == "responses" or bool(NEEDS_RESPONSES.match(name))


def chunk_reader(wire: WireFormat) -> Callable[[Any], Any]:
    """Return a function that converts the events of one reply in their order. It may raise MalformedChunk."""
    match wire:
        case "chat":
            return lambda event: event
        case "responses":
            return _of_object(chunk_of_responses)
        case "anthropic":
            return _of_object(AnthropicEvents().chunk_of)
        case "gemini":
            return _of_object(GeminiEvents().chunk_of)
        case "ollama":
            return _of_object(OllamaLines().chunk_of)


def _of_object(convert: Callable[[Json], Json]) -> Callable[[Any], Json]:
    def read(event: Any) -> Json:
        if not isinstance(event, dict):
            raise MalformedChunk
        return convert(cast("Json", event))

    return read


def _chunk(finish: Any = None, usage: Json | None = None, **delta: Any) -> Json:
    return {"choices": [{"delta": delta, "finish_reason": finish}], "usage": usage}


def _call(index: Any, call_id: Any, name: Any, arguments: Any, **fields: Any) -> Json:
    return {"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}} | fields


def _new_call_id() -> str:
    return f"call_{uuid4().hex[:28]}"


def _count(fields: Any, name: str) -> int:
    return count_of(field_of(fields, name)) or 0


class AnthropicEvents:
    """Converts the events of one reply of Anthropic's messages."""

    def __init__(self) -> None:
        self._block = ""
        """The type of the running block."""
        self._usage: Json = {}

    def chunk_of(self, event: Json) -> Json:
        """Return the event as a chunk, which has no choices for an event without content."""
        match event.get("type"):
            case "message_start":
                return {"choices": [], "usage": self._add_usage(field_of(event.get("message"), "usage"))}
            case "content_block_start":
                return _chunk(**self._start(event.get("index"), event.get("content_block")))
            case "content_block_delta":
                return _chunk(**self._delta(event.get("index"), event.get("delta")))
            case "message_delta":
                reason = field_of(event.get("delta"), "stop_reason") or "stop"
                return _chunk(reason, self._add_usage(event.get("usage")))
            case "error":
                return {"error": event.get("error") or event}
            case "ping" | "content_block_stop" | "message_stop":
                return {"choices": []}
            case _:
                return event

    def _start(self, index: Any, block: Any) -> Json:
        self._block = word_of(field_of(block, "type"))
        match self._block:
            case "tool_use":
                return {"tool_calls": [_call(index, field_of(block, "id"), field_of(block, "name"), "")]}
            case "redacted_thinking":
                return {"thinking_blocks": [{"type": self._block, "data": field_of(block, "data")}]}
            case _:
                return {"content": field_of(block, "text")}

    def _delta(self, index: Any, delta: Any) -> Json:
        match field_of(delta, "type"):
            case "input_json_delta" if self._block == "tool_use":
                return {"tool_calls": [_call(index, None, None, field_of(delta, "partial_json"))]}
            case "thinking_delta":
                text = text_of(field_of(delta, "thinking"))
                return {"reasoning_content": text, "thinking_blocks": [{"type": "thinking", "thinking": text}]}
            case "signature_delta":
                signature = {"signature": field_of(delta, "signature")}
                return {"thinking_blocks": [{"type": "thinking", "thinking": ""} | signature]}
            case _:
                return {"content": field_of(delta, "text")}

    def _add_usage(self, reported: Any) -> Json:
        """Return what was reported so far: later reports leave out numbers of the first one."""
        if isinstance(reported, dict):
            self._usage |= {name: value for name, value in cast("Json", reported).items() if value is not None}
        cached, written = (_count(self._usage, f"cache_{of}_input_tokens") for of in ("read", "creation"))
        thought = _count(self._usage.get("output_tokens_details"), "thinking_tokens")
        return {
            "prompt_tokens": _count(self._usage, "input_tokens") + cached + written,
            "completion_tokens": _count(self._usage, "output_tokens"),
            "prompt_tokens_details": {"cached_tokens": cached, "cache_creation_tokens": written},
            "completion_tokens_details": {"reasoning_tokens": thought},
        }


class GeminiEvents:
    """Converts the events of one reply of Gemini's generateContent."""

    def __init__(self) -> None:
        self._calls = 0

    def chunk_of(self, event: Json) -> Json:
        """Return the event as a chunk."""
        if event.get("error") or event.keys().isdisjoint(("candidates", "promptFeedback", "usageMetadata")):
            return event
        candidates = event.get("candidates")
        if not isinstance(candidates, list | None):
            raise MalformedChunk
        candidate = next(iter(list_of(candidates)), {})
        finish = field_of(candidate, "finishReason") or self._refusal(event, candidates)
        usage = self._usage(event["usageMetadata"]) if event.get("usageMetadata") else None
        return _chunk(finish, usage, **self._delta(field_of(candidate, "content")))

    def _refusal(self, event: Json, candidates: Any) -> Any:
        """Return why the prompt was refused; None if it was not."""
        feedback = event.get("promptFeedback")
        return field_of(feedback, "blockReason") or ("SAFETY" if feedback and not candidates else None)

    def _delta(self, content: Any) -> Json:
        parts = [part for part in list_of(field_of(content, "parts")) if isinstance(part, dict)]
        thoughts = [part for part in parts if part.get("thought") is True]
        return {
            "content": text_of([part for part in parts if part not in thoughts]),
            "reasoning_content": text_of(thoughts),
            "tool_calls": [self._call(part) for part in parts if isinstance(part.get("functionCall"), dict)],
        }

    def _call(self, part: Json) -> Json:
        self._calls += 1
        function, signature = part["functionCall"], part.get("thoughtSignature")
        call_id = word_of(function.get("id")) or _new_call_id()
        fields = {"provider_specific_fields": {"thought_signature": signature}} if signature else {}
        return _call(self._calls, call_id, function.get("name"), function.get("args"), **fields)

    @staticmethod
    def _usage(reported: Any) -> Json:
        prompt, reply, total = (_count(reported, f"{of}TokenCount") for of in ("prompt", "candidates", "total"))
        thoughts = _count(reported, "thoughtsTokenCount")
        is_included = prompt + reply + _count(reported, "toolUsePromptTokenCount") == total
        return {
            "prompt_tokens": prompt,
            "completion_tokens": reply + (0 if is_included else thoughts),
            "cached_tokens": _count(reported, "cachedContentTokenCount"),
            "completion_tokens_details": {"reasoning_tokens": thoughts},
        }


class OllamaLines:
    """Converts the lines of one reply of Ollama's chat."""

    def __init__(self) -> None:
        self._calls = 0
        self._has_begun = self._is_thinking = False
        """Whether text has arrived, and whether it is in the "<think>" with which older versions begin a reply."""

    def chunk_of(self, line: Json) -> Json:
        """Return the line as a chunk."""
        if line.get("error") or "message" not in line:
            return line
        message = line["message"]
        if not isinstance(message, dict):
            raise MalformedChunk
        delta = self._delta(cast("Json", message))
        if line.get("done") is not True:
            return _chunk(**delta)
        counts = {"prompt_tokens": line.get("prompt_eval_count"), "completion_tokens": line.get("eval_count")}
        return _chunk(word_of(line.get("done_reason")) or "stop", counts, **delta)

    def _delta(self, message: Json) -> Json:
        text, thought = text_of(message.get("content")), text_of(message.get("thinking"))
        if not self._has_begun and text.lstrip().startswith("<think>"):
            self._is_thinking, text = True, text.lstrip().removeprefix("<think>")
        self._has_begun |= self._is_thinking or bool(text.strip())
        if self._is_thinking:
            more, end, text = text.partition("</think>")
            thought, self._is_thinking = thought + more, not end
        calls = [self._call(call) for call in list_of(message.get("tool_calls")) if isinstance(call, dict)]
        return {"content": text, "reasoning_content": thought, "tool_calls": calls}

    def _call(self, call: Json) -> Json:
        self._calls += 1
        function = call.get("function")
        call_id = word_of(call.get("id")) or _new_call_id()
        return _call(self._calls, call_id, field_of(function, "name"), field_of(function, "arguments"))


def chunk_of_responses(event: Json) -> Json:
    """Return an event of OpenAI's Responses API as a chunk, which has no choices for an event without content."""
    kind, item = word_of(event.get("type")), event.get("item")
    match kind:
        case "response.output_text.delta" | "response.refusal.delta":
            return _chunk(content=event.get("delta"))
        case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
            return _chunk(reasoning_content=event.get("delta"))
        case "response.output_item.added" if field_of(item, "type") == "function_call":
            fields = (field_of(item, name) for name in ("call_id", "name", "arguments"))
            return _chunk(tool_calls=[_call(event.get("output_index"), *fields)])
        case "response.function_call_arguments.delta":
            return _chunk(tool_calls=[_call(event.get("output_index"), None, None, event.get("delta"))])
        case "response.output_item.done" if isinstance(item, dict) and item.get("type") == "reasoning":
            return _chunk(reasoning_details=[_returned(item)])
        case "response.completed" | "response.incomplete":
            return _end_of_response(event.get("response"))
        case "response.failed":
            return {"error": field_of(event.get("response"), "error") or event}
        case "error":
            return {"error": event.get("error") or event}
        case _:
            return {"choices": []} if kind.startswith("response.") else event


def _returned(item: Json) -> Json:
    """Return a reasoning item in the form in which it is returned: without its id, since nothing is stored."""
    return {name: value for name, value in item.items() if name in ("type", "summary", "encrypted_content")}


def _end_of_response(response: Any) -> Json:
    reason = field_of(field_of(response, "incomplete_details"), "reason")
    usage = field_of(response, "usage")
    reported = {
        "prompt_tokens": field_of(usage, "input_tokens"),
        "completion_tokens": field_of(usage, "output_tokens"),
        "cached_tokens": field_of(field_of(usage, "input_tokens_details"), "cached_tokens"),
        "completion_tokens_details": field_of(usage, "output_tokens_details"),
    }
    return _chunk(INCOMPLETE.get(str(reason), "stop"), reported)
