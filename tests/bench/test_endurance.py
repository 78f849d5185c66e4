"""A window and an engine that are used for long do not grow: `measure_endurance.py`, with fewer turns than by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TURNS, CONVERSATIONS = 1_500, 10
SCRIPT = Path(__file__).with_name("measure_endurance.py")


@pytest.mark.timeout(3_600)
@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux tells it")
def test_nothing_grows_with_the_turns() -> None:
    run = subprocess.run(
        [sys.executable, str(SCRIPT), str(TURNS), str(CONVERSATIONS)], stdout=subprocess.PIPE, text=True, check=False
    )
    print(run.stdout)
    assert not json.loads(run.stdout)["missed"]
