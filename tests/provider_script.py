"""What a scripted provider can be told to answer, and how that looks on the wire."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

Json = dict[str, Any]


class Call(msgspec.Struct, frozen=True):
    """A tool call of a reply; its arguments are streamed in fragments."""

    name: str
    arguments: str = "{}"
    call_id: str = "call_1"


class Step(msgspec.Struct, frozen=True, tag=True):
    """What one request is answered with."""


class Reply(Step, frozen=True):
    """A whole reply, in deltas of `size` characters.

    delay: seconds before the first delta; pause: between deltas. usage: (prompt, reply, cached) tokens as reported,
    or None to report none.
    """

    text: str = ""
    delay: float = 0.0
    pause: float = 0.0
    size: int = 4
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    usage: tuple[int, int, int] | None = (11, 7, 0)
    finish: str = "stop"


class Cut(Step, frozen=True):
    """A reply that breaks off. is_abrupt: in the middle of a chunk, instead of a well-formed end without finish."""

    after: str
    is_abrupt: bool = True


class Garbage(Step, frozen=True):
    """Status 200 and something that is not OpenAI's format."""

    body: str = "<html><body>Welcome to nginx!</body></html>"
    content_type: str = "text/html"


class Status(Step, frozen=True):
    """An error status. body: the whole body; by default OpenAI's error object with `message`."""

    code: int
    message: str = "scripted error"
    body: str | None = None
    retry_after: int | None = None


class Overflow(Step, frozen=True):
    """The request is too long, in the words of a server. style: "openai", "llama.cpp", "vllm" or "bare 413"."""

    style: str = "openai"
    window: int = 8192
    tokens: int = 9000


class Hang(Step, frozen=True):
    """Sends `text`, then nothing more until the client leaves. Without text not even the headers are sent."""

    text: str = ""


AnyStep = Reply | Cut | Garbage | Status | Overflow | Hang


def chunks_of(reply: Reply, body: Json) -> Iterator[Json]:
    """The chunks of a whole reply; `body` is the request, which says whether usage is wanted."""
    yield chunk({"role": "assistant", "content": ""})
    for start in range(0, len(reply.reasoning), reply.size):
        yield chunk({"reasoning_content": reply.reasoning[start : start + reply.size]})
    for start in range(0, len(reply.text), reply.size):
        yield chunk({"content": reply.text[start : start + reply.size]})
    for index, call in enumerate(reply.calls):
        opening = {"name": call.name, "arguments": ""}
        yield chunk({"tool_calls": [{"index": index, "id": call.call_id, "type": "function", "function": opening}]})
        for start in range(0, len(call.arguments), reply.size):
            fragment = {"arguments": call.arguments[start : start + reply.size]}
            yield chunk({"tool_calls": [{"index": index, "function": fragment}]})
    yield chunk({}, finish="tool_calls" if reply.calls else reply.finish)
    if reply.usage is not None and (body.get("stream_options") or {}).get("include_usage"):
        prompt, tokens, cached = reply.usage
        yield chunk(None) | {
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": tokens,
                "total_tokens": prompt + tokens,
                "prompt_tokens_details": {"cached_tokens": cached},
            }
        }


def chunk(delta: Json | None, finish: str | None = None) -> Json:
    """One chunk; without a delta it has no choices."""
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {"id": "scripted", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": choices}


def error_body(message: str, code: int, kind: str = "") -> Json:
    """OpenAI\'s error object."""
    return {"error": {"message": message, "type": kind or "error", "code": kind or code}}


def overflow_answer(step: Overflow) -> tuple[int, str]:
    """Status and body of a refusal."""
    if step.style == "bare 413":
        return 413, ""
    words = {
        "openai": f"This model's maximum context length is {step.window} tokens. However, your messages resulted in "
        f"{step.tokens} tokens. Please reduce the length of the messages.",
        "llama.cpp": f"request ({step.tokens} tokens) exceeds the available context size ({step.window} tokens), "
        "try increasing it",
        "vllm": f"The decoder prompt (length {step.tokens}) is longer than the maximum model length of {step.window}.",
    }
    kinds = {"openai": "context_length_exceeded", "llama.cpp": "exceed_context_size_error"}
    return 400, json.dumps(error_body(words[step.style], 400, kinds.get(step.style, "BadRequestError")))
