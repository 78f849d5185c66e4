"""What all connections to MCP servers share: time limits, tasks, keys, and the `mcp` package, imported late."""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import importlib
import threading
from collections.abc import Callable
from typing import Any

import msgspec

from desktop_app.chat.tasks import Tasks

from .guard import Guard

JOIN_SECONDS = 10.0
"""How long a command that has ended waits for the import: a frozen thread would keep its lock."""

_loading: list[concurrent.futures.Future[Any]] = []


async def load_package() -> Any:
    """Return our module `reasons`, which imports the `mcp` package: once, on a thread of its own, since it takes a
    second. Raises ImportError where the package is missing."""
    if not _loading:
        _loading.append(_import_on_thread("desktop_app.tools.mcp.reasons"))
    # Shielded: the first caller may be cancelled while others wait for the same import.
    return await asyncio.shield(asyncio.wrap_future(_loading[0]))


def _import_on_thread(module: str) -> concurrent.futures.Future[Any]:
    """Import it on a daemon thread: the engine may end before the import does."""
    future: concurrent.futures.Future[Any] = concurrent.futures.Future()

    def run() -> None:
        future.set_running_or_notify_cancel()
        try:
            future.set_result(importlib.import_module(module))
        except BaseException as error:  # noqa: BLE001 - passed on to whoever awaits
            future.set_exception(error)

    thread = threading.Thread(target=run, name="mcp", daemon=True)
    thread.start()
    atexit.register(thread.join, JOIN_SECONDS)
    return future


class ServerLimits(msgspec.Struct, frozen=True):
    """Times in seconds."""

    start: float = 10.0
    """Until a server has listed its tools, after which it counts as failed."""
    max_start: float = 90.0
    """In all for a program, since `npx` and `uvx` fetch a server when it is first started."""
    wait: float = 3.0
    """That a request waits for servers that start."""
    call: float = 120.0
    """That a call may take without a sign of progress."""
    max_call: float = 600.0
    """That a call may take in all, below what a turn gives any tool."""
    pause: float = 1.0
    """Before a server is started again; doubled each time."""
    max_pause: float = 60.0
    steady: float = 60.0
    """After which the next end of a server counts as its first."""
    idle: float = 1_800.0
    """After which a process for a folder that nobody uses is ended."""


class ServerContext:
    """What all connections share. key_of: returns a key by its name in the keyring. on_bug: gets unexpected errors."""

    def __init__(
        self, key_of: Callable[[str], str], on_bug: Callable[[BaseException], None], limits: ServerLimits, guard: Guard
    ) -> None:
        self.key_of = key_of
        self.on_bug = on_bug
        self.limits = limits
        self.guard = guard
        self.tasks = Tasks(on_bug)
        self._tasks_named = 0

    def next_name(self, purpose: str) -> str:
        """Return a new name for a task."""
        self._tasks_named += 1
        return f"mcp {purpose} {self._tasks_named}"
