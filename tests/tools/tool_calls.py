"""Calls of tools as a turn makes them: needs, then pieces, then the outcome."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import RequiredPermission, ToolContext, ToolOutcome
from desktop_app.settings import Settings
from desktop_app.tools.registry import ToolRegistry
from desktop_app.tools.spill import SpillFolder

STOP_SECONDS = 0.25
"""In which a stopped call has ended."""


async def longest_gap(work: Awaitable[object]) -> float:
    """Seconds for which the loop did nothing else while that work went on."""
    gaps = [0.0]

    async def beat() -> None:
        last = time.monotonic()
        while True:
            await asyncio.sleep(0.002)
            now = time.monotonic()
            gaps.append(now - last)
            last = now

    beating = asyncio.ensure_future(beat())
    await work
    beating.cancel()
    await asyncio.wait({beating})
    return max(gaps)


class Desk:
    """A toolbox with a working folder and a data folder of its own."""

    def __init__(self, folder: Path, settings: Settings | None = None) -> None:
        self.folder = folder / "work"
        self.data = folder / "data"
        self.folder.mkdir()
        self.data.mkdir()
        self.settings = settings or Settings()
        self.spills = SpillFolder(self.data / "spills")
        self.toolbox = ToolRegistry((), self.spills, lambda: self.settings, self.data)
        self.place = ToolContext("one", str(self.folder))

    def file(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def outside(self, name: str, content: str) -> Path:
        """A file in a folder that is not the working folder."""
        path = self.folder.parent / "outside" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
        return path

    async def pieces(self, name: str, arguments: str) -> tuple[list[str], ToolOutcome]:
        call = ToolCall("1", name, arguments)
        await self.toolbox.needs(call, self.place)
        pieces = [piece async for piece in self.toolbox.run(call, self.place)]
        *shown, outcome = pieces
        assert isinstance(outcome, ToolOutcome)
        assert all(isinstance(piece, str) for piece in shown)
        return [str(piece) for piece in shown], outcome

    async def call(self, name: str, **arguments: Any) -> str:
        """What a call says that goes well."""
        _, outcome = await self.pieces(name, json.dumps(arguments))
        assert not outcome.is_error, outcome.text
        return outcome.text

    async def failure(self, name: str, **arguments: Any) -> str:
        """What a call says that goes wrong."""
        _, outcome = await self.pieces(name, json.dumps(arguments))
        assert outcome.is_error, outcome.text
        return outcome.text

    async def needs(self, name: str, **arguments: Any) -> tuple[RequiredPermission, ...]:
        return await self.toolbox.needs(ToolCall("1", name, json.dumps(arguments)), self.place)
