"""litellm, which writes the requests of each kind of server. Only `litellm_library` imports this, on a thread: it takes
seconds.

litellm is given HTTP clients that only note its request. It is sent through our own connections, and the reply is read
here (docs/decisions/0047), so that no library retries, uses a proxy to reach this machine, keeps a connection that is
no longer read, ends a cut stream as if it were finished, or counts tokens that no server has reported.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import aclosing, suppress
from typing import Any, TypeVar

import httpx
import litellm
import openai
from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

from desktop_app.chat.ports import FRAME_SECONDS
from desktop_app.connections import CertificatesUnusable, ConnectionUnusable, sendable_headers, tls_context
from desktop_app.conversation.openai_chat import Json

from .bounded_response import MAX_REPLY_BYTES, ReplyMarks, aws_events_of, events_of
from .cloud_credentials import AUTHORIZATION, CLOUDS, authorization, key_headers
from .cloud_requests import as_sent, call_of
from .endpoint import PREFIX, THROUGH_OPENAI_CLIENT, Endpoint, http_client
from .provider_dialects import PLACES, responses_request_of, with_quirks, with_thoughts_in_place
from .reply_formats import WireFormat, chunk_reader, wire_format
from .reply_reader import END_MARK

APP = "Palimpsest"
CONNECT_SECONDS = 10.0
AT_ONCE = 0.001
"""Seconds within which a piece that has arrived already is read."""
END_SECONDS = 0.1
"""Longest wait for the end of a response after "[DONE]"; some servers leave it open."""
SENT_HEADERS = (
    "accept",
    "authorization",
    "content-type",
    "anthropic-version",
    "anthropic-beta",
    "x-api-key",
    "x-goog-api-key",
)
"""Headers of litellm's request that are sent. The others identify the libraries, the machine and its system, or are set
by the connection."""

litellm.suppress_debug_info = True  # otherwise it prints to standard output, which carries the engine's protocol
litellm.turn_off_message_logging = True
litellm.disable_hf_tokenizer_download = True  # it would be for figures that are not used

with suppress(CertificatesUnusable):
    tls_context()  # takes 80 ms, so it is created here, on the thread that imports

ERRORS: tuple[type[Exception], ...] = (
    openai.OpenAIError,
    httpx.HTTPError,
    httpx.InvalidURL,
    ConnectionUnusable,
    json.JSONDecodeError,
    UnicodeDecodeError,
)
"""Errors of the world; anything else is a bug."""

T = TypeVar("T")
_noted: contextvars.ContextVar[list[httpx.Request]] = contextvars.ContextVar("noted")


def _note(request: httpx.Request) -> httpx.Response:
    _noted.get().append(request)
    return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, content=b"data: [DONE]\n\n")


_OPENAI_HTTP = httpx.AsyncClient(transport=httpx.MockTransport(_note))
_LITELLM_HTTP = AsyncHTTPHandler(transport=httpx.MockTransport(_note), ssl_verify=False)  # nothing is sent


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


async def write_request(endpoint: Endpoint, model: str, request: Json, quirks: tuple[str, ...] = ()) -> httpx.Request:
    """Return the HTTP request, as litellm writes it for that kind of server and model. Raises ERRORS."""
    noted: list[httpx.Request] = []
    token = _noted.set(noted)
    try:
        await _note_request(endpoint, model, request)
        written = noted[0]
    finally:
        _noted.reset(token)
        noted.clear()  # asyncio keeps cancelled timers for a while, and with them the context with this list
    headers = httpx.Headers({name: value for name, value in written.headers.items() if name in SENT_HEADERS})
    if endpoint.kind in CLOUDS:
        return _for_cloud(endpoint, model, written, headers, quirks, request)
    if endpoint.kind == "openrouter":
        headers["X-Title"] = APP  # for its lists of apps
    headers.update(dict(sendable_headers(endpoint.headers)))
    content = written.content
    if quirks or any(PLACES in message for message in request["messages"]):
        body = json.loads(content)
        mended = with_quirks(with_thoughts_in_place(body, request), quirks)
        content = content if mended == body else json.dumps(mended, ensure_ascii=False).encode()
    return httpx.Request(written.method, written.url, headers=headers, content=content)


def _for_cloud(
    endpoint: Endpoint,
    model: str,
    written: httpx.Request,
    headers: httpx.Headers,
    quirks: tuple[str, ...],
    request: Json,
) -> httpx.Request:
    """Return the request to a platform, with its key if it has one, and otherwise without authorization.

    request: the fields that litellm was given.
    """
    for name in AUTHORIZATION:
        headers.pop(name, None)
    headers.update(key_headers(endpoint.kind, endpoint.key))
    headers.update(dict(sendable_headers(endpoint.headers)))
    url, content = str(written.url), written.content
    body = json.loads(content)
    wire = format_of(endpoint, model)
    address, changed = as_sent(endpoint, model, wire, url, body)
    changed = with_thoughts_in_place(changed, request)
    changed = with_quirks(changed, quirks) if quirks and wire == "chat" else changed
    content = content if changed is body else json.dumps(changed, ensure_ascii=False).encode()
    return httpx.Request(written.method, address, headers=headers, content=content)


async def _note_request(endpoint: Endpoint, model: str, request: Json) -> None:
    if endpoint.kind not in CLOUDS:
        return await _call_litellm(endpoint, model, request)
    call = call_of(endpoint, model, format_of(endpoint, model))
    place = {"api_key": "none", "max_retries": 0} | ({"api_base": call.address} if call.address else {})
    client: Any = _LITELLM_HTTP
    if call.client == "openai":
        client = openai.AsyncOpenAI(base_url=call.address, api_key="none", max_retries=0, http_client=_OPENAI_HTTP)
    elif call.client == "azure":
        options: Any = {"azure_endpoint": call.address, "api_key": "none", "max_retries": 0, **call.fields}
        client = openai.AsyncAzureOpenAI(http_client=_OPENAI_HTTP, **options)
    try:
        stream: Any = await litellm.acompletion(call.model, client=client, **place, **call.fields, **request)
        if not _noted.get():
            await anext(aiter(stream), None)
    except Exception:
        if not _noted.get():
            raise
    return None


async def _call_litellm(endpoint: Endpoint, model: str, request: Json) -> None:
    place = {"api_base": endpoint.api_base, "api_key": endpoint.key or "none", "max_retries": 0}
    if format_of(endpoint, model) == "responses":
        await litellm.aresponses(
            model=f"openai/{model}", client=_LITELLM_HTTP, **place, **responses_request_of(request)
        )
        return
    client: Any = _LITELLM_HTTP
    if endpoint.kind in THROUGH_OPENAI_CLIENT:
        address, key = endpoint.address or "http://127.0.0.1", endpoint.key or "none"
        client = openai.AsyncOpenAI(base_url=address, api_key=key, max_retries=0, http_client=_OPENAI_HTTP)
    stream: Any = await litellm.acompletion(f"{PREFIX[endpoint.kind]}/{model}", client=client, **place, **request)
    if not _noted.get():  # litellm sends Gemini's only once the stream is read
        await anext(aiter(stream), None)


def format_of(endpoint: Endpoint, model: str) -> WireFormat:
    """Return the format in which that model's replies arrive."""
    return wire_format(endpoint.kind, model, litellm.model_cost)


async def stream_chunks(
    client: httpx.AsyncClient,
    endpoint: Endpoint,
    model: str,
    request: Json,
    patience: Patience,
    quirks: tuple[str, ...] = (),
) -> AsyncGenerator[Any, None]:
    """Send the request, and yield the chunks of the reply in OpenAI's format. Raises ERRORS, MalformedChunk."""
    wire = format_of(endpoint, model)
    read = chunk_reader(wire)
    written = await write_request(endpoint, model, request, quirks)
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
