"""A fake of the `ChatModel` port: it answers from a provider's script, without a server, litellm or a network.

It takes the same steps as `ScriptedProvider` (Reply, Cut, Status, Overflow, Hang), notes the same requests, and fails
with the same errors. `tests/contracts/test_chat_model.py` runs over both; what it cannot do, it refuses: such a test
is marked `wire`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from desktop_app.chat.ports import NO_OPTIONS, ModelError, Piece, ReasoningPiece, ReplyEnd, TextPiece, ToolCallPiece
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message, ToolCall, Usage
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.conversation.tools import ToolSpec
from desktop_app.models.endpoint import Endpoint
from desktop_app.models.errors.model_failures import (
    ErrorResponse,
    RequestTarget,
    error_of_response,
    error_without_response,
)
from desktop_app.models.provider_dialects import request_of
from desktop_app.models.tokens.tokenizers import tokenizer_for
from provider import AnyStep, Call, Cut, Hang, Overflow, Reply, Request, ScriptedProvider, Status
from provider_openai import OpenAI
from provider_script import pieces_of
from provider_shapes import encode

SHAPE = OpenAI()


class FakeModel:
    """A model of a provider that was not started."""

    def __init__(self, info: ModelInfo, provider: ScriptedProvider, name: str = "scripted") -> None:
        self.info = info
        self.tokenizer: Any = tokenizer_for("gpt-4o")
        self._provider = provider
        self._name = name
        self._target = RequestTarget(Endpoint("scripted", "http://127.0.0.1/v1"), info.label)

    async def stream(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        tools: Sequence[ToolSpec] = (),
        options: ReplyOptions = NO_OPTIONS,
    ) -> AsyncGenerator[Piece, None]:
        body = {"model": self._name} | request_of("openai", self._name, self.info, messages, max_tokens, tools)
        body |= {name: getattr(options, name) for name in options.names()}
        step = self._provider.take(Request(body, ""), SHAPE)
        await asyncio.sleep(0)
        try:
            async for piece in self._answer(step):
                yield piece
        except (GeneratorExit, asyncio.CancelledError):
            self._provider.client_left.set()
            raise

    async def _answer(self, step: AnyStep) -> AsyncGenerator[Piece, None]:
        match step:
            case Reply():
                await self._wait(step)
                for piece in _pieces(step.reasoning, step.text, step.calls, step.size):
                    yield piece
                    await asyncio.sleep(step.pause or (1 / step.per_second if step.per_second else 0))
                yield _end_of(step)
            case Cut():
                for piece in _pieces(step.reasoning, step.after, (), 4):
                    yield piece
                    await asyncio.sleep(0)
                raise error_without_response(self._target, "cut")
            case Hang():
                if step.text:
                    yield TextPiece(step.text)
                await asyncio.Event().wait()
            case Status():
                raise self._error_of(step)
            case Overflow():
                code, body = SHAPE.overflow(step)
                raise error_of_response(self._target, ErrorResponse(code, {}, body))
            case _:
                raise NotImplementedError(f"{type(step).__name__} needs the wire")

    async def _wait(self, step: Reply) -> None:
        if step.odd:
            raise NotImplementedError(f"{step.odd} needs the wire")
        while step.is_held and not self._provider.released.is_set():
            await asyncio.sleep(0.005)
        await asyncio.sleep(step.delay)

    def _error_of(self, step: Status) -> ModelError:
        headers = dict(step.headers)
        if step.retry_after is not None:
            headers["retry-after"] = str(step.retry_after)
        body = step.body or encode(SHAPE.error(step.code, step.message, step.kind)).decode()
        return error_of_response(self._target, ErrorResponse(step.code, headers, body))

    async def prepare(self) -> None: ...

    async def read_ahead(self, messages: Sequence[Message]) -> None: ...


def _pieces(reasoning: str, text: str, calls: Sequence[Call], size: int) -> list[Piece]:
    pieces: list[Piece] = [ReasoningPiece(piece) for piece in pieces_of(reasoning, size)]
    pieces += [TextPiece(piece) for piece in pieces_of(text, size)]
    for index, call in enumerate(calls):
        pieces.append(ToolCallPiece(index, call.name, ""))
        pieces += [ToolCallPiece(index, "", piece) for piece in pieces_of(call.arguments, size)]
    return pieces


def _end_of(step: Reply) -> ReplyEnd:
    usage = None
    if step.usage is not None:
        prompt, reply, cached = step.usage
        usage = Usage(prompt, reply, cached)
    calls = tuple(ToolCall(call.call_id, call.name, call.arguments) for call in step.calls)
    return ReplyEnd(SHAPE.finish(step), usage, calls)
