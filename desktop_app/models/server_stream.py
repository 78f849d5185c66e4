"""Send a written request to its server, and read the reply as it arrives."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import aclosing, suppress
from typing import Any, TypeVar

import httpx

from desktop_app.chat.ports import FRAME_SECONDS
from desktop_app.connections import ConnectionUnusable

from .bounded_response import MAX_REPLY_BYTES, ReplyMarks, aws_events_of, events_of
from .cloud_credentials import CLOUDS, authorization
from .endpoint import Endpoint, http_client
from .reply_formats import WireFormat, chunk_reader
from .reply_reader import END_MARK
from .request_writer import NotWritten

APP = "Palimpsest"
CONNECT_SECONDS = 10.0
AT_ONCE = 0.001
"""Seconds within which a piece that has arrived already is read."""
END_SECONDS = 0.1
"""Longest wait for the end of a response after "[DONE]"; some servers leave it open."""

ERRORS: tuple[type[Exception], ...] = (
    NotWritten,
    httpx.HTTPError,
    httpx.InvalidURL,
    ConnectionUnusable,
    json.JSONDecodeError,
    UnicodeDecodeError,
)
"""Errors of the world; anything else is a bug."""

T = TypeVar("T")


class Patience:
    """The longest silence of a server. first: seconds before the first token; None for as long as it takes. later:
    seconds between two pieces of a reply; a whole reply may take longer."""

    def __init__(self, first: float | None, later: float) -> None:
        self._first, self._later = first, later
        self.has_begun = False
        """Whether the first token has arrived."""

    @property
    def seconds(self) -> float | None:
        """The longest silence now."""
        return self._later if self.has_begun else self._first

    async def wait(self, arriving: Awaitable[T]) -> T:
        """Return what arrives. Raises httpx.ReadTimeout after a longer silence."""
        try:
            async with asyncio.timeout(self.seconds):
                return await arriving
        except TimeoutError:
            raise httpx.ReadTimeout("The server was silent for too long.") from None

    async def pieces(self, content: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
        """Yield the pieces of a response, reading what has arrived once in each frame. Raises httpx.ReadTimeout.

        After the first piece that had to be waited for, the others of a frame gather in the socket: one read then
        returns all of them, and everything behind it runs once for all. Pieces that are there already are not delayed.
        """
        now, frame = asyncio.get_running_loop().time, 0.0
        asked = now()
        while piece := await self.wait(anext(content, b"")):
            was_awaited = now() - asked > AT_ONCE
            yield piece
            if was_awaited:
                await asyncio.sleep(frame + FRAME_SECONDS - now())
                frame = now()
            asked = now()


def connect(endpoint: Endpoint, patience: float) -> httpx.AsyncClient:
    """Return a client for one server. Raises ConnectionUnusable. patience: longest wait for anything but the reply, for
    which `Patience` waits."""
    timeout = httpx.Timeout(patience, connect=CONNECT_SECONDS, read=None)
    return http_client(endpoint, MAX_REPLY_BYTES, timeout=timeout, headers={"User-Agent": APP})


async def stream_chunks(
    client: httpx.AsyncClient, endpoint: Endpoint, written: httpx.Request, wire: WireFormat, patience: Patience
) -> AsyncGenerator[Any, None]:
    """Send the request, and yield the chunks of the reply in OpenAI's format. Raises ERRORS, MalformedChunk."""
    read = chunk_reader(wire)
    if endpoint.kind in CLOUDS:
        own = {name.lower() for name in endpoint.headers}
        added = await authorization(endpoint, written.method, str(written.url), written.content)
        written.headers.update({name: text for name, text in added.items() if name not in own})
    response = await patience.wait(send(client, written))
    try:
        if response.status_code != httpx.codes.OK:
            patience.has_begun = True  # an error is not worth a long wait
            await patience.wait(response.aread())
            message = f"It answered with status {response.status_code}."
            raise httpx.HTTPStatusError(message, request=written, response=response)
        marks = ReplyMarks()
        async with (
            aclosing(patience.pieces(response.aiter_raw())) as content,
            aclosing(_events_in(content, wire, marks)) as events,
        ):
            async for event in events:
                yield read(event)
            if marks.has_end:
                yield END_MARK
            await _read_rest(content)
    finally:
        await response.aclose()


def _events_in(content: AsyncIterator[bytes], wire: WireFormat, marks: ReplyMarks) -> AsyncGenerator[Any]:
    return aws_events_of(content) if wire == "converse" else events_of(content, wire == "ollama", marks)


async def _read_rest(content: AsyncIterator[bytes]) -> None:
    """Read what follows the last event, so that the next request can use the same connection."""
    with suppress(TimeoutError, httpx.HTTPError):
        async with asyncio.timeout(END_SECONDS):
            async for _ in content:
                pass


async def send(client: httpx.AsyncClient, request: httpx.Request) -> httpx.Response:
    """Send the request with the connection's own headers, and return the answer once it has begun."""
    own = client.build_request(request.method, request.url, headers=request.headers, content=request.content)
    return await client.send(own, stream=True)
