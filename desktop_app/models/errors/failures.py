"""What a provider did wrong, as a failure that can be shown: what happened, what was kept, what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from desktop_app.chat.ports import ErrorKind, ModelError
from desktop_app.conversation.events import Failure

from .advice import KEPT, Where, failure_of, odd_reply, said_by_us, sent_too_much, shown, without_prefix
from .kinds import Verdict, classified

__all__ = ["KEPT", "Where", "cut_off", "error_of", "no_chunk", "not_understood", "shown", "status_of"]

EXCEPTIONS: dict[str, ErrorKind] = {
    "ConnectError": "connection",
    "ConnectTimeout": "connection",
    "InvalidURL": "connection",
    "UnsupportedProtocol": "connection",
    "NoWay": "connection",
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
"""Names of exceptions of the connection, by which nothing was said."""

_ORDER = ("connection", "timeout", "cut", "garbage")
"""Of several exceptions that led to each other, the first of these says what happened."""


class Answer(msgspec.Struct, frozen=True):
    """What a provider answered instead of a reply. status: 0 for an error inside a stream. is_from_wire: whether it
    is the answer itself, and not what a library made of it."""

    status: int
    headers: Mapping[str, str]
    text: str
    is_from_wire: bool = False


def error_of_answer(where: Where, answer: Answer, offered: tuple[str, ...] = ()) -> ModelError:
    """The error of an answer. offered: the models that the server lists, if it was asked."""
    verdict = classified(answer.status, answer.headers, answer.text)
    return _error(verdict, failure_of(where, answer.status, verdict, offered))


def cut_off(where: Where) -> ModelError:
    """The stream ended before the provider said that the reply was finished."""
    return _by_kind(where, Verdict("cut"))


def not_understood(where: Where) -> ModelError:
    """Something answers there, but not as that API does."""
    return _by_kind(where, Verdict("garbage"))


def no_chunk(where: Where) -> ModelError:
    """Return the error of something in the middle of a reply that is no piece of one."""
    return _error(Verdict("garbage"), odd_reply(where))


def error_of(
    error: BaseException, where: Where, patience: float, offered: tuple[str, ...] = (), has_begun: bool = False
) -> ModelError:
    """The error of an exception of litellm, openai or httpx. patience: seconds of silence that were allowed.

    has_begun: whether chunks of a reply had come, so that the server does speak the protocol.
    """
    causes = list(_causes(error))[::-1]  # the innermost first: it comes from the wire, the others translate it
    answers = [answer for answer in map(_answer_of, causes) if answer is not None]
    from_wire = [answer for answer in answers if answer.is_from_wire]
    if from_wire:
        return error_of_answer(where, from_wire[0], offered)
    too_much = next((cause for cause in causes if "TooMuch" in _names(cause)), None)
    if too_much is not None:
        return _error(Verdict("garbage"), sent_too_much(where, str(too_much)))
    # Before what the others say: litellm gives a status to errors that had none, 500 to a server that is not there.
    kinds = {EXCEPTIONS[name] for cause in causes for name in _names(cause) if name in EXCEPTIONS}
    for kind in _ORDER:
        if kind in kinds and not (kind == "garbage" and answers):
            if kind == "garbage" and has_begun:
                return no_chunk(where)
            return _by_kind(where, Verdict(kind), patience, _of_proxy(causes))
    return error_of_answer(where, answers[0] if answers else Answer(0, {}, _message(error)), offered)


def status_of(error: BaseException) -> int:
    """The HTTP status that an exception carries; 0 when it carries none."""
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else 0


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception, and what led to it, the innermost last."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or cause.__context__


def _names(error: BaseException) -> list[str]:
    return [kind.__name__ for kind in type(error).__mro__]


def _answer_of(error: BaseException) -> Answer | None:
    """What the provider answered, if this exception carries it: the response as it came, or the object of an error
    inside a stream. litellm's own exceptions carry responses that were never sent, so only their words count."""
    if type(error).__module__.partition(".")[0] in ("openai", "httpx"):
        response, body = getattr(error, "response", None), getattr(error, "body", None)
        if response is not None:
            return Answer(response.status_code, response.headers, _text_of(response, error), True)
        return None if body is None else Answer(0, {}, body if isinstance(body, str) else json.dumps(body), True)
    status = status_of(error)
    return Answer(status, getattr(error, "headers", None) or {}, _message(error)) if status else None


def _text_of(response: Any, error: BaseException) -> str:
    import httpx

    try:
        return response.text
    except httpx.StreamError:  # its body was not read before it was closed
        return _message(error)


def _message(error: BaseException) -> str:
    return without_prefix(str(getattr(error, "message", "") or error))


def _of_proxy(causes: list[BaseException]) -> str:
    """What is wrong with the proxy, if it is that."""
    return next((str(cause) for cause in causes if {"NoWay", "ProxyError"} & set(_names(cause))), "")


def _by_kind(where: Where, verdict: Verdict, patience: float = 0.0, said: str = "") -> ModelError:
    return _error(verdict, said_by_us(where, verdict.kind, patience, said))


def _error(verdict: Verdict, failure: Failure) -> ModelError:
    return ModelError(
        failure,
        kind=verdict.kind,
        retry_after=verdict.retry_after,
        limit=verdict.limit,
        observed=verdict.observed,
    )
