"""What crosses the border comes out as it went in; what is not of the protocol is refused."""

from __future__ import annotations

from typing import Any

import pytest

from desktop_app.conversation.events import Failure
from desktop_app.engine import protocol as p


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
