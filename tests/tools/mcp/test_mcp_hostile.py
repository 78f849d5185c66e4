"""Servers that ask for what they must not get, flood, and lie: each is executed, and what came of it looked at."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from mcp_bench import bench, server
from mcp_servers.web import Web
from tool_calls import steady_loop
from web_server import answer, web_server

from desktop_app.settings import McpServer
from desktop_app.tools.mcp.server_context import ServerLimits
from texts import NOT_OF_PROTOCOL

pytestmark = pytest.mark.wire
LIMITS = ServerLimits(wait=20.0, start=20.0, call=5.0, pause=0.05)


@pytest.mark.parametrize("how", ["sampling", "elicitation", "roots", "unknown"])
async def test_what_it_asks_for_is_refused(tmp_path: Path, how: str) -> None:
    async with bench(tmp_path, server("hostile", how), limits=LIMITS) as one:
        await one.names()
        got = json.loads(await one.text("hostile__work"))
        assert got["id"] == "mine"
        assert "error" in got
        assert "result" not in got


@pytest.mark.parametrize("how", ["progress", "changes", "notes"])
async def test_a_flood_of_notes_holds_nobody_up_and_the_call_ends(tmp_path: Path, how: str) -> None:
    async with bench(tmp_path, server("hostile", how), limits=LIMITS) as one:
        await one.names()
        async with steady_loop(0.2):
            for _ in range(2):
                lines, outcome = await one.run("hostile__work")
                assert outcome.text == "worked"
                assert all(line.count("\n") == 1 and len(line) < 2_010 for line in lines)
        assert await one.names() == ["hostile__work"]


async def test_a_number_that_is_too_large_is_no_fault_of_ours(tmp_path: Path) -> None:
    async with bench(tmp_path, server("hostile", "endless number"), limits=LIMITS) as one:
        await one.names()
        assert NOT_OF_PROTOCOL in await one.text("hostile__work")


async def test_no_name_is_another_tools_or_none_that_providers_take(tmp_path: Path) -> None:
    async with bench(
        tmp_path, server("hostile", "names", name="\u202ebash\x1b"), server("hostile", "x", "bash")
    ) as one:
        names = await one.names()
    assert len(set(names)) == len(names) == 11
    assert all(re.fullmatch(r"bash(-2)?__[a-zA-Z0-9_-]{1,58}", name) for name in names)
    assert not {"bash", "read"} & set(names)


@pytest.mark.parametrize("how", ["lying image", "image of no type", "file", "embedded", "loopback"])
async def test_what_it_names_is_neither_opened_nor_believed(tmp_path: Path, how: str) -> None:
    async with bench(tmp_path, server("hostile", how), limits=LIMITS) as one:
        await one.names()
        _, outcome = await one.run("hostile__work")
    assert outcome.text.startswith("[")
    assert "root:" not in outcome.text
    assert "<html>" not in outcome.text


HOSTS = (
    "http://127.0.0.1:{port}/x",
    "http://localhost:{port}/x",
    "//127.0.0.2:{port}/x",
    "file:///etc/passwd",
    "/\r\nX: y",
)


@pytest.mark.parametrize("where", HOSTS)
async def test_redirects_of_a_server_lead_nowhere(tmp_path: Path, where: str) -> None:
    async with web_server() as inside, web_server(kind=Web) as other:
        other.answer_to = lambda *_: answer("", status=307, Location=where.format(port=inside.port))  # type: ignore[method-assign]
        at = McpServer("web", url=f"http://localhost:{other.port}/mcp")
        async with bench(tmp_path, at, limits=ServerLimits(start=2.0, wait=5.0), keys={"mcp/web": "the-key"}) as one:
            assert await one.names() == []
        assert inside.asked == []


@pytest.mark.parametrize("session", ["a\rX-Added: y", "a\x00b", "x" * 60_000, "\u202e"])
async def test_the_number_of_a_session_adds_no_header(tmp_path: Path, session: str) -> None:
    async with web_server(kind=Web) as other:
        plain = other.answer_to

        def with_session(target: str, request: str) -> bytes:
            told = f"HTTP/1.1 200 X\r\nMcp-Session-Id: {session}".encode()
            return plain(target, request).replace(b"HTTP/1.1 200 X", told, 1)

        other.answer_to = with_session  # type: ignore[method-assign]
        at = McpServer("web", url=f"http://localhost:{other.port}/mcp")
        async with bench(tmp_path, at, limits=ServerLimits(start=2.0, wait=5.0)) as one:
            await one.names()
        assert not [line for asked in other.asked for line in asked.splitlines() if line.lower().startswith("x-added")]
