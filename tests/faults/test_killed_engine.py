"""SIGKILL for the engine at random moments: nothing that was told is lost, what had arrived is kept, and it goes on."""

from __future__ import annotations

import asyncio
import os
import random
import secrets
from pathlib import Path

import pytest
from engine_forks import EngineForks, ForkedEngine, Heard
from lane import Lane
from scenes import AT_THE_START, SCENES, Scenes

from engine_client import EngineClient
from provider import ScriptedProvider

LANES = 3
WHOLE = ["at any time", "in the stream"]
"""Scenes of a lane whose engines are started as the window starts them, importing all that they need."""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kills", [len(SCENES) + 1, pytest.param(48, marks=pytest.mark.slow)])
async def test_killed_engines(tmp_path: Path, kills: int) -> None:
    seed = os.environ.get("PALIMPSEST_FAULTS_SEED") or secrets.token_hex(4)
    scenes = ([*SCENES, AT_THE_START] * kills)[:kills]
    random.Random(seed).shuffle(scenes)
    script = Scenes(seed)
    async with ScriptedProvider(script) as provider, EngineForks() as forks:

        async def forked(data: Path) -> EngineClient:
            return await ForkedEngine(data, forks).start()

        lanes = [
            Lane(tmp_path / str(n), provider.base_url, forked if n < LANES else whole, f"{seed}-{n}")
            for n in range(LANES + 1)
        ]
        work = [lane.run(scenes[n::LANES] if n < LANES else WHOLE) for n, lane in enumerate(lanes)]
        try:
            async with asyncio.TaskGroup() as group:
                for run in work:
                    group.create_task(run)
        except* Exception as errors:
            for error in errors.exceptions:
                error.add_note(f"PALIMPSEST_FAULTS_SEED={seed}; " + "; ".join(lane.activity for lane in lanes))
            raise
    assert sum(lane.kills for lane in lanes) >= kills
    assert script.malformed == []
    logs = "".join(file.read_text() for file in tmp_path.glob("*/engine.log"))
    assert "Traceback" not in logs, logs


async def whole(data: Path) -> EngineClient:
    client = EngineClient(data)
    client.events = Heard()
    return await client.start()
