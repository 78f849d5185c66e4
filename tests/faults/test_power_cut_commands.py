"""A power cut at any change of a restore, a migration or an import: the old archive or the new one, whole."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import pytest
from cut_commands import SCENES, cut


@pytest.mark.timeout(3_000)
@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("count", [4, pytest.param(70, marks=pytest.mark.slow)])
def test_power_cuts_of_commands(tmp_path: Path, name: str, count: int) -> None:
    seed = os.environ.get("PALIMPSEST_FAULTS_SEED") or secrets.token_hex(4)
    try:
        trials, places, changes = cut(tmp_path, name, count, seed)
    except BaseException as error:
        error.add_note(f"PALIMPSEST_FAULTS_SEED={seed}")
        raise
    print(f"power cuts of {name}: {trials} trials at {places} of {changes} places, 0 losses, seed {seed}")
