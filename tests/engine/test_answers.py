"""What is not of this protocol is refused by its number, so that nobody waits for it for ever."""

from __future__ import annotations

from desktop_app.engine import protocol as p
from desktop_app.engine.event_coalescer import EventCoalescer
from desktop_app.engine.serve import EngineServer


async def test_a_line_of_another_version_is_refused_by_its_number() -> None:
    lines: list[bytes] = []
    server = EngineServer(EventCoalescer(lines.append))
    server._take(b'{"type":"request","number":41,"request":{"type":"Dance","conversation":"c"}}\n')
    server._take(b"nonsense\n")
    server.outbox.flush()
    [line] = [p.decode_engine_line(line) for line in lines]
    assert isinstance(line, p.ResponseLine)
    assert (line.number, line.response) == (41, None)
    assert line.failure is not None
    assert line.failure.kind == "engine"
