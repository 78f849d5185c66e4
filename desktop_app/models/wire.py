"""Between our values and OpenAI's streaming chat completions: what a request says, what its chunks mean. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from desktop_app.chat.ports import Piece, ReasoningPiece, ReplyEnd, TextPiece
from desktop_app.conversation.message import Message, ToolCall, Usage
from desktop_app.conversation.openai_chat import Json, chat_of

REASONS = {"length": "length", "max_tokens": "length", "tool_calls": "tool_calls", "function_call": "tool_calls"}
"""Finish reasons that are not "stop"; what is unknown, such as "content_filter" or "eos", ends a reply as "stop"."""


def request_of(messages: Sequence[Message], max_tokens: int) -> Json:
    """The fields of a streaming request, without the model's name."""
    return {
        "messages": chat_of(messages),
        "max_tokens": max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


class _Call(msgspec.Struct):
    call_id: str = ""
    name: str = ""
    arguments: str = ""


class ReplyReader:
    """Reads the chunks of one reply in their order. A chunk is any object with the fields of OpenAI's.

    chunks: how many of them had the shape of a chat completion; 0 means that the server speaks something else.
    """

    def __init__(self) -> None:
        self.chunks = 0
        self._reason = ""
        self._usage: Usage | None = None
        self._calls: list[_Call] = []
        self._place_of_index: dict[int, int] = {}

    @property
    def is_finished(self) -> bool:
        """Whether the provider said why the reply ended. If not, the stream was cut."""
        return bool(self._reason)

    def pieces(self, chunk: Any) -> list[Piece]:
        """What the reply has grown by."""
        self._usage = _usage(getattr(chunk, "usage", None)) or self._usage
        choices = getattr(chunk, "choices", None)
        if choices is None:
            return []
        self.chunks += 1
        if not choices:
            return []
        self._reason = choices[0].finish_reason or self._reason
        return self._pieces_of_delta(choices[0].delta)

    def end(self) -> ReplyEnd:
        """The last piece: why it ended, the tokens as reported, and the calls, joined from their fragments."""
        calls = tuple(
            ToolCall(call.call_id or f"call_{place}", call.name, call.arguments or "{}")
            for place, call in enumerate(self._calls)
        )
        # Some servers say "stop" after a tool call.
        reason = REASONS.get(self._reason, "tool_calls" if calls else "stop")
        return ReplyEnd(reason, self._usage, calls)

    def _pieces_of_delta(self, delta: Any) -> list[Piece]:
        if delta is None:
            return []
        pieces: list[Piece] = []
        # llama.cpp, vLLM and DeepSeek say reasoning_content, OpenRouter and Ollama say reasoning.
        reasoning = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
        if isinstance(reasoning, str) and reasoning:
            pieces.append(ReasoningPiece(reasoning))
        if delta.content:
            pieces.append(TextPiece(delta.content))
        for fragment in delta.tool_calls or ():
            self._join(fragment)
        return pieces

    def _join(self, fragment: Any) -> None:
        """Adds a fragment to its call: found by its index, or, where a server gives none, the last call."""
        index = fragment.index
        if index is None:
            is_new = bool(fragment.id) or not self._calls
            index = len(self._calls) if is_new else len(self._calls) - 1
        if index not in self._place_of_index:
            self._place_of_index[index] = len(self._calls)
            self._calls.append(_Call())
        call = self._calls[self._place_of_index[index]]
        call.call_id = call.call_id or fragment.id or ""
        if fragment.function is not None:
            call.name = call.name or fragment.function.name or ""
            call.arguments += fragment.function.arguments or ""


def _usage(reported: Any) -> Usage | None:
    if reported is None or not isinstance(reported.prompt_tokens, int):
        return None
    details = getattr(reported, "prompt_tokens_details", None)
    cached = getattr(details, "cached_tokens", None) or 0
    return Usage(reported.prompt_tokens, reported.completion_tokens or 0, cached)
