"""What the tests of MCP servers share."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import ToolContext, ToolOutcome
from desktop_app.settings import McpServer
from desktop_app.tools.mcp.server_context import ServerLimits, ServerSandbox
from desktop_app.tools.mcp.source import McpServers
from desktop_app.tools.sandbox.sandbox import Sandbox
from slowness import slowness

FOLDER = Path(__file__).parent / "mcp_servers"
PATIENT = ServerLimits(wait=20.0, start=20.0)
"""For servers made with the package, which need a second or two to start, and more on a busy machine."""


def server(file: str, how: str = "", name: str = "", **more: Any) -> McpServer:
    command = (sys.executable, str(FOLDER / f"{file}.py"), *((how,) if how else ()))
    return McpServer(name or file, command, **more)


class Bench:
    """Servers, and a conversation that works in a folder. bugs: our own errors that were reported."""

    def __init__(
        self, folder: Path, servers: tuple[McpServer, ...], limits: ServerLimits, keys: dict[str, str], is_on: bool
    ) -> None:
        self.bugs: list[BaseException] = []
        self.servers = McpServers(
            servers,
            lambda name: keys.get(name, ""),
            self.bugs.append,
            ServerSandbox(Sandbox(folder / "data"), is_on),
            limits,
        )
        self.context = ToolContext("c", str(folder))

    async def names(self) -> list[str]:
        return [spec.name for spec in await self.servers.specs(self.context)]

    async def run(self, name: str, **arguments: Any) -> tuple[list[str], ToolOutcome]:
        """Return what the tool showed while it ran, and its outcome."""
        call = ToolCall("1", name, json.dumps(arguments))
        *lines, outcome = [piece async for piece in self.servers.run(call, self.context)]
        assert isinstance(outcome, ToolOutcome)
        return [line for line in lines if isinstance(line, str)], outcome

    async def text(self, name: str, **arguments: Any) -> str:
        return (await self.run(name, **arguments))[1].text

    def details(self) -> str:
        """What is said of servers that do not answer, and of tools that are not offered."""
        return "\n".join(failure.detail for failure in self.servers.failures())

    async def cancel(self, name: str, note: Path) -> None:
        """Cancel a call while it runs: it ends at once, and its server, which takes a note, hears of it."""
        task = asyncio.ensure_future(self.run(name, seconds=30, note=str(note)))
        await asyncio.sleep(0.5)
        began = time.monotonic()
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
        assert time.monotonic() - began < 0.25 * slowness()
        await until(note.exists)


@asynccontextmanager
async def bench(
    folder: Path,
    *servers: McpServer,
    limits: ServerLimits = PATIENT,
    keys: dict[str, str] | None = None,
    is_on: bool = False,
) -> AsyncIterator[Bench]:
    """End everything within 2 s, and find no bug of ours."""
    one = Bench(folder, servers, limits, keys or {}, is_on)
    try:
        yield one
    finally:
        began = time.monotonic()
        await one.servers.close()
        assert time.monotonic() - began < 2.5 * slowness()  # 2 s, and half a one to find that out
    assert one.bugs == []


async def until(is_so: Callable[[], Any], seconds: float = 10.0) -> None:
    async with asyncio.timeout(seconds):
        while not is_so():
            await asyncio.sleep(0.01)


async def until_offered(one: Bench, names: list[str]) -> None:
    async with asyncio.timeout(10):
        while await one.names() != names:
            await asyncio.sleep(0.05)


def servers_of_ours(words: str = str(FOLDER)) -> list[int]:
    """The children of this process whose command holds the words."""
    found: list[int] = []
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess):  # a zombie, too
            found += [child.pid] if words in " ".join(child.cmdline()) else []
    return found
