"""Tasks are owned, and what is stored is never cut in two by a cancellation."""

from __future__ import annotations

import asyncio

import pytest

from desktop_app.chat.tasks import Job, Tasks, shielded


async def test_one_task_a_key() -> None:
    tasks = Tasks(lambda _: None)
    tasks.start(Job.TURN.of("one"), asyncio.sleep(10))
    with pytest.raises(RuntimeError, match="running already"):
        tasks.start(Job.TURN.of("one"), asyncio.sleep(10))
    await tasks.cancel_all()
    assert not tasks.is_running(Job.TURN.of("one"))


async def test_work_that_is_stored_is_also_folded_when_it_is_cancelled() -> None:
    done: list[str] = []

    async def store_and_fold() -> str:
        done.append("stored")
        await asyncio.sleep(0.02)
        done.append("folded")
        return "result"

    async def turn() -> None:
        done.append(await shielded(store_and_fold()))
        await asyncio.sleep(10)
        done.append("never")

    task = asyncio.ensure_future(turn())
    await asyncio.sleep(0.005)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done == ["stored", "folded", "result"]


async def test_nothing_begins_once_all_is_cancelled() -> None:
    """As a turn would that a request starts which is still being answered while the program ends."""
    begun: list[str] = []

    async def work(name: str) -> None:
        begun.append(name)

    async def begins_another(tasks: Tasks) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            tasks.start(Job.TURN.of("meanwhile"), work("meanwhile"))

    tasks = Tasks(lambda error: None)
    tasks.start(Job.TURN.of("first"), begins_another(tasks))
    await asyncio.sleep(0)
    await tasks.cancel_all()
    assert not tasks.is_running(Job.TURN.of("meanwhile"))
    late = tasks.start(Job.TURN.of("late"), work("late"))
    await asyncio.wait({late})
    assert late.cancelled()
    assert begun == []
