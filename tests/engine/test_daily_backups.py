"""The daily backup of a running engine."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from desk import Desk

from desktop_app.archive.backups import NAME, list_backups
from desktop_app.conversation.events import Failure
from desktop_app.engine import protocol as p
from desktop_app.engine import stored_data
from desktop_app.engine.stored_data import DailyBackups
from desktop_app.paths import backups_folder


@pytest.mark.long
async def test_an_engine_that_runs_backs_up_beside_its_work(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DailyBackups.run, "__defaults__", (0.0, 0.01))
    await desk.engine.conversations.create("One")
    folder = backups_folder(desk.engine.services.data)
    desk.engine.list_was_sent()
    async with asyncio.timeout(60):
        while not (found := list_backups(folder)):
            await asyncio.sleep(0.02)
    assert found[0].conversations == 1


async def test_one_a_day_is_enough(desk: Desk) -> None:
    data = desk.engine.services.data
    told: list[Failure] = []
    daily = DailyBackups(data, told.append)
    for _ in range(3):
        await daily.back_up_if_due()
    (made,) = backups_folder(data).iterdir()
    made.rename(made.with_name((datetime.now(UTC) - timedelta(hours=25)).strftime(NAME)))
    await daily.back_up_if_due()
    assert len(list_backups(backups_folder(data))) == 2
    assert not told


async def test_what_does_not_work_is_told_once_until_it_works_again(desk: Desk) -> None:
    folder = backups_folder(desk.engine.services.data)
    told: list[Failure] = []
    daily = DailyBackups(desk.engine.services.data, told.append)
    for number in (1, 2):
        folder.write_text("not a folder")
        for _ in range(3):
            await daily.back_up_if_due()
            assert len(told) == number
        folder.unlink()
        await daily.back_up_if_due()
        (made,) = folder.iterdir()
        made.unlink()
        folder.rmdir()
    assert "could not be made" in told[0].title


@pytest.mark.long
async def test_the_window_is_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DailyBackups.run, "__defaults__", (0.0, 0.01))
    backups_folder(desk.engine.services.data).write_text("not a folder")
    desk.engine.list_was_sent()
    async with asyncio.timeout(60):
        while not (
            told := [
                line
                for line in map(p.decode_engine_line, b"".join(desk.lines).splitlines())
                if isinstance(line, p.EngineWarned)
            ]
        ):
            await asyncio.sleep(0.02)
    assert told[0].failure.kind == "disk"
    assert stored_data.FIRST_SECONDS > 10, "the start takes no longer"
