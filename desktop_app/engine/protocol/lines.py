"""The lines of the protocol: requests on the engine's standard input, responses and events on its standard output.

Each request gets exactly one response with the same number. Events are sent as they happen, but only after the change
that they report has been stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar, Union

import msgspec

from desktop_app.conversation.events import Failure, TurnEvent
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.setup import Project
from desktop_app.conversation.transcript import replace_surrogates_in_builtins

from . import context_requests, conversation_requests, settings_requests, turn_requests  # noqa: F401, they are decoded
from .base import AnyRequest, EngineRequest, EngineResponse

VERSION = 23
"""Incremented whenever a type changes. A window and an engine with different versions refuse to work together."""

Q = TypeVar("Q", bound=EngineRequest[Any])
S = TypeVar("S", bound=EngineResponse)


class RequestLine(msgspec.Struct, Generic[Q], frozen=True, tag="request"):
    """A line from the window."""

    number: int
    request: Q


class ResponseLine(msgspec.Struct, Generic[S], frozen=True, tag="response"):
    """A line from the engine: the response to a request, or the reason why it failed."""

    number: int
    response: S | None = None
    failure: Failure | None = None


class EventLine(msgspec.Struct, frozen=True, tag="event"):
    """A line from the engine: an event of a turn."""

    event: TurnEvent


class ConversationsChanged(msgspec.Struct, frozen=True, tag="conversations_changed"):
    """A line from the engine: the sidebar's list has changed (a title, a time, a count, a gauge, a project)."""

    conversations: tuple[ConversationInfo, ...]
    projects: tuple[Project, ...] = ()


class EngineWarned(msgspec.Struct, frozen=True, tag="engine_warned"):
    """A line from the engine: background work has failed, such as the daily backup."""

    failure: Failure


EngineLine = ResponseLine[EngineResponse] | EventLine | ConversationsChanged | EngineWarned


class _Numbered(msgspec.Struct, frozen=True):
    number: int


def _leaves(kind: type[EngineRequest[Any]]) -> Iterator[type[EngineRequest[Any]]]:
    """Yield the direct and indirect subclasses that have no subclasses themselves."""
    for each in kind.__subclasses__():
        yield from _leaves(each) if each.__subclasses__() else (each,)


REQUESTS = tuple(_leaves(EngineRequest))
"""The types of all requests."""

_any_request: Any = Union[REQUESTS]  # noqa: UP007
_any_response: Any = Union[tuple({request.response_type() for request in REQUESTS})]  # noqa: UP007
_encoder = msgspec.json.Encoder()
_request_decoder = msgspec.json.Decoder(RequestLine[_any_request])
_number_decoder = msgspec.json.Decoder(_Numbered)
_line_decoder = msgspec.json.Decoder(ResponseLine[_any_response] | EventLine | ConversationsChanged | EngineWarned)


UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Exceptions that msgspec raises for bytes that are not JSON of the expected type."""


class ProtocolError(Exception):
    """A line that is not of this protocol's version."""


def encode_line(value: RequestLine[Any] | EngineLine) -> bytes:
    """Return the value as one line of JSON, with its newline. Lone surrogates, as some servers send, become U+FFFD."""
    try:
        return _encoder.encode(value) + b"\n"
    except UnicodeEncodeError:
        return _encoder.encode(replace_surrogates_in_builtins(value)) + b"\n"


def decode_request(line: bytes) -> RequestLine[AnyRequest]:
    """Return the request of a line. Raises ProtocolError."""
    try:
        return _request_decoder.decode(line)
    except UNREADABLE as error:
        raise ProtocolError(str(error)) from error


def number_of(line: bytes) -> int | None:
    """Return the number of a request that cannot be decoded, so that it can be refused; None if there is none."""
    try:
        return _number_decoder.decode(line).number
    except UNREADABLE:
        return None


def decode_engine_line(line: bytes) -> EngineLine:
    """Return the value of a line from the engine. Raises ProtocolError."""
    try:
        return _line_decoder.decode(line)
    except UNREADABLE as error:
        raise ProtocolError(str(error)) from error
