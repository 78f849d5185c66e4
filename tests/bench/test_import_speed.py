"""100,000 messages are imported in a minute of CPU time, and no file fills memory, however large."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from measure_import import write_export

SECONDS = 60.0
"""Of CPU, of both processes: 50 on two slow cores."""
MEGABYTES = 500
GIGABYTES_2 = 2 * 2**30


def measured(file: Path, *how: str) -> dict[str, float]:
    """What a process of its own takes for it: the peak of this one is that of all tests before."""
    data = file.parent / "data"
    script = Path(__file__).with_name("measure_import.py")
    printed = subprocess.run([sys.executable, script, file, data, *how], capture_output=True, check=True, text=True)
    return json.loads(printed.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is told in other units elsewhere")
@pytest.mark.timeout(1_200)
def test_a_hundred_thousand_messages_are_imported_in_a_minute(tmp_path: Path) -> None:
    write_export(tmp_path / "conversations.json", 1_000, 100, (20, 200))
    taken = measured(tmp_path / "conversations.json")
    assert taken["messages"] == 100_000
    assert taken["engine_cpu"] + taken["child_cpu"] < SECONDS, taken
    assert taken["engine_mb"] + taken["child_mb"] < MEGABYTES, taken


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is told in other units elsewhere")
@pytest.mark.timeout(2_400)
def test_a_zip_of_two_gigabytes_does_not_fill_memory(tmp_path: Path) -> None:
    write_export(tmp_path / "export.zip", 1_000, 100, (2_300, 2_500))
    taken = measured(tmp_path / "export.zip", "--look")
    assert taken["conversations"] == 1_000
    assert taken["engine_mb"] + taken["child_mb"] < MEGABYTES, taken
