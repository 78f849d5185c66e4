"""SIGKILL for the engine at random moments: nothing that was told is lost, what had arrived is kept, and it goes on."""

from __future__ import annotations

import asyncio
import json
import os
import random
import secrets
import time
from collections import defaultdict
from pathlib import Path

import psutil
import pytest
from scenes import AT_THE_START, ROOM, SCENES, WINDOW, WORDS, Scenes

from desktop_app.archive.store import Store
from desktop_app.chat.turn.tool_calls import CRASHED
from desktop_app.conversation.events import (
    MessageRecorded,
    ReasoningDelta,
    TextDelta,
    TurnEvent,
    TurnFailed,
    ViewChanged,
)
from desktop_app.conversation.message import Message, Reasoning, Role
from desktop_app.conversation.tools import Rule
from desktop_app.conversation.transcript import AnyEntry
from desktop_app.engine import protocol as p
from desktop_app.settings import Server, Settings, write_settings
from engine_client import EngineClient
from provider import ScriptedProvider

LANES = 3
KEPT_AFTER = 0.5
"""Seconds after which what has arrived of a reply must be kept (design, section 3)."""
GONE_AFTER = 3.0
"""Seconds that the processes of a tool may take to end once their engine is dead."""
LONG = 110
"""Messages of a conversation in which room is due."""


class Heard(list[TurnEvent]):
    """Events, and when each came, in seconds of time.monotonic()."""

    def __init__(self) -> None:
        self.at: list[float] = []

    def append(self, event: TurnEvent) -> None:
        self.at.append(time.monotonic())
        super().append(event)


class Lane:
    """A data folder, its engines, and all that they have acknowledged. kills: how many of them were killed."""

    def __init__(self, folder: Path, base_url: str, seed: str) -> None:
        self.kills = 0
        self.activity = ""
        self._data, self._work = folder / "data", folder / "work"
        self._work.mkdir(parents=True)
        (self._work / "notes.txt").write_text("Notes of a journey.\n" * 20)
        server = Server("scripted", base_url, ("scripted",), WINDOW, 1_000)
        settings = Settings(
            chat_model="scripted/scripted", servers=(server,), folder=str(self._work), rules=(Rule("*"),)
        )
        write_settings(self._data / "settings.json", settings)
        self._random = random.Random(seed)
        self._name = seed.replace("-", "_")
        self._conversation = ""
        self._acknowledged: dict[str, list[str]] = defaultdict(list)
        self._messages: dict[str, Message] = {}
        self._known: set[str] = set()

    async def run(self, scenes: list[str]) -> None:
        """Kills an engine in each of the scenes; the next one must find everything, and take a turn."""
        try:
            await self._run(scenes)
        finally:
            if not self._engine._reading.done():
                await self._engine.kill()

    async def _run(self, scenes: list[str]) -> None:
        engine = await self._started()
        for number, scene in enumerate(scenes):
            self.activity = f"kill {number}, {scene}"
            if scene == AT_THE_START:
                await self._kill(engine)
                await self._killed_while_it_starts()
            else:
                await self._go_to(engine, scene, f"{self._name}x{number}")
                await self._kill(engine)
            engine = await self._started()
            await self._next_turn(engine, f"{self._name}x{number}")
        await engine.close()
        self._note(engine)
        self._check_record()

    async def _go_to(self, engine: EngineClient, scene: str, marker: str) -> None:
        """The moment in which it is killed."""
        if scene in ROOM:
            await self._open_a_long_one(engine, marker)
        is_it, within = SCENES[scene]
        text = f"Please go on with the story. [{marker} {scene}]"
        start = len(engine.events)
        await engine.ask(p.Send(self._conversation, text))
        await engine.until(lambda events: any(map(is_it, events[start:])))
        await asyncio.sleep(self._random.uniform(0, within))

    async def _open_a_long_one(self, engine: EngineClient, marker: str) -> None:
        file = self._data / f"{marker}.jsonl"
        lines = [{"role": ("user", "assistant")[n % 2], "content": f"{n} {marker}: " + WORDS * 5} for n in range(LONG)]
        file.write_text("\n".join(map(json.dumps, lines)))
        imported = await engine.ask(p.ImportFile(str(file)))
        self._conversation = imported.conversations[0].id

    async def _kill(self, engine: EngineClient) -> None:
        self._killed_at = time.monotonic()
        await engine.kill()
        self.kills += 1
        self._note(engine)
        self._partials = self._arrived(engine)
        self._check_record()
        await self._check_processes()

    async def _killed_while_it_starts(self) -> None:
        """It may be about to store what the one before it left in flight."""
        engine = self._engine = await self._start()
        asking = asyncio.ensure_future(engine.ask(p.OpenConversation(self._conversation)))
        await asyncio.sleep(self._random.uniform(0, 0.3))
        partials = self._partials
        await engine.kill()
        await asyncio.wait({asking})
        self._partials = partials

    async def _start(self) -> EngineClient:
        engine = EngineClient(self._data)
        engine.events = Heard()
        return await engine.start()

    async def _started(self) -> EngineClient:
        """An engine that shows what the record holds, and what was in flight."""
        engine = self._engine = await self._start()
        welcome = await engine.ask(p.Hello(p.VERSION))
        assert not welcome.warnings
        await engine.ask(p.ListConversations())
        if self._conversation:
            opened = await engine.ask(p.OpenConversation(self._conversation))
            assert not opened.is_running
            assert opened.gauge.total == sum(opened.gauge.segments.values())
            self._check_rows([row.message for row in opened.rows])
        else:
            self._conversation = (await engine.ask(p.CreateConversation())).conversation.id
        return engine

    async def _next_turn(self, engine: EngineClient, marker: str) -> None:
        events = await engine.turn(self._conversation, f"Are you there? [{marker} next]")
        assert not [event for event in events if isinstance(event, TurnFailed)], events
        replies = [e.row.message for e in events if isinstance(e, MessageRecorded)]
        assert replies[-1].text == f"Here I am again, {marker}."

    def _note(self, engine: EngineClient) -> None:
        """What it told is stored."""
        for event in engine.events:
            told = self._acknowledged[event.conversation]
            if isinstance(event, MessageRecorded):
                told.append(event.row.message.id)
                self._messages[event.row.message.id] = event.row.message
            elif isinstance(event, ViewChanged):
                told += [row.id for row in event.operations if row.id not in told and not row.is_undone]

    def _arrived(self, engine: EngineClient) -> dict[str, tuple[str, str]]:
        """Of each reply that is not acknowledged: reasoning and text that came early enough to be kept."""
        assert isinstance(engine.events, Heard)
        arrived: dict[str, tuple[str, str]] = {}
        for event, at in zip(engine.events, engine.events.at, strict=True):
            if isinstance(event, TextDelta | ReasoningDelta) and at <= self._killed_at - KEPT_AFTER:
                reasoning, text = arrived.get(event.reply_id, ("", ""))
                is_text = isinstance(event, TextDelta)
                arrived[event.reply_id] = (reasoning + event.text * (not is_text), text + event.text * is_text)
        return {name: parts for name, parts in arrived.items() if name not in self._messages}

    def _check_record(self) -> None:
        """The archive is sound, and has what was acknowledged, as it was told and in that order."""
        store = Store(self._data / "archive.sqlite3")
        try:
            health = store.examine()
            assert (health.damage, health.unreadable, health.unsearchable) == ((), (), ())
            for conversation, told in self._acknowledged.items():
                self._check_entries(store.entries(conversation), told)
        finally:
            store.close()

    def _check_entries(self, entries: tuple[AnyEntry, ...], told: list[str]) -> None:
        places = {entry.id: place for place, entry in enumerate(entries)}
        assert [name for name in told if name not in places] == [], "acknowledged, and lost"
        assert sorted(told, key=places.__getitem__) == told, "in another order than they were told"
        assert all(entries[places[name]] == self._messages[name] for name in told if name in self._messages)
        self._known |= places.keys()

    def _check_rows(self, messages: list[Message]) -> None:
        """What had arrived is there, and each call has a result."""
        by_id = {message.id: message for message in messages}
        for name, (reasoning, text) in getattr(self, "_partials", {}).items():
            assert name in by_id, f"of this reply nothing was kept: {reasoning or text!r}"
            kept = by_id[name]
            thought = "".join(part.text for part in kept.parts if isinstance(part, Reasoning))
            assert kept.is_interrupted or name in self._known
            assert (thought[: len(reasoning)], kept.text[: len(text)]) == (reasoning, text)
        for place, message in enumerate(messages):
            results = [m for m in messages[place + 1 : place + 1 + len(message.tool_calls)] if m.role is Role.TOOL]
            assert len(results) == len(message.tool_calls), "a call without a result"
            assert all(CRASHED in m.text for m in results if m.id not in self._known)

    async def _check_processes(self) -> None:
        """Nothing that a tool started survives the engine."""
        deadline = time.monotonic() + GONE_AFTER
        while left := await asyncio.to_thread(self._survivors):
            assert time.monotonic() < deadline, f"still there: {left}"
            await asyncio.sleep(0.05)

    def _survivors(self) -> list[str]:
        """Processes that work in this lane's folder, as only its tools do."""
        left = []
        for process in psutil.process_iter(["cwd", "cmdline", "status"]):
            if process.info["cwd"] == str(self._work) and process.info["status"] != psutil.STATUS_ZOMBIE:
                left.append(f"{process.pid} {process.info['cmdline']}")
        return left


@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("kills", [6, pytest.param(48, marks=pytest.mark.slow)])
async def test_killed_engines(tmp_path: Path, kills: int) -> None:
    seed = os.environ.get("PALIMPSEST_FAULTS_SEED") or secrets.token_hex(4)
    chance, every = random.Random(seed), [*SCENES, AT_THE_START]
    scenes = [scene for _ in range(kills) for scene in chance.sample(every, len(every))][:kills]
    script = Scenes(seed)
    async with ScriptedProvider(script) as provider:
        lanes = [Lane(tmp_path / str(n), provider.base_url, f"{seed}-{n}") for n in range(LANES)]
        try:
            async with asyncio.TaskGroup() as group:
                for n, lane in enumerate(lanes):
                    group.create_task(lane.run(scenes[n::LANES]))
        except* Exception as errors:
            for error in errors.exceptions:
                error.add_note(f"PALIMPSEST_FAULTS_SEED={seed}; " + "; ".join(lane.activity for lane in lanes))
            raise
    assert sum(lane.kills for lane in lanes) >= kills
    assert script.malformed == []
    logs = "".join(file.read_text() for file in tmp_path.glob("*/engine.log"))
    assert "Traceback" not in logs, logs
