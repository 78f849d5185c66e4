"""Desks that are closed in order."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest_asyncio
from desk import Desk, open_desk, open_long_desk

from desktop_app.settings import Settings
from provider import AnyStep, Reply

LongDesk = Callable[[list[AnyStep]], Awaitable[Desk]]


@pytest_asyncio.fixture
async def desk(data_folder: Path) -> AsyncIterator[Desk]:
    """A desk with the built-in model alone, as somebody has it who has only just installed the program."""
    made = await open_desk(data_folder, Settings(is_memory_on=False))
    yield made
    await made.close()


@pytest_asyncio.fixture
async def long_desk(data_folder: Path) -> AsyncIterator[LongDesk]:
    """`await long_desk(steps)`: a desk with a long conversation, whose model answers from that script."""
    made: list[Desk] = []

    async def make(steps: list[AnyStep] | None = None) -> Desk:
        made.append(await open_long_desk(data_folder, [Reply("Yes.")] if steps is None else steps))
        return made[-1]

    yield make
    for one in made:
        await one.close()
