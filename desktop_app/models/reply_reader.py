"""What the chunks of a streaming reply mean, in OpenAI's shape as litellm gives it for every provider. Pure."""

from __future__ import annotations

import json
from typing import Any, cast

import msgspec

from desktop_app.chat.ports import Piece, ReasoningPiece, ReplyEnd, TextPiece, ToolCallPiece
from desktop_app.conversation.message import ToolCall, Usage
from desktop_app.conversation.openai_chat import Json

from .json_fields import (
    NoChunk,
    count_of,
    dollars_of,
    field_of,
    index_of,
    is_object,
    json_of,
    list_of,
    text_of,
    word_of,
)
from .provider_metadata import ProviderMetadata, written

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
    fragments: list[str] = []
    extra: Json = {}

    @property
    def arguments(self) -> str:
        """All that has come of them."""
        return "".join(self.fragments)


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
        """What the reply has grown by. Raises StreamError and NoChunk."""
        if not is_object(chunk):
            raise NoChunk
        self._usage = usage_of(field_of(chunk, "usage")) or self._usage
        _raise_if_error(chunk)
        choices = field_of(chunk, "choices")
        if choices is None:
            return []
        if not isinstance(choices, list):
            raise NoChunk
        pieces = self._pieces_of_choice(list_of(choices)[0]) if choices else []
        self.chunks += 1
        return pieces

    def _pieces_of_choice(self, choice: Any) -> list[Piece]:
        if not is_object(choice):
            raise NoChunk
        self._usage = usage_of(field_of(choice, "usage")) or self._usage  # Kimi reports it there
        reason = field_of(choice, "finish_reason")
        if reason == "error":
            raise StreamError("The provider ended the reply with an error.", 502)
        self._reason = reason if isinstance(reason, str) and reason else self._reason
        return self._pieces_of_delta(field_of(choice, "delta"))

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
        try:
            return written(ProviderMetadata(self._writer, self._calls[place].extra, of_message))
        except (RecursionError, OverflowError):  # too deep, or with numbers too large, to be kept
            return ""

    def _pieces_of_delta(self, delta: Any) -> list[Piece]:
        if delta is None:
            return []
        if not is_object(delta):
            raise NoChunk
        pieces: list[Piece] = []
        for field in REASONING_FIELDS:
            reasoning = field_of(delta, field)
            if isinstance(reasoning, str | list) and (words := text_of(reasoning)):
                pieces.append(ReasoningPiece(words))
                break
        for detail in list_of(field_of(delta, "reasoning_details")):
            if isinstance(detail, dict):
                self._add_detail(cast("Json", detail))
        # A refusal is an answer, too: OpenAI puts it where the text would be.
        text = text_of(field_of(delta, "content")) or text_of(field_of(delta, "refusal"))
        if text:
            pieces.append(TextPiece(text))
        for fragment in filter(is_object, list_of(field_of(delta, "tool_calls"))):
            pieces += self._join(fragment)
        return pieces

    def _add_detail(self, detail: Json) -> None:
        """OpenRouter streams a thought in details of a word or two, each with the index of that thought."""
        last = self._details[-1] if self._details else {}
        field = GROWING.get(word_of(detail.get("type")))
        if field and all(last.get(name) == detail.get(name) for name in ("type", "index")):
            self._details[-1] = last | detail | {field: text_of(last.get(field)) + text_of(detail.get(field))}
        else:
            self._details.append(detail)

    def _join(self, fragment: Any) -> list[Piece]:
        """Adds a fragment to its call."""
        place = self._place_of(fragment)
        call = self._calls[place]
        _name(call, fragment)
        function = field_of(fragment, "function")
        call.name = call.name or word_of(field_of(function, "name"))
        text = json_of(field_of(function, "arguments"))
        call.fragments.append(text)
        return [ToolCallPiece(place, call.name, text)] if text else []

    def _place_of(self, fragment: Any) -> int:
        """Which call a fragment belongs to: found by its index, or, where a server gives none, the last call.

        Ollama gives each call whole, and litellm the index 0 to each.
        """
        index = index_of(field_of(fragment, "index"))
        if index is None:
            is_new = bool(word_of(field_of(fragment, "id"))) or not self._calls
            index = len(self._calls) if is_new else len(self._calls) - 1
        place = self._place_of_index.get(index)
        if place is None or _is_another(self._calls[place], fragment):
            place = self._place_of_index[index] = len(self._calls)
            self._calls.append(_Call())
        return place


def _is_another(call: _Call, fragment: Any) -> bool:
    """Whether a fragment begins a call of its own although it has the index of that one, which is whole."""
    call_id = _id_of(fragment)[0]
    if not call_id or not call.call_id or call_id == call.call_id:
        return False
    if not word_of(field_of(field_of(fragment, "function"), "name")):
        return False
    try:
        json.loads(call.arguments)
    except (ValueError, RecursionError):
        return False
    return True


def _id_of(fragment: Any) -> tuple[str, str]:
    """The id of a fragment's call, and the signature that litellm joins to it."""
    call_id, _, signature = word_of(field_of(fragment, "id")).partition(SIGNATURE)
    return call_id, signature


def _name(call: _Call, fragment: Any) -> None:
    """Takes the id, and the signature, which litellm gives as a field of its own and in the id, too."""
    call_id, signature = _id_of(fragment)
    call.call_id = call.call_id or call_id
    signature = word_of(field_of(field_of(fragment, "provider_specific_fields"), "thought_signature")) or signature
    if signature:
        call.extra = {"provider_specific_fields": {"thought_signature": signature}}


def _raise_if_error(chunk: Any) -> None:
    error = field_of(chunk, "error")
    if isinstance(error, str) and error:
        raise StreamError(json.dumps({"error": {"message": error}}))
    if isinstance(error, dict):
        raise StreamError(json_of({"error": error}), count_of(cast("Json", error).get("code")) or 0)


def usage_of(reported: Any) -> Usage | None:
    """The tokens that a provider reported; None if that is no report. The prompt's are all of them, cached ones too."""
    prompt = count_of(field_of(reported, "prompt_tokens"))
    if prompt is None:
        return None
    details = field_of(reported, "prompt_tokens_details")
    cached = _first_number(
        field_of(details, "cached_tokens"),
        field_of(reported, "cached_tokens"),
        field_of(reported, "cache_read_input_tokens"),
        field_of(reported, "prompt_cache_hit_tokens"),
    )
    written = _first_number(
        field_of(details, "cache_creation_tokens"),
        field_of(details, "cache_write_tokens"),
        field_of(reported, "cache_creation_input_tokens"),
    )
    reply = count_of(field_of(reported, "completion_tokens")) or 0
    thought = _first_number(field_of(field_of(reported, "completion_tokens_details"), "reasoning_tokens"))
    dollars = dollars_of(field_of(reported, "cost"))
    return Usage(prompt, reply, cached, written, dollars, reasoning_tokens=thought)


def _first_number(*values: Any) -> int:
    return next((count for value in values if (count := count_of(value))), 0)
