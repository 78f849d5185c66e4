"""What all tests of tools share."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tool_calls import Desk

from desktop_app.archive.archive import ArchiveThread


@pytest.fixture(autouse=True)
def no_proxy_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers of tests are reached directly, whatever the environment says."""
    for name in os.environ:
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest_asyncio.fixture
async def archive(tmp_path: Path) -> AsyncIterator[ArchiveThread]:
    archive = await ArchiveThread.open(tmp_path / "archive.sqlite3")
    yield archive
    await archive.close()
