"""Whoever stops the writing of a summary waits for nothing (K11)."""

from __future__ import annotations

import asyncio
import time

from test_summarize import chat

from desktop_app.conversation.events import RoomEnded, RoomProgressed, TurnFinished
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Compaction
from provider import Reply
from slowness import slowness
from summary_prompts import PROMPTS

STOP_SECONDS = 0.25
"""As the table of features has it."""
SLOW = Reply('{"summary": "' + "word " * 2_000, pause=0.02, size=5)


async def stopped(home, session, turn: bool) -> float:
    """Seconds from the wish to its answer, while a summary streams."""
    await home.until(lambda: bool(home.of(RoomProgressed)))
    assert home.chats.turns.is_running(session.id) is turn
    began = time.monotonic()
    await home.chats.turns.stop_room(session.id)
    return time.monotonic() - began


async def test_in_a_turn_that_waits_for_it(house) -> None:
    home = await house([SLOW], prompts=PROMPTS)
    session = await home.chats.create("Long", chat(70))
    await home.chats.turns.send(session, "Where are we?")
    seconds = await stopped(home, session, turn=True)
    print(f"stopped in {seconds * 1000:.0f} ms")
    assert seconds < STOP_SECONDS * slowness()
    assert home.of(TurnFinished)[0].reason == "stopped"
    entries = await home.archive.entries(session.id)
    assert not [entry for entry in entries if isinstance(entry, Compaction)]
    assert isinstance(entries[-1], Message)
    assert entries[-1].text == "Where are we?"
    assert await asyncio.to_thread(home.provider.client_left.wait, 5), "the connection is closed"


async def test_in_the_background(house) -> None:
    home = await house([Reply("First."), SLOW], window=20_000, prompts=PROMPTS)
    session = await home.chats.create("Long", chat(136))
    await home.turn(session, "One.")
    seconds = await stopped(home, session, turn=False)
    print(f"stopped in {seconds * 1000:.0f} ms")
    assert seconds < STOP_SECONDS * slowness()
    assert isinstance(home.events[-1], RoomEnded)
    assert not [entry for entry in await home.archive.entries(session.id) if isinstance(entry, Compaction)]
    assert await asyncio.to_thread(home.provider.client_left.wait, 5)
