"""The protocol: what crosses the border comes out as it went in, and it is typed end to end.

pyright reads this file too, and reports a line whose type differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_type, get_type_hints

import pytest

from desktop_app.conversation.events import Failure
from desktop_app.engine import protocol as p
from desktop_app.engine.requests import RESPONDERS
from desktop_app.engine.requests.responders import responds

if TYPE_CHECKING:
    from desktop_app.engine.engine import Engine
    from desktop_app.ui.bridge import Bridge


async def asked(bridge: Bridge, one: p.PinMessage | p.UnpinMessage, plan: p.PlanOptimize | p.WriteSummary) -> None:
    """Never called: what a type checker knows of a response by its request."""
    assert_type(await bridge.ask(p.ListModels()), p.ModelsListed)
    assert_type(await bridge.ask(p.UndoOperation("c", "o")), p.Done)
    assert_type(await bridge.ask(p.OpenConversation("c")), p.ConversationOpened)
    assert_type(await bridge.ask(one), p.Done)
    assert_type(await bridge.ask(plan), p.Plan)
    bridge.post(p.ListModels())  # pyright: ignore[reportArgumentType]

    @responds(p.UndoOperation)  # pyright: ignore[reportArgumentType]
    async def _undo(engine: Engine, request: p.UndoOperation) -> p.Welcome: ...


def concrete(kind: type) -> set[type]:
    below = kind.__subclasses__()
    return set().union(*map(concrete, below)) if below else {kind}


def test_each_request_is_decoded_and_has_a_responder() -> None:
    assert set(p.REQUESTS) == set(RESPONDERS) == concrete(p.EngineRequest)
    assert len(p.REQUESTS) > 90


@pytest.mark.parametrize("kind", p.REQUESTS)
def test_the_responder_takes_the_request_and_returns_its_response(kind: type[p.AnyRequest]) -> None:
    hints = get_type_hints(RESPONDERS[kind])
    assert hints["request"] is kind
    assert hints["return"] is (type(None) if kind.response_type() is p.Done else kind.response_type())


def test_a_response_of_another_type_is_refused() -> None:
    assert p.ListModels().checked(p.ModelsListed(())) == p.ModelsListed(())
    with pytest.raises(TypeError, match="ListModels got the response Done"):
        p.ListModels().checked(p.Done())
    assert all(issubclass(request.response_type(), p.EngineResponse) for request in p.REQUESTS)


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
