"""The Codex models through the real litellm, against a server that speaks OpenAI's Responses API."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from desktop_app.chat.ports import CallPiece, ModelError, Piece, ReplyEnd, TextPiece
from desktop_app.conversation.gauge import Basis
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import (
    Attachment,
    Message,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    user_message,
)
from desktop_app.conversation.tools import ToolSpec
from desktop_app.models.endpoint import Endpoint
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.litellm_model import LiteLLMModel
from desktop_app.models.tokenizers import tokenizer_for

Json = dict[str, Any]
KEY = "sk-SECRET-0123456789abcdef"
MODEL = "gpt-5.3-codex"
HELLO = (Message(role=Role.SYSTEM, parts=(Text("Be brief."),)), user_message("Hello"))
READ = ToolSpec("read", "Reads a file", '{"type":"object","properties":{"path":{"type":"string"}}}')
THOUGHT = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAA"}


def response(status: str, **fields: Any) -> Json:
    usage = {"input_tokens": 2100, "output_tokens": 9, "total_tokens": 2109}
    usage |= {"input_tokens_details": {"cached_tokens": 1500}, "output_tokens_details": {"reasoning_tokens": 4}}
    base = {"id": "resp_1", "object": "response", "created_at": 1, "model": MODEL, "output": [], "tools": []}
    rest = {"parallel_tool_calls": True, "tool_choice": "auto", "temperature": 1.0, "top_p": 1.0, "metadata": {}}
    return base | rest | {"status": status, "usage": usage, "error": None, "incomplete_details": None} | fields


def text_events(*deltas: str) -> Iterator[Json]:
    yield {"type": "response.created", "response": response("in_progress", usage=None)}
    item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    at = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    for delta in deltas:
        yield {"type": "response.output_text.delta", "delta": delta, "logprobs": []} | at


def call_events(index: int, call_id: str, path: str) -> Iterator[Json]:
    item = {"id": f"fc_{index}", "type": "function_call", "call_id": call_id, "name": "read", "arguments": ""}
    yield {"type": "response.output_item.added", "output_index": index, "item": item | {"status": "in_progress"}}
    for delta in ('{"path":', f'"{path}"}}'):
        at = {"item_id": f"fc_{index}", "output_index": index}
        yield {"type": "response.function_call_arguments.delta", "delta": delta} | at
    done = item | {"arguments": json.dumps({"path": path}), "status": "completed"}
    yield {"type": "response.output_item.done", "output_index": index, "item": done}


class Codex(ThreadingHTTPServer):
    """Plays a list of events, or of statuses, for each request; `hangs` keeps the connection open behind them."""

    daemon_threads = True

    def __init__(self, *script: list[Json] | int, hangs: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.script = list(script)
        self.hangs = hangs
        self.requests: list[Json] = []
        self.keys: list[str | None] = []
        self.client_left = threading.Event()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Codex  # type: ignore[assignment]

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""

    def do_POST(self) -> None:
        assert self.path == "/v1/responses", self.path
        self.server.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.server.keys.append(self.headers["Authorization"])
        step = self.server.script.pop(0)
        if isinstance(step, int):
            body = json.dumps({"error": {"message": f"No, {KEY}", "type": "x", "param": None, "code": "x"}}).encode()
            self.send_response(step)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for number, event in enumerate(step):
            data = json.dumps(event | {"sequence_number": number})
            self.wfile.write(f"event: {event['type']}\ndata: {data}\n\n".encode())
        self.close_connection = True
        if self.server.hangs:
            self.connection.recv(1)
            self.server.client_left.set()


@contextmanager
def codex(*script: list[Json] | int, hangs: bool = False) -> Iterator[Codex]:
    server = Codex(*script, hangs=hangs)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
async def litellm() -> AsyncIterator[LiteLLM]:
    library = LiteLLM(patience=2)
    await library.load()
    yield library
    await library.close()


def model_at(server: Codex, litellm: LiteLLM) -> LiteLLMModel:
    info = ModelInfo(f"openai/{MODEL}", MODEL, 272_000, 1_000, Basis.MEASURED, has_eyes=True)
    endpoint = Endpoint("OpenAI", server.base_url, KEY, "openai")
    return LiteLLMModel(info, tokenizer_for(MODEL), litellm, endpoint, MODEL)


async def read(model: LiteLLMModel, *messages: Message) -> list[Piece]:
    return [piece async for piece in model.stream(messages or HELLO, 100, (READ,))]


async def test_a_reply_with_its_usage(litellm: LiteLLM) -> None:
    events = [*text_events("Hel", "lo, 世\u2028界"), {"type": "response.completed", "response": response("completed")}]
    with codex(events) as server:
        pieces = await read(model_at(server, litellm))
        (request,) = server.requests
        assert server.keys == [f"Bearer {KEY}"]
    assert pieces == [TextPiece("Hel"), TextPiece("lo, 世\u2028界"), ReplyEnd("stop", Usage(2100, 9, 1500))]
    assert request["model"] == MODEL
    assert request["instructions"] == "Be brief."
    assert request["input"] == [{"role": "user", "content": "Hello"}]
    assert (request["store"], request["stream"], request["max_output_tokens"]) == (False, True, 100)
    assert request["tools"][0]["name"] == "read"


async def test_calls_go_out_and_come_back_with_the_thoughts_that_led_to_them(litellm: LiteLLM) -> None:
    done = {"type": "response.completed", "response": response("completed")}
    thought = {"type": "response.output_item.done", "output_index": 0, "item": THOUGHT}
    first = [*text_events(), thought, *call_events(1, "call_a", "a"), *call_events(2, "call_b", "b"), done]
    with codex(first, [*text_events("Done."), done]) as server:
        model = model_at(server, litellm)
        pieces = await read(model)
        end = pieces[-1]
        assert isinstance(end, ReplyEnd)
        results = [
            Message(role=Role.TOOL, parts=(ToolResult(call.call_id, "read", f"{call.call_id} says"),))
            for call in end.tool_calls
        ]
        await read(model, *HELLO, Message(role=Role.ASSISTANT, parts=end.tool_calls), *results)
        _, second = server.requests
    assert end.tool_calls == (ToolCall("call_a", "read", '{"path":"a"}'), ToolCall("call_b", "read", '{"path":"b"}'))
    assert end.reason == "tool_calls"
    assert [piece.text for piece in pieces if isinstance(piece, CallPiece) and piece.place == 1] == ['{"path":', '"b"}']
    assert second["input"][1:] == [
        {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"},
        {"type": "function_call", "call_id": "call_a", "name": "read", "arguments": '{"path":"a"}'},
        {"type": "function_call", "call_id": "call_b", "name": "read", "arguments": '{"path":"b"}'},
        {"type": "function_call_output", "call_id": "call_a", "output": "call_a says"},
        {"type": "function_call_output", "call_id": "call_b", "output": "call_b says"},
    ]


async def test_an_image_is_sent_as_this_api_wants_it(litellm: LiteLLM) -> None:
    done = {"type": "response.completed", "response": response("completed")}
    image = Attachment("a.png", "image/png", "data:image/png;base64,xx")
    with codex([*text_events("A cat."), done]) as server:
        await read(model_at(server, litellm), Message(role=Role.USER, parts=(Text("Look"), image)))
        (request,) = server.requests
    assert request["input"][0]["content"] == [
        {"type": "input_text", "text": "Look"},
        {"type": "input_image", "image_url": "data:image/png;base64,xx"},
    ]


@pytest.mark.parametrize(("why", "reason"), [("max_output_tokens", "length"), ("content_filter", "content_filter")])
async def test_a_reply_that_is_not_whole_says_why(litellm: LiteLLM, why: str, reason: str) -> None:
    last = response("incomplete", incomplete_details={"reason": why})
    with codex([*text_events("Hel"), {"type": "response.incomplete", "response": last}]) as server:
        end = (await read(model_at(server, litellm)))[-1]
    assert isinstance(end, ReplyEnd)
    assert end.reason == reason


async def test_failures_are_errors(litellm: LiteLLM) -> None:
    failed = response("failed", error={"code": "server_error", "message": "The server had an error"})
    steps: list[list[Json] | int] = [
        [*text_events("Hel"), {"type": "response.failed", "response": failed}],
        [*text_events("Hel")],
        [],
        401,
        500,
    ]
    for step in steps:
        with codex(step) as server:
            with pytest.raises(ModelError) as caught:
                await read(model_at(server, litellm))
            assert len(server.requests) == 1
            assert KEY not in repr(caught.value.failure)


async def test_cancelling_closes_the_connection(litellm: LiteLLM) -> None:
    litellm.patience = 30
    with codex([*text_events("Hel")], hangs=True) as server:
        task = asyncio.ensure_future(read(model_at(server, litellm)))
        while not server.requests:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(server.client_left.wait, 2)
