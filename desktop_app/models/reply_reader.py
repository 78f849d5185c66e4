"""Read the chunks of a streaming reply in OpenAI's format, to which `reply_formats` converts the others. Pure.

Providers, and servers that imitate them, send numbers as text, content as a list, and calls without names. A value
that can be interpreted is converted, such as "12" to 12; anything else becomes "", None or is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import msgspec

from desktop_app.chat.ports import Piece, ReasoningPiece, ReplyEnd, TextPiece, ToolCallPiece
from desktop_app.conversation.message import ToolCall, Usage
from desktop_app.conversation.openai_chat import Json

from .provider_dialects import ProviderMetadata, encode_metadata

MAX_TOKENS = 10**9
"""A larger number is not a count of tokens."""
MAX_DOLLARS = 1e6
MAX_DIGITS = 32
"""Characters of a number as text: parsing a longer one would take quadratic time."""


class MalformedChunk(Exception):
    """A provider sent something that is not a chunk of a chat reply."""


def field_of(value: Any, name: str) -> Any:
    """Return the field of an object or a dictionary; None if it has none."""
    return cast("Json", value).get(name) if isinstance(value, dict) else getattr(value, name, None)


def is_object(value: Any) -> bool:
    """Return whether the value can have named fields."""
    return value is not None and not isinstance(value, bool | int | float | str | bytes | list | tuple)


def list_of(value: Any) -> list[Any]:
    """Return the value if it is a list, otherwise []."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def text_of(value: Any) -> str:
    """Return a text, a number as text, or the joined texts of a list of content parts."""
    parts = cast("list[Any]", value) if isinstance(value, list) else [value]
    return "".join(word_of(field_of(part, "text") if is_object(part) else part) for part in parts)


def word_of(value: Any) -> str:
    """Return a text, or a number as text; "" for everything else."""
    if isinstance(value, str):
        return value
    return str(value) if _is_number(value) else ""


def json_of(value: Any) -> str:
    """Return JSON text unchanged, and any other value as JSON: some servers send arguments as an object."""
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return ""


def count_of(value: Any) -> int | None:
    """Return the value as a count of tokens; None if it is not one."""
    number = _number_of(value)
    return None if number is None or not 0 <= number <= MAX_TOKENS else round(number)


def dollars_of(value: Any) -> float | None:
    """Return the value as a sum of money; None if it is not one."""
    number = _number_of(value)
    return None if number is None or not 0 <= number <= MAX_DOLLARS else float(number)


def index_of(value: Any) -> int | None:
    """Return the value as the index of a call in its reply; None if it is not one."""
    number = _number_of(value)
    return round(number) if number is not None and number == round(number) else None


def _number_of(value: Any) -> int | float | None:
    if isinstance(value, str) and len(value) <= MAX_DIGITS:
        try:
            value = float(value)
        except ValueError:
            return None
    return cast("int | float", value) if _is_number(value) else None


def _is_number(value: Any) -> bool:
    """Return whether it is a finite number that fits into 64 bits."""
    return isinstance(value, int | float) and not isinstance(value, bool) and -(2**63) <= value < 2**63


FINISH_REASONS = {
    **dict.fromkeys(("length", "max_tokens", "model_length", "max_output_tokens", "compaction"), "length"),
    "model_context_window_exceeded": "window",
    **dict.fromkeys(("tool_calls", "function_call", "tool_use"), "tool_calls"),
    **dict.fromkeys(
        ("content_filter", "content_filtered", "refusal", "safety", "sensitive", "recitation", "language", "blocklist",
         "prohibited_content", "spii", "guardrail_intervened", "escalation", "other", "image_safety", "no_image",
         "image_prohibited_content", "image_recitation", "image_other"),
        "content_filter",
    ),
    **dict.fromkeys(
        ("malformed_function_call", "unexpected_tool_call", "too_many_tool_calls", "malformed_response"),
        "malformed_call",
    ),
}  # fmt: skip
"""Finish reasons of OpenAI, Claude, Gemini, Zhipu, Mistral and Bedrock other than "stop". An unknown one, such as
"eos", counts as "stop"."""

BROKEN_OFF = ("error", "abort", "network_error", "insufficient_system_resource")
"""Finish reasons of a reply that the server could not complete: of vLLM, SGLang, Zhipu and DeepSeek."""

REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text", "thinking")
"""llama.cpp, vLLM, DeepSeek and Kimi use the first, OpenRouter and newer vLLM versions the second, others the rest."""

DETAILS = "reasoning_details"
"""OpenRouter's field, and ours for the Responses API, for the reasoning that is returned with a message."""

STREAMED_DETAILS = {"reasoning.text": "text", "reasoning.summary": "summary", "thinking": "thinking"}
"""The field of a reasoning detail that is streamed in fragments, by the detail's type. The last is Claude's."""

SIGNATURE = "__thought__"
"""Separates a call's id from its signature, as litellm joins them for Gemini: a gateway may use it."""


class StreamError(Exception):
    """A provider reported an error within a stream. message: its error object as JSON, or its text."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.status_code = status


class _PartialCall(msgspec.Struct):
    call_id: str = ""
    name: str = ""
    fragments: list[str] = []
    metadata: Json = {}

    @property
    def arguments(self) -> str:
        return "".join(self.fragments)


class ReplyReader:
    """Reads the chunks of one reply in order. A chunk is any object with the fields of OpenAI's chunks.

    writer: the model that replies, as named in the record. details: the field of a delta with the reasoning that has to
    be returned, which is also the field in which it is returned.
    """

    def __init__(self, writer: str = "", details: str = DETAILS) -> None:
        self.chunks = 0
        """Number of chunks with the form of a chat completion; if 0, the server speaks another protocol."""
        self._writer, self._details_field = writer, details
        self._reason = ""
        self._usage: Usage | None = None
        self._calls: list[_PartialCall] = []
        self._position_of: dict[int, int] = {}  # position in self._calls, by the provider's index
        self._details: list[Json] = []

    @property
    def is_finished(self) -> bool:
        """Whether the provider sent a finish reason. A stream that ends without one was cut."""
        return bool(self._reason)

    def pieces(self, chunk: Any) -> Iterator[Piece]:
        """Yield the chunk's pieces. Raises MalformedChunk, and StreamError after the pieces that came with it."""
        if not is_object(chunk):
            raise MalformedChunk
        self._usage = usage_of(field_of(chunk, "usage")) or self._usage
        choices = field_of(chunk, "choices")
        choice = next(iter(list_of(choices)), None)
        if (error := _error_in(chunk, choice)) is not None:
            yield from self._pieces_with_error(choice)
            raise error
        if choices is None:
            return
        if not isinstance(choices, list):
            raise MalformedChunk
        yield from self._pieces_of_choice(choice) if choices else ()
        self.chunks += 1

    def end(self) -> ReplyEnd:
        """Return the last piece: finish reason, reported usage, and the tool calls joined from their fragments."""
        calls = tuple(
            ToolCall(call.call_id or f"call_{index}", call.name, call.arguments or "{}", self._metadata(index))
            for index, call in enumerate(self._calls)
        )
        reason = FINISH_REASONS.get(self._reason.lower(), "stop")
        # Some servers say "stop" after a tool call.
        return ReplyEnd("tool_calls" if calls and reason == "stop" else reason, self._usage, calls)

    def _metadata(self, index: int) -> str:
        """Return the call's metadata as JSON; the first call's includes the message's."""
        of_message = {self._details_field: self._details} if self._details and index == 0 else {}
        try:
            return encode_metadata(ProviderMetadata(self._writer, self._calls[index].metadata, of_message))
        except (RecursionError, OverflowError):  # nested too deeply, or with numbers that are too large, to be stored
            return ""

    def _pieces_of_choice(self, choice: Any) -> list[Piece]:
        if not is_object(choice):
            raise MalformedChunk
        self._usage = usage_of(field_of(choice, "usage")) or self._usage  # Kimi reports it here
        reason = field_of(choice, "finish_reason")
        self._reason = reason if isinstance(reason, str) and reason else self._reason
        return self._pieces_of_delta(field_of(choice, "delta"))

    def _pieces_with_error(self, choice: Any) -> list[Piece]:
        delta = field_of(choice, "delta") if is_object(choice) else None
        pieces = self._pieces_of_delta(delta) if is_object(delta) else []
        self.chunks += bool(pieces)
        return pieces

    def _pieces_of_delta(self, delta: Any) -> list[Piece]:
        if delta is None:
            return []
        if not is_object(delta):
            raise MalformedChunk
        pieces: list[Piece] = []
        if reasoning := _reasoning_of(delta):
            pieces.append(ReasoningPiece(reasoning))
        for detail in list_of(field_of(delta, self._details_field)):
            if isinstance(detail, dict):
                self._add_detail(cast("Json", detail))
        # OpenAI puts a refusal, which is also an answer, in a separate field.
        text = text_of(field_of(delta, "content")) or text_of(field_of(delta, "refusal"))
        if text:
            pieces.append(TextPiece(text))
        for fragment in filter(is_object, list_of(field_of(delta, "tool_calls"))):
            pieces += self._add_fragment(fragment)
        return pieces

    def _add_detail(self, detail: Json) -> None:
        """Append a detail, or join it with the last one if it continues that.

        Details are streamed word by word, with the same index, and end with a signature if they have one.
        """
        last = self._details[-1] if self._details else {}
        field = STREAMED_DETAILS.get(word_of(detail.get("type")))
        is_open = not last.get("signature")
        if field and is_open and all(last.get(name) == detail.get(name) for name in ("type", "index")):
            self._details[-1] = last | detail | {field: text_of(last.get(field)) + text_of(detail.get(field))}
        else:
            self._details.append(detail)

    def _add_fragment(self, fragment: Any) -> list[Piece]:
        index = self._index_of_call(fragment)
        call = self._calls[index]
        _take_id(call, fragment)
        function = field_of(fragment, "function")
        call.name = call.name or word_of(field_of(function, "name"))
        text = json_of(field_of(function, "arguments"))
        call.fragments.append(text)
        return [ToolCallPiece(index, call.name, text)] if text else []

    def _index_of_call(self, fragment: Any) -> int:
        """Return the position of the call that a fragment belongs to: by its index, or the last call if it has none.

        Some servers send each call as a whole, and give all of them the index 0.
        """
        index = index_of(field_of(fragment, "index"))
        if index is None:
            is_new = bool(word_of(field_of(fragment, "id"))) or not self._calls
            index = len(self._calls) if is_new else len(self._calls) - 1
        position = self._position_of.get(index)
        if position is None or _begins_another(self._calls[position], fragment):
            position = self._position_of[index] = len(self._calls)
            self._calls.append(_PartialCall())
        return position


def _reasoning_of(delta: Any) -> str:
    values = (field_of(delta, field) for field in REASONING_FIELDS)
    return next((text for value in values if isinstance(value, str | list) and (text := text_of(value))), "")


def _begins_another(call: _PartialCall, fragment: Any) -> bool:
    """Return whether a fragment with the same index as that call, which is complete, begins another call."""
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
    """Return the call's id, and the signature that may be appended to it."""
    call_id, _, signature = word_of(field_of(fragment, "id")).partition(SIGNATURE)
    return call_id, signature


def _take_id(call: _PartialCall, fragment: Any) -> None:
    """Store the id and the signature, which is in a separate field or in the id."""
    call_id, signature = _id_of(fragment)
    call.call_id = call.call_id or call_id
    signature = word_of(field_of(field_of(fragment, "provider_specific_fields"), "thought_signature")) or signature
    if signature:
        call.metadata = {"provider_specific_fields": {"thought_signature": signature}}


def _error_in(chunk: Any, choice: Any) -> StreamError | None:
    error = field_of(chunk, "error")
    if isinstance(error, str) and error:
        return StreamError(json.dumps({"error": {"message": error}}))
    if isinstance(error, dict):
        return StreamError(json_of({"error": error}), count_of(cast("Json", error).get("code")) or 0)
    if is_object(choice) and (reason := field_of(choice, "finish_reason")) in BROKEN_OFF:
        return StreamError(f"The provider ended the reply with “{reason}”.", 502)
    return None


def usage_of(reported: Any) -> Usage | None:
    """Return the usage that a provider reported; None if there is none, or all its numbers are zero.

    The result's prompt tokens include cached ones. Some servers leave them out, as Anthropic does: it can be recognized
    if there are more cached tokens than prompt tokens.
    """
    prompt = count_of(field_of(reported, "prompt_tokens"))
    if prompt is None:
        return None
    details = field_of(reported, "prompt_tokens_details")
    cached = _first_count(
        field_of(details, "cached_tokens"),
        field_of(reported, "cached_tokens"),
        field_of(reported, "cache_read_input_tokens"),
        field_of(reported, "prompt_cache_hit_tokens"),
    )
    written = _first_count(
        field_of(details, "cache_creation_tokens"),
        field_of(details, "cache_write_tokens"),
        field_of(reported, "cache_creation_input_tokens"),
    )
    reply = count_of(field_of(reported, "completion_tokens")) or 0
    if not (prompt or reply or cached or written):
        return None
    if cached > prompt:
        prompt += cached + written
    reasoning = _first_count(field_of(field_of(reported, "completion_tokens_details"), "reasoning_tokens"))
    dollars = dollars_of(field_of(reported, "cost"))
    return Usage(prompt, reply, cached, written, dollars, reasoning_tokens=reasoning)


def _first_count(*values: Any) -> int:
    return next((count for value in values if (count := count_of(value))), 0)
