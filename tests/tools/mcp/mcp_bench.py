"""What the tests of MCP servers share."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import ToolContext, ToolOutcome
from desktop_app.settings import McpServer
from desktop_app.tools.mcp.server_context import ServerLimits
from desktop_app.tools.mcp.source import McpServers
from slowness import slowness

FOLDER = Path(__file__).parent / "mcp_servers"
PATIENT = ServerLimits(wait=20.0, start=20.0)
"""For servers made with the package, which need a second or two to start, and more on a busy machine."""


def server(file: str, how: str = "", name: str = "", **more: Any) -> McpServer:
    command = (sys.executable, str(FOLDER / f"{file}.py"), *((how,) if how else ()))
    return McpServer(name or file, command, **more)


class Bench:
    """Servers, and a conversation that works in a folder. bugs: what was told of our own errors."""

    def __init__(
        self, folder: Path, servers: tuple[McpServer, ...], limits: ServerLimits, keys: dict[str, str]
    ) -> None:
        self.bugs: list[BaseException] = []
        self.servers = McpServers(servers, lambda name: keys.get(name, ""), self.bugs.append, limits)
        self.place = ToolContext("c", str(folder))

    async def names(self) -> list[str]:
        return [spec.name for spec in await self.servers.specs(self.place)]

    async def run(self, name: str, **arguments: Any) -> tuple[list[str], ToolOutcome]:
        """What the tool showed on its way, and how it ended."""
        call = ToolCall("1", name, json.dumps(arguments))
        pieces = [piece async for piece in self.servers.run(call, self.place)]
        outcome = pieces.pop()
        assert isinstance(outcome, ToolOutcome)
        return [piece for piece in pieces if isinstance(piece, str)], outcome

    async def cancel(self, name: str, note: Path) -> None:
        """Cancels a call while it runs: it ends at once, and its server, which takes a note, hears of it."""
        task = asyncio.ensure_future(self.run(name, seconds=30, note=str(note)))
        await asyncio.sleep(0.5)
        began = time.monotonic()
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
        assert time.monotonic() - began < 0.25 * slowness()
        await until(note.exists)

    async def text(self, name: str, **arguments: Any) -> str:
        return (await self.run(name, **arguments))[1].text


@asynccontextmanager
async def bench(
    folder: Path, *servers: McpServer, limits: ServerLimits = PATIENT, keys: dict[str, str] | None = None
) -> AsyncIterator[Bench]:
    """Ends everything within 2 s, and finds no bug of ours."""
    one = Bench(folder, servers, limits, keys or {})
    try:
        yield one
    finally:
        began = time.monotonic()
        await one.servers.close()
        assert time.monotonic() - began < 2.5 * slowness()  # 2 s, and half a one to find that out
    assert one.bugs == []


async def until(is_so: Callable[[], Any], seconds: float = 10.0) -> None:
    """Waits until that is so."""
    async with asyncio.timeout(seconds):
        while not is_so():
            await asyncio.sleep(0.01)


class Heartbeat:
    """The longest time, in seconds, in which the loop did nothing else."""

    def __init__(self) -> None:
        self.longest = 0.0

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        task = asyncio.ensure_future(self._beat())
        try:
            yield
        finally:
            task.cancel()

    async def _beat(self) -> None:
        while True:
            # The processor time of this thread: others take the cores away for as long as they like.
            before = time.thread_time()
            await asyncio.sleep(0.002)
            self.longest = max(self.longest, time.thread_time() - before)
