"""Chunks whose fields have other types than they should, through the real litellm, over loopback: what has a sensible
reading is taken, the rest is dropped, and what is no chunk at all is the server's error, never ours."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from desktop_app.chat.ports import ModelError, Piece, ReplyEnd
from desktop_app.chat.turn.incoming_reply import ReplyInFlight
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message, ToolCall, Usage, user_message
from desktop_app.models.endpoint import Endpoint
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.litellm_model import LiteLLMModel
from desktop_app.models.tokens.tokenizers import tokenizer_for
from desktop_app.settings import ServerKind
from provider import Garbage, ScriptedProvider

KINDS: tuple[ServerKind, ...] = ("openai_compatible", "vllm")
"""One through the package openai, one through litellm's own client."""

READ = {"name": "read", "arguments": "{}"}
CALL = {"index": 0, "id": "c1", "type": "function", "function": READ}


def chunk(delta: Any = None, finish: Any = None, **fields: Any) -> dict[str, Any]:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {"id": "s", "object": "chat.completion.chunk", "created": 1, "model": "s", "choices": choices} | fields


HI, END = chunk({"content": "Hi"}), chunk({}, "stop")


def call(**fields: Any) -> dict[str, Any]:
    return chunk({"tool_calls": [CALL | fields]})


def called(call_id: str, name: str, arguments: str) -> ReplyEnd:
    return ReplyEnd("tool_calls", None, (ToolCall(call_id, name, arguments),))


async def reply_to(events: list[Any], kind: ServerKind, litellm: LiteLLM) -> tuple[list[Piece], ModelError | None]:
    """The pieces that came, and the error that ended them."""
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    if kind == "ollama":
        body = "".join(f"{json.dumps(event)}\n" for event in events)
    elif kind not in OTHERS:
        body += "data: [DONE]\n\n"
    pieces: list[Piece] = []
    with ScriptedProvider([Garbage(body, "text/event-stream")]) as provider:
        info = ModelInfo("test/s", "s", 8192, 1024, Provenance.MEASURED)
        root = provider.root_url + ("/v1beta" if kind == "gemini" else "")
        endpoint = Endpoint("Test server", root if kind in OTHERS else provider.base_url, "k", kind)
        model = LiteLLMModel(info, tokenizer_for("s"), litellm, endpoint, "scripted")
        try:
            async for piece in model.stream((user_message("Hello"),), 100):
                pieces.append(piece)
        except ModelError as error:
            return pieces, error
    return pieces, None


def message_of(pieces: list[Piece]) -> Message:
    reply = ReplyInFlight("test/s")
    for piece in pieces:
        reply.add(piece)
    return reply.message()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("events", "end"),
    [
        ([END, chunk(usage={"prompt_tokens": "12", "completion_tokens": 12.5})], ReplyEnd("stop", Usage(12, 12))),
        ([END, chunk(usage={"prompt_tokens": 9, "completion_tokens": [3]})], ReplyEnd("stop", Usage(9, 0))),
        ([END, chunk(usage={"prompt_tokens": -1, "completion_tokens": 5})], ReplyEnd("stop")),
        ([END, chunk(choices=7)], ReplyEnd("stop")),  # what comes behind the end does not take it back
        ([call(id=7), END], called("7", "read", "{}")),
        ([call(id={}), END], called("call_0", "read", "{}")),
        ([call(function={"name": {"a": 1}}), END], called("c1", "", "{}")),
        ([call(function={"name": "read", "arguments": [1]}), END], called("c1", "read", "[1]")),
        ([call(index="0", id=None), call(index=0, function={"arguments": ""}), END], called("c1", "read", "{}")),
    ],
)
async def test_what_has_a_sensible_reading_is_taken(
    events: list[Any], end: ReplyEnd, kind: ServerKind, litellm: LiteLLM
) -> None:
    pieces, error = await reply_to([HI, *events], kind, litellm)
    assert error is None
    assert pieces[-1] == end


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("odd", ["a page", 7, chunk(choices="x"), chunk(choices=[7]), chunk("Hi")], ids=repr)
async def test_what_is_no_chunk_ends_the_reply_as_the_servers_error(
    odd: Any, kind: ServerKind, litellm: LiteLLM
) -> None:
    pieces, error = await reply_to([HI, odd, END], kind, litellm)
    assert error is not None
    assert (error.kind, message_of(pieces).text) == ("garbage", "Hi")
    assert "not a chat reply" in error.failure.title
    _, error = await reply_to([odd, END], kind, litellm)
    assert error is not None
    assert "does not speak" in error.failure.title


ANTHROPIC = (
    {
        "type": "message_start",
        "message": {"id": "m", "role": "assistant", "content": [], "usage": {"input_tokens": 9, "output_tokens": 1}},
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}},
    {"type": "message_stop"},
)
GEMINI = (
    {"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": "Hi"}]}}]},
    {
        "candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": "."}]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 5, "totalTokenCount": 14},
    },
)
MADE = {"model": "scripted", "created_at": "2026-01-01T00:00:00Z"}
OLLAMA = (
    MADE | {"message": {"role": "assistant", "content": "Hi"}, "done": False},
    MADE
    | {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}
    | {"prompt_eval_count": 9, "eval_count": 5},
)
OTHERS: dict[ServerKind, tuple[Any, ...]] = {"anthropic": ANTHROPIC, "gemini": GEMINI, "ollama": OLLAMA}


def with_value(event: Any, value: Any) -> list[Any]:
    """The event with that value in the place of one of its values, for each of them, also within others."""
    if isinstance(event, dict):
        inner = [(name, changed) for name in event for changed in [*with_value(event[name], value), value]]
        return [event | {name: changed} for name, changed in inner]
    if isinstance(event, list):
        return [[changed] for element in event[:1] for changed in [*with_value(element, value), value]]
    return []


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("value", [12.5, "12", [3], {"a": 1}, None, -4], ids=repr)
async def test_no_value_in_the_shapes_of_others_is_a_bug(value: Any, kind: ServerKind, litellm: LiteLLM) -> None:
    events = OTHERS[kind]
    for place, event in enumerate(events):
        for odd in (value, *with_value(event, value)):
            pieces, error = await reply_to([*events[:place], odd, *events[place + 1 :]], kind, litellm)
            message = message_of(pieces)
            assert msgspec.json.decode(msgspec.json.encode(message), type=Message) == message, odd
            assert error is None or error.kind != "overflow", odd
            if error is None and message.usage is not None:
                assert message.usage.prompt_tokens >= 0, odd


@pytest.mark.parametrize("kind", OTHERS)
async def test_counts_are_taken_as_text_in_the_shapes_of_others(kind: ServerKind, litellm: LiteLLM) -> None:
    told = json.loads(json.dumps(OTHERS[kind]).replace(": 9", ': "9"').replace(": 5", ": 5.4"))
    pieces, error = await reply_to(told, kind, litellm)
    assert error is None
    usage = message_of(pieces).usage
    assert usage is not None
    assert (usage.prompt_tokens, usage.reply_tokens) == (9, 5)
