"""What all tests of tools share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tool_calls import Desk


@pytest.fixture(autouse=True)
def no_proxy_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers of tests are reached directly, whatever the environment says."""
    for name in os.environ:
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)
