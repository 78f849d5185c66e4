"""Each request of the protocol is carried out by somebody, and what nobody knows is refused, never "done"."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import get_args

import pytest

from desktop_app.engine import answers
from desktop_app.engine import protocol as p
from desktop_app.engine.compose import compose
from desktop_app.engine.event_coalescer import EventCoalescer
from desktop_app.engine.serve import Server

REQUESTS = {kind.__name__ for kind in vars(p).values() if isinstance(kind, type) and issubclass(kind, p.EngineRequest)}


def carried_out() -> set[str]:
    """The classes that a `case` of answers.py names."""
    cases = (node for node in ast.walk(ast.parse(inspect.getsource(answers))) if isinstance(node, ast.MatchClass))
    return {case.cls.attr for case in cases if isinstance(case.cls, ast.Attribute)}


def test_every_request_is_one_of_the_protocol_and_has_somebody_who_carries_it_out() -> None:
    assert {kind.__name__ for kind in get_args(p.AnyWish)} == REQUESTS - {"EngineRequest"}
    assert carried_out() == REQUESTS - {"EngineRequest"}


async def test_a_request_that_nobody_carries_out_is_an_error(tmp_path: Path) -> None:
    lines: list[bytes] = []
    server = Server(EventCoalescer(lines.append))
    server.engine = await compose(tmp_path, server.outbox, server.tell_list_changed, server.log_bug)
    session = await server.engine.conversations.create("One")

    class Dance(p.EngineRequest, frozen=True):
        conversation: str

    with pytest.raises(AssertionError):
        await answers.answer(server.engine, Dance(session.id))  # type: ignore[arg-type]
    await server.close()


async def test_a_line_of_another_version_is_refused_by_its_number() -> None:
    lines: list[bytes] = []
    server = Server(EventCoalescer(lines.append))
    server._take(b'{"type":"ask","number":41,"wish":{"type":"Dance","conversation":"c"}}\n')
    server._take(b"nonsense\n")
    server.outbox.flush()
    [answer] = [p.decode_engine_line(line) for line in lines]
    assert isinstance(answer, p.Answer)
    assert answer.number == 41
    assert answer.thing is None
    assert answer.failure is not None
    assert answer.failure.kind == "engine"
