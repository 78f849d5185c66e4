"""litellm, imported once on a thread of its own (it takes seconds), and the connections that go through it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import gc
import json
import logging
import os
import threading
from collections.abc import AsyncGenerator, Callable
from typing import Any

import msgspec

from desktop_app.chat.ports import Price
from desktop_app.conversation.openai_chat import Json

from .address import host_of, is_local

CONNECT_SECONDS = 10.0
PATIENCE_SECONDS = 120.0
"""Of silence between two chunks. llama.cpp sends a sign of life every 30 s while it reads a long prompt."""
LIST_SECONDS = 3.0

WARM_UP = b'data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"x","choices":[]}\n\ndata: [DONE]\n\n'


class Endpoint(msgspec.Struct, frozen=True):
    """An OpenAI-compatible server as it is reached. name: for people. key: never shown."""

    name: str
    base_url: str
    key: str = ""

    @property
    def is_local(self) -> bool:
        """Whether it is this machine."""
        return is_local(self.base_url)

    def __repr__(self) -> str:
        return f"Endpoint({self.name!r}, {self.base_url!r})"


class LiteLLM:
    """The library, once it is loaded, and one connection pool for each server. Belongs to one event loop."""

    def __init__(self, patience: float = PATIENCE_SECONDS) -> None:
        self.patience = patience
        self._loading: concurrent.futures.Future[_Loaded] | None = None
        self._clients: dict[str, tuple[Endpoint, Any]] = {}

    @property
    def is_loaded(self) -> bool:
        """Whether `load` is done."""
        return self._loading is not None and self._loading.done()

    async def load(self) -> None:
        """Imports litellm, and goes once through a request that never leaves this process, so that the first
        real one does not pay for what litellm imports late (0.8 s)."""
        await self._library()

    async def chunks(self, endpoint: Endpoint, model: str, request: Json) -> AsyncGenerator[Any, None]:
        """The chunks of a reply as the provider sent them. Raises `errors()`. Closing it closes the connection."""
        library = await self._library()
        if not host_of(endpoint.base_url):
            raise library.httpx.InvalidURL("not an address")  # else each library below fails in a way of its own
        response = await library.litellm.acompletion(
            model=f"openai/{model}",
            api_base=endpoint.base_url,
            api_key=endpoint.key or "none",
            client=await self._client(endpoint),
            timeout=library.timeout(self.patience),  # else litellm puts its own, ten minutes, over the client's
            max_retries=0,
            **request,
        )
        try:
            # Not litellm's own iterator, which ends a cut stream as if it were finished, counts tokens itself
            # where none were reported, gives up after a hundred equal chunks, and takes 1 ms for each.
            async for chunk in response.completion_stream:
                yield chunk
        finally:
            await response.aclose()

    async def models_of(self, endpoint: Endpoint) -> tuple[str, ...]:
        """The models that the server lists; none when it does not answer that question."""
        client = await self._client(endpoint)
        try:
            page = await client.models.list(timeout=LIST_SECONDS)
        except self.errors():
            return ()
        return tuple(model.id for model in page.data or ())

    def limits_of(self, model: str) -> tuple[int, int] | None:
        """Window and maximum output of a model in litellm's catalogue; None when it is unknown, or not loaded yet."""
        if not self.is_loaded or self._loading is None:
            return None
        known = self._loading.result().litellm.model_cost.get(model)
        if known is None or not known.get("max_input_tokens"):
            return None
        return int(known["max_input_tokens"]), int(known.get("max_output_tokens") or 0)

    def price_of(self, model: str) -> Price | None:
        """What a model in litellm's catalogue costs; None when it is unknown, free, or not loaded yet."""
        if not self.is_loaded or self._loading is None:
            return None
        known = self._loading.result().litellm.model_cost.get(model) or {}
        prompt, reply = known.get("input_cost_per_token") or 0.0, known.get("output_cost_per_token") or 0.0
        return Price(float(prompt), float(reply)) if prompt or reply else None

    def errors(self) -> tuple[type[Exception], ...]:
        """The exceptions that stand for an error of the world; whatever else is raised is a bug."""
        assert self._loading is not None
        return self._loading.result().errors

    async def close(self) -> None:
        """Closes all connections."""
        clients, self._clients = self._clients, {}
        for _, client in clients.values():
            await client.close()

    async def _library(self) -> _Loaded:
        if self._loading is None:
            self._loading = _on_thread(_load)
        # Shielded: whoever asked first may be cancelled while others wait for the same import.
        return await asyncio.shield(asyncio.wrap_future(self._loading))

    async def _client(self, endpoint: Endpoint) -> Any:
        library = await self._library()
        known = self._clients.get(endpoint.name)
        if known is not None and known[0] == endpoint:
            return known[1]
        client = library.client(endpoint, self.patience)
        self._clients[endpoint.name] = (endpoint, client)
        if known is not None:
            await known[1].close()
        return client


class _Loaded:
    """litellm and what comes with it."""

    def __init__(self, litellm: Any, openai: Any, httpx: Any) -> None:
        from litellm.llms.base_llm.chat.transformation import BaseLLMException

        self.litellm = litellm
        self.openai = openai
        self.httpx = httpx
        self.errors: tuple[type[Exception], ...] = (
            openai.OpenAIError,
            BaseLLMException,
            httpx.HTTPError,
            httpx.InvalidURL,
            json.JSONDecodeError,
            UnicodeDecodeError,
        )
        self._tls = httpx.create_ssl_context()  # takes 80 ms, so it is made here, on the thread

    def timeout(self, patience: float) -> Any:
        """For connecting, and for each wait between two chunks; not for a reply as a whole."""
        return self.httpx.Timeout(patience, connect=CONNECT_SECONDS)

    def client(self, endpoint: Endpoint, patience: float, transport: Any = None) -> Any:
        """A connection pool: no retries, since a retry belongs to the turn; no proxy on the way to this machine."""
        timeout = self.timeout(patience)
        http = self.httpx.AsyncClient(
            timeout=timeout, trust_env=not endpoint.is_local, verify=self._tls, transport=transport
        )
        return self.openai.AsyncOpenAI(
            base_url=endpoint.base_url, api_key=endpoint.key or "none", max_retries=0, timeout=timeout, http_client=http
        )


def _on_thread(work: Callable[[], _Loaded]) -> concurrent.futures.Future[_Loaded]:
    """Runs it on a daemon thread: the engine may end before the import does."""
    future: concurrent.futures.Future[_Loaded] = concurrent.futures.Future()

    def run() -> None:
        future.set_running_or_notify_cancel()
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - handed on to whoever awaits
            future.set_exception(error)

    threading.Thread(target=run, name="litellm", daemon=True).start()
    return future


def _load() -> _Loaded:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it asks the network for a price list
    import httpx
    import litellm
    import openai

    litellm.suppress_debug_info = True  # else it prints to standard output, which is the engine's protocol
    litellm.turn_off_message_logging = True
    logging.getLogger("LiteLLM").setLevel(
        logging.CRITICAL
    )  # its errors quote requests, and they reach us as exceptions
    library = _Loaded(litellm, openai, httpx)
    asyncio.run(_warm_up(library))
    gc.freeze()  # else each full collection walks 370,000 objects that live as long as the engine: 0.15 s
    return library


async def _warm_up(library: _Loaded) -> None:
    """A request that is answered by a function: nothing leaves this process."""
    answer = library.httpx.Response(200, headers={"Content-Type": "text/event-stream"}, content=WARM_UP)
    endpoint = Endpoint("warm-up", "http://127.0.0.1:9/v1")
    client = library.client(endpoint, 1.0, library.httpx.MockTransport(lambda _: answer))
    response = await library.litellm.acompletion(
        model="openai/warm-up",
        api_base=endpoint.base_url,
        api_key="none",
        client=client,
        max_retries=0,
        max_tokens=1,
        messages=[{"role": "user", "content": "."}],
        stream=True,
        stream_options={"include_usage": True},
    )
    async for _ in response.completion_stream:
        pass
    await response.aclose()
    await client.close()
