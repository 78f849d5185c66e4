"""SIGKILL for window, engine and commands at random moments of what they do: nothing that was told is lost."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import pytest
from killed import SAMPLE, WEIGHTS, run, told


@pytest.mark.timeout(7_200)
@pytest.mark.parametrize("kills", [SAMPLE, pytest.param(WEIGHTS, marks=pytest.mark.slow)], ids=["14", "330"])
async def test_killed_anywhere(tmp_path: Path, kills: dict[str, int]) -> None:
    seed = os.environ.get("PALIMPSEST_FAULTS_SEED") or secrets.token_hex(4)
    world = await run(kills, seed, tmp_path)
    print(told(world))
    assert world.losses == [], f"PALIMPSEST_FAULTS_SEED={seed}\n" + "\n\n".join(world.losses)
    assert world.counts == kills
