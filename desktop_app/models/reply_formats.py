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

from desktop_app.conversation.listing import ProviderForm
from desktop_app.conversation.openai_chat import Json
from desktop_app.settings import ServerKind

from .provider_summaries import OWN
from .reply_reader import MalformedChunk, count_of, field_of, json_of, list_of, text_of, word_of

WireFormat = Literal["chat", "responses", "anthropic", "gemini", "ollama", "converse"]

NEEDS_RESPONSES = re.compile(r"gpt-(5\.([4-9]|\d\d)|[6-9])")
"""Models with which OpenAI refuses tools in chat completions while they reason: GPT-5.4 and later."""
INCOMPLETE = {"max_output_tokens": "length", "content_filter": "content_filter"}
"""Why a reply of the Responses API is incomplete, as a finish reason of the chat format."""


def wire_format(kind: ServerKind, name: str, catalogue: Mapping[str, Json]) -> WireFormat:
    """Return the format of a model's replies. name: the server's name of the model. catalogue: what is published."""
    if kind == "openai" and is_answered_by_responses(catalogue, name):
        return "responses"
    if kind == "bedrock":
        return "converse"
    if kind == "vertex" and "/" not in name:  # other makers' models have names such as meta/llama-4
        return "anthropic" if name.startswith("claude") else "gemini"
    return kind if kind in ("anthropic", "gemini", "ollama") else "chat"


def is_answered_by_responses(catalogue: Mapping[str, Json], name: str) -> bool:
    """Return whether OpenAI offers that model, or its tools, only in the Responses API."""
    published = catalogue.get(name) or catalogue.get(f"openai/{name}") or {}
    return published.get("mode") == "responses" or bool(NEEDS_RESPONSES.match(name))


def summary_form(kind: ServerKind, name: str, catalogue: Mapping[str, Json]) -> ProviderForm:
    """Return the form of the summaries that the model's provider writes itself; "" if none is known."""
    if kind == "anthropic" and (catalogue.get(name) or {}).get("supports_anthropic_compaction"):
        return "readable"
    return "encrypted" if kind == "openai" and is_answered_by_responses(catalogue, name) else ""


def chunk_reader(wire: WireFormat) -> Callable[[Any], Any]:
    """Return a function that converts the events of one reply in their order. It may raise MalformedChunk."""
    match wire:
        case "chat":
            return lambda event: event
        case "responses":
            return _of_object(ResponsesEvents().chunk_of)
        case "anthropic":
            return _of_object(AnthropicEvents().chunk_of)
        case "gemini":
            return _of_object(GeminiEvents().chunk_of)
        case "ollama":
            return _of_object(OllamaLines().chunk_of)
        case "converse":
            return _of_object(ConverseEvents().chunk_of)


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
        self._has_reason = False
        self._summary: Json = {}
        """The block of the provider's own summary."""

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
                reason = field_of(event.get("delta"), "stop_reason")
                self._has_reason = self._has_reason or bool(reason)
                return self._end(reason, self._add_usage(event.get("usage")), {})
            case "message_stop" if not self._has_reason:
                return _chunk("stop")
            case "message":
                return self._whole(event)
            case "error":
                return {"error": event.get("error") or event}
            case "ping" | "content_block_stop" | "message_stop":
                return {"choices": []}
            case _:
                return event

    def _start(self, index: Any, block: Any) -> Json:
        self._block = word_of(field_of(block, "type"))
        match self._block:
            case "tool_use":  # some servers send the arguments here, and none or the same ones after it
                arguments = field_of(block, "input") or ""
                return {"tool_calls": [_call(index, field_of(block, "id"), field_of(block, "name"), arguments)]}
            case "thinking":
                return self._delta(index, {"type": "thinking_delta", "thinking": field_of(block, "thinking")})
            case "redacted_thinking":
                return {"thinking_blocks": [{"type": self._block, "data": field_of(block, "data")}]}
            case "compaction":
                self._summary = dict(block)
                return {}
            case _:
                return {"content": field_of(block, "text")}

    def _delta(self, index: Any, delta: Any) -> Json:
        match field_of(delta, "type"):
            case "input_json_delta" if self._block == "tool_use":
                return {"tool_calls": [_call(index, None, None, field_of(delta, "partial_json"))]}
            case "thinking_delta":
                text = text_of(field_of(delta, "thinking"))
                return {"reasoning_content": text, "thinking_blocks": [{"type": "thinking", "thinking": text}]}
            case "compaction_delta" | "signature_delta" if self._block == "compaction":
                fields = ("content", "encrypted_content", "signature", "tool_changes")
                self._summary |= {name: delta[name] for name in fields if delta.get(name) is not None}
                return {}
            case "signature_delta":
                signature = {"signature": field_of(delta, "signature")}
                return {"thinking_blocks": [{"type": "thinking", "thinking": ""} | signature]}
            case _:
                return {"content": field_of(delta, "text")}

    def _whole(self, message: Json) -> Json:
        """Return a message that was sent at once as a chunk."""
        joined: Json = {"content": "", "reasoning_content": "", "thinking_blocks": [], "tool_calls": []}
        for index, block in enumerate(list_of(message.get("content"))):
            deltas = [self._start(index, block)]
            if signature := field_of(block, "signature"):
                deltas.append(self._delta(index, {"type": "signature_delta", "signature": signature}))
            for delta in deltas:
                joined |= {name: joined[name] + (value or type(joined[name])()) for name, value in delta.items()}
        usage = self._add_usage(message.get("usage"))
        return self._end(message.get("stop_reason") or "stop", usage, joined)

    def _end(self, reason: Any, usage: Json, delta: Json) -> Json:
        """Return the chunk with the finish reason, which is the end of a reply that is only a summary."""
        if reason == "compaction" and self._summary:
            return _chunk("stop", usage, **{OWN: [self._summary]})
        return _chunk(reason, usage, **delta)

    def _add_usage(self, reported: Any) -> Json:
        """Return what was reported so far: later reports leave out numbers of the first one, or repeat them as 0."""
        if isinstance(reported, dict):
            self._usage |= {name: value for name, value in cast("Json", reported).items() if value}
        own = [each for each in list_of(self._usage.get("iterations")) if field_of(each, "type") == "compaction"]
        reports = (self._usage, *own)  # a summary's tokens are not in the sum

        def sum_of(name: str) -> int:
            return sum(_count(each, name) for each in reports)

        cached, written = (sum_of(f"cache_{of}_input_tokens") for of in ("read", "creation"))
        thought = _count(self._usage.get("output_tokens_details"), "thinking_tokens")
        return {
            "prompt_tokens": sum_of("input_tokens") + cached + written,
            "completion_tokens": sum_of("output_tokens"),
            "prompt_tokens_details": {"cached_tokens": cached, "cache_creation_tokens": written},
            "completion_tokens_details": {"reasoning_tokens": thought},
        }


class ConverseEvents:
    """Converts the events of one reply of Bedrock's ConverseStream."""

    def chunk_of(self, event: Json) -> Json:
        """Return the event as a chunk, which has no choices for an event without content."""
        if "error" in event:
            return {"error": event["error"]}
        kind, content = next(iter(event.items()), ("", None))
        index = field_of(content, "contentBlockIndex")
        match kind:
            case "contentBlockStart":
                use = field_of(field_of(content, "start"), "toolUse")
                fields = (field_of(use, "toolUseId"), field_of(use, "name"), "")
                return _chunk(tool_calls=[_call(index, *fields)]) if use else {"choices": []}
            case "contentBlockDelta":
                return _chunk(**self._delta(index, field_of(content, "delta")))
            case "messageStop":
                return _chunk(field_of(content, "stopReason") or "stop")
            case "metadata":
                return {"choices": [], "usage": self._usage(field_of(content, "usage"))}
            case "messageStart" | "contentBlockStop":
                return {"choices": []}
            case _:
                return event

    def _delta(self, index: Any, delta: Any) -> Json:
        if (use := field_of(delta, "toolUse")) is not None:
            return {"tool_calls": [_call(index, None, None, field_of(use, "input"))]}
        if (thought := field_of(delta, "reasoningContent")) is None:
            return {"content": field_of(delta, "text")}
        if hidden := field_of(thought, "redactedContent"):
            return {"thinking_blocks": [{"type": "redacted_thinking", "data": hidden}]}
        if signature := field_of(thought, "signature"):
            return {"thinking_blocks": [{"type": "thinking", "thinking": "", "signature": signature}]}
        text = text_of(field_of(thought, "text"))
        return {"reasoning_content": text, "thinking_blocks": [{"type": "thinking", "thinking": text}]}

    @staticmethod
    def _usage(reported: Any) -> Json:
        cached, written = (_count(reported, f"cache{of}InputTokens") for of in ("Read", "Write"))
        return {
            "prompt_tokens": _count(reported, "inputTokens") + cached + written,
            "completion_tokens": _count(reported, "outputTokens"),
            "prompt_tokens_details": {"cached_tokens": cached, "cache_creation_tokens": written},
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
        calls = [self._call(call) for call in list_of(message.get("tool_calls")) if isinstance(call, dict)]
        return {"content": message.get("content"), "reasoning_content": message.get("thinking"), "tool_calls": calls}

    def _call(self, call: Json) -> Json:
        self._calls += 1
        function = call.get("function")
        call_id = word_of(call.get("id")) or _new_call_id()
        return _call(self._calls, call_id, field_of(function, "name"), field_of(function, "arguments"))


TEXTS = frozenset({"response.output_text.delta", "response.refusal.delta"})


class ResponsesEvents:
    """Converts the events of one reply of OpenAI's Responses API.

    Some servers leave out deltas: what is missing is taken from the events at the end of a part and of an item, and
    from the snapshot at the end of the reply.
    """

    def __init__(self) -> None:
        self._sent: dict[Any, list[str]] = {}
        """What was converted, by its place: an item's index for arguments, also a part's for text, or "thoughts"."""
        self._calls: dict[Any, str] = {}
        """The ids of the calls, by their places."""

    def chunk_of(self, event: Json) -> Json:
        """Return the event as a chunk, which has no choices for an event without content."""
        kind, place = word_of(event.get("type")), _place(event.get("output_index"))
        if kind in TEXTS:  # almost all events are deltas of text
            return _chunk(content=self._add((place, _place(event.get("content_index"))), text_of(event.get("delta"))))
        item = event.get("item")
        match kind:
            case "response.output_text.done" | "response.refusal.done":
                whole = text_of(event.get("text")) or text_of(event.get("refusal"))
                return _chunk(content=self._missing_text((place, _place(event.get("content_index"))), whole))
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                return _chunk(reasoning_content=self._add("thoughts", text_of(event.get("delta"))))
            case "response.function_call_arguments.delta":
                return _chunk(tool_calls=[_call(place, None, None, self._add(place, text_of(event.get("delta"))))])
            case "response.function_call_arguments.done":
                return _chunk(
                    tool_calls=[_call(place, None, None, self._missing(place, json_of(event.get("arguments"))))]
                )
            case "response.output_item.added" | "response.output_item.done" if isinstance(item, dict):
                return _chunk(**self._item(place, cast("Json", item), kind.endswith("done")))
            case "response.completed" | "response.incomplete" | "response.done":
                return self._end(event.get("response"))
            case "response.failed" | "response.cancelled":
                return {"error": field_of(event.get("response"), "error") or event}
            case "error":
                return {"error": event.get("error") or event}
            case "" if event.get("object") == "response":
                return self._end(event)
            case "" if event.get("object") == "response.compaction":
                return _end_of_response(event, False, {OWN: list_of(event.get("output"))})
            case _:
                return {"choices": []} if kind.startswith("response.") else event

    def _add(self, place: Any, text: str) -> str:
        if (sent := self._sent.get(place)) is None:
            sent = self._sent[place] = []
        sent.append(text)
        return text

    def _missing(self, place: Any, whole: str) -> str:
        """Return the rest of a whole that was sent in part; all of it if it is another."""
        return self._add(place, whole.removeprefix("".join(self._sent.get(place, ()))))

    def _missing_text(self, place: Any, whole: str) -> str:
        sent = "".join(self._sent.get(place, ()))
        return self._add(place, whole.removeprefix(sent)) if whole.startswith(sent) else ""

    def _item(self, place: Any, item: Json, is_done: bool) -> Json:
        """Return the delta of what an item has besides what was sent of it."""
        match item.get("type"):
            case "function_call":
                return {"tool_calls": self._call(place, item, is_done)}
            case "reasoning" if is_done:
                return {"reasoning_details": [_returned(item)]} | self._thoughts([item])
            case "message" if is_done:
                parts = enumerate(map(_text_of_part, list_of(item.get("content"))))
                return {"content": "".join(self._missing_text((place, number), text) for number, text in parts)}
            case _:
                return {}

    def _call(self, place: Any, item: Json, is_done: bool = True) -> list[Json]:
        call_id, arguments = word_of(item.get("call_id")) or word_of(item.get("id")), json_of(item.get("arguments"))
        if is_done and self._calls.get(place) != call_id:  # a snapshot may have other places
            place = next((known for known, other in self._calls.items() if other == call_id), place)
        is_new = place not in self._calls
        self._calls.setdefault(place, call_id)
        missing = self._missing(place, arguments)
        return [_call(place, call_id, item.get("name"), missing)] if is_new or missing else []

    def _thoughts(self, items: list[Any]) -> Json:
        whole = "".join(text_of(field_of(item, name)) for item in items for name in ("summary", "content"))
        return {} if any(self._sent.get("thoughts", ())) else {"reasoning_content": self._missing("thoughts", whole)}

    def _end(self, response: Any) -> Json:
        """Return the chunk of the snapshot that ends a reply: its text and calls, as far as they were not sent."""
        items = [item for item in list_of(field_of(response, "output")) if isinstance(item, dict)]
        parts = [part for item in items if item.get("type") == "message" for part in list_of(item.get("content"))]
        whole = "".join(map(_text_of_part, parts))
        delta = self._thoughts([item for item in items if item.get("type") == "reasoning"])
        sent = "".join(text for place, texts in self._sent.items() if isinstance(place, tuple) for text in texts)
        if whole.startswith(sent):
            delta["content"] = whole.removeprefix(sent)
        calls = [(place, item) for place, item in enumerate(items) if item.get("type") == "function_call"]
        delta["tool_calls"] = [call for place, item in calls for call in self._call(place, item)]
        is_refused = bool(parts) and all(field_of(part, "type") == "refusal" for part in parts)
        return _end_of_response(response, is_refused, delta)


def _text_of_part(part: Any) -> str:
    return word_of(field_of(part, "text")) or word_of(field_of(part, "refusal"))


def _place(index: Any) -> int:
    """Return an index as it can be a key; servers leave it out if it is 0."""
    return index if isinstance(index, int) else 0


def _returned(item: Json) -> Json:
    """Return a reasoning item in the form in which it is returned: without its id, since nothing is stored."""
    return {name: value for name, value in item.items() if name in ("type", "summary", "encrypted_content")}


def _end_of_response(response: Any, is_refused: bool, delta: Json) -> Json:
    reason = field_of(field_of(response, "incomplete_details"), "reason")
    finish = INCOMPLETE.get(str(reason), "length" if field_of(response, "status") == "incomplete" else "stop")
    usage = field_of(response, "usage")
    reported = {
        "prompt_tokens": field_of(usage, "input_tokens"),
        "completion_tokens": field_of(usage, "output_tokens"),
        "total_tokens": field_of(usage, "total_tokens"),
        "cached_tokens": field_of(field_of(usage, "input_tokens_details"), "cached_tokens"),
        "completion_tokens_details": field_of(usage, "output_tokens_details"),
    }
    return _chunk("refusal" if is_refused else finish, reported, **delta)
