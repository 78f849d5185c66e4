"""The engine's memory after large blocks were freed, in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

MEASURE = """
import sys
from pathlib import Path

from desktop_app.engine.allocator import give_back_large_blocks

def resident():
    return next(int(l.split()[1]) // 1024 for l in Path("/proc/self/status").read_text().splitlines() if "VmRSS" in l)

if sys.argv[1] == "set":
    give_back_large_blocks()
large = b"x" * 30_000_000
del large  # glibc's own limit is above this from here on
before, large, small = resident(), [], []
for _ in range(100):
    large.append(b"x" * 1_000_000)
    small.append(b"x" * 5_000)
del large
print(resident() - before)
"""


def megabytes_kept(how: str) -> int:
    return int(subprocess.run([sys.executable, "-c", MEASURE, how], capture_output=True, check=True, timeout=60).stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's")
@pytest.mark.long
def test_large_blocks_between_small_ones_go_back_to_the_system() -> None:
    assert megabytes_kept("as it is") > 80, "then there would be nothing to do"
    assert megabytes_kept("set") < 5
