"""A model behind a server of any kind, reached through litellm."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from desktop_app.chat.ports import ErrorKind, ModelError, Piece
from desktop_app.context.counting.tokens import Tokenizer
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message
from desktop_app.conversation.openai_chat import Json
from desktop_app.conversation.tools import ToolSpec

from .discovery import better_address_of, list_models
from .errors.failures import Where, cut_off, error_of, no_chunk, not_understood, status_of
from .litellm_library import Endpoint, LiteLLM
from .provider_dialects import request_of
from .reply_reader import NoChunk, ReplyReader, StreamError
from .window_failures import version_failure

FAREWELL_SECONDS = 10.0
"""How long is waited for what comes behind the end of a reply, such as its usage: some servers never close. Long enough
for one that says in every chunk why it ended."""

REFUSALS: tuple[ErrorKind, ...] = ("malformed", "provider")
"""What a provider's refusal is called if extras are the reason: hardly two word it in the same way."""


class LiteLLMModel:
    """Fits the `ChatModel` port. name: the model as its server calls it. options: more fields of each request."""

    def __init__(
        self,
        info: ModelInfo,
        tokenizer: Tokenizer,
        litellm: LiteLLM,
        endpoint: Endpoint,
        name: str,
        options: Json | None = None,
    ) -> None:
        self._info = info
        self._tokenizer = tokenizer
        self._litellm = litellm
        self._endpoint = endpoint
        self._name = name
        self._options = options or {}

    @property
    def info(self) -> ModelInfo:
        """Its name, window and limits."""
        return self._info

    @property
    def tokenizer(self) -> Tokenizer:
        """What counts for it."""
        return self._tokenizer

    async def stream(
        self, messages: Sequence[Message], max_tokens: int, tools: Sequence[ToolSpec] = ()
    ) -> AsyncGenerator[Piece, None]:
        """The reply, piece by piece. Raises ModelError. Closing the iterator closes the connection."""
        await self._litellm.load()
        has_begun = False
        for with_metadata in (True, False):
            request = request_of(
                self._endpoint.kind, self._name, self._info, messages, max_tokens, tools, with_metadata
            )
            try:
                async with aclosing(self._reply(request | self._options)) as pieces:
                    async for piece in pieces:
                        has_begun = True
                        yield piece
                return
            except ModelError as error:
                # It may not take back what it once gave: a key of another account cannot open its thoughts.
                if has_begun or error.kind not in REFUSALS or not with_metadata or not _has_metadata(messages):
                    raise

    async def _reply(self, request: Json) -> AsyncGenerator[Piece, None]:
        reply = ReplyReader(self._info.record_name)
        try:
            async with aclosing(self._litellm.chunks(self._endpoint, self._name, request)) as chunks:
                while (chunk := await _next(chunks, FAREWELL_SECONDS if reply.is_finished else None)) is not None:
                    for piece in reply.pieces(chunk):
                        yield piece
        except (NoChunk, StreamError, *self._litellm.errors()) as error:
            if not reply.is_finished:  # else only the farewell went wrong
                # Without its cause: a provider's exception may quote the key, and causes are logged.
                raise await self._error_of(error, reply.chunks) from None
        if not reply.is_finished and not reply.chunks:
            await self._refuse_short_address(f"{self._endpoint.address} answered with something else than a reply")
        if not reply.is_finished:
            raise cut_off(self._where()) if reply.chunks else not_understood(self._where())
        yield reply.end()

    async def _refuse_short_address(self, answered: str) -> None:
        """Raises ModelError if the address lacks the "/v1" below which the server answers."""
        better = await better_address_of(self._endpoint)
        if better:
            raise ModelError(version_failure(self._endpoint, answered, better), kind="not_found") from None

    async def _error_of(self, error: Exception, chunks: int) -> ModelError:
        """Return what is said of an exception after so many chunks."""
        if isinstance(error, NoChunk):
            return no_chunk(self._where()) if chunks else not_understood(self._where())
        offered = await list_models(self._endpoint) if status_of(error) == 404 else ()
        if status_of(error) == 404 and not offered:
            await self._refuse_short_address(f"{self._endpoint.address} answered 404 (Not Found)")
        return error_of(error, self._where(), self._litellm.patience, offered, has_begun=bool(chunks))

    async def prepare(self) -> None:
        """Imports litellm, if that has not been done."""
        await self._litellm.load()

    async def read_ahead(self, messages: Sequence[Message]) -> None:
        """Nothing: reading may cost money, and a local server may be busy for somebody else."""

    def _where(self) -> Where:
        server = self._endpoint.name
        return Where(server, self._endpoint.address, self._info.label, self._endpoint.key)


async def _next(chunks: AsyncGenerator[Any, None], seconds: float | None) -> Any:
    """The next chunk; None if there is none, or none within so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            return await anext(chunks, None)
    except TimeoutError:
        if seconds is None:
            raise
        return None


def _has_metadata(messages: Sequence[Message]) -> bool:
    return any(call.provider_metadata for message in messages for call in message.tool_calls)
