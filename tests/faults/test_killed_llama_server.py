"""SIGKILL for the built-in model's server in a turn: it ends and says why, or goes on as if nothing had been."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import secrets
from pathlib import Path

import psutil
import pytest

from desktop_app.conversation.events import ReplyStarted, TextDelta, TurnEvent, TurnFailed, TurnFinished
from desktop_app.conversation.message import Role
from desktop_app.engine import protocol as p
from desktop_app.models import builtin
from engine_client import EngineClient

pytestmark = pytest.mark.model
MOMENTS: dict[str, tuple[type, float]] = {
    "before the first token": (ReplyStarted, 0.1),
    "while it reads": (ReplyStarted, 1.0),
    "while it writes": (TextDelta, 0.5),
}
"""For each moment in a turn: the event that it comes after, and within how many seconds."""
BETWEEN_TURNS = "between turns"
QUESTION = "Count from 1 to 40, please."
LONG = " ".join(f"On day {day} we walked to the town of the river and saw {day} boats." for day in range(12))
LIVES_AFTER = 3
"""Pieces of text after the kill from which the turn is known to go on."""


def server_of(engine: EngineClient) -> psutil.Process | None:
    """The engine's child that runs the model."""
    with contextlib.suppress(psutil.NoSuchProcess):
        for child in psutil.Process(engine.process.pid).children():
            if any("llama_server" in word for word in child.cmdline()):
                return child
    return None


def count(events: list[TurnEvent], kind: type) -> int:
    return sum(isinstance(event, kind) for event in events)


async def kill_at(engine: EngineClient, moment: str, chance: random.Random) -> None:
    conversation = (await engine.ask(p.CreateConversation())).conversation.id
    if moment == BETWEEN_TURNS and (server := server_of(engine)):
        server.kill()
    start = len(engine.events)
    await engine.ask(p.Send(conversation, LONG if moment == "while it reads" else QUESTION))
    if moment in MOMENTS:
        kind, within = MOMENTS[moment]
        await engine.until(lambda told: count(told[start:], kind) + count(told[start:], TurnFinished) > 0)
        await asyncio.sleep(chance.uniform(0, within))
        if server := server_of(engine):
            server.kill()
    killed = len(engine.events)
    if moment != "while it writes":
        await engine.until(
            lambda told: count(told[killed:], TextDelta) >= LIVES_AFTER or count(told[start:], TurnFinished) > 0
        )
        await engine.ask(p.Stop(conversation))
    await engine.until(lambda told: count(told[start:], TurnFinished) > 0)
    await check(engine, conversation, engine.events[start:], moment)


async def check(engine: EngineClient, conversation: str, events: list[TurnEvent], moment: str) -> None:
    """What had arrived is kept; a failure says what happened, and what helps."""
    finished = next(event for event in events if isinstance(event, TurnFinished))
    failed = [event.failure for event in events if isinstance(event, TurnFailed)]
    assert (finished.reason == "failed") == (len(failed) == 1)
    assert all(failure.title and failure.advice and "bug" not in failure.kind for failure in failed), failed
    assert not failed or moment != BETWEEN_TURNS, "it is simply started again"
    assert failed or moment != "while it writes" or finished.reason == "finished", "its end was not noticed"
    opened = await engine.ask(p.OpenConversation(conversation))
    assert not opened.is_running
    replies = {row.message.id: row.message for row in opened.rows if row.message.role is Role.ASSISTANT}
    told: dict[str, str] = {}
    for event in events:
        if isinstance(event, TextDelta):
            told[event.reply_id] = told.get(event.reply_id, "") + event.text
    assert {name: reply.text for name, reply in replies.items()} == told
    assert [reply.is_interrupted for reply in replies.values()] == [finished.reason != "finished"] * len(replies)
    assert not failed or any(told.values()), "before its first word a reply is simply asked for again"


@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("kills", [len(MOMENTS), pytest.param(48, marks=pytest.mark.slow)])
async def test_killed_servers(tmp_path: Path, kills: int) -> None:
    if builtin.model_path() is None or builtin.check_model() is not None:
        pytest.skip("the built-in model is not installed")
    seed = os.environ.get("PALIMPSEST_FAULTS_SEED") or secrets.token_hex(4)
    chance = random.Random(seed)
    moments = [moment for _ in range(kills) for moment in chance.sample([*MOMENTS], len(MOMENTS))][:kills]
    engine = await EngineClient(tmp_path / "data", is_forked=False).start()
    try:
        for moment in (*moments, BETWEEN_TURNS):
            try:
                await kill_at(engine, moment, chance)
            except Exception as error:
                error.add_note(f"PALIMPSEST_FAULTS_SEED={seed}: {moment}")
                raise
        last = server_of(engine)
    finally:
        await engine.close()
    assert last is None or not last.is_running(), "it outlives its engine"
    log = (tmp_path / "engine.log").read_text()
    assert "Traceback" not in log, log
