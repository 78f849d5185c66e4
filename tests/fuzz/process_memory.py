"""The memory of this process, as Linux tells it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def memory(name: str) -> int:
    """Bytes of this process: "VmRSS" now, "VmHWM" at most since `reset_peak`; 0 where the system does not say."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1]) * 1024
    return 0


def reset_peak() -> None:
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
