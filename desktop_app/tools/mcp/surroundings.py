"""What all connections to servers of tools share: limits of time, tasks, keys."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from desktop_app.chat.tasks import Tasks

from .guard import Guard


class Limits(msgspec.Struct, frozen=True):
    """Seconds. start: until it has told its tools, after which it counts as failed; start_most: that a program gets in
    all, since `npx` and `uvx` fetch a server when it is first started. wait: that a request waits for servers that
    start. call: that a call may take without a sign of progress; call_most: in all, below what a turn gives any tool.
    pause: before it is started again, doubled each time up to pause_most. steady: after which its next end counts as
    its first. idle: after which a process for a folder that nobody uses is ended."""

    start: float = 10.0
    start_most: float = 90.0
    wait: float = 3.0
    call: float = 120.0
    call_most: float = 600.0
    pause: float = 1.0
    pause_most: float = 60.0
    steady: float = 60.0
    idle: float = 1_800.0


class ServerContext:
    """What all connections share. key_of: the key of a server by its name in the keyring. on_bug: told of errors that
    are none of the world."""

    def __init__(
        self, key_of: Callable[[str], str], on_bug: Callable[[BaseException], None], limits: Limits, guard: Guard
    ) -> None:
        self.key_of = key_of
        self.on_bug = on_bug
        self.limits = limits
        self.guard = guard
        self.tasks = Tasks(on_bug)
        self._started = 0

    def next_name(self, what: str) -> str:
        """A name for a task, not used before."""
        self._started += 1
        return f"mcp {what} {self._started}"
