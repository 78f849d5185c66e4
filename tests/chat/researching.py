"""A house whose conversations can search a web of their own: real tools against a server on loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from ipaddress import ip_address
from pathlib import Path

from msgspec.structs import replace

from desktop_app.chat.turn.tool_runtime import ToolRuntime
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message
from desktop_app.conversation.tools import Rule
from desktop_app.paths import RESOURCES
from desktop_app.permissions.rules import rules_of_option
from desktop_app.settings import Settings
from desktop_app.tools.registry import BuiltinTools
from desktop_app.tools.spill import SpillFolder
from desktop_app.tools.web_fetch import Address, FetchTool
from desktop_app.tools.web_search import WebSearchTool
from provider import Call, Reply

HERE = ip_address("127.0.0.1")
READER = ModelInfo("other/reader", "Reader", 16_000, 1_000)
"""A second model, of the same server."""
TEA = "Tea came to Lisbon in 1610. " * 20


class Web:
    """A server on loopback. pages: type and body by their paths; None: it never answers. asked: paths."""

    def __init__(self) -> None:
        self.pages: dict[str, tuple[str, str] | None] = {}
        self.asked: list[str] = []
        self.port = 0
        self._busy: set[asyncio.Task[None] | None] = set()

    def url(self, path: str = "", host: str = "site.test") -> str:
        return f"http://{host}:{self.port}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._busy.add(asyncio.current_task())
        try:
            path = (await reader.readuntil(b"\r\n\r\n")).decode().split(" ")[1].partition("?")[0]
            self.asked.append(path)
            page = self.pages.get(path, ("", ""))
            if page is None:
                await asyncio.sleep(600)
                return
            status, body = (200 if page[0] else 404), page[1].encode()
            head = f"HTTP/1.1 {status} X\r\nContent-Type: {page[0] or 'text/plain'}\r\nContent-Length: {len(body)}"
            writer.write(f"{head}\r\nConnection: close\r\n\r\n".encode() + body)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._busy.discard(asyncio.current_task())
            writer.close()

    async def close(self) -> None:
        busy = [task for task in self._busy if task is not None]
        for task in busy:
            task.cancel()
        if busy:
            await asyncio.wait(busy)


@asynccontextmanager
async def web_server() -> AsyncIterator[Web]:
    web = Web()
    server = await asyncio.start_server(web.serve, "127.0.0.1", 0)
    web.port = server.sockets[0].getsockname()[1]
    try:
        yield web
    finally:
        server.close()
        await web.close()
        await server.wait_closed()


async def here(host: str, port: int) -> tuple[Address, ...]:
    return (HERE,)


def words(name: str) -> str:
    return (RESOURCES / "prompts" / f"{name}.md").read_text(encoding="utf-8").strip()


def search(query: str, call_id: str = "call_1") -> Call:
    return Call("web_search", json.dumps({"query": query}), call_id)


def fetch(url: str, call_id: str = "call_1") -> Call:
    return Call("web_fetch", json.dumps({"url": url}), call_id)


def looking(*calls: Call, text: str = "", **more) -> Reply:
    return Reply(text, calls=calls, finish="tool_calls", **more)


def furnish(home, folder: Path, web: Web, allow: str = "web_search,web_fetch", **changes) -> SpillFolder:
    """Puts the web into the house; its spills. allow: what nobody is asked about. changes: of the settings."""
    settings = Settings(chat_model="scripted/scripted", system_prompt="Be brief.", search_url=web.url("", "127.0.0.1"))
    settings = replace(settings, **changes)
    results = {"results": [{"url": web.url("/tea"), "title": "Tea", "content": "All about tea"}]}
    web.pages["/search"] = ("application/json", json.dumps(results))
    web.pages["/tea"] = ("text/html", f"<html><body><article><h1>Tea</h1><p>{TEA}</p></article></body></html>")
    spills = SpillFolder(folder / "spills")
    toolbox = BuiltinTools(
        (FetchTool(here, lambda address: address == HERE), WebSearchTool(lambda: home.chats.settings))
    )

    async def keep(rule: Rule) -> None:
        raise AssertionError("no rule is kept for good")

    current: Callable[[], Settings] = lambda: home.chats.settings  # noqa: E731
    bench = ToolRuntime(toolbox, spills, current, keep, home.bugs.append, rules_of_option(allow) if allow else ())
    home.models.others[READER.id] = READER
    home.furnish(settings, tools=bench, read_research_prompt=partial(words, "research"))
    home.bench = bench
    return spills


async def researched(home, session, question: str) -> Message:
    """What is recorded last, once the research is over."""
    await home.chats.turns.research(session, question)
    await home.chats.turns.wait_until_idle(session.id, with_room=True)
    message = session.message(session.page(session.total, 1)[0].message.id)
    assert message is not None
    return message
