"""Translating exceptions of litellm, openai and httpx into ModelError, by what the provider answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from desktop_app.chat.ports import MESSAGE_STORED, ErrorKind, ModelError
from desktop_app.conversation.events import Failure
from desktop_app.conversation.words import translatable

from .advice import RequestTarget, failure_of, without_prefix
from .classify import Classification, classify

EXCEPTIONS: dict[ErrorKind, set[str]] = {
    "connection": {
        "ConnectError",
        "ConnectTimeout",
        "InvalidURL",
        "UnsupportedProtocol",
        "ProxyUnusable",
        "ProxyError",
    },
    "timeout": {"TimeoutException", "APITimeoutError"},
    "cut": {"NetworkError", "RemoteProtocolError"},
    "garbage": {"JSONDecodeError", "UnicodeDecodeError", "DecodingError"},
}
"""Names of exceptions that carry no answer of the provider. Of several that caused each other, the first kind here says
what happened."""


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
    failure = failure_of(target, found, response.status, offered)
    tokens = found.limit, found.observed, found.reply
    return ModelError(failure, False, found.kind, found.retry_after, *tokens)


def error_without_response(
    target: RequestTarget, kind: ErrorKind, patience: float = 0.0, message: str = ""
) -> ModelError:
    """Return the error of a request that was not answered, or not as it should be. patience: see `error_of`."""
    address = target.endpoint.shown_address
    details: dict[ErrorKind, str] = {
        "connection": translatable("There was no connection to “{address}”.").format(address=address),
        "timeout": translatable("Nothing came from {address} for {seconds} seconds.").format(
            address=address, seconds=f"{patience:.0f}"
        ),
        "cut": translatable("{address} closed the connection before the reply was finished.").format(address=address),
        "garbage": translatable("{address} answered with something other than a chat completion.").format(
            address=address
        ),
    }
    return ModelError(failure_of(target, Classification(kind, message=message), detail=details[kind]), kind=kind)


def odd_reply_error(target: RequestTarget, detail: str = "") -> ModelError:
    """Return the error of a reply that contains something else, or is longer than any. detail: says so."""
    title = translatable("{name} sent something that is not a chat reply").format(name=target.endpoint.name)
    address = target.endpoint.shown_address
    detail = detail or translatable(
        "The reply of {model} began well, then {address} sent something that is not part of one."
    ).format(model=target.model, address=address)
    advice = translatable("If it happens again, the server or a proxy in front of it needs an update.")
    return ModelError(Failure("garbage", title, detail, MESSAGE_STORED, advice), kind="garbage")


def error_of(
    error: BaseException, target: RequestTarget, patience: float, offered: tuple[str, ...] = (), has_begun: bool = False
) -> ModelError:
    """Return the error of an exception of litellm, openai or httpx. patience: seconds of silence that were allowed.

    has_begun: whether chunks of a reply had arrived, so that the server does speak the protocol.
    """
    causes = _causes(error)  # the innermost first: the others translate it
    responses = [response for response in map(_response_of, causes) if response is not None]
    original = next((response for response in responses if response.is_original), None)
    if original is not None:
        return error_of_response(target, original, offered)
    words = {kind.__name__: str(cause) for cause in causes for kind in type(cause).__mro__}
    if "ResponseTooLarge" in words:
        return odd_reply_error(target, f"{target.endpoint.shown_address}: {words['ResponseTooLarge']}")
    # Before litellm's responses: it makes up a status where there was none, 500 for a server that is not there.
    for kind, names in EXCEPTIONS.items():
        if not names & words.keys() or (kind == "garbage" and responses):
            continue
        if kind == "garbage" and has_begun:
            return odd_reply_error(target)
        message = words.get("ProxyUnusable") or words.get("ProxyError", "")
        return error_without_response(target, kind, patience, message)
    return error_of_response(target, responses[0] if responses else ErrorResponse(0, {}, _message_of(error)), offered)


def status_of(error: BaseException) -> int:
    """Return the HTTP status that an exception carries; 0 when it carries none."""
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else 0


def _causes(error: BaseException) -> list[BaseException]:
    """Return what caused the exception, the innermost first, and the exception itself."""
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in causes:
        causes.insert(0, cause)
        cause = cause.__cause__ or cause.__context__
    return causes


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
