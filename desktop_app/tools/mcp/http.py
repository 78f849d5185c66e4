"""The HTTP client for MCP servers: TLS is verified, and the size of answers is limited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import cache

import httpx2

from desktop_app.addresses import is_local_host
from desktop_app.conversation.words import format_number, translatable

from .process import MAX_LINE

CONNECT_SECONDS = 8.0
SILENCE_SECONDS = 330.0
"""Between two bytes of an answer. A call has its own, shorter limit."""

ssl_context = cache(httpx2.create_ssl_context)
"""It reads all certificates, which takes 0.1 s, for all clients once."""


class Refused(Exception):
    """An answer that is not accepted. Its text says why."""


class Traffic:
    """Notes the status of answers, which the package's errors do not contain, and limits their size."""

    def __init__(self) -> None:
        self.last_status = 0

    async def check(self, response: httpx2.Response) -> None:
        """Look at an answer before its body is read. Raises Refused."""
        self.last_status = response.status_code
        if response.headers.get("content-encoding", "identity").lower() not in ("", "identity"):
            raise Refused(translatable("It compresses its answers, although it was asked not to."))
        if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
            response.stream = _LimitedBody(response.stream)  # the package limits each event of a stream itself


class _LimitedBody(httpx2.AsyncByteStream):
    """A body that raises Refused when it gets too long."""

    def __init__(self, stream: object) -> None:
        assert isinstance(stream, httpx2.AsyncByteStream)
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MAX_LINE:
                raise Refused(
                    translatable("Its answer has more than {most} bytes.").format(most=format_number(MAX_LINE))
                )
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def http_client(url: str, key: str, traffic: Traffic) -> httpx2.AsyncClient:
    """Return a client that is not entered yet. Raises InvalidURL.

    The key, if there is one, is sent with each request to that server, and to no other: the package does not follow
    redirects elsewhere.
    """
    address = httpx2.URL(url)
    if address.scheme not in ("http", "https") or not address.host:
        raise httpx2.InvalidURL("not http:// or https://")
    return httpx2.AsyncClient(
        headers={"Accept-Encoding": "identity", **({"Authorization": f"Bearer {key}"} if key else {})},
        timeout=httpx2.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS, write=30.0, pool=30.0),
        verify=await asyncio.to_thread(ssl_context),
        trust_env=not is_local_host(address.host),  # this machine is not reached through a proxy
        event_hooks={"response": [traffic.check]},
    )
