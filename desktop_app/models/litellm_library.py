"""Import litellm once on a thread, since it takes seconds, and keep the connections to each server."""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import gc
import logging
import os
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

from desktop_app.connections import without_unusable_certificates
from desktop_app.conversation.openai_chat import Json

from .endpoint import Endpoint

PATIENCE_SECONDS = 120.0
"""Longest wait between two chunks. llama.cpp sends a comment every 30 s while it reads a long prompt."""

JOIN_SECONDS = 10.0
"""Longest wait of a command for the import when it ends: a thread that is frozen during the import keeps the import
lock, for which litellm's own threads would wait for ever. The engine does not wait (see `engine/serve.py`)."""

IMPORT_THREAD = "litellm"
"""The name of the thread that imports."""


class LiteLLM:
    """The library, and the connections to the servers. Belongs to one event loop."""

    def __init__(self, patience: float = PATIENCE_SECONDS, nearby_patience: float | None = None) -> None:
        self.patience = patience
        self.nearby_patience = nearby_patience
        """Longest wait for the first token of a server nearby; None for as long as it takes."""
        self._loading: concurrent.futures.Future[Any] | None = None
        self._connections: dict[str, tuple[Endpoint, Any]] = {}
        self._retired: list[Any] = []

    @property
    def is_loaded(self) -> bool:
        return self._loading is not None and self._loading.done() and self._loading.exception() is None

    async def load(self) -> Any:
        """Import litellm, and return the module `litellm_client`.

        One request is written, so that the first real one does not wait for litellm's late imports (0.8 s).
        """
        if self._loading is None:
            self._loading = _on_thread(_load)
        # Shielded: one caller may be cancelled while others wait for the same import.
        return await asyncio.shield(asyncio.wrap_future(self._loading))

    def with_patience(self, seconds: float) -> LiteLLM:
        """Return the same library with separate connections. seconds: the longest wait for the first and any chunk."""
        other = LiteLLM(seconds, seconds)
        other._loading = self._loading
        return other

    def patience_with(self, endpoint: Endpoint) -> tuple[float | None, float]:
        """Return the longest waits for the first token, None for as long as it takes, and between two chunks."""
        match endpoint.first_token_limit:
            case None:
                return self.patience, self.patience
            case 0:
                return self.nearby_patience, self.patience
            case seconds:
                return seconds, self.patience

    async def chunks(
        self, endpoint: Endpoint, model: str, request: Json, patience: Any = None, quirks: tuple[str, ...] = ()
    ) -> AsyncGenerator[Any, None]:
        """Yield the chunks of a reply in OpenAI's format. Closing the iterator closes the connection.

        patience: the client's `Patience`. Raises the client's ERRORS, and MalformedChunk.
        """
        client = await self.load()
        if not endpoint.is_address:
            raise client.httpx.InvalidURL("not an address")  # otherwise each library fails in its own way
        connection = await self._connection(endpoint)
        patience = patience or client.Patience(*self.patience_with(endpoint))
        async with aclosing(client.stream_chunks(connection, endpoint, model, request, patience, quirks)) as chunks:
            async for chunk in chunks:
                yield chunk

    def published(self) -> dict[str, Json]:
        """Return litellm's catalogue of limits, prices and capabilities by name. Empty before litellm is loaded."""
        if not self.is_loaded or self._loading is None:
            return {}
        return self._loading.result().litellm.model_cost

    async def close(self) -> None:
        connections = [*(connection for _, connection in self._connections.values()), *self._retired]
        self._connections, self._retired = {}, []
        for connection in connections:
            await connection.aclose()

    async def _connection(self, endpoint: Endpoint) -> Any:
        client = await self.load()
        known = self._connections.get(endpoint.name)
        if known is not None and known[0] == endpoint:
            return known[1]
        connection = client.connect(endpoint, self.patience)
        self._connections[endpoint.name] = (endpoint, connection)
        if known is not None:
            self._retired.append(known[1])  # it may still stream replies
        return connection


def _on_thread(work: Callable[[], Any]) -> concurrent.futures.Future[Any]:
    """Run work on a daemon thread: the engine may end before the import does."""
    future: concurrent.futures.Future[Any] = concurrent.futures.Future()

    def run() -> None:
        future.set_running_or_notify_cancel()
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again where the future is awaited
            future.set_exception(error)

    thread = threading.Thread(target=run, name=IMPORT_THREAD, daemon=True)
    thread.start()
    atexit.register(thread.join, JOIN_SECONDS)
    return future


def _load() -> Any:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # otherwise it downloads a price list
    with without_unusable_certificates():  # it reads them while it is imported
        from . import litellm_client

    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)  # its messages quote requests, and errors are raised anyway
    request = {"messages": [{"role": "user", "content": "."}], "max_tokens": 1, "stream": True}
    asyncio.run(litellm_client.write_request(Endpoint("warm-up", "http://127.0.0.1:9/v1"), "warm-up", request))
    gc.freeze()  # otherwise each full collection visits 370,000 objects that live as long as the engine: 0.15 s
    return litellm_client
