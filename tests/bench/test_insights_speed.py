"""The figures of 100,000 messages, in CPU time, and how long the engine's loop waits meanwhile."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from desktop_app.archive.archive import Archive
from desktop_app.chat.read_insights import insights_of_all
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text, Usage
from slowness import slowness

CONVERSATIONS, EACH = 50, 2_000
SECONDS = 3.0
"""Of CPU: 0.6 to 1.1 on one of two slow cores."""
LONGEST_GAP = 0.05


def life(name: str) -> list[Message]:
    usage, text = Usage(1_000, 50, 900, dollars=0.01), Text("word " * 100)
    return [
        Message(id=f"{name}-{n}", at=1e9 + n, role=Role.ASSISTANT, model="far/big", parts=(text,), usage=usage)
        for n in range(EACH)
    ]


@pytest.mark.slow
async def test_everything_is_read_in_some_seconds_and_the_loop_goes_on(tmp_path: Path) -> None:
    archive = await Archive.open(tmp_path / "archive.sqlite3")
    for number in range(CONVERSATIONS):
        name = f"c{number}"
        await archive.create(ConversationInfo(name, name, 0.0, 0.0), life(name))
    gaps: list[float] = []

    async def beat() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            gaps.append(time.perf_counter() - before - 0.005)

    heart, started = asyncio.ensure_future(beat()), time.process_time()
    insights = await insights_of_all(archive)
    taken = time.process_time() - started
    heart.cancel()
    await archive.close()
    assert insights.spent().requests == CONVERSATIONS * EACH
    assert taken < SECONDS
    assert max(gaps) < LONGEST_GAP * slowness()
