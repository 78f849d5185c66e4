"""litellm itself, and the connections that it is given. Imported by `litellm_library` only, on a thread: it takes
seconds.

Every request goes through a pool of ours, so that nothing below it retries, follows a proxy on the way to this
machine, or keeps a connection that nobody reads any more.
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

from desktop_app.conversation.openai_chat import Json
from desktop_app.settings import ServerKind

from .bounded_response import MAX_REPLY_BYTES
from .endpoint import OPENAI_SHAPED, PREFIX, THROUGH_OPENAI_CLIENT, Endpoint
from .http_client import ProxyUnusable, http_client
from .json_fields import MalformedChunk, with_valid_counts
from .responses_api import chunk_of, is_answered_by_responses, responses_request_of

APP = "Palimpsest"
TELLTALES = (
    "http-referer",
    *(f"x-stainless-{of}" for of in ("lang", "package-version", "os", "arch", "runtime", "runtime-version", "async")),
)
"""Of openai's and litellm's own; what else begins with x-stainless the package openai reads itself."""
CONNECT_SECONDS = 10.0

litellm.suppress_debug_info = True  # else it prints to standard output, which is the engine's protocol
litellm.turn_off_message_logging = True

_TLS = httpx.create_ssl_context()  # takes 80 ms, so it is made here, on the thread that imports
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
"""What stands for an error of the world; whatever else is raised is a bug."""


async def _introduce(request: httpx.Request) -> None:
    """Says who asks. The libraries below would name themselves, and tell of the machine and its system."""
    for name in TELLTALES:
        if name in request.headers:
            del request.headers[name]
    request.headers["User-Agent"] = APP
    if "x-title" in request.headers:  # OpenRouter's lists of apps
        request.headers["x-title"] = APP


async def _note_response(response: httpx.Response) -> None:
    opened = _opened.get()
    if opened is not None:
        opened.append(response)


class Pool:
    """The connections to one server, in the two forms that litellm wants. Raises ProxyUnusable."""

    def __init__(self, endpoint: Endpoint, patience: float, transport: Any = None) -> None:
        timeout = timeout_of(patience)
        self.http = http_client(
            endpoint,
            MAX_REPLY_BYTES,
            timeout=timeout,
            verify=_TLS,
            transport=transport,
            event_hooks={"request": [_introduce], "response": [_note_response]},
        )
        self.openai = openai.AsyncOpenAI(
            base_url=endpoint.address or "http://127.0.0.1",
            api_key=endpoint.key or "none",
            max_retries=0,
            timeout=timeout,
            http_client=self.http,
        )
        self.handler = _OneTry(self.http)

    def client_for(self, endpoint: Endpoint) -> Any:
        """What `acompletion` wants as its client for that kind of server."""
        return self.openai if endpoint.kind in THROUGH_OPENAI_CLIENT else self.handler

    async def close(self) -> None:
        """Closes the connections."""
        await self.openai.close()


def timeout_of(patience: float) -> httpx.Timeout:
    """For connecting, and for each wait between two chunks; not for a reply as a whole."""
    return httpx.Timeout(patience, connect=CONNECT_SECONDS)


class _OneTry(AsyncHTTPHandler):
    """litellm's own client without its second try, its second client, and its translation of timeouts."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.timeout = None
        self.event_hooks = None
        self.client_alias = None
        self.client = http  # litellm's setter: it is not litellm's to close, or to open again

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
        """One request. The pool's timeout holds, whatever litellm thinks."""
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
    """The lines of a stream. httpx ends one at U+2028 and the like too, which stand as they are within JSON."""
    rest: list[str] = []  # joined once its line ends, since joining at each piece takes time that grows with its square
    async for text in response.aiter_text():
        *whole, last = text.split("\n")
        for line in whole:
            yield "".join([*rest, line]).removesuffix("\r")
            rest = []
        rest.append(last)
    if any(rest):
        yield "".join(rest)


async def open_stream(endpoint: Endpoint, model: str, request: Json, pool: Pool, opened: list[httpx.Response]) -> Any:
    """Sends the request, and gives litellm's reading of what comes back, once it has begun. Raises ERRORS.

    opened: gets the HTTP responses, so that they can be closed whatever happens.
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
            timeout=pool.http.timeout,  # else litellm puts its own, ten minutes, over the client's
            max_retries=0,
            **request,
        )
        if response.completion_stream is None:  # Gemini's is opened at the first chunk
            await response.fetch_stream()
        stream: Any = response.completion_stream
        if hasattr(stream, "chunk_parser"):  # those of the package openai have none
            stream.chunk_parser = _chunk_parser(endpoint.kind, stream.chunk_parser)
        return stream
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
    # litellm's own errors would lack the provider's code, and take what never spoke that protocol for a cut.
    events._maybe_raise_for_error_event = events._raise_if_ended_without_terminal_event = _pass
    return _responses_chunks(events)


def _pass(*_: Any) -> None:
    """What is wrong with a stream is seen in its chunks, as with the others."""


async def _responses_chunks(events: Any) -> AsyncGenerator[Any]:
    async for event in events:
        chunk = chunk_of(event)
        if chunk is not None:
            yield chunk


def _chunk_parser(kind: ServerKind, parse: Any) -> Any:
    """Return what reads an event's JSON for that kind of server: litellm's own, behind a check of what it would trip
    over. Where the shape is OpenAI's already, litellm only refuses a chunk in which one field is odd."""
    if kind in OPENAI_SHAPED:
        return _as_it_came
    return partial(_checked, partial(_gemini_chunk, parse) if kind == "gemini" else parse)


def _as_it_came(chunk: Any) -> SimpleNamespace:
    if not isinstance(chunk, dict):
        raise MalformedChunk
    return SimpleNamespace(**chunk)


def _checked(parse: Any, chunk: Any) -> Any:
    if not isinstance(chunk, dict):
        raise MalformedChunk
    return parse(with_valid_counts(chunk))


def _gemini_chunk(parse: Any, chunk: Any) -> Any:
    """The chunk as litellm reads it, but for the reason: litellm says "stop" in each one, so that a reply that broke
    off would look whole."""
    read = parse(chunk)
    has_ended = any(candidate.get("finishReason") for candidate in chunk.get("candidates") or ())
    if read is not None and not has_ended and not chunk.get("promptFeedback"):
        for choice in read.choices:
            choice.finish_reason = None
    return read


async def raw_chunks(stream: Any) -> AsyncGenerator[Any]:
    """The chunks of a streaming reply, each as litellm reads it; beside them litellm gives None and dictionaries for
    lines without a meaning, which are left out.

    Not litellm's own iterator, which ends a cut stream as if it were finished, counts tokens itself where none were
    reported, gives up after a hundred equal chunks, and takes 1 ms for each.
    """
    try:
        async for chunk in stream:
            if chunk is not None and not isinstance(chunk, dict):
                yield chunk
    except (RuntimeError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        if isinstance(error, ERRORS):
            raise
        # litellm trips over JSON of another shape in all these ways.
        raise json.JSONDecodeError("not a chunk of a reply", "", 0) from error
