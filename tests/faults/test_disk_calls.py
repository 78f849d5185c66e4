"""A disk that becomes full at the beginning, in the middle and one byte before the end of each write."""

from __future__ import annotations

import os
import random
import secrets
from pathlib import Path

import pytest
from disk_desk import Desk
from full_at_bytes import fill_at_bytes
from full_commands import SCENES, fill_at
from scenes import Scenes
from shim import PARTS, spread

from provider import ScriptedProvider

TURN = "with a long output"
MAX_TRIALS = 600


async def fill_at_calls(folder: Path, trials: int, seed: str) -> str:
    """Fill the disk at that many places, spread over the writes of a turn; return what was found."""
    async with ScriptedProvider(Scenes(seed)) as provider:
        desk = Desk(folder, provider.base_url)
        await desk.start()
        try:
            counts: list[int] = []
            for _ in range(3):  # how many there are differs by some, as when the log is folded into the archive
                before = desk.disk.count
                await desk.failing_turn(TURN)
                counts.append(desk.disk.count - before)
            places = [(call, part) for call in range(max(counts)) for part in PARTS]
            chosen = spread(places, trials, random.Random(seed))
            failed = 0
            for call, part in chosen:
                desk.disk.set(calls=call, part=part)
                failed += await desk.failing_turn(TURN)
                desk.disk.set()
                await desk.goes_on()
        finally:
            desk.disk.set()
            assert await desk.engine.close() == 0
    log = (folder / "engine.log").read_text()
    assert "Traceback" not in log, log
    counted = ", ".join(f"{title}: {count}" for title, count in sorted(desk.failures.items()))
    where = f"{len(chosen)} of {len(places)} places of {max(counts)} writes"
    return f"disk full at {where}, {failed} turns failed ({counted}), 0 losses, {seed=}"


@pytest.mark.timeout(7_200)
@pytest.mark.parametrize("trials", [6, pytest.param(MAX_TRIALS, marks=pytest.mark.slow)])
async def test_full_at_each_write_of_a_turn(tmp_path: Path, trials: int) -> None:
    seed = os.environ.get("PALIMPSEST_FAULTS_SEED") or secrets.token_hex(4)
    print(await fill_at_calls(tmp_path, trials, seed))


@pytest.mark.timeout(7_200)
@pytest.mark.parametrize("trials", [100, pytest.param(1_000_000, marks=pytest.mark.slow)], ids=["100", "all"])
def test_full_at_each_byte_of_an_append(tmp_path: Path, trials: int) -> None:
    seed = os.environ.get("PALIMPSEST_FAULTS_SEED") or secrets.token_hex(4)
    print(fill_at_bytes(tmp_path, trials, seed))


@pytest.mark.timeout(3_000)
@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("places", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_full_in_commands(tmp_path: Path, name: str, places: int) -> None:
    seed = os.environ.get("PALIMPSEST_FAULTS_SEED") or secrets.token_hex(4)
    print(fill_at(tmp_path, name, places, seed))
