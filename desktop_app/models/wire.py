"""What the chunks of a streaming reply mean, in OpenAI's shape as litellm gives it for every provider. Pure."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from desktop_app.chat.ports import CallPiece, Piece, ReasoningPiece, ReplyEnd, TextPiece
from desktop_app.conversation.message import ToolCall, Usage
from desktop_app.conversation.openai_chat import Json

from .extras import Extras, written

REASONS = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "tool_use": "tool_calls",
    "content_filter": "content_filter",
    "refusal": "content_filter",
    "safety": "content_filter",
    "sensitive": "content_filter",
}
"""Finish reasons that are not "stop"; what is unknown, such as "eos", ends a reply as "stop"."""

REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text", "thinking")
"""llama.cpp, vLLM, DeepSeek and Kimi say the first, OpenRouter and newer vLLM the second, others the rest."""

GROWING = {"reasoning.text": "text", "reasoning.summary": "summary"}
"""Which field of a detail of reasoning grows as it streams, by the detail's type."""

SIGNATURE = "__thought__"
"""Between a call's id and its signature, as litellm joins them for Gemini."""


class StreamError(Exception):
    """A provider said within a stream that something went wrong. message: its error object, or words; status: its code,
    or 0."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.status_code = status


class _Call(msgspec.Struct):
    call_id: str = ""
    name: str = ""
    arguments: str = ""
    extra: Json = {}


class ReplyReader:
    """Reads the chunks of one reply in their order. A chunk is any object with the fields of OpenAI's.

    writer: the model that replies, as the record names it. chunks: how many of them had the shape of a chat completion;
    0 means that the server speaks something else.
    """

    def __init__(self, writer: str = "") -> None:
        self.chunks = 0
        self._writer = writer
        self._reason = ""
        self._usage: Usage | None = None
        self._calls: list[_Call] = []
        self._place_of_index: dict[int, int] = {}
        self._details: list[Json] = []

    @property
    def is_finished(self) -> bool:
        """Whether the provider said why the reply ended. If not, the stream was cut."""
        return bool(self._reason)

    def pieces(self, chunk: Any) -> list[Piece]:
        """What the reply has grown by. Raises StreamError."""
        self._usage = usage_of(getattr(chunk, "usage", None)) or self._usage
        choices = getattr(chunk, "choices", None)
        if choices is None:
            return []
        _raise_if_error(chunk)
        self.chunks += 1
        if not choices:
            return []
        choice = choices[0]
        self._usage = usage_of(getattr(choice, "usage", None)) or self._usage  # Kimi reports it there
        if choice.finish_reason == "error":
            raise StreamError("The provider ended the reply with an error.", 502)
        self._reason = choice.finish_reason or self._reason
        return self._pieces_of_delta(choice.delta)

    def end(self) -> ReplyEnd:
        """The last piece: why it ended, the tokens as reported, and the calls, joined from their fragments."""
        calls = tuple(
            ToolCall(call.call_id or f"call_{place}", call.name, call.arguments or "{}", self._extras(place))
            for place, call in enumerate(self._calls)
        )
        reason = REASONS.get(self._reason.lower(), "stop")
        # Some servers say "stop" after a tool call.
        return ReplyEnd("tool_calls" if calls and reason == "stop" else reason, self._usage, calls)

    def _extras(self, place: int) -> str:
        """What has to go back with that call; with the first one, what has to go back with the message."""
        of_message = {"reasoning_details": self._details} if self._details and place == 0 else {}
        return written(Extras(self._writer, self._calls[place].extra, of_message))

    def _pieces_of_delta(self, delta: Any) -> list[Piece]:
        if delta is None:
            return []
        pieces: list[Piece] = []
        for field in REASONING_FIELDS:
            reasoning = getattr(delta, field, None)
            if isinstance(reasoning, str) and reasoning:
                pieces.append(ReasoningPiece(reasoning))
                break
        for detail in getattr(delta, "reasoning_details", None) or ():
            self._add_detail(detail)
        # A refusal is an answer, too: OpenAI puts it where the text would be.
        text = delta.content or getattr(delta, "refusal", None)
        if text:
            pieces.append(TextPiece(text))
        for fragment in delta.tool_calls or ():
            pieces += self._join(fragment)
        return pieces

    def _add_detail(self, detail: Json) -> None:
        """OpenRouter streams a thought in details of a word or two, each with the index of that thought."""
        last = self._details[-1] if self._details else {}
        field = GROWING.get(detail.get("type", ""))
        if field and all(last.get(name) == detail.get(name) for name in ("type", "index")):
            self._details[-1] = last | detail | {field: (last.get(field) or "") + (detail.get(field) or "")}
        else:
            self._details.append(detail)

    def _join(self, fragment: Any) -> list[Piece]:
        """Adds a fragment to its call."""
        place = self._place_of(fragment)
        call = self._calls[place]
        _name(call, fragment)
        if fragment.function is None:
            return []
        call.name = call.name or fragment.function.name or ""
        text = _text_of(fragment.function.arguments)
        call.arguments += text
        return [CallPiece(place, call.name, text)] if text else []

    def _place_of(self, fragment: Any) -> int:
        """Which call a fragment belongs to: found by its index, or, where a server gives none, the last call.

        Ollama gives each call whole, and litellm the index 0 to each.
        """
        index = fragment.index
        if index is None:
            is_new = bool(fragment.id) or not self._calls
            index = len(self._calls) if is_new else len(self._calls) - 1
        place = self._place_of_index.get(index)
        if place is None or _is_another(self._calls[place], fragment):
            place = self._place_of_index[index] = len(self._calls)
            self._calls.append(_Call())
        return place


def _is_another(call: _Call, fragment: Any) -> bool:
    """Whether a fragment begins a call of its own although it has the index of that one, which is whole."""
    call_id = (fragment.id or "").partition(SIGNATURE)[0]
    if not call_id or not call.call_id or call_id == call.call_id or not getattr(fragment.function, "name", None):
        return False
    try:
        json.loads(call.arguments)
    except ValueError:
        return False
    return True


def _name(call: _Call, fragment: Any) -> None:
    """Takes the id, and the signature, which litellm gives as a field of its own and in the id, too."""
    call_id, _, signature = (fragment.id or "").partition(SIGNATURE)
    call.call_id = call.call_id or call_id
    fields = getattr(fragment, "provider_specific_fields", None) or {}
    signature = fields.get("thought_signature") or signature
    if signature:
        call.extra = {"provider_specific_fields": {"thought_signature": signature}}


def _text_of(arguments: Any) -> str:
    """Arguments as JSON text: some servers give an object instead."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _raise_if_error(chunk: Any) -> None:
    error = getattr(chunk, "error", None)
    if isinstance(error, dict):
        code = error.get("code")
        raise StreamError(json.dumps({"error": error}, default=str), code if isinstance(code, int) else 0)


def usage_of(reported: Any) -> Usage | None:
    """The tokens that a provider reported; None if that is no report. The prompt's are all of them, cached ones too."""
    prompt = _field(reported, "prompt_tokens")
    if not isinstance(prompt, int):
        return None
    details = _field(reported, "prompt_tokens_details")
    cached = _first_number(
        _field(details, "cached_tokens"),
        _field(reported, "cached_tokens"),
        _field(reported, "cache_read_input_tokens"),
        _field(reported, "prompt_cache_hit_tokens"),
    )
    written = _first_number(
        _field(details, "cache_creation_tokens"),
        _field(details, "cache_write_tokens"),
        _field(reported, "cache_creation_input_tokens"),
    )
    cost = _field(reported, "cost")
    dollars = float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) else None
    thought = _first_number(_field(_field(reported, "completion_tokens_details"), "reasoning_tokens"))
    return Usage(prompt, _field(reported, "completion_tokens") or 0, cached, written, dollars, reasoning_tokens=thought)


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def _first_number(*values: Any) -> int:
    return next((value for value in values if isinstance(value, int) and value > 0), 0)
