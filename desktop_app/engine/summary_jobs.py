"""The summaries that models write for **Optimize conversation**: one for each conversation at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from desktop_app.chat.compaction.optimize import Optimization
from desktop_app.chat.ports import WorldError
from desktop_app.chat.tasks import Tasks
from desktop_app.conversation.events import Failure


class SummaryJobs:
    """The summaries that are being written. on_bug: called with an unexpected exception."""

    def __init__(self, on_bug: Callable[[BaseException], None]) -> None:
        self._tasks = Tasks(on_bug)

    async def write(self, conversation: str, writing: Coroutine[Any, Any, Optimization]) -> Optimization:
        """Return the plan with its summary; one that is being written for the same conversation is cancelled first.

        Raises WorldError, of the kind "cancelled" when this one is cancelled.
        """
        await self._tasks.cancel(conversation)
        task = self._tasks.start(conversation, writing)
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            await self._tasks.cancel(conversation)
            raise
        if task.cancelled():
            raise WorldError(Failure("cancelled", "The summary was not written", kept="Nothing was changed."))
        return task.result()

    async def cancel(self, conversation: str) -> None:
        """Cancel the summary of that conversation; return once the connection is closed."""
        await self._tasks.cancel(conversation)
