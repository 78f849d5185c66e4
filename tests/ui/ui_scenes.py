"""What tests of the window share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

Run = Callable[[Coroutine[Any, Any, None]], None]
"""Runs a coroutine to its end in the window's kind of event loop."""


def signalled(signal: Any, until: Callable[..., bool] = lambda *_: True) -> asyncio.Task[Any]:
    """Waits, from now on, for a signal whose arguments satisfy `until`; gives its first argument."""
    arrived: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def note(*arguments: object) -> None:
        if not arrived.done() and until(*arguments):
            arrived.set_result(arguments[0] if arguments else None)

    signal.connect(note)

    async def wait() -> Any:
        try:
            return await asyncio.wait_for(arrived, 10)
        finally:
            signal.disconnect(note)

    return asyncio.ensure_future(wait())
