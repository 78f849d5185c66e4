"""A disk that is full at any byte of a turn, read-only, slow, or gone and back: said, nothing lost, and it goes on."""

from __future__ import annotations

import asyncio
import errno
import os
import random
import secrets
from collections import Counter
from pathlib import Path

import pytest
from killed import AllTold, check_data, settings_of
from scenes import Scenes
from shim import ENDLESS, FailingDisk

from desktop_app.conversation.events import Failure, MessageRecorded, TurnEvent, TurnFailed, TurnFinished
from desktop_app.engine import protocol as p
from desktop_app.paths import settings_file
from desktop_app.settings import write_settings
from engine_client import EngineClient, Refused
from provider import ScriptedProvider

BLOCK = 4_096
TURN = "with a long output"
"""A message, a call, its result with a spill, and a reply."""
FAULTS = {"read-only": errno.EROFS, "gone": errno.EIO}


class Desk:
    """An engine on the failing disk, and what it acknowledged. told: failures by their titles."""

    def __init__(self, folder: Path, base_url: str) -> None:
        self._data, work = folder / "data", folder / "work"
        work.mkdir(parents=True)
        write_settings(settings_file(self._data), settings_of(base_url, work))
        self.disk = FailingDisk(self._data, folder / "control")
        self.engine = EngineClient(self._data, is_forked=False, environment=self.disk.environment)
        self.failures: Counter[str] = Counter()
        self._acknowledged = AllTold()
        self._heard = self._number = 0

    async def start(self) -> None:
        await self.engine.start()
        self._conversation = (await self.engine.ask(p.CreateConversation())).conversation.id
        await self.goes_on()

    async def turn(self, scene: str) -> list[TurnEvent]:
        """What came of a turn: the events, or one that says why it did not begin."""
        self._number += 1
        text = f"Please go on. [d{self._number} {scene}]"
        start = len(self.engine.events)
        try:
            await self.engine.ask(p.Send(self._conversation, text))
        except Refused as error:
            self._note(error.failure)
            return [TurnFailed(self._conversation, error.failure)]
        await self.engine.until(lambda events: any(isinstance(e, TurnFinished) for e in events[start:]))
        return self.engine.events[start:]

    async def failing_turn(self, scene: str) -> bool:
        """A turn that may fail, if it says so; return whether it did."""
        failed = [event for event in await self.turn(scene) if isinstance(event, TurnFailed)]
        for event in failed:
            self._note(event.failure)
        return bool(failed)

    def _note(self, failure: Failure) -> None:
        assert failure.kind == "disk", failure
        assert all((failure.title, failure.kept, failure.advice)), failure
        self.failures[failure.title] += 1

    async def goes_on(self) -> None:
        """The next turn is as if nothing had been, and all that was acknowledged is there."""
        events = await self.turn("next")
        assert not [event for event in events if isinstance(event, TurnFailed)], events
        replies = [event.row.message.text for event in events if isinstance(event, MessageRecorded)]
        assert f"Here I am again, d{self._number}." in replies
        while (opened := await self.engine.ask(p.OpenConversation(self._conversation))).is_running or opened.queue:
            await asyncio.sleep(0.05)  # what could not be stored has waited, and is sent now
        for event in self.engine.events[self._heard :]:
            if event.conversation:
                self._acknowledged.hear(event)
        self._heard = len(self.engine.events)
        self._acknowledged.check(check_data(self._data), is_late=True)


async def fill_disk(folder: Path, places: int, seed: str) -> str:
    """Fills the disk at that many places of a turn, at blocks and between them; return what was found."""
    chance = random.Random(seed)
    async with ScriptedProvider(Scenes(seed)) as provider:
        desk = Desk(folder, provider.base_url)
        await desk.start()
        try:
            before = desk.disk.room
            await desk.failing_turn(TURN)
            whole = before - desk.disk.room
            blocks = list(range(0, whole + BLOCK, BLOCK))
            rooms = chance.sample(blocks, min(places // 2, len(blocks)))
            rooms += [chance.randrange(whole) for _ in range(places - len(rooms))]
            failed = 0
            for room in rooms:
                desk.disk.set(room=room)
                failed += await desk.failing_turn(TURN)
                desk.disk.set()
                await desk.goes_on()
        finally:
            desk.disk.set()
            assert await desk.engine.close() == 0
    log = (folder / "engine.log").read_text()
    assert "Traceback" not in log, log
    counted = ", ".join(f"{title}: {count}" for title, count in sorted(desk.failures.items()))
    return f"disk full at {len(rooms)} places of {whole:,} bytes, {failed} turns failed ({counted}), 0 losses, {seed=}"


@pytest.mark.timeout(3_000)
@pytest.mark.parametrize("places", [8, pytest.param(150, marks=pytest.mark.slow)])
async def test_full_at_any_byte_of_a_turn(tmp_path: Path, places: int) -> None:
    seed = os.environ.get("PALIMPSEST_FAULTS_SEED") or secrets.token_hex(4)
    print(await fill_disk(tmp_path, places, seed))


@pytest.mark.timeout(600)
async def test_read_only_gone_and_slow(tmp_path: Path) -> None:
    """Each in a turn and between two; then it is as before, without a restart."""
    async with ScriptedProvider(Scenes("disk")) as provider:
        desk = Desk(tmp_path, provider.base_url)
        await desk.start()
        try:
            for fault in FAULTS.values():
                desk.disk.set(fault=fault)
                assert await desk.failing_turn("at the end")
                desk.disk.set()
                await desk.goes_on()
            desk.disk.set(delay=0.02)
            await desk.goes_on()
        finally:
            desk.disk.set()
            assert await desk.engine.close() == 0
    assert "Traceback" not in (tmp_path / "engine.log").read_text()


async def test_an_engine_that_starts_on_a_full_disk_says_so_and_starts_once_there_is_room(tmp_path: Path) -> None:
    disk = FailingDisk(tmp_path / "data", tmp_path / "control")
    disk.set(room=0)
    engine = await EngineClient(tmp_path / "data", is_forked=False, environment=disk.environment).start()
    with pytest.raises(Refused) as caught:
        await engine.ask(p.Hello(p.VERSION))
    assert (caught.value.failure.title, caught.value.failure.kind) == ("The disk is full", "disk")
    await engine.close()
    disk.set(room=ENDLESS)
    engine = await EngineClient(tmp_path / "data", is_forked=False, environment=disk.environment).start()
    await engine.ask(p.CreateConversation())
    assert await engine.close() == 0
