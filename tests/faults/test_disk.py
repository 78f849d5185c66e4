"""A disk that is full at any byte of a turn, read-only, slow, or gone and back: said, nothing lost, and it goes on."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import secrets
from pathlib import Path

import pytest
from disk_desk import Desk
from scenes import Scenes
from shim import ENDLESS, FailingDisk

from desktop_app.engine import protocol as p
from engine_client import EngineClient, Refused
from provider import ScriptedProvider

BLOCK = 4_096
TURN = "with a long output"
"""A message, a call, its result with a spill, and a reply."""
FAULTS = {"read-only": errno.EROFS, "gone": errno.EIO}


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


@pytest.mark.timeout(600)
@pytest.mark.parametrize("scene", ["at the end", TURN])
async def test_a_folder_that_is_moved_away_and_back_is_one_folder(tmp_path: Path, scene: str) -> None:
    """As a disk that was pulled out, or a folder that was renamed: nothing is begun in its place."""
    async with ScriptedProvider(Scenes("moved")) as provider:
        desk = Desk(tmp_path, provider.base_url)
        await desk.start()
        away = tmp_path / "away"
        try:
            desk.data.rename(away)
            await desk.failing_turn(scene)
            with contextlib.suppress(Refused):
                await desk.engine.ask(p.KeepDraft(desk.conversation, "A draft"))
            with contextlib.suppress(Refused):
                await desk.engine.ask(p.BackUpNow())
            settings = (await desk.engine.ask(p.ReadSettings())).settings
            with contextlib.suppress(Refused):
                await desk.engine.ask(p.WriteSettings(settings))
            begun = [path.relative_to(tmp_path) for path in desk.data.rglob("*")]
            assert begun == [], "a second folder in the place of the first"
            away.rename(desk.data)
            await desk.goes_on()
            assert not await desk.failing_turn(TURN)
        finally:
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


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_an_engine_that_starts_on_a_disk_that_fails_says_so_and_has_everything_once_it_works(
    tmp_path: Path, fault: int
) -> None:
    disk = FailingDisk(tmp_path / "data", tmp_path / "control")
    engine = await EngineClient(tmp_path / "data", is_forked=False, environment=disk.environment).start()
    made = await engine.ask(p.CreateConversation())
    assert await engine.close() == 0
    disk.set(fault=fault)
    engine = await EngineClient(tmp_path / "data", is_forked=False, environment=disk.environment).start()
    with pytest.raises(Refused) as caught:
        await engine.ask(p.Hello(p.VERSION))
    assert caught.value.failure.kind == "disk", caught.value.failure
    await engine.close()
    disk.set()
    engine = await EngineClient(tmp_path / "data", is_forked=False, environment=disk.environment).start()
    assert [info.id for info in (await engine.ask(p.ListConversations())).conversations] == [made.conversation.id]
    assert await engine.close() == 0
    assert not list((tmp_path / "data").glob("archive.damaged-*")), "a disk that fails is not a damaged archive"
