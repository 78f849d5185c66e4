"""SIGKILL for the engine in each scene: nothing that was told is lost, what had arrived is kept, and it goes on."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from pathlib import Path

from killed import (
    MARK,
    AllTold,
    World,
    check_data,
    check_processes,
    children_of,
    engine_pid,
    entries_of,
    fold,
    settings_of,
)
from scenes import AT_THE_START, LONG_ONE, OPERATIONS, ROOM, SCENES, SERVER_SCENES

from desktop_app.chat.turn.tool_calls import CRASHED
from desktop_app.conversation.events import MessageRecorded, TurnEvent, TurnFailed, TurnFinished
from desktop_app.conversation.message import Role
from desktop_app.conversation.message_rows import MessageRow, MessageState
from desktop_app.engine import protocol as p
from desktop_app.paths import settings_file
from desktop_app.settings import Settings, write_settings
from engine_client import EngineClient, Refused
from imported import import_all


class Heard(list[TurnEvent]):
    """Events, each noted as it comes."""

    def __init__(self, told: AllTold) -> None:
        self._told = told

    def append(self, event: TurnEvent) -> None:
        if event.conversation:
            self._told.hear(event)
        super().append(event)


class Lane:
    """A data folder, its engines, and all that they have acknowledged."""

    victim = "engine"

    def __init__(self, folder: Path, world: World) -> None:
        self._folder, self._world = folder, world
        self._data, self._work = folder / "data", folder / "work"
        self._work.mkdir(parents=True)
        (self._work / "notes.txt").write_text("Notes of a journey.\n" * 20)
        write_settings(settings_file(self._data), self._settings())
        self._chance = world.chance(folder.name)
        self._conversation = ""
        self._told = AllTold()
        self._known: set[str] = set()
        self._pinned: dict[str, bool] = {}
        self._undone: dict[str, bool] = {}
        self._doing = ""
        self._killed_at = 0.0

    def _settings(self) -> Settings:
        return settings_of(self._world.provider.base_url, self._work)

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
            marker = f"{self._folder.name}x{number}"
            try:
                await self._killed_in(engine, scene, marker)
                engine = await self._started()
                await self._next_turn(engine, marker)
            except BaseException as error:
                error.add_note(f"kill {number}, {scene}")
                raise
            self._world.counts[self.victim] += 1
        await engine.close()
        self._check_record()

    async def _killed_in(self, engine: EngineClient, scene: str, marker: str) -> None:
        if scene == AT_THE_START:
            await self._kill(engine)
            await self._killed_while_it_starts()
        elif scene == OPERATIONS:
            await self._killed_in_operations(engine, marker)
        else:
            await self._go_to(engine, scene, marker)
            await self._kill(engine)

    async def _go_to(self, engine: EngineClient, scene: str, marker: str) -> None:
        """The moment in which it is killed."""
        if scene in ROOM:
            await self._open_a_long_one(engine, marker)
        is_it, within = (SCENES | SERVER_SCENES)[scene]
        start = len(engine.events)
        await engine.ask(p.Send(self._conversation, f"Please go on with the story. [{marker} {scene}]"))
        await engine.until(lambda events: any(is_it(e) or isinstance(e, TurnFinished) for e in events[start:]))
        await asyncio.sleep(self._chance.uniform(0, within))

    async def _open_a_long_one(self, engine: EngineClient, marker: str) -> None:
        file = self._folder / f"{marker}.jsonl"
        file.write_text(LONG_ONE.replace("@", marker))
        self._conversation = await import_all(engine.ask, file)

    async def _killed_in_operations(self, engine: EngineClient, marker: str) -> None:
        """While it edits, switches branches, pins, prunes and compacts by a plan, undoes and redoes."""
        await self._open_a_long_one(engine, marker)
        working = asyncio.ensure_future(self._operate(engine, marker))
        await asyncio.wait({working}, timeout=self._chance.uniform(0.05, 3.0))
        if working.done():
            await working
        await self._kill(engine)
        with contextlib.suppress(asyncio.CancelledError, TimeoutError, ConnectionError):
            await asyncio.wait_for(working, 5)

    async def _operate(self, engine: EngineClient, marker: str) -> None:
        number = 0
        while True:
            opened = await engine.ask(p.OpenConversation(self._conversation))
            rows, operations = list(opened.rows), [o for o in opened.operations if o.kind in ("prune", "compaction")]
            users = [row for row in rows if row.message.role is Role.USER]
            one = self._chance.choice(rows)
            number += 1
            with contextlib.suppress(Refused):
                match self._chance.randrange(6):
                    case 0:
                        self._forget_branch()
                        await self._edit(engine, self._chance.choice(users), f"[{marker}e{number} next]")
                    case 1 if versions := [name for row in rows for name in row.versions]:
                        self._forget_branch()
                        await engine.ask(p.ShowVersion(self._conversation, self._chance.choice(versions)))
                    case 2 | 3 if operations:
                        await self._turn_back(engine, self._chance.choice(operations).id)
                    case 4:
                        await self._optimize(engine)
                    case _:
                        await self._pin(engine, one, not one.is_pinned)

    def _forget_branch(self) -> None:
        """What was pinned or undone is of the branch that is left."""
        self._pinned, self._undone = {}, {}

    async def _edit(self, engine: EngineClient, row: MessageRow, text: str) -> None:
        start = len(engine.events)
        await engine.ask(p.EditMessage(self._conversation, row.message.id, f"Otherwise. {text}"))
        await engine.until(lambda events: any(isinstance(e, TurnFinished) for e in events[start:]))

    async def _optimize(self, engine: EngineClient) -> None:
        plan = await engine.ask(p.PlanOptimize(self._conversation))
        await engine.ask(p.ApplyPlan(self._conversation, plan.id, plan.summary))

    async def _turn_back(self, engine: EngineClient, operation: str) -> None:
        was = self._undone.get(operation, False)
        request = p.RedoOperation if was else p.UndoOperation
        self._doing = operation
        await engine.ask(request(self._conversation, operation))
        self._undone[operation], self._doing = not was, ""

    async def _pin(self, engine: EngineClient, row: MessageRow, is_pinned: bool) -> None:
        self._doing = row.message.id
        request = p.PinMessage if is_pinned else p.UnpinMessage
        await engine.ask(request(self._conversation, row.message.id))
        self._pinned[row.message.id], self._doing = is_pinned, ""

    async def _kill(self, engine: EngineClient) -> None:
        children = children_of(engine_pid(self._data))
        self._killed_at = time.monotonic()
        await engine.kill()
        self._check_record()
        await check_processes(self._folder, children)

    async def _killed_while_it_starts(self) -> None:
        """It may be about to store what the one before it left in flight."""
        engine = self._engine = await self._start()
        asking = asyncio.ensure_future(engine.ask(p.OpenConversation(self._conversation)))
        await asyncio.sleep(self._chance.uniform(0, 0.3))
        await engine.kill()
        await asyncio.wait({asking})
        asking.cancelled() or asking.exception()

    async def _start(self) -> EngineClient:
        engine = EngineClient(self._data, environment={MARK: str(self._folder)})
        engine.events = Heard(self._told)
        return await engine.start()

    async def _started(self) -> EngineClient:
        """An engine that shows what the record holds, and what was in flight."""
        engine = self._engine = await self._start()
        welcome = await engine.ask(p.Hello(p.VERSION))
        assert not welcome.warnings
        await engine.ask(p.ListConversations())
        if not self._conversation:
            self._conversation = (await engine.ask(p.CreateConversation())).conversation.id
            return engine
        opened = await engine.ask(p.OpenConversation(self._conversation))
        assert not opened.is_running
        assert opened.gauge.total == sum(opened.gauge.segments.values())
        self._check_opened(opened)
        return engine

    async def _next_turn(self, engine: EngineClient, marker: str) -> None:
        events = await engine.turn(self._conversation, f"Are you there? [{marker} next]")
        assert not [event for event in events if isinstance(event, TurnFailed)], events
        replies = [e.row.message for e in events if isinstance(e, MessageRecorded)]
        assert replies[-1].text == f"Here I am again, {marker}."

    def _check_record(self) -> None:
        """The archive is sound, and has what was acknowledged."""
        entries = check_data(self._data)
        self._told.check(entries)
        self._known |= {entry.id for found in entries.values() for entry in found}

    def _check_opened(self, opened: p.ConversationOpened) -> None:
        """What had arrived is there, each call has a result, and the window sees the fold of the record."""
        entries = entries_of(self._data)
        self._told.check(entries)
        if self._killed_at:
            self._told.check_partials(entries, self._killed_at)
        self._told.arriving.clear()
        view = fold(entries[self._conversation])
        for row in opened.rows:
            status = view.statuses.get(row.message.id)
            expected = (status.state, status.operation_id) if status else (MessageState.IN_VIEW, "")
            assert (row.state, row.operation_id) == expected, "another view than the fold of the record"
        self._check_operations(opened)
        messages = [row.message for row in opened.rows]
        for place, message in enumerate(messages):
            results = [m for m in messages[place + 1 : place + 1 + len(message.tool_calls)] if m.role is Role.TOOL]
            assert len(results) == len(message.tool_calls), "a call without a result"
            assert all(CRASHED in m.text for m in results if m.id not in self._known)

    def _check_operations(self, opened: p.ConversationOpened) -> None:
        """What was undone or pinned, and acknowledged, is so."""
        is_undone = {row.id: row.is_undone for row in opened.operations}
        for operation, expected in self._undone.items():
            assert operation == self._doing or is_undone[operation] is expected
        for row in opened.rows:
            name = row.message.id
            assert name == self._doing or row.is_pinned is self._pinned.get(name, row.is_pinned)
        self._undone, self._pinned, self._doing = {}, {}, ""


EVERY: tuple[str, ...] = (*SCENES, OPERATIONS, AT_THE_START, OPERATIONS)


def chosen(count: int, chance: random.Random) -> list[str]:
    return [scene for _ in range(count) for scene in chance.sample(EVERY, len(EVERY))][:count]


async def kill_engines(folder: Path, kills: int, world: World) -> None:
    await Lane(folder, world).run(chosen(kills, world.chance(folder.name, "scenes")))
