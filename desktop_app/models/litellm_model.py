"""A model of a server of any kind, reached through litellm, and its requests as `curl` command lines."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

import msgspec
from msgspec.structs import replace

from desktop_app.addresses import without_secrets
from desktop_app.chat.ports import NO_OPTIONS, ChatModel, ModelError, Piece
from desktop_app.context.counting.tokens import Tokenizer
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message
from desktop_app.conversation.openai_chat import Json
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.conversation.tools import ToolSpec
from desktop_app.settings import header_key, is_secret_header

from .discovery import find_better_address, list_models
from .endpoint import Endpoint, key_variable
from .errors.cures import cure_of
from .errors.model_failures import (
    RequestTarget,
    error_of,
    error_without_response,
    odd_key_failure,
    odd_reply_error,
    sent_body_of,
    status_of,
    text_of_error,
    version_failure,
)
from .litellm_library import LiteLLM
from .provider_dialects import BLOCKS, request_of, speaks_as_claude
from .provider_summaries import INSTRUCTIONS, asking, received_summary
from .reply_reader import DETAILS, MalformedChunk, ReplyReader, StreamError
from .server_stream import ERRORS, Patience

TRAILER_SECONDS = 10.0
"""Longest wait for a chunk after the end of a reply, such as its usage: some servers never close the stream. It is long
enough for a server that has a finish reason in every chunk."""


class LiteLLMModel(msgspec.Struct, frozen=True):
    """The `ChatModel` port."""

    info: ModelInfo
    tokenizer: Tokenizer
    litellm: LiteLLM
    endpoint: Endpoint
    name: str
    """The server's name of the model."""
    options: Json = {}
    """Additional fields of each request."""
    learn: Callable[[str, str], Awaitable[ChatModel]] | None = None
    """Remembers a quirk of the model with an id, and returns the model with it; None to learn nothing."""

    async def stream(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        tools: Sequence[ToolSpec] = (),
        options: ReplyOptions = NO_OPTIONS,
    ) -> AsyncGenerator[Piece, None]:
        """Yield the reply piece by piece. Raises ModelError. Closing the iterator closes the connection."""
        if self.endpoint.odd_key:
            raise ModelError(odd_key_failure(self.endpoint), kind="auth")
        request = self.request(messages, max_tokens, tools) | asking(options)
        is_claude = speaks_as_claude(self.endpoint.kind, self.name)
        names = frozenset(tool.name for tool in tools)
        reply = ReplyReader(self.info.record_name, BLOCKS if is_claude else DETAILS, names)
        patience = Patience(*self.litellm.patience_with(self.endpoint))
        try:
            streamed = self.litellm.chunks(self.endpoint, self.name, request, patience, self.info.quirks, options)
            async with aclosing(streamed) as chunks:
                while (chunk := await _next(chunks, TRAILER_SECONDS if reply.is_finished else None)) is not None:
                    for piece in reply.pieces(chunk):
                        patience.has_begun = True
                        yield piece
        except (MalformedChunk, StreamError, *ERRORS) as error:
            if not reply.is_finished:  # otherwise the reply is complete, and only its trailer is missing
                for piece in reply.rest():
                    yield piece
                # Without the cause: a provider's exception may quote the key, and causes are logged.
                fields = request | {name: getattr(options, name) for name in options.names()}
                raise await self._cured(error, reply.chunks, patience.seconds or 0.0, fields) from None
        for piece in reply.rest():
            yield piece
        if not reply.is_finished and not reply.chunks:
            await self._refuse_short_address(f"{self.endpoint.shown_address} answered with something else than a reply")
        if not reply.is_finished:
            raise error_without_response(self._target, "cut" if reply.chunks else "garbage")
        yield replace(reply.end(), summary=received_summary(reply.summary)) if asking(options) else reply.end()

    def request(self, messages: Sequence[Message], max_tokens: int, tools: Sequence[ToolSpec]) -> Json:
        """Return the fields of a request in OpenAI's format, without the parameters that the user has set."""
        return request_of(self.endpoint.kind, self.name, self.info, messages, max_tokens, tools) | self.options

    async def _refuse_short_address(self, answered: str) -> None:
        """Raise ModelError if the address lacks "/v1", with which the server answers."""
        better = await find_better_address(self.endpoint)
        if better:
            raise ModelError(version_failure(self.endpoint, answered, better), kind="not_found") from None

    async def _cured(self, error: Exception, chunks: int, patience: float, request: Json) -> ModelError:
        """Return the error, with the model that the request may be repeated with if the server says what it wants."""
        failed = await self._error_of(error, chunks, patience)
        if self.learn is None or INSTRUCTIONS in request:  # our own way of writing a summary follows
            return failed
        written = (sent_body_of(error) or request) | {"messages": request["messages"]}
        if cure := cure_of(failed.kind, text_of_error(error), written, self.info.quirks):
            failed.cured = await self.learn(self.info.id, cure)
        return failed

    async def _error_of(self, error: Exception, chunks: int, patience: float) -> ModelError:
        if isinstance(error, MalformedChunk):
            return odd_reply_error(self._target) if chunks else error_without_response(self._target, "garbage")
        offered = await list_models(self.endpoint) if status_of(error) == 404 else ()
        if status_of(error) == 404 and not offered:
            await self._refuse_short_address(f"{self.endpoint.shown_address} answered 404 (Not Found)")
        return error_of(error, self._target, patience, offered, has_begun=bool(chunks))

    async def prepare(self) -> None:
        await self.litellm.prepare(self.endpoint, self.name)

    async def read_ahead(self, messages: Sequence[Message]) -> None:
        """Do nothing: it could cost money, and a local server may be busy with another client's request."""

    @property
    def _target(self) -> RequestTarget:
        return RequestTarget(self.endpoint, self.info.label)


async def _next(chunks: AsyncGenerator[Any, None], seconds: float | None) -> Any:
    """Return the next chunk; None if there is none, or none arrives within that time."""
    if seconds is None:
        return await anext(chunks, None)
    try:
        async with asyncio.timeout(seconds):
            return await anext(chunks, None)
    except TimeoutError:
        return None


STAND_IN = "palimpsest-stands-in-for-the-key"
"""Placeholder for the key, so that the copied text never contained it; it is sent nowhere."""
CURL_HEADERS = frozenset({"host", "content-length", "connection", "accept-encoding", "transfer-encoding", "user-agent"})
"""Headers that curl writes itself."""
END = "JSON"
_IN_DOUBLE_QUOTES = re.compile(r'([\\"`$])')


async def curl_of(
    model: LiteLLMModel,
    messages: Sequence[Message],
    max_tokens: int,
    tools: Sequence[ToolSpec] = (),
    options: ReplyOptions = NO_OPTIONS,
) -> str:
    """Return the command of that request, as it would be sent."""
    address = without_secrets(model.endpoint.base_url, STAND_IN)
    headers, variables = {}, {STAND_IN: key_variable(model.endpoint.name)}
    for name, value in model.endpoint.headers.items():
        stand_in = f"{STAND_IN}-{name}"
        headers[name] = stand_in if is_secret_header(name) else value
        variables[stand_in] = key_variable(header_key(model.endpoint.name, name))
    key = STAND_IN if model.endpoint.key else ""
    endpoint = replace(model.endpoint, key=key, base_url=address, headers=headers)
    fields = model.request(messages, max_tokens, tools)
    request = await model.litellm.written(endpoint, model.name, fields, model.info.quirks, options)
    return curl_command(request, variables)


def curl_command(request: Any, variables: Mapping[str, str]) -> str:
    """Return the command line of an httpx request. variables: the shell variables for what stands for secrets."""
    headers = {name: value for name, value in request.headers.items() if name not in CURL_HEADERS}
    if headers.get("authorization", "").startswith("Basic "):  # curl creates it from the address
        del headers["authorization"]
    lines = [f"curl -sN {_quoted(str(request.url), variables)}"]
    lines += [f"  -H {_quoted(f'{name}: {value}', variables)}" for name, value in headers.items()]
    body = json.dumps(json.loads(request.content), ensure_ascii=False, indent=2)
    # A here-document has no size limit, as an argument would; no line of JSON equals its end marker.
    return " \\\n".join([*lines, f"  --data-binary @- <<'{END}'"]) + f"\n{body}\n{END}\n"


def _quoted(text: str, variables: Mapping[str, str]) -> str:
    if STAND_IN not in text:
        return shlex.quote(text)
    text = _IN_DOUBLE_QUOTES.sub(r"\\\1", text)
    for stand_in in sorted(variables, key=len, reverse=True):
        text = text.replace(stand_in, f"${{{variables[stand_in]}}}")
    return f'"{text}"'
