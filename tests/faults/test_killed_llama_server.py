"""SIGKILL for the built-in model's server in a turn: it ends and says why, or goes on as if nothing had been."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil
import pytest

from desktop_app.conversation.events import (
    MessageRecorded,
    ReplyStarted,
    TextDelta,
    TurnEvent,
    TurnFailed,
    TurnFinished,
)
from desktop_app.conversation.message import Role
from desktop_app.engine import protocol as p
from desktop_app.models import builtin
from engine_client import EngineClient

pytestmark = pytest.mark.model
LANES = 3
MOMENTS = (
    "between turns",
    "while it starts",
    "before the first token",
    "while it reads",
    "while it writes",
    "at the stop",
)
QUESTION = "Count from 1 to 40, please."
LONG = " ".join(f"On day {day} we walked to the town of the river and saw {day} boats." for day in range(12))
LIVES_AFTER = 3
"""Lines of text behind the kill from which the turn is known to go on."""


class Killing:
    """A conversation with the built-in model, whose server is killed now and then."""

    def __init__(self, engine: EngineClient, seed: str) -> None:
        self.failures: list[str] = []
        self._engine = engine
        self._random = random.Random(seed)
        self._conversation = ""

    def server(self) -> psutil.Process | None:
        """The engine's child that runs the model."""
        with contextlib.suppress(psutil.NoSuchProcess):
            for child in psutil.Process(self._engine.process.pid).children():
                if any("llama_server" in word for word in child.cmdline()):
                    return child
        return None

    async def run(self, moment: str) -> None:
        """One kill at that moment, and the turn after it."""
        self._conversation = (await self._engine.ask(p.CreateConversation())).conversation.id
        if moment == "between turns":
            await self._turn_begins()
            await self._stopped()
            self._kill()
        else:
            await self._killed_in_a_turn(moment)
        await self._turn_begins()
        await self._stopped()

    async def _killed_in_a_turn(self, moment: str) -> None:
        events = self._engine.events
        if moment == "while it starts":
            self._kill()
        start = len(events)
        await self._engine.ask(p.Send(self._conversation, LONG if moment == "while it reads" else QUESTION))
        await self._come_to(moment, start)
        has_killed = self._kill()
        killed = len(events)
        if moment == "at the stop":
            await self._engine.ask(p.Stop(self._conversation))
        elif moment != "while it writes":
            await self._engine.until(lambda told: texts(told[killed:]) >= LIVES_AFTER or has_ended(told[start:]))
            await self._stopped(start)
        await self._engine.until(lambda told: has_ended(told[start:]))
        await self._check(events[start:], has_killed and moment == "while it writes")

    async def _come_to(self, moment: str, start: int) -> None:
        until, within = self._engine.until, {"before the first token": 0.1, "while it reads": 1.0}.get(moment, 0.5)
        if moment == "while it starts":
            await until_true(self.server)
        elif moment in ("while it writes", "at the stop"):
            await until(lambda told: texts(told[start:]) > 0 or has_ended(told[start:]))
        else:
            await until(lambda told: any(isinstance(e, ReplyStarted) for e in told[start:]))
        await asyncio.sleep(self._random.uniform(0, within))

    def _kill(self) -> bool:
        """Whether there was one to kill."""
        if (server := self.server()) is None:
            return False
        server.kill()
        return True

    async def _stopped(self, start: int | None = None) -> None:
        await self._engine.ask(p.Stop(self._conversation))
        await self._engine.until(lambda told: has_ended(told if start is None else told[start:]))

    async def _turn_begins(self) -> None:
        """The model writes: the turn works."""
        start = len(self._engine.events)
        await self._engine.ask(p.Send(self._conversation, QUESTION))
        await self._engine.until(lambda told: texts(told[start:]) > 0 or has_ended(told[start:]))
        events = self._engine.events[start:]
        assert not [event for event in events if isinstance(event, TurnFailed)], events

    async def _check(self, events: list[TurnEvent], must_fail: bool) -> None:
        """What had arrived is kept; a failure says what happened, and what helps."""
        finished = next(event for event in events if isinstance(event, TurnFinished))
        failed = [event.failure for event in events if isinstance(event, TurnFailed)]
        assert (finished.reason == "failed") == (len(failed) == 1)
        assert all(failure.title and failure.advice and "bug" not in failure.kind for failure in failed), failed
        self.failures += [failure.title for failure in failed]
        opened = await self._engine.ask(p.OpenConversation(self._conversation))
        assert not opened.is_running
        replies = {row.message.id: row.message for row in opened.rows if row.message.role is Role.ASSISTANT}
        told: dict[str, str] = {}
        for event in events:
            if isinstance(event, TextDelta):
                told[event.reply_id] = told.get(event.reply_id, "") + event.text
        assert {name: reply.text for name, reply in replies.items()} == told
        assert not failed or any(told.values()), "before its first word a reply is simply asked for again"
        whole = [e.row.message for e in events if isinstance(e, MessageRecorded) and e.row.message.id in told]
        assert [message.is_interrupted for message in whole] == [finished.reason != "finished"] * len(whole)
        assert failed or not must_fail or finished.reason == "finished", "the end of its server was not noticed"


def texts(events: list[TurnEvent]) -> int:
    return sum(isinstance(event, TextDelta) for event in events)


def has_ended(events: list[TurnEvent]) -> bool:
    return any(isinstance(event, TurnFinished) for event in events)


async def until_true(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not is_so():
            await asyncio.sleep(0.01)


@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("kills", [len(MOMENTS), pytest.param(50, marks=pytest.mark.slow)])
async def test_killed_servers(tmp_path: Path, kills: int) -> None:
    if builtin.model_path() is None or builtin.check_model() is not None:
        pytest.skip("the built-in model is not installed")
    seed = os.environ.get("PALIMPSEST_FAULTS_SEED") or secrets.token_hex(4)
    moments = list(MOMENTS * kills)[:kills]
    random.Random(seed).shuffle(moments)
    async with asyncio.TaskGroup() as group:
        for lane in range(LANES):
            group.create_task(one_after_the_other(tmp_path / str(lane), f"{seed}-{lane}", moments[lane::LANES]))


async def one_after_the_other(folder: Path, seed: str, moments: Sequence[str]) -> None:
    """An engine whose servers are killed."""
    folder.mkdir()
    engine = await EngineClient(folder / "data").start()
    killing = Killing(engine, seed)
    try:
        for number, moment in enumerate(moments):
            try:
                await killing.run(moment)
                print(f"kill {number} of {seed}, {moment}; {len(killing.failures)} failures told", flush=True)
            except Exception as error:
                error.add_note(f"PALIMPSEST_FAULTS_SEED={seed.split('-')[0]}, kill {number} of {seed}, {moment}")
                raise
        last = killing.server()
    finally:
        await engine.close()
    assert last is None or not last.is_running(), "it outlives its engine"
    log = (folder / "engine.log").read_text()
    assert "Traceback" not in log, log
