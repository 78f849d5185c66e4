"""Files that say they are whole archives, and unpack to more than there is memory: refused, and nothing is changed."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.wire
pytest.importorskip("resource")
MEMORY = 1_200_000_000
UNPACKED = 1_500
"""Megabytes."""
COMMAND = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({0}, {0}))
from desktop_app.__main__ import main
raise SystemExit(main(sys.argv[1:]))
"""
INDEX = {"format": "palimpsest-archive", "version": 1, "conversations": 0, "entries": 0, "memories": 0, "spills": 0}
PARTS = {
    "archive.json": json.dumps(INDEX).encode(),
    "conversations.jsonl": b"",
    "memories.jsonl": b"",
    "projects.jsonl": b"",
}


@pytest.mark.parametrize(
    "name",
    [
        "archive.json",
        pytest.param("conversations.jsonl", marks=pytest.mark.slow),
        pytest.param("memories.jsonl", marks=pytest.mark.slow),
        pytest.param(f"spills/ab/ab{'0' * 62}", marks=pytest.mark.slow),
    ],
)
def test_what_unpacks_to_more_than_there_is_memory_is_refused(tmp_path: Path, name: str) -> None:
    bomb, data = tmp_path / "all.zip", tmp_path / "data"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for part, content in (PARTS | {name: PARTS.get(name, b"")}).items():
            with file.open(part, "w", force_zip64=True) as written:
                written.write(content)
                for _ in range(UNPACKED if part == name else 0):
                    written.write(b" " * 1_000_000)
    command = [sys.executable, "-c", COMMAND.format(MEMORY), "import", str(bomb), "--data-dir", str(data)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 1
    assert "all.zip cannot be imported" in done.stderr
    assert not list(data.glob("spills/*/*"))
