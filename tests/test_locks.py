"""The locks: each package pinned to one version, and to the hashes of its files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PACKAGING = Path(__file__).resolve().parent.parent / "packaging"


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_every_package_is_pinned_to_its_files(name: str) -> None:
    text = (PACKAGING / name).read_text().replace("\\\n", " ")
    pins = [line for line in text.splitlines() if line and not line.startswith("#")]
    pinned = re.compile(r"[\w.-]+==[\w.!+-]+( *;[^\\]*?)?( +--hash=sha256:[0-9a-f]{64})+")
    assert pins
    assert [pin for pin in pins if not pinned.fullmatch(pin)] == []
