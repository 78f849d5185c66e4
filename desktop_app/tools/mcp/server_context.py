"""What the connections to all MCP servers share."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from desktop_app.chat.tasks import Tasks

from .process import Guard
from .server_sandbox import ServerSandbox


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


class ServerContext:
    """What all connections share. key_of: returns a key by its name in the keyring. on_bug: gets unexpected errors."""

    def __init__(
        self,
        key_of: Callable[[str], str],
        on_bug: Callable[[BaseException], None],
        limits: ServerLimits,
        guard: Guard,
        sandbox: ServerSandbox,
    ) -> None:
        self.key_of = key_of
        self.on_bug = on_bug
        self.limits = limits
        self.guard = guard
        self.sandbox = sandbox
        self.tasks = Tasks(on_bug)
        self._numbers = itertools.count(1)

    def start(self, purpose: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        return self.tasks.start(f"mcp {purpose} {next(self._numbers)}", work)
