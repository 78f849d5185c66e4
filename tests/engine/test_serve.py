"""One window's server: what it refuses, and what it says unasked."""

from __future__ import annotations

import time
from asyncio import sleep
from pathlib import Path

from desktop_app.engine import protocol as p
from desktop_app.engine.compose import compose_engine
from desktop_app.engine.engine import log_bug
from desktop_app.engine.event_coalescer import EventCoalescer
from desktop_app.engine.serve import EngineServer


async def test_a_list_that_changes_while_it_is_read_is_told_again(tmp_path: Path) -> None:
    lines: list[bytes] = []
    server = EngineServer(EventCoalescer(lines.append))
    server.engine = await compose_engine(tmp_path, server.coalescer, server.tell_list_changed, log_bug)
    until = time.monotonic() + 0.1
    while time.monotonic() < until:
        server.tell_list_changed()
        await sleep(0)
    created = await server.engine.conversations.create("The last one")
    await sleep(0.15)
    await server.close()
    lists = [line for line in map(p.decode_engine_line, lines) if isinstance(line, p.ConversationsChanged)]
    assert len(lists) > 1
    assert [info.id for info in lists[-1].conversations] == [created.id]


async def test_a_line_of_another_version_is_refused_by_its_number() -> None:
    lines: list[bytes] = []
    server = EngineServer(EventCoalescer(lines.append))
    server.take(b'{"type":"request","number":41,"request":{"type":"Dance","conversation":"c"}}\n')
    server.take(b"nonsense\n")
    [line] = map(p.decode_engine_line, lines)
    assert isinstance(line, p.ResponseLine)
    assert (line.number, line.response) == (41, None)
    assert line.failure is not None
    assert line.failure.kind == "engine"
