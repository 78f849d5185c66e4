"""Write requests, by litellm in its own process or without it, and keep the connections to each server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Any

import httpx

from desktop_app.chat.ports import NO_OPTIONS
from desktop_app.connections import CertificatesUnusable, tls_context
from desktop_app.conversation.openai_chat import Json
from desktop_app.conversation.setup import OptionName, ReplyOptions
from desktop_app.settings import ServerKind

from .endpoint import Endpoint
from .plain_requests import is_plain, plain_options, plain_request
from .published import published_models
from .reply_formats import wire_format
from .request_writer import OptionsCall, RequestWriter, WriteCall
from .server_stream import Patience, connect, stream_chunks

PATIENCE_SECONDS = 120.0
"""Longest wait between two chunks. llama.cpp sends a comment every 30 s while it reads a long prompt."""


class LiteLLM:
    """The process of litellm, and the connections to the servers. Belongs to one event loop."""

    def __init__(
        self,
        patience: float = PATIENCE_SECONDS,
        nearby_patience: float | None = None,
        writer: RequestWriter | None = None,
    ) -> None:
        self.patience = patience
        self.nearby_patience = nearby_patience
        """Longest wait for the first token of a server nearby; None for as long as it takes."""
        self.writer = writer or RequestWriter()
        self._is_shared = writer is not None
        self._connections: dict[str, tuple[Endpoint, httpx.AsyncClient]] = {}
        self._retired: list[httpx.AsyncClient] = []

    async def prepare(self, endpoint: Endpoint, model: str) -> None:
        """Do what takes long before the first request, so that it does not wait for it."""
        if endpoint.address.startswith("https:"):
            with suppress(CertificatesUnusable):
                await asyncio.to_thread(tls_context)  # 80 ms
        if not is_plain(endpoint.kind, model):
            await self.writer.start()

    def with_patience(self, seconds: float) -> LiteLLM:
        """Return the same library with separate connections. seconds: the longest wait for the first and any chunk."""
        return LiteLLM(seconds, seconds, self.writer)

    def patience_with(self, endpoint: Endpoint) -> tuple[float | None, float]:
        """Return the longest waits for the first token, None for as long as it takes, and between two chunks."""
        match endpoint.first_token_limit:
            case None:
                return self.patience, self.patience
            case 0:
                return self.nearby_patience, self.patience
            case seconds:
                return seconds, self.patience

    async def supported_options(self, kind: ServerKind, model: str) -> tuple[OptionName, ...]:
        """Return the parameters that such a server accepts for that model. Raises NotWritten."""
        if is_plain(kind, model):
            return plain_options(kind, model)
        answer, _ = await self.writer.ask(OptionsCall(kind, model))
        return tuple(answer["options"])

    async def written(
        self,
        endpoint: Endpoint,
        model: str,
        request: Json,
        quirks: tuple[str, ...] = (),
        options: ReplyOptions = NO_OPTIONS,
    ) -> httpx.Request:
        """Return the HTTP request for these fields. Raises NotWritten, httpx.InvalidURL."""
        if is_plain(endpoint.kind, model):
            return plain_request(endpoint, model, request, options, quirks)
        answer, body = await self.writer.ask(WriteCall(endpoint, model, options, quirks), request)
        return httpx.Request(answer["method"], answer["url"], headers=answer["headers"], content=body)

    async def chunks(
        self,
        endpoint: Endpoint,
        model: str,
        request: Json,
        patience: Patience | None = None,
        quirks: tuple[str, ...] = (),
        options: ReplyOptions = NO_OPTIONS,
    ) -> AsyncGenerator[Any, None]:
        """Yield the chunks of a reply in OpenAI's format. Closing the iterator closes the connection.

        Raises ERRORS of `server_stream`, and MalformedChunk.
        """
        if not endpoint.is_address:
            raise httpx.InvalidURL("not an address")  # otherwise each library fails in its own way
        connection = self._connection(endpoint)
        patience = patience or Patience(*self.patience_with(endpoint))
        written = await self.written(endpoint, model, request, quirks, options)
        wire = wire_format(endpoint.kind, model, published_models())
        async with aclosing(stream_chunks(connection, endpoint, written, wire, patience)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def close(self) -> None:
        """Close the connections, and end the process unless it is shared with another object."""
        if not self._is_shared:
            self.writer.close()
        connections = [*(connection for _, connection in self._connections.values()), *self._retired]
        self._connections, self._retired = {}, []
        for connection in connections:
            await connection.aclose()

    def _connection(self, endpoint: Endpoint) -> httpx.AsyncClient:
        known = self._connections.get(endpoint.name)
        if known is not None and known[0] == endpoint:
            return known[1]
        connection = connect(endpoint, self.patience)
        self._connections[endpoint.name] = (endpoint, connection)
        if known is not None:
            self._retired.append(known[1])  # it may still stream replies
        return connection
