"""SIGKILL for the engine at random moments: nothing that was told is lost, what had arrived is kept, and it goes on."""

from __future__ import annotations

import asyncio
import os
import random
import secrets
from pathlib import Path

import pytest
from lane import Lane
from scenes import AT_THE_START, SCENES, Scenes

from provider import ScriptedProvider

LANES = 3


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
