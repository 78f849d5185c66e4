"""The `mcp` package, imported once, when the first server is wanted, on a thread of its own: it takes a second."""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import importlib
import threading
from typing import Any

JOIN_SECONDS = 10.0
"""How long a command that has ended waits for the import: a frozen thread would keep its lock."""

_loading: list[concurrent.futures.Future[Any]] = []


async def reasons() -> Any:
    """Our module that knows the package, with all that it imports. Raises ImportError where the package is missing."""
    if not _loading:
        _loading.append(_on_thread("desktop_app.tools.mcp.reasons"))
    # Shielded: whoever asked first may be cancelled while others wait for the same import.
    return await asyncio.shield(asyncio.wrap_future(_loading[0]))


def _on_thread(module: str) -> concurrent.futures.Future[Any]:
    """Imports it on a daemon thread: the engine may end before the import does."""
    future: concurrent.futures.Future[Any] = concurrent.futures.Future()

    def run() -> None:
        future.set_running_or_notify_cancel()
        try:
            future.set_result(importlib.import_module(module))
        except BaseException as error:  # noqa: BLE001 - handed on to whoever awaits
            future.set_exception(error)

    thread = threading.Thread(target=run, name="mcp", daemon=True)
    thread.start()
    atexit.register(thread.join, JOIN_SECONDS)
    return future
