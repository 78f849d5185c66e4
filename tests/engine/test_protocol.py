"""What crosses the border comes out as it went in; what is not of the protocol is refused."""

from __future__ import annotations

import pytest

from desktop_app.conversation.events import Failure
from desktop_app.engine import protocol as p


@pytest.mark.parametrize(
    "wish",
    [
        p.Hello(p.VERSION),
        p.Send("c", "line one\nline two 🙂 \u2028"),
        p.ReadOperation("c", "o", "query", 60),
        p.BringBackMessages("c", ("a", "b")),
        p.PlanOptimize("c"),
    ],
)
def test_a_wish_is_one_line_and_comes_out_as_it_went_in(wish: p.AnyRequest) -> None:
    line = p.encode_line(p.RequestLine(7, wish))
    assert line.count(b"\n") == 1
    assert p.decode_request(line) == p.RequestLine(7, wish)


def test_an_answer_comes_out_as_it_went_in() -> None:
    answer = p.ResponseLine(3, failure=Failure("disk", "The disk is full", advice="Free some space."))
    assert p.decode_engine_line(p.encode_line(answer)) == answer


@pytest.mark.parametrize(
    "line", [b"", b"garbage", b"[]", b'{"type":"request"}', b'{"type":"request","number":1,"request":{}}']
)
def test_what_is_not_of_the_protocol_is_refused(line: bytes) -> None:
    with pytest.raises(p.ProtocolError):
        p.decode_request(line)
