"""One window's server: what it says unasked."""

from __future__ import annotations

import time
from asyncio import sleep
from pathlib import Path

from desktop_app.engine import protocol as p
from desktop_app.engine.compose import compose
from desktop_app.engine.event_coalescer import EventCoalescer
from desktop_app.engine.serve import EngineServer


async def test_a_list_that_changes_while_it_is_read_is_told_again(tmp_path: Path) -> None:
    lines: list[bytes] = []
    server = EngineServer(EventCoalescer(lines.append))
    server.engine = await compose(tmp_path, server.outbox, server.tell_list_changed, server.log_bug)
    chats = server.engine.conversations
    until = time.monotonic() + 0.3
    while time.monotonic() < until:
        server.tell_list_changed()
        await sleep(0)
    created = await chats.create("The last one")
    await sleep(0.3)
    await server.close()
    lists = [told for line in lines if isinstance(told := p.decode_engine_line(line), p.ConversationsChanged)]
    assert len(lists) > 1
    assert [info.id for info in lists[-1].conversations] == [created.id]
