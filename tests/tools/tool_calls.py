"""Calls of tools as a turn makes them: permissions, then output, then the outcome."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from desktop_app.chat.ports import Toolbox
from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import ChangePreview, RequiredPermission, ToolContext, ToolOutcome
from desktop_app.settings import Settings
from desktop_app.tools.registry import ToolRegistry
from desktop_app.tools.spill import SpillFolder

STOP_SECONDS = 0.25
"""In which a stopped call has ended."""


async def outcome_of(tools: Toolbox, call: ToolCall, context: ToolContext) -> ToolOutcome:
    """Run a call without asking for its permissions."""
    *_, outcome = [piece async for piece in tools.run(call, context)]
    assert isinstance(outcome, ToolOutcome)
    return outcome


class Desk:
    """A tool registry with a working folder and a data folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.data = folder / "data"
        self.folder.mkdir()
        self.data.mkdir()
        self.settings = Settings()
        self.spills = SpillFolder(self.data / "spills")
        self.tools = ToolRegistry((), self.spills, lambda: self.settings, self.data)
        self.context = ToolContext("one", str(self.folder))

    def file(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def outside(self, name: str, content: str) -> Path:
        """Make a file in a folder that is not the working folder."""
        path = self.folder.parent / "outside" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
        return path

    async def pieces(self, name: str, arguments: str) -> tuple[list[str], ToolOutcome]:
        call = ToolCall("1", name, arguments)
        await self.tools.needs(call, self.context)
        *shown, outcome = [piece async for piece in self.tools.run(call, self.context)]
        assert isinstance(outcome, ToolOutcome)
        assert all(isinstance(piece, str) for piece in shown)
        return [str(piece) for piece in shown], outcome

    async def call(self, name: str, **arguments: Any) -> str:
        """Return the text of a call that succeeds."""
        _, outcome = await self.pieces(name, json.dumps(arguments))
        assert not outcome.is_error, outcome.text
        return outcome.text

    async def failure(self, name: str, **arguments: Any) -> str:
        """Return the text of a call that fails."""
        _, outcome = await self.pieces(name, json.dumps(arguments))
        assert outcome.is_error, outcome.text
        return outcome.text

    async def needs(self, name: str, **arguments: Any) -> tuple[RequiredPermission, ...]:
        return await self.tools.needs(ToolCall("1", name, json.dumps(arguments)), self.context)

    async def preview(
        self, name: str, asked: list[RequiredPermission] | None = None, **arguments: Any
    ) -> ChangePreview:
        """asked: takes what reading the file needs, which is allowed then."""

        async def may_read(needs: tuple[RequiredPermission, ...]) -> bool:
            if asked is not None:
                asked.extend(needs)
            return asked is not None

        call = ToolCall("1", name, json.dumps(arguments))
        preview = await self.tools.preview(call, self.context, may_read)
        assert preview is not None
        return preview


@asynccontextmanager
async def steady_loop(longest: float = 0.05) -> AsyncIterator[None]:
    """The loop is never busy with one thing for longer than that, in processor time of this thread."""
    gaps = [0.0]

    async def beat() -> None:
        while True:
            before = time.thread_time()
            await asyncio.sleep(0.002)
            gaps.append(time.thread_time() - before)

    task = asyncio.ensure_future(beat())
    try:
        yield
    finally:
        task.cancel()
    assert max(gaps) < longest
