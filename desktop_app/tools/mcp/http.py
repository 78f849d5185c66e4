"""The HTTP client that a server of tools is reached with: TLS is verified, and answers have a limit."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator

import httpx2

from desktop_app.addresses import is_local_host

from .child import MOST_LINE

CONNECT_SECONDS = 8.0
SILENCE_SECONDS = 330.0
"""Between two bytes of an answer. A call has its own limit, which is shorter where the server shows no sign of life."""

_contexts: list[ssl.SSLContext] = []


class Refused(Exception):
    """An answer that is not read on. Its text says why."""


class Traffic:
    """What was seen of a server's answers: the package tells of errors without their number."""

    def __init__(self) -> None:
        self.status = 0
        """Of the last answer."""

    async def see(self, response: httpx2.Response) -> None:
        """Called by the client for each answer, before its body is read. Raises Refused."""
        self.status = response.status_code
        if response.headers.get("content-encoding", "identity").lower() not in ("", "identity"):
            raise Refused("It compresses its answers, though it was asked not to.")
        if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
            response.stream = _Bounded(response.stream)  # the package limits each event of a stream itself


class _Bounded(httpx2.AsyncByteStream):
    """A body that ends with an error when it gets too long."""

    def __init__(self, stream: object) -> None:
        assert isinstance(stream, httpx2.AsyncByteStream)
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MOST_LINE:
                raise Refused(f"Its answer has more than {MOST_LINE:,} bytes.")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def http_client(url: str, key: str, traffic: Traffic) -> httpx2.AsyncClient:
    """A client that is not entered yet. The key, if there is one, goes along with each request to that server, and
    with none to another: redirects elsewhere are not followed by the package. Raises InvalidURL."""
    address = httpx2.URL(url)
    if address.scheme not in ("http", "https") or not address.host:
        raise httpx2.InvalidURL("not http:// or https://")
    if not _contexts:
        _contexts.append(await asyncio.to_thread(httpx2.create_ssl_context))  # reads all certificates: 0.1 s
    return httpx2.AsyncClient(
        headers={"Accept-Encoding": "identity", **({"Authorization": f"Bearer {key}"} if key else {})},
        timeout=httpx2.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS, write=30.0, pool=30.0),
        verify=_contexts[0],
        trust_env=not is_local_host(address.host),  # no proxy leads to this machine
        event_hooks={"response": [traffic.see]},
    )
