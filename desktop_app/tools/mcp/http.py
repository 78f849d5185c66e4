"""The HTTP client for MCP servers, which verifies TLS and limits the size of responses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping

import httpx2

from desktop_app.connections import ConnectionUnusable, proxy_of, tls_context
from desktop_app.conversation.words import format_number, translatable

from .process import MAX_LINE

CONNECT_SECONDS = 8.0
SILENCE_SECONDS = 330.0
"""Maximum time between two bytes of a response. A call has its own, shorter limit."""


class Refused(Exception):
    """Raised for a response that is not accepted, with the reason."""


class Traffic:
    """Records the status of responses, which the package's errors do not contain, and limits their size."""

    def __init__(self) -> None:
        self.last_status = 0
        self.challenge = ""
        """What the last response says about signing in."""

    async def check(self, response: httpx2.Response) -> None:
        """Check a response before its body is read. Raises Refused."""
        self.last_status = response.status_code
        self.challenge = response.headers.get("www-authenticate", "")
        if response.headers.get("content-encoding", "identity").lower() not in ("", "identity"):
            raise Refused(translatable("It compresses its answers, although it was asked not to."))
        if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
            response.stream = _LimitedBody(response.stream)  # the package itself limits each event of a stream


class _LimitedBody(httpx2.AsyncByteStream):
    """A body that raises Refused if it gets too long."""

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


async def http_client(url: str, headers: Mapping[str, str], traffic: Traffic) -> httpx2.AsyncClient:
    """Return a client, which has not been entered. Raises InvalidURL, Refused.

    headers: sent with each request to that server, such as its key. No other server gets them, because the package does
    not follow redirects to other hosts.
    """
    address = httpx2.URL(url)
    if address.scheme not in ("http", "https") or not address.host:
        raise httpx2.InvalidURL("not http:// or https://")
    try:
        proxy, tls = proxy_of(url), await asyncio.to_thread(tls_context) if address.scheme == "https" else False
    except ConnectionUnusable as error:
        raise Refused(str(error)) from error
    return httpx2.AsyncClient(
        headers={"Accept-Encoding": "identity", **headers},
        timeout=httpx2.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS, write=30.0, pool=30.0),
        verify=tls,
        proxy=proxy or None,
        trust_env=False,
        event_hooks={"response": [traffic.check]},
    )
