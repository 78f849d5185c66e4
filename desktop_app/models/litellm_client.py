"""litellm, which writes the requests of each kind of server. Only the process of `request_writer` imports this.

litellm is given HTTP clients that only note its request. It is sent through our own connections, and the reply is read
by the engine (docs/decisions/0047), so that no library retries, uses a proxy to reach this machine, keeps a connection
that is no longer read, ends a cut stream as if it were finished, or counts tokens that no server has reported.
"""

from __future__ import annotations

import contextvars
import json
from typing import Any

import httpx
import litellm
import openai
from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

from desktop_app.chat.ports import NO_OPTIONS
from desktop_app.connections import ConnectionUnusable, sendable_headers
from desktop_app.conversation.openai_chat import Json
from desktop_app.conversation.setup import OptionName, ReplyOptions
from desktop_app.settings import ServerKind

from .cloud_credentials import AUTHORIZATION, CLOUDS, key_headers
from .cloud_requests import as_sent, call_of
from .endpoint import PREFIX, THROUGH_OPENAI_CLIENT, Endpoint
from .provider_dialects import (
    PLACES,
    responses_request_of,
    supported_options,
    with_options,
    with_quirks,
    with_thoughts_in_place,
)
from .provider_summaries import INSTRUCTIONS, as_asked, is_affected
from .reply_formats import WireFormat, wire_format

APP = "Palimpsest"
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

ERRORS: tuple[type[Exception], ...] = (
    openai.OpenAIError,
    httpx.HTTPError,
    httpx.InvalidURL,
    ConnectionUnusable,
    json.JSONDecodeError,
    UnicodeDecodeError,
)
"""Errors of the world; anything else is a bug."""

_noted: contextvars.ContextVar[list[httpx.Request]] = contextvars.ContextVar("noted")


def _note(request: httpx.Request) -> httpx.Response:
    _noted.get().append(request)
    return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, content=b"data: [DONE]\n\n")


_OPENAI_HTTP = httpx.AsyncClient(transport=httpx.MockTransport(_note))
_LITELLM_HTTP = AsyncHTTPHandler(transport=httpx.MockTransport(_note), ssl_verify=False)  # nothing is sent


async def write_request(
    endpoint: Endpoint, model: str, request: Json, quirks: tuple[str, ...] = (), options: ReplyOptions = NO_OPTIONS
) -> httpx.Request:
    """Return the HTTP request, as litellm writes it for that kind of server and model. Raises ERRORS."""
    ours = request
    request = {field: value for field, value in request.items() if field != INSTRUCTIONS}
    request = with_options(litellm, endpoint.kind, model, request, options)
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
    content, address = written.content, written.url
    if quirks or is_affected(ours) or any(PLACES in message for message in request["messages"]):
        body = json.loads(content)
        mended = with_quirks(with_thoughts_in_place(body, request), quirks)
        if is_affected(ours):
            address, mended = as_asked(written, headers, mended, ours)
        content = content if mended == body else json.dumps(mended, ensure_ascii=False).encode()
    return httpx.Request(written.method, address, headers=headers, content=content)


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


def options_of(kind: ServerKind, model: str) -> tuple[OptionName, ...]:
    """Return the parameters that such a server accepts for that model."""
    return supported_options(litellm, kind, model)


def format_of(endpoint: Endpoint, model: str) -> WireFormat:
    """Return the format in which that model's replies arrive."""
    return wire_format(endpoint.kind, model, litellm.model_cost)
