"""Summaries that are being written for **Optimize conversation**: one a conversation, and each can be cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from desktop_app.chat.compaction.optimize import Optimization
from desktop_app.chat.compaction.summarize import Progress
from desktop_app.chat.ports import WorldError
from desktop_app.chat.tasks import Tasks
from desktop_app.conversation.events import Failure


class SummaryJobs:
    """Those that are under way. on_bug: told of an exception that nobody expected."""

    def __init__(self, on_bug: Callable[[BaseException], None]) -> None:
        self._tasks = Tasks(on_bug)

    async def write(
        self,
        conversation: str,
        steps: AsyncGenerator[Progress | Optimization, None],
        tell: Callable[[Progress], None],
    ) -> Optimization:
        """The plan at the end of those steps. A writing of the same conversation that is under way is cancelled.

        Raises WorldError, of the kind "cancelled", when it was cancelled.
        """
        await self._tasks.cancel(conversation)
        made: list[Optimization] = []
        task = self._tasks.start(conversation, _followed(steps, tell, made))
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            await self._tasks.cancel(conversation)
            raise
        if made:
            return made[-1]
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error
        raise WorldError(Failure("cancelled", "The summary was not written", kept="Nothing was changed."))

    async def cancel(self, conversation: str) -> None:
        """Ends what is being written for that conversation; returns once the connection is closed."""
        await self._tasks.cancel(conversation)


async def _followed(
    steps: AsyncGenerator[Progress | Optimization, None],
    tell: Callable[[Progress], None],
    made: list[Optimization],
) -> None:
    async with aclosing(steps):
        async for step in steps:
            if isinstance(step, Optimization):
                made.append(step)
            else:
                tell(step)
