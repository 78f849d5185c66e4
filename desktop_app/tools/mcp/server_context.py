"""State shared by the connections to all MCP servers, and the sandbox for their programs."""

from __future__ import annotations

import asyncio
import errno
import itertools
import os
import shutil
import sys
from collections.abc import Callable, Coroutine
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec

from desktop_app.chat.tasks import TaskKey, Tasks
from desktop_app.conversation.message import CallSandbox
from desktop_app.conversation.words import translatable
from desktop_app.settings import McpServer
from desktop_app.tools.sandbox.sandbox import Confined, Rights, Sandbox, Unconfinable

from .process import Guard, inherited_environment

ADVICE = translatable("It runs in the sandbox: if it needs more than that gives it, change that in its settings.")


class ServerStart(msgspec.Struct, frozen=True):
    """The command and the environment to start a server's program with. Must be closed after the start."""

    command: tuple[str, ...]
    environment: dict[str, str]
    sandbox: CallSandbox = ""
    confined: Confined | None = None
    writable: tuple[str, ...] = ()
    """The folders that it can write in the sandbox, for messages."""

    @property
    def handles(self) -> tuple[int, ...]:
        """File descriptors that the program inherits."""
        return self.confined.handles if self.confined else ()

    def close(self) -> None:
        """Close the inherited file descriptors."""
        if self.confined:
            self.confined.close()


class ServerSandbox:
    """The sandbox of servers. is_on: whether the user has switched it on."""

    def __init__(self, sandbox: Sandbox, is_on: bool) -> None:
        self._sandbox = sandbox
        self.is_on = is_on

    @property
    def received(self) -> Path:
        """The folder of the files that servers send in their results."""
        return self._sandbox.data / "received_files"

    async def start_of(self, server: McpServer, folder: str) -> ServerStart:
        """Return how to start a server's program in a folder. Raises OSError and ValueError, as starting it would."""
        environment = inherited_environment() | server.environment
        if not self.is_on:
            return ServerStart(server.command, environment)
        if server.sandbox == "off":
            return ServerStart(server.command, environment, "outside")
        if await self._sandbox.fault():
            return ServerStart(server.command, environment, "missing" if sys.platform == "linux" else "")
        return await self._confined(server, folder)

    async def _confined(self, server: McpServer, folder: str) -> ServerStart:
        _find_program(server.command[0], folder, server.environment.get("PATH"))
        has_network = server.sandbox == "network"
        rights = Rights(f"mcp/{server.name}", has_network, server.writable, keeps_files=True)
        try:
            confined = await self._sandbox.confine(server.command, folder or "/", inherited_environment(), rights)
        except Unconfinable as error:
            raise ValueError(str(error)) from None
        environment = confined.environment | server.environment
        further = (os.path.realpath(os.path.expanduser(path)) for path in server.writable)
        writable = (os.path.realpath(folder or "/"), *further, environment["HOME"], "/tmp")
        return ServerStart(confined.argv, environment, "network" if has_network else "closed", confined, writable)

    def home_of(self, server: McpServer) -> str:
        """Return the folder in which a server in the sandbox keeps its own files."""
        return str(self._sandbox.home_of(f"mcp/{server.name}"))


def _find_program(program: str, folder: str, path: str | None) -> None:
    """Raise the error that starting a program would raise, because bubblewrap's message is less precise."""
    if "/" not in program:
        if shutil.which(program, path=path) is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)
        return
    file = Path(folder, program)
    if not file.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)
    if not os.access(file, os.X_OK) or file.is_dir():
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), program)


class ServerLimits(msgspec.Struct, frozen=True):
    """Time limits in seconds."""

    start: float = 10.0
    """Time until a server has listed its tools, after which it is reported as failed."""
    max_start: float = 300.0
    """Maximum for the start of a program, because `npx` and `uvx` download a server when it is first started."""
    wait: float = 3.0
    """Time that a request waits for starting servers."""
    call: float = 120.0
    """Time that a call may take without a sign of progress."""
    max_call: float = 600.0
    """Total time that a call may take, below the limit of a turn for any tool."""
    pause: float = 1.0
    """Pause before a server is restarted; doubled each time."""
    max_pause: float = 60.0
    steady: float = 60.0
    """Running time after which the next end of a server counts as its first."""


class ServerJob(Enum):
    """A kind of background task for a server."""

    CONNECTION = "MCP connection"
    CALL = "MCP call"
    END = "MCP end"


class ServerContext:
    """State shared by all connections.

    key_of: returns a key by its name in the keyring. on_bug: called with unexpected errors. on_change: called when a
    server starts to answer or fails.
    """

    def __init__(
        self,
        key_of: Callable[[str], str],
        on_bug: Callable[[BaseException], None],
        limits: ServerLimits,
        guard: Guard,
        sandbox: ServerSandbox,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self.on_change = on_change
        self.key_of = key_of
        self.on_bug = on_bug
        self.limits = limits
        self.guard = guard
        self.sandbox = sandbox
        self.tasks = Tasks(on_bug)
        self._numbers = itertools.count(1)

    def start(self, job: ServerJob, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task of its own."""
        return self.tasks.start(TaskKey(job, str(next(self._numbers))), work)
