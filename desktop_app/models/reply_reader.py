"""Read the chunks of a streaming reply in OpenAI's format, to which `reply_formats` converts the others. Pure.

Providers, and servers that imitate them, send numbers as text, content as a list, and calls without names. A value
that can be interpreted is converted, such as "12" to 12; anything else becomes "", None or is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any, cast

from msgspec.structs import replace

from desktop_app.chat.ports import Piece, ReasoningPiece, ReplyEnd, ToolCallPiece
from desktop_app.conversation.message import ToolCall, Usage
from desktop_app.conversation.openai_chat import Json

from .provider_dialects import ProviderMetadata, encode_metadata
from .provider_summaries import OWN
from .streamed_calls import Fragment, join_calls
from .tagged_thoughts import TaggedThoughts

MAX_TOKENS = 10**9
"""A larger number is not a count of tokens."""
MAX_DOLLARS = 1e6
REPLY_TOKENS = ("completion_tokens", "output_tokens")
MAX_DIGITS = 32
"""Characters of a number as text: parsing a longer one would take quadratic time."""


END_MARK: Json = {"choices": []}
"""Stands for the server's mark that the reply is complete, for servers that give no finish reason."""


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
    if isinstance(value, str):
        return value
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
    **dict.fromkeys(
        ("length", "max_tokens", "max_length", "max_new_tokens", "max_output_tokens", "max_completion_tokens",
         "model_length", "token_limit", "limit", "compaction", "maxpredictedtokensreached", "pause_turn"),
        "length",
    ),
    **dict.fromkeys(
        ("model_context_window_exceeded", "context_window_exceeded", "context_length_exceeded", "context_length",
         "context_limit", "context_window", "contextlengthreached", "error_limit"),
        "window",
    ),
    **dict.fromkeys(("tool_calls", "function_call", "tool_use", "toolcalls"), "tool_calls"),
    **dict.fromkeys(
        ("content_filter", "content_filtered", "refusal", "safety", "sensitive", "recitation", "language", "blocklist",
         "prohibited_content", "spii", "guardrail_intervened", "escalation", "other", "image_safety", "no_image",
         "image_prohibited_content", "image_recitation", "image_other", "model_armor", "moderation", "error_toxic",
         "content_policy_violation", "risk_control"),
        "content_filter",
    ),
    **dict.fromkeys(
        ("malformed_function_call", "unexpected_tool_call", "too_many_tool_calls", "malformed_response",
         "malformed_model_output", "malformed_tool_use", "missing_thought_signature", "tool_call_parse_error"),
        "malformed_call",
    ),
}  # fmt: skip
"""Finish reasons of OpenAI, Claude, Gemini, Zhipu, Mistral, Cohere, Bedrock and LM Studio other than "stop". An unknown
one, such as "eos", counts as "stop"."""

BROKEN_OFF = re.compile(
    r"error|abort|cancell?ed|fail(ed|ure)|interrupt|timed?_?out|unavailable|overload|insufficient_system|disconnect"
    r"|unload|user_?stopped|system_resource|exception",
    re.IGNORECASE,
)
"""Finish reasons of a reply that the server could not complete: network_error (Zhipu), abort (vLLM, SGLang),
insufficient_system_resource (DeepSeek), modelUnloaded (LM Studio) and the like."""

OF_THE_SERVER = re.compile(r"search|interpreter|mcp|retrieval|browser|drawing|generation|computer|server_tool")
"""Types of calls that the server itself has run, such as Zhipu's "web_search" and xAI's "x_search_call"."""

REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text", "thinking")
"""llama.cpp, vLLM, DeepSeek and Kimi use the first, OpenRouter and newer vLLM versions the second, others the rest."""

DETAILS = "reasoning_details"
"""OpenRouter's field, and ours for the Responses API, for the reasoning that is returned with a message."""

STREAMED_DETAILS = {"reasoning.text": "text", "reasoning.summary": "summary", "thinking": "thinking"}
"""The field of a reasoning detail that is streamed in fragments, by the detail's type. The last is Claude's."""

SIGNATURE = "__thought__"
"""Separates a call's id from its signature, as litellm joins them for Gemini: a gateway may use it."""


EXTRA = "extra_content"
"""Google's field for a call's signature in OpenAI's format. It is returned unchanged, whatever it contains."""


class StreamError(Exception):
    """A provider reported an error within a stream. message: its error object as JSON, or its text."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.status_code = status


class ReplyReader:
    """Reads the chunks of one reply in order. A chunk is any object with the fields of OpenAI's chunks.

    writer: the model that replies, as named in the record. details: the field of a delta with the reasoning that has to
    be returned, which is also the field in which it is returned. names: of the tools that the model may call.
    """

    def __init__(self, writer: str = "", details: str = DETAILS, names: Collection[str] = ()) -> None:
        self.chunks = 0
        """Number of chunks with the form of a chat completion; if 0, the server speaks another protocol."""
        self._writer, self._details_field = writer, details
        self._reason = ""
        self._usage: Usage | None = None
        self._names = names
        self._fragments: list[Fragment] = []
        self._opened: dict[tuple[int | None, str], int] = {}  # number of the call, by the index and id of a fragment
        self._opened_names: list[str] = []
        self._newest, self._newest_text, self._newest_index = -1, "", None  # the call of the newest fragment
        self._details: list[Json] = []
        self._thoughts = TaggedThoughts()
        self._is_refused = False
        self._length = self._reasoning_length = 0  # characters of content and reasoning, to tell what a message adds
        self._places: list[int] = []  # characters of content before each detail
        self.summary: list[Any] = []
        """The blocks or items of a summary that the provider wrote itself."""

    @property
    def is_finished(self) -> bool:
        """Whether the provider sent a finish reason. A stream that ends without one was cut."""
        return bool(self._reason)

    def pieces(self, chunk: Any) -> Iterator[Piece]:
        """Yield the chunk's pieces. Raises MalformedChunk, and StreamError after the pieces that came with it."""
        if chunk is END_MARK:
            self._reason = self._reason or ("stop" if self.chunks else "")
            return
        if not is_object(chunk):
            raise MalformedChunk
        if (usage := field_of(chunk, "usage")) is not None:
            self._take_usage(usage)
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

    def rest(self) -> list[Piece]:
        """Return the pieces that were held back; nothing follows them but the end."""
        return self._thoughts.end()

    def end(self) -> ReplyEnd:
        """Return the last piece: finish reason, reported usage, and the tool calls joined from their fragments."""
        calls = tuple(
            ToolCall(call.call_id, call.name, call.arguments, self._metadata(index, call.metadata))
            for index, call in enumerate(join_calls(self._fragments, self._names))
        )
        reason = FINISH_REASONS.get(self._reason.lower(), "content_filter" if self._is_refused else "stop")
        # Some servers say "stop" after a tool call.
        usage = self._usage if self._usage and self._usage.prompt_tokens else None  # otherwise it measures nothing
        return ReplyEnd("tool_calls" if calls and reason == "stop" else reason, usage, calls)

    def _metadata(self, index: int, of_call: Json) -> str:
        """Return the call's metadata as JSON; the first call's includes the message's."""
        of_message = {self._details_field: self._details} if self._details and index == 0 else {}
        try:
            places = tuple(self._places) if of_message and any(self._places) else ()
            return encode_metadata(ProviderMetadata(self._writer, of_call, of_message, places))
        except (RecursionError, OverflowError):  # nested too deeply, or with numbers that are too large, to be stored
            return ""

    def _pieces_of_choice(self, choice: Any) -> list[Piece]:
        if not is_object(choice):
            raise MalformedChunk
        if (usage := field_of(choice, "usage")) is not None:  # Kimi reports it here
            self._take_usage(usage)
        reason = field_of(choice, "finish_reason")
        self._reason = reason if isinstance(reason, str) and reason else self._reason
        pieces = self._pieces_of_delta(field_of(choice, "delta"))
        message = field_of(choice, "message")
        return [*pieces, *self._pieces_of_message(message)] if is_object(message) else pieces

    def _take_usage(self, reported: Any) -> None:
        if (usage := usage_of(reported)) is not None:
            self._usage = usage if self._usage is None else _with_earlier(usage, self._usage)

    def _pieces_of_message(self, message: Any) -> list[Piece]:
        """Return what a whole message adds to its deltas. Its calls replace those that were streamed."""
        if list_of(calls := field_of(message, "tool_calls")):
            self._fragments = []
        content, reasoning = text_of(field_of(message, "content")), _reasoning_of(message)
        delta = {"content": content[self._length :], "reasoning_content": reasoning[self._reasoning_length :]}
        if not self._length:
            delta["refusal"] = field_of(message, "refusal")
        if not self._details:
            delta[self._details_field] = field_of(message, self._details_field)
        return self._pieces_of_delta(delta | {"tool_calls": calls})

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
            self._reasoning_length += len(reasoning)
            self._thoughts.note_field()
            pieces.append(ReasoningPiece(reasoning))
        for detail in list_of(field_of(delta, self._details_field)):
            if isinstance(detail, dict):
                self._add_detail(cast("Json", detail))
        self.summary = list_of(field_of(delta, OWN)) or self.summary
        # OpenAI puts a refusal, which is also an answer, in a separate field.
        text = text_of(field_of(delta, "content"))
        if not text and (text := text_of(field_of(delta, "refusal"))):
            self._is_refused = True
        if text:
            self._length += len(text)
            pieces += self._thoughts.push(text)
        for sent in filter(is_object, list_of(field_of(delta, "tool_calls"))):
            kind = field_of(sent, "type")
            if not (isinstance(kind, str) and OF_THE_SERVER.search(kind)):
                pieces += self._add_fragment(sent)
        if is_object(function := field_of(delta, "function_call")):  # as before there were several calls in a reply
            pieces += self._add_fragment({"function": function})
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
            self._places.append(self._length)

    def _add_fragment(self, sent: Any) -> list[Piece]:
        function, (call_id, signature) = field_of(sent, "function"), _id_of(sent)
        name, text = word_of(field_of(function, "name")), json_of(field_of(function, "arguments"))
        fragment = Fragment(index_of(field_of(sent, "index")), call_id, name, text, _metadata_of(sent, signature))
        self._fragments.append(fragment)
        number, before = self._number_of(fragment), self._newest_text
        if number == self._newest and before[:1] == "{" and text.startswith(before):
            text = text[len(before) :]  # sent from the beginning each time; only its growth counts
        self._newest, self._newest_text, self._newest_index = number, fragment.text, fragment.index
        return [ToolCallPiece(number, self._opened_names[number], text)] if text else []

    def _number_of(self, fragment: Fragment) -> int:
        """Return the number of the call that the fragment seems to belong to, for the pieces; `end` knows better."""
        index, call_id, name = fragment.index, fragment.call_id, fragment.name
        if not name and not call_id and index == self._newest_index and self._opened_names:
            return self._newest
        known = self._opened.get((index, call_id))
        is_whole = not call_id and fragment.text.startswith("{")
        if not self._opened_names or (name and (known is None or is_whole)):
            known = len(self._opened_names)
            self._opened_names.append(name)
            self._opened[index, ""] = known
        elif known is None:
            known = self._opened.get((index, ""), len(self._opened_names) - 1)
        self._opened[index, call_id] = known
        self._opened_names[known] = self._opened_names[known] or name
        return known


def _reasoning_of(delta: Any) -> str:
    if isinstance(content := field_of(delta, "content"), list):  # Mistral's parts of type "thinking"
        return "".join(text_of(field_of(part, "thinking")) for part in content if is_object(part))
    for field in REASONING_FIELDS:
        value = field_of(delta, field)
        if value and isinstance(value, str | list) and (text := text_of(value)):
            return text
    return ""


def _id_of(fragment: Any) -> tuple[str, str]:
    """Return the call's id, and the signature that may be appended to it."""
    call_id, _, signature = word_of(field_of(fragment, "id")).partition(SIGNATURE)
    return call_id, signature


def _metadata_of(sent: Any, signature: str) -> Json:
    """Return what has to be returned with the call: its signature, which is in a separate field or in the id."""
    fields = field_of(sent, "provider_specific_fields")
    signature = word_of(field_of(fields, "thought_signature")) or signature if fields else signature
    metadata: Json = {"provider_specific_fields": {"thought_signature": signature}} if signature else {}
    extra = field_of(sent, EXTRA)
    return metadata | {EXTRA: extra} if isinstance(extra, dict) and extra else metadata


def _error_in(chunk: Any, choice: Any) -> StreamError | None:
    error = field_of(chunk, "error")
    if isinstance(error, str) and error:
        return StreamError(json.dumps({"error": {"message": error}}))
    if isinstance(error, dict):
        return StreamError(json_of({"error": error}), count_of(cast("Json", error).get("code")) or 0)
    if choice is None and isinstance(chunk, dict) and _is_error(cast("Json", chunk)):
        return StreamError(json_of(chunk))
    if is_object(choice) and isinstance(reason := field_of(choice, "finish_reason"), str) and _is_broken_off(reason):
        return StreamError(f"The provider ended the reply with “{reason}”.", 502)
    return None


def _is_broken_off(reason: str) -> bool:
    return reason.lower() not in FINISH_REASONS and bool(BROKEN_OFF.search(reason))


def _is_error(chunk: Json) -> bool:
    """Return whether a chunk without a reply is the error of a server that has none of the usual fields for it."""
    state = field_of(chunk.get("base_resp"), "status_code")  # MiniMax's, 0 in every good chunk
    names = ("error_code", "error_msg", "errorMessage", "errors", "detail")
    if "choices" not in chunk and chunk.get("object") == "error":
        return True
    is_said = any(isinstance(chunk.get(name), str) and chunk[name].strip() for name in ("message", "Message", "msg"))
    return bool(state) or ("choices" not in chunk and (is_said or any(chunk.get(name) for name in names)))


def usage_of(reported: Any) -> Usage | None:
    """Return the usage that a provider reported, as far as it is known; None if all its numbers are zero.

    The result's prompt tokens include cached ones, and its reply tokens include reasoning. Some servers leave either
    out of the whole: that is recognized by a total that is larger, or by a part that is larger than the whole.
    """
    prompt, reply = _count_in(reported, "prompt_tokens", "input_tokens"), _count_in(reported, *REPLY_TOKENS)
    details = field_of(reported, "prompt_tokens_details")
    cached = _count_in(details, "cached_tokens") or _count_in(
        reported, "cached_tokens", "cache_read_input_tokens", "prompt_cache_hit_tokens"
    )
    written = _count_in(details, "cache_creation_tokens", "cache_write_tokens") or _count_in(
        reported, "cache_creation_input_tokens"
    )
    reasoning = _count_in(field_of(reported, "completion_tokens_details"), "reasoning_tokens")
    if not (prompt or reply or cached or written):
        return None
    more = _count_in(reported, "total_tokens") - prompt - reply
    if reasoning > reply or (reasoning and more in (reasoning, reasoning + cached + written)):
        reply, more = reply + reasoning, more - reasoning
    if cached > prompt or (more > 0 and more == cached + written):
        prompt += cached + written
    return Usage(prompt, reply, cached, written, dollars_of(field_of(reported, "cost")), reasoning_tokens=reasoning)


def _count_in(reported: Any, *names: str) -> int:
    """Return the first count that is not zero among the fields of that name, otherwise 0."""
    return next((count for name in names if (count := count_of(field_of(reported, name)))), 0)


def _with_earlier(usage: Usage, earlier: Usage) -> Usage:
    """Return a reply's newer usage, with the earlier one's numbers in place of zeros."""
    if not usage.prompt_tokens:
        known = earlier.prompt_tokens, earlier.cached_tokens, earlier.cache_written_tokens
        usage = replace(usage, prompt_tokens=known[0], cached_tokens=known[1], cache_written_tokens=known[2])
    if not usage.reply_tokens:
        usage = replace(usage, reply_tokens=earlier.reply_tokens, reasoning_tokens=earlier.reasoning_tokens)
    return replace(usage, dollars=earlier.dollars) if usage.dollars is None else usage
