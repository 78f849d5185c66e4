"""A lock is the same one as long as anybody holds it or waits for it, and no longer."""

from __future__ import annotations

import asyncio
import gc

from desktop_app.chat.tasks import NamedLocks


async def test_who_waits_has_the_lock_of_who_holds_it() -> None:
    locks, order = NamedLocks(), list[str]()

    async def hold(name: str) -> None:
        async with locks.of("one"):
            gc.collect()
            order.append(f"{name} has it")
            await asyncio.sleep(0.001)
            order.append(f"{name} gives it")

    await asyncio.gather(*(hold(name) for name in "abc"))
    assert order == [f"{name} {what}" for name in "abc" for what in ("has it", "gives it")]


async def test_a_lock_that_nobody_needs_is_forgotten() -> None:
    locks = NamedLocks()
    for number in range(1_000):
        async with locks.of(f"{number}"):
            assert locks.is_locked(f"{number}")
    gc.collect()
    assert len(locks) == 0
    assert not locks.is_locked("1")
    assert len(locks) == 0
