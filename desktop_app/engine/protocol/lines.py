"""The lines themselves: requests on the engine's standard input, responses and events on its standard output.

Each request line gets exactly one response line of the same number; events come whenever they happen. An event leaves
the engine only after what it tells is stored.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar, Union, get_args

import msgspec

from desktop_app.conversation.events import Failure, TurnEvent
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.setup import Project
from desktop_app.conversation.transcript import replace_surrogates_in_builtins

from .base import ComputationRequest, EngineRequest, EngineResponse
from .context_requests import ContextRequest, InsightsRequest, PolicyRequest
from .conversation_requests import ConversationsRequest, ProjectRequest, SetupRequest
from .settings_requests import DataRequest, ImportingRequest, ProgramRequest, ServerRequest, SettingsRequest
from .turn_requests import AttachmentRequest, ToolRequest, TurnRequest, UnsentRequest

VERSION = 19
"""Raised whenever a shape changes: a window and an engine of different versions do not talk to each other."""

AnyRequest = (
    ConversationsRequest
    | TurnRequest
    | UnsentRequest
    | ContextRequest
    | PolicyRequest
    | ProjectRequest
    | ToolRequest
    | SettingsRequest
    | ServerRequest
    | SetupRequest
    | AttachmentRequest
    | ImportingRequest
    | InsightsRequest
    | DataRequest
    | ProgramRequest
    | ComputationRequest
)

Q = TypeVar("Q", bound=EngineRequest[Any])
S = TypeVar("S", bound=EngineResponse)


class RequestLine(msgspec.Struct, Generic[Q], frozen=True, tag="request"):
    """A line from the window."""

    number: int
    request: Q


class ResponseLine(msgspec.Struct, Generic[S], frozen=True, tag="response"):
    """A line from the engine: the response to a request, or why there is none."""

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
    """A line from the engine: what it does by itself did not work, such as the daily backup."""

    failure: Failure


EngineLine = ResponseLine[EngineResponse] | EventLine | ConversationsChanged | EngineWarned


class _Numbered(msgspec.Struct, frozen=True):
    number: int


_any_response: Any = Union[tuple({request.response_type() for request in get_args(AnyRequest)})]  # noqa: UP007
_encoder = msgspec.json.Encoder()
_request_decoder = msgspec.json.Decoder(RequestLine[AnyRequest])
_number_decoder = msgspec.json.Decoder(_Numbered)
_line_decoder = msgspec.json.Decoder(ResponseLine[_any_response] | EventLine | ConversationsChanged | EngineWarned)


UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for bytes that are no JSON of the expected type."""


class ProtocolError(Exception):
    """A line that is not of this protocol's version."""


def encode_line(value: RequestLine[Any] | EngineLine) -> bytes:
    """Return the value as one line of JSON, with its newline. A lone surrogate, as servers send it, becomes U+FFFD."""
    try:
        return _encoder.encode(value) + b"\n"
    except UnicodeEncodeError:
        return _encoder.encode(replace_surrogates_in_builtins(value)) + b"\n"


def decode_request(line: bytes) -> RequestLine[AnyRequest]:
    """Raises ProtocolError."""
    try:
        return _request_decoder.decode(line)
    except UNREADABLE as error:
        raise ProtocolError(str(error)) from error


def number_of(line: bytes) -> int | None:
    """Return the number of a request that is not of this protocol, so that it can be refused; None if it has none."""
    try:
        return _number_decoder.decode(line).number
    except UNREADABLE:
        return None


def decode_engine_line(line: bytes) -> EngineLine:
    """Raises ProtocolError."""
    try:
        return _line_decoder.decode(line)
    except UNREADABLE as error:
        raise ProtocolError(str(error)) from error
