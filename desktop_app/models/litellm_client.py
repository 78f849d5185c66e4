"""litellm, and the connections that it uses. Only `litellm_library` imports this, on a thread: it takes seconds.

Every request goes through our own connection pool, so that no library retries, uses a proxy to reach this machine, or
keeps a connection that is no longer read.
"""

from __future__ import annotations

import contextvars
import json
from collections.abc import AsyncGenerator
from functools import partial
from types import SimpleNamespace
from typing import Any

import httpx
import litellm
import openai
from litellm.llms.base_llm.chat.transformation import BaseLLMException
from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler
from litellm.responses import streaming_iterator

from desktop_app.conversation.openai_chat import Json
from desktop_app.settings import ServerKind

from .bounded_response import MAX_REPLY_BYTES
from .endpoint import OPENAI_SHAPED, PREFIX, THROUGH_OPENAI_CLIENT, Endpoint
from .event_decoder import EventDecoder
from .http_client import ProxyUnusable, http_client
from .json_fields import MalformedChunk, field_of, list_of, with_valid_counts
from .reply_reader import FINISH_REASONS
from .responses_api import chunk_of, is_answered_by_responses, responses_request_of

APP = "Palimpsest"
IDENTIFYING_HEADERS = (
    "http-referer",
    *(f"x-stainless-{of}" for of in ("lang", "package-version", "os", "arch", "runtime", "runtime-version", "async")),
)
"""Headers of openai and litellm. The package openai reads the other x-stainless headers itself."""
CONNECT_SECONDS = 10.0
WITHOUT_DATA = (":", "event:", "id:", "retry:")
"""Beginnings of lines of server-sent events that are not data: the type of an event is also in its JSON."""

litellm.suppress_debug_info = True  # otherwise it prints to standard output, which carries the engine's protocol
litellm.turn_off_message_logging = True
litellm.disable_hf_tokenizer_download = True  # it would be for figures that are not used
# For the Responses API it would estimate usage that no server reported, and present it as reported.
streaming_iterator._estimate_usage_safely = lambda *_: None

_TLS = httpx.create_ssl_context()  # takes 80 ms, so it is created here, on the thread that imports
_opened: contextvars.ContextVar[list[httpx.Response] | None] = contextvars.ContextVar("opened", default=None)

ERRORS: tuple[type[Exception], ...] = (
    openai.OpenAIError,
    BaseLLMException,
    httpx.HTTPError,
    httpx.InvalidURL,
    ProxyUnusable,
    json.JSONDecodeError,
    UnicodeDecodeError,
)
"""Errors of the world; anything else is a bug."""


async def _set_user_agent(request: httpx.Request) -> None:
    """Identify the application. The libraries would identify themselves, the machine and its system."""
    for name in IDENTIFYING_HEADERS:
        if name in request.headers:
            del request.headers[name]
    request.headers["User-Agent"] = APP
    if "x-title" in request.headers:  # for OpenRouter's lists of apps
        request.headers["x-title"] = APP


async def _note_response(response: httpx.Response) -> None:
    opened = _opened.get()
    if opened is not None:
        opened.append(response)


class Pool:
    """The connections to one server, in the two forms that litellm accepts. Raises ProxyUnusable."""

    def __init__(self, endpoint: Endpoint, patience: float, transport: Any = None) -> None:
        # For connecting, and for each wait between two chunks; a whole reply may take longer.
        timeout = httpx.Timeout(patience, connect=CONNECT_SECONDS)
        self.http = http_client(
            endpoint,
            MAX_REPLY_BYTES,
            timeout=timeout,
            verify=_TLS,
            transport=transport,
            event_hooks={"request": [_set_user_agent], "response": [_note_response]},
        )
        self.openai = _OpenAI(
            base_url=endpoint.address or "http://127.0.0.1",
            api_key=endpoint.key or "none",
            max_retries=0,
            timeout=timeout,
            http_client=self.http,
        )
        self.handler = _NoRetryClient(self.http)

    def client_for(self, endpoint: Endpoint) -> Any:
        return self.openai if endpoint.kind in THROUGH_OPENAI_CLIENT else self.handler

    async def close(self) -> None:
        await self.openai.close()


class _OpenAI(openai.AsyncOpenAI):
    """The client of the package openai, with our event decoder."""

    def _make_sse_decoder(self) -> EventDecoder:
        return EventDecoder()


class _NoRetryClient(AsyncHTTPHandler):
    """litellm's HTTP client without its retries, its second client, and its translation of timeouts."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.timeout = None
        self.event_hooks = None
        self.client_alias = None
        self.client = http  # litellm's setter; the pool opens and closes it

    async def post(
        self,
        url: str,
        data: Any = None,
        json: Any = None,
        params: Any = None,
        headers: Any = None,
        timeout: Any = None,
        stream: bool = False,
        logging_obj: Any = None,
        files: Any = None,
        content: Any = None,
    ) -> httpx.Response:
        """Send a request once, with the pool's timeout instead of litellm's."""
        if isinstance(data, str | bytes):
            data, content = None, data
        request = self.client.build_request(
            "POST", url, data=data, json=json, params=params, headers=headers, files=files, content=content
        )
        response = await self.client.send(request, stream=stream)
        if response.is_error:
            await response.aread()
        response.raise_for_status()
        response.aiter_lines = partial(_lines, response)
        return response


async def _lines(response: httpx.Response) -> AsyncGenerator[str]:
    """Yield the lines of a stream except those without data, after which litellm's reader for Gemini would stop.

    httpx also splits at U+2028 and similar characters, which may occur in JSON.
    """
    rest: list[str] = []  # joined once the line ends, since joining at each piece would take quadratic time
    async for text in response.aiter_text():
        *ends, last = text.split("\n")
        for end in ends:
            line, rest = "".join([*rest, end]).removesuffix("\r"), []
            if not line.startswith(WITHOUT_DATA) and line != "data":
                yield line
        rest.append(last)
    if any(rest):
        yield "".join(rest)


async def open_stream(endpoint: Endpoint, model: str, request: Json, pool: Pool, opened: list[httpx.Response]) -> Any:
    """Send the request, and return litellm's stream of chunks once it has begun. Raises ERRORS.

    opened: receives the HTTP responses, so that they can be closed whatever happens.
    """
    token = _opened.set(opened)
    try:
        if endpoint.kind == "openai" and is_answered_by_responses(litellm.model_cost, model):
            return await _open_responses(endpoint, model, request, pool)
        response: Any = await litellm.acompletion(
            model=f"{PREFIX[endpoint.kind]}/{model}",
            api_base=endpoint.api_base,
            api_key=endpoint.key or "none",
            client=pool.client_for(endpoint),
            timeout=pool.http.timeout,  # otherwise litellm overrides the client's with its own ten minutes
            max_retries=0,
            **request,
        )
        if response.completion_stream is None:  # litellm opens Gemini's only at the first chunk
            await response.fetch_stream()
        stream: Any = response.completion_stream
        if hasattr(stream, "chunk_parser"):  # streams of the package openai have none
            stream.chunk_parser = partial(_parse, endpoint.kind, stream.chunk_parser)
        return stream
    except httpx.ResponseNotRead:  # litellm quotes the content for a status that is neither 200 nor an error
        message = f"It answered with status {opened[-1].status_code}."
        raise httpx.HTTPStatusError(message, request=opened[-1].request, response=opened[-1]) from None
    finally:
        _opened.reset(token)


async def _open_responses(endpoint: Endpoint, model: str, request: Json, pool: Pool) -> AsyncGenerator[Any]:
    events: Any = await litellm.aresponses(
        model=f"openai/{model}",
        api_base=endpoint.api_base,
        api_key=endpoint.key or "none",
        client=pool.handler,
        timeout=pool.http.timeout,
        max_retries=0,
        **responses_request_of(request),
    )
    # litellm's own errors lack the provider's code, and report a server of another protocol as a cut stream.
    events._maybe_raise_for_error_event = events._raise_if_ended_without_terminal_event = _pass
    return _responses_chunks(events)


def _pass(*_: Any) -> None:
    """Do nothing: errors in a stream are read from its chunks, as for other streams."""


async def _responses_chunks(events: Any) -> AsyncGenerator[Any]:
    async for event in events:
        chunk = chunk_of(event)
        if chunk is not None:
            yield chunk


def _parse(kind: ServerKind, parse: Any, chunk: Any) -> Any:
    """Parse an event's JSON with litellm's parser, after checking the fields on which it fails.

    If the format is OpenAI's already, the parser is not needed, and would refuse a chunk with one odd field. For Gemini
    it reports "stop" in each chunk, so that a cut would go unnoticed, and for Gemini and Claude also if the window was
    full or a call was malformed.
    """
    if not isinstance(chunk, dict):
        raise MalformedChunk
    if kind in OPENAI_SHAPED:
        return SimpleNamespace(**chunk)
    parsed = parse(with_valid_counts(chunk))
    reason = _finish_reason_of(chunk)
    for choice in parsed.choices if parsed is not None else ():
        if kind == "gemini" and not reason:
            choice.finish_reason = None
        elif FINISH_REASONS.get(reason.lower(), "stop") not in ("stop", "tool_calls"):
            choice.finish_reason = reason
    return parsed


def _finish_reason_of(chunk: Json) -> str:
    """Return Claude's or Gemini's own reason; "" if the chunk has none. litellm translates several to "stop"."""
    values = [field_of(chunk.get("delta"), "stop_reason"), field_of(chunk.get("promptFeedback"), "blockReason")]
    values += [field_of(candidate, "finishReason") for candidate in list_of(chunk.get("candidates"))]
    reason = next((value for value in values if isinstance(value, str) and value), "")
    return reason or ("SAFETY" if chunk.get("promptFeedback") else "")


async def raw_chunks(stream: Any) -> AsyncGenerator[Any]:
    """Yield the chunks of a streaming reply as litellm parses them, without the values that it yields for empty lines.

    litellm's own iterator would end a cut stream as if it were finished, estimate tokens if none were reported, give up
    after a hundred equal chunks, and take 1 ms for each chunk.
    """
    try:
        async for chunk in stream:
            if chunk is not None and not isinstance(chunk, dict):
                yield chunk
    except (RuntimeError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        if isinstance(error, ERRORS):
            raise
        # litellm fails in all these ways on JSON of another format.
        raise json.JSONDecodeError("not a chunk of a reply", "", 0) from error
