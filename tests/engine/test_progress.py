"""What the window is told before the engine is ready, where the archive takes long to open."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from desktop_app.conversation.events import DataProgressed
from desktop_app.engine import event_coalescer
from desktop_app.engine.compose import compose_engine
from desktop_app.engine.engine import log_bug
from desktop_app.engine.event_coalescer import EventCoalescer, report_if_long
from desktop_app.engine.protocol import EventLine, decode_engine_line
from desktop_app.paths import database_file

OLDER = Path(__file__).parents[1] / "archive" / "data" / "version-8.sqlite3"


async def test_the_copy_of_an_older_archive_is_told_to_its_end(tmp_path: Path) -> None:
    shutil.copy(OLDER, database_file(tmp_path))
    lines: list[bytes] = []
    engine = await compose_engine(tmp_path, EventCoalescer(lines.append), lambda: None, log_bug)
    engine.coalescer.flush()
    await engine.services.close()
    told = [line.event for line in map(decode_engine_line, b"".join(lines).splitlines()) if isinstance(line, EventLine)]
    assert {(event.work, event.done == event.total > 0) for event in told if isinstance(event, DataProgressed)} == {
        ("opening", True)
    }


@pytest.mark.parametrize("takes_long", [False, True])
async def test_an_archive_that_opens_at_once_is_not_worth_a_word(
    monkeypatch: pytest.MonkeyPatch, takes_long: bool
) -> None:
    monkeypatch.setattr(event_coalescer, "LONG_SECONDS", 0.01)
    told: list[object] = []
    with report_if_long(told.append):
        await asyncio.sleep(0.1 if takes_long else 0)
    await asyncio.sleep(0.05)
    assert told == [DataProgressed("", 0, 0, "opening")] * takes_long
