"""Work that a cancellation must not cut in two."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def shielded(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end and return its result; a cancellation meanwhile arrives at the next await.

    So what was stored is always folded and reported, and stopping is still prompt.
    """
    task = asyncio.ensure_future(work)
    is_cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            is_cancelled = True
    current = asyncio.current_task()
    if is_cancelled and current is not None:
        current.cancel()
    return task.result()
