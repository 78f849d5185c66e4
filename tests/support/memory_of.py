"""The memory of another process, as programs of the same user read it."""

from __future__ import annotations

from pathlib import Path


def written_memory(pid: int) -> bytes:
    """Return all of the process's memory that can be written to. Raises OSError if it is sealed."""
    content = bytearray()
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for region in Path(f"/proc/{pid}/maps").read_text().splitlines():
            span, rights, *_ = region.split()
            if rights.startswith("rw"):
                first, end = (int(number, 16) for number in span.split("-"))
                memory.seek(first)
                content += memory.read(end - first)
    return bytes(content)
