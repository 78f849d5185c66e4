"""The contract of the `ChatModel` port: what the tests' fake does, a real model behind litellm does too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest
import pytest_asyncio

from builders import result, system
from desktop_app.chat.ports import ChatModel, ModelError, Piece, ReasoningPiece, ReplyEnd, TextPiece, ToolCallPiece
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message, Role, Text, ToolCall, Usage, user_message
from desktop_app.conversation.tools import ToolSpec
from desktop_app.models.litellm_library import Endpoint, LiteLLM
from desktop_app.models.litellm_model import LiteLLMModel
from desktop_app.models.tokens.tokenizers import tokenizer_for
from fake_model import FakeModel
from provider import AnyStep, Call, Cut, Hang, Overflow, Reply, ScriptedProvider, Status

INFO = ModelInfo("scripted/scripted", "Scripted", 8_192, 1_000)
TOOL = ToolSpec("read", "Read a file.", '{"type": "object", "properties": {"path": {"type": "string"}}}')
CALL = ToolCall("call_1", "read", '{"path": "a.py"}')
MESSAGES = (
    system("Be brief."),
    user_message("Read a.py, please."),
    Message(role=Role.ASSISTANT, parts=(Text("I look."), CALL)),
    result("print(1)", "call_1", "read"),
)


class Desk:
    """A model and the provider behind it."""

    def __init__(self, model: ChatModel, provider: ScriptedProvider) -> None:
        self.model = model
        self.provider = provider

    async def pieces(self, *steps: AnyStep) -> tuple[list[Piece], ModelError | None]:
        """Return what one request yields, and the error that ends it."""
        self.provider.script = list(steps)
        arrived: list[Piece] = []
        try:
            async with aclosing(self.model.stream(MESSAGES, 500, (TOOL,))) as pieces:
                async for piece in pieces:
                    arrived.append(piece)
        except ModelError as error:
            return arrived, error
        return arrived, None


@pytest_asyncio.fixture(params=["fake", pytest.param("real", marks=pytest.mark.wire)])
async def desk(request: pytest.FixtureRequest) -> AsyncIterator[Desk]:
    provider = ScriptedProvider()
    if request.param == "fake":
        yield Desk(FakeModel(INFO, provider), provider)
        return
    litellm = LiteLLM(20.0, 20.0)
    with provider:
        endpoint = Endpoint("scripted", provider.base_url)
        yield Desk(LiteLLMModel(INFO, tokenizer_for("gpt-4o"), litellm, endpoint, "scripted"), provider)
        await litellm.close()


def text_of(pieces: list[Piece], kind: type[TextPiece] | type[ReasoningPiece] = TextPiece) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, kind))


async def test_a_reply_is_text_reasoning_calls_and_an_end_with_usage(desk: Desk) -> None:
    calls = (Call("read", '{"path": "a.py"}'), Call("read", '{"path": "b.py"}', "call_2"))
    pieces, error = await desk.pieces(Reply("I read them.", reasoning="Two files.", calls=calls, usage=(90, 12, 64)))
    assert error is None
    assert (text_of(pieces), text_of(pieces, ReasoningPiece)) == ("I read them.", "Two files.")
    grown = [piece for piece in pieces if isinstance(piece, ToolCallPiece)]
    assert "".join(piece.text for piece in grown if piece.index == 1) == '{"path": "b.py"}'
    end = pieces[-1]
    assert isinstance(end, ReplyEnd)
    assert (end.reason, end.usage) == ("tool_calls", Usage(90, 12, 64))
    assert [(call.name, call.arguments) for call in end.tool_calls] == [(call.name, call.arguments) for call in calls]


@pytest.mark.parametrize("finish", ["stop", "length", "content_filter"])
async def test_the_end_has_its_reason_and_no_usage_unless_it_was_reported(desk: Desk, finish: str) -> None:
    pieces, error = await desk.pieces(Reply("Hm", finish=finish, usage=None))
    assert (error, pieces[-1]) == (None, ReplyEnd(finish))


@pytest.mark.parametrize(
    ("step", "kind", "text"),
    [
        (Status(500), "server", ""),
        (Status(401), "auth", ""),
        (Status(429, retry_after=7), "rate_limit", ""),
        (Status(404), "not_found", ""),
        (Overflow(window=8_192, tokens=9_000), "overflow", ""),
        (Cut("Hel"), "cut", "Hel"),
        (Cut("Hel", is_abrupt=False), "cut", "Hel"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_errors_have_their_kind_and_what_arrived_before_is_kept(
    desk: Desk, step: AnyStep, kind: str, text: str
) -> None:
    pieces, error = await desk.pieces(step)
    assert error is not None
    assert (error.kind, text_of(pieces)) == (kind, text)
    assert error.is_overflow is (kind == "overflow")
    assert error.retry_after == (7 if kind == "rate_limit" else None)
    if kind == "overflow":
        assert (error.limit, error.observed) == (8_192, 9_000)


async def test_the_request_carries_messages_tools_and_the_longest_reply(desk: Desk) -> None:
    await desk.pieces(Reply("Hello"))
    body = desk.provider.requests[-1].body
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "tool"]
    assert body["messages"][2]["tool_calls"][0]["function"]["arguments"] == CALL.arguments
    assert [tool["function"]["name"] for tool in body["tools"]] == ["read"]
    assert (body["max_tokens"], body["model"], body["stream"]) == (500, "scripted", True)


async def test_leaving_closes_the_connection(desk: Desk) -> None:
    task = asyncio.ensure_future(desk.pieces(Hang("Hel")))
    while not desk.provider.requests:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.wait({task})
    assert await asyncio.to_thread(desk.provider.client_left.wait, 10)
