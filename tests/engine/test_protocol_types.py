"""The protocol: what crosses the border comes out as it went in, and it is typed end to end.

pyright reads this file too, and reports a line whose type differs.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, assert_type, get_args, get_type_hints

import pytest

from desktop_app.conversation.events import Failure
from desktop_app.engine import protocol as p
from desktop_app.engine.requests import (
    RESPONDERS,
    context_responses,
    conversation_responses,
    settings_responses,
    turn_responses,
)

if TYPE_CHECKING:
    from desktop_app.ui.bridge import Bridge

REQUESTS: tuple[type[p.EngineRequest], ...] = get_args(p.AnyRequest)


async def asked(bridge: Bridge, one: p.PinMessage | p.UnpinMessage, plan: p.PlanOptimize | p.WriteSummary) -> None:
    """Never called: what a type checker knows of a response by its request."""
    assert_type(await bridge.ask(p.ListModels()), p.ModelsListed)
    assert_type(await bridge.ask(p.UndoOperation("c", "o")), p.Done)
    assert_type(await bridge.ask(p.OpenConversation("c")), p.ConversationOpened)
    assert_type(await bridge.ask(one), p.Done)
    assert_type(await bridge.ask(plan), p.Plan)
    p.UndoOperation("c", "o").respond_with(p.Welcome(1))  # pyright: ignore[reportArgumentType]
    bridge.post(p.ListModels())  # pyright: ignore[reportArgumentType]


def leaves(kind: type) -> set[type]:
    below = kind.__subclasses__()
    return set().union(*(leaves(one) for one in below)) if below else {kind}


def test_each_request_is_in_the_union_of_its_area() -> None:
    assert set(REQUESTS) == leaves(p.EngineRequest)


def test_each_request_has_somebody_who_carries_it_out() -> None:
    assert set(RESPONDERS) == set(REQUESTS)


@pytest.mark.parametrize(
    "respond",
    [
        turn_responses.respond_turn,
        turn_responses.respond_tool,
        turn_responses.respond_attachment,
        conversation_responses.respond_conversation,
        context_responses.respond_context,
        settings_responses.respond_settings,
    ],
)
def test_the_engine_reports_a_request_that_it_does_not_carry_out(respond: Callable[..., object]) -> None:
    assert get_args(get_type_hints(respond)["request"])
    assert "assert_never(request)" in inspect.getsource(sys.modules[respond.__module__])


def test_a_response_of_another_type_is_refused() -> None:
    assert p.ListModels().checked(p.ModelsListed(())) == p.ModelsListed(())
    with pytest.raises(TypeError, match="ListModels got the response Done"):
        p.ListModels().checked(p.Done())
    assert all(issubclass(request.response_type(), p.EngineResponse) for request in REQUESTS)


@pytest.mark.parametrize(
    "request_sent",
    [p.Hello(p.VERSION), p.Send("c", "line one\nline two 🙂 \u2028"), p.ReadOperation("c", "o", "query", 60)],
)
def test_a_request_is_one_line_and_comes_out_as_it_went_in(request_sent: p.EngineRequest[Any]) -> None:
    line = p.encode_line(p.RequestLine(7, request_sent))
    assert line.count(b"\n") == 1
    assert p.decode_request(line) == p.RequestLine(7, request_sent)


@pytest.mark.parametrize(
    "sent",
    [p.ResponseLine(3, failure=Failure("disk", "The disk is full")), p.ResponseLine(4, p.ModelsListed(()))],
)
def test_a_response_comes_out_as_it_went_in(sent: p.EngineLine) -> None:
    assert p.decode_engine_line(p.encode_line(sent)) == sent


@pytest.mark.parametrize("line", [b"", b"[]", b'{"type":"request"}', b'{"type":"request","number":1,"request":{}}'])
def test_what_is_not_of_the_protocol_is_refused(line: bytes) -> None:
    with pytest.raises(p.ProtocolError):
        p.decode_request(line)
    with pytest.raises(p.ProtocolError):
        p.decode_engine_line(line)
