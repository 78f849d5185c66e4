"""Translating exceptions of litellm, openai and httpx into ModelError, by what the provider answered."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from desktop_app.chat.ports import ErrorKind, ModelError
from desktop_app.conversation.events import Failure

from .advice import RequestTarget, failure_of, malformed_chunk_failure, too_large_failure, without_prefix
from .classify import Classification, classify

CONNECTION_ERRORS: dict[str, ErrorKind] = {
    "ConnectError": "connection",
    "ConnectTimeout": "connection",
    "InvalidURL": "connection",
    "UnsupportedProtocol": "connection",
    "ProxyUnusable": "connection",
    "ProxyError": "connection",
    "TimeoutException": "timeout",
    "Timeout": "timeout",
    "APITimeoutError": "timeout",
    "ReadTimeout": "timeout",
    "WriteTimeout": "timeout",
    "PoolTimeout": "timeout",
    "NetworkError": "cut",
    "ReadError": "cut",
    "WriteError": "cut",
    "CloseError": "cut",
    "RemoteProtocolError": "cut",
    "JSONDecodeError": "garbage",
    "UnicodeDecodeError": "garbage",
    "DecodingError": "garbage",
}
"""Kinds of exceptions that carry no answer of the provider, by their names."""

_PRECEDENCE = ("connection", "timeout", "cut", "garbage")
"""Of several exceptions that caused each other, the first of these says what happened."""


class ErrorResponse(msgspec.Struct, frozen=True):
    """What a provider answered instead of a reply."""

    status: int
    """0 for an error inside a stream."""
    headers: Mapping[str, str]
    text: str
    is_original: bool = False
    """Whether it is the answer itself, not what a library made of it."""


def error_of_response(target: RequestTarget, response: ErrorResponse, offered: tuple[str, ...] = ()) -> ModelError:
    """Return the error of a provider's answer. offered: the models that the server lists, if it was asked."""
    found = classify(response.status, response.headers, response.text)
    return _error(found, failure_of(target, found, response.status, offered))


def cut_error(target: RequestTarget) -> ModelError:
    """Return the error of a stream that ended before its finish reason."""
    return _error_without_response(target, "cut")


def not_chat_error(target: RequestTarget) -> ModelError:
    """Return the error of a server that does not speak the protocol."""
    return _error_without_response(target, "garbage")


def malformed_chunk_error(target: RequestTarget) -> ModelError:
    """Return the error of something in the middle of a reply that is no chunk of one."""
    return _error(Classification("garbage"), malformed_chunk_failure(target))


def error_of(
    error: BaseException, target: RequestTarget, patience: float, offered: tuple[str, ...] = (), has_begun: bool = False
) -> ModelError:
    """Return the error of an exception of litellm, openai or httpx. patience: seconds of silence that were allowed.

    has_begun: whether chunks of a reply had arrived, so that the server does speak the protocol.
    """
    causes = list(_causes(error))[::-1]  # the innermost first: the others translate it
    responses = [response for response in map(_response_of, causes) if response is not None]
    original = next((response for response in responses if response.is_original), None)
    if original is not None:
        return error_of_response(target, original, offered)
    too_large = next((cause for cause in causes if "ResponseTooLarge" in _class_names(cause)), None)
    if too_large is not None:
        return _error(Classification("garbage"), too_large_failure(target, str(too_large)))
    # Before litellm's responses: it makes up a status where there was none, 500 for a server that is not there.
    kinds = {CONNECTION_ERRORS[name] for cause in causes for name in _class_names(cause) if name in CONNECTION_ERRORS}
    for kind in _PRECEDENCE:
        if kind in kinds and not (kind == "garbage" and responses):
            if kind == "garbage" and has_begun:
                return malformed_chunk_error(target)
            return _error_without_response(target, kind, patience, _proxy_message(causes))
    response = responses[0] if responses else ErrorResponse(0, {}, _message_of(error))
    return error_of_response(target, response, offered)


def status_of(error: BaseException) -> int:
    """Return the HTTP status that an exception carries; 0 when it carries none."""
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else 0


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the exception and what caused it, the innermost last."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or cause.__context__


def _class_names(error: BaseException) -> list[str]:
    return [kind.__name__ for kind in type(error).__mro__]


def _response_of(error: BaseException) -> ErrorResponse | None:
    """Return the provider's answer, if this exception carries it: a response, or the error object inside a stream.

    litellm's own exceptions carry responses that were never sent, so only their messages count.
    """
    if type(error).__module__.partition(".")[0] in ("openai", "httpx"):
        response, body = getattr(error, "response", None), getattr(error, "body", None)
        if response is not None:
            return ErrorResponse(response.status_code, response.headers, _text_of(response, error), True)
        if body is None:
            return None
        return ErrorResponse(0, {}, body if isinstance(body, str) else json.dumps(body), True)
    status = status_of(error)
    return ErrorResponse(status, getattr(error, "headers", None) or {}, _message_of(error)) if status else None


def _text_of(response: Any, error: BaseException) -> str:
    import httpx

    try:
        return response.text
    except httpx.StreamError:  # its body was not read before it was closed
        return _message_of(error)


def _message_of(error: BaseException) -> str:
    return without_prefix(str(getattr(error, "message", "") or error))


def _proxy_message(causes: list[BaseException]) -> str:
    return next((str(cause) for cause in causes if {"ProxyUnusable", "ProxyError"} & set(_class_names(cause))), "")


def _error_without_response(
    target: RequestTarget, kind: ErrorKind, patience: float = 0.0, message: str = ""
) -> ModelError:
    details: dict[ErrorKind, str] = {
        "connection": f"There was no connection to “{target.base_url}”.",
        "timeout": f"Nothing came from {target.base_url} for {patience:.0f} seconds.",
        "cut": f"{target.base_url} closed the connection before the reply was finished.",
        "garbage": f"{target.base_url} answered with something else than a chat completion.",
    }
    found = Classification(kind, message=message)
    return _error(found, failure_of(target, found, detail=details[kind]))


def _error(found: Classification, failure: Failure) -> ModelError:
    return ModelError(
        failure, kind=found.kind, retry_after=found.retry_after, limit=found.limit, observed=found.observed
    )
