"""Servers that are reached over HTTP, well-behaved and not."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp_bench import FOLDER, bench, until, until_offered
from mcp_servers.web import web
from web_server import certificates

from desktop_app.settings import McpServer
from desktop_app.tools.mcp.server_context import ServerLimits

pytestmark = pytest.mark.wire
HASTY = ServerLimits(start=1.5, wait=20.0, call=1.0, pause=0.05)


def at(url: str, name: str = "web") -> McpServer:
    return McpServer(name, url=url)


@pytest.mark.parametrize(
    ("how", "kind", "words"),
    [
        ("refuses", "auth", "HTTP 401"),
        ("missing", "not_found", "HTTP 404"),
        ("broken", "server", "HTTP 500"),
        ("busy", "rate_limit", "HTTP 429"),
        ("page", "malformed", "text/html"),
        ("nonsense", "malformed", "JSON"),
        ("large", "garbage", "32,000,000 bytes"),
        ("packed", "garbage", "compresses"),
        ("silent", "timeout", "1.5 seconds"),
        ("echo", "malformed", "bad key"),
    ],
)
async def test_a_server_that_does_not_answer_is_a_failure_without_its_key(
    tmp_path: Path, how: str, kind: str, words: str
) -> None:
    async with web(how) as other, bench(tmp_path, at(other.address), limits=HASTY, keys={"mcp/web": "the-key"}) as one:
        assert await one.names() == []
        [failure] = one.servers.failures()
        assert failure.kind == kind
        assert words in failure.detail
        assert "the-key" not in failure.detail


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/mcp", "ftp://example.org/mcp", "not an address", "http://[::"])
async def test_an_address_that_leads_nowhere(tmp_path: Path, url: str) -> None:
    async with bench(tmp_path, at(url), limits=HASTY) as one:
        assert await one.names() == []
        [failure] = one.servers.failures()
        assert failure.kind == ("connection" if ":9/" in url else "bad_input")


async def test_the_key_goes_to_its_server_and_to_no_other(tmp_path: Path) -> None:
    keys = {"mcp/web": "the-key", "mcp/away": "another-key"}
    async with web() as good, web() as thief, web(f"http://127.0.0.1:{thief.port}/mcp") as away:
        async with bench(tmp_path, at(good.address), at(away.address, "away"), limits=HASTY, keys=keys) as one:
            assert await one.names() == ["web__work"]
            assert await one.text("web__work") == "worked"
            assert "not followed" in one.details()
        assert all("authorization: bearer the-key\r\n" in request.lower() for request in good.asked)
        assert good.asked
        assert thief.asked == []


async def test_a_certificate_that_nobody_vouches_for_is_not_accepted(tmp_path: Path) -> None:
    async with web(tls=certificates(tmp_path, "localhost")[1]) as other:
        async with bench(tmp_path, at(other.address), limits=HASTY, keys={"mcp/web": "the-key"}) as one:
            assert await one.names() == []
            assert "certificate" in one.details()
        assert other.asked == []


@pytest.mark.parametrize(("how", "words"), [("refuses", "none is set"), ("signs in", "OAuth")])
async def test_a_server_that_wants_a_key_says_so_if_there_is_none(tmp_path: Path, how: str, words: str) -> None:
    async with web(how) as other, bench(tmp_path, at(other.address), limits=HASTY) as one:
        assert await one.names() == []
        assert words in one.details()


async def test_a_restarted_server_that_answers_400_gets_the_call_again(tmp_path: Path) -> None:
    """server-everything 2026.8.31 answers 400 to a session that it does not know, and not in the protocol's form."""
    async with web() as other, bench(tmp_path, at(other.address), limits=HASTY) as one:
        await one.names()
        other.how = "forgetful"
        assert await one.text("web__work") == "worked"
        assert other.calls.count("initialize") == 2
        assert other.calls.count("tools/call") == 2


async def test_headers_of_the_settings_are_sent(tmp_path: Path) -> None:
    async with web() as other:
        server = McpServer("web", url=other.address, headers={"X-Team": "seven-seven"})
        async with bench(tmp_path, server, limits=HASTY) as one:
            assert await one.names() == ["web__work"]
        assert all("x-team: seven-seven\r\n" in request.lower() for request in other.asked)


async def test_a_call_whose_connection_breaks_may_have_run(tmp_path: Path) -> None:
    async with web("breaks off") as other, bench(tmp_path, at(other.address), limits=HASTY) as one:
        await one.names()
        _, outcome = await one.run("web__work")
        assert outcome.is_error
        assert "could not be reached" in outcome.text
        assert "may have had effects" in outcome.text
        assert other.calls.count("tools/call") == 1
        other.how = ""
        async with asyncio.timeout(5):
            while await one.text("web__work") != "worked":
                await asyncio.sleep(0.05)
        other.how = "refuses"
        assert "key" in await one.text("web__work")
        other.how = "silent"
        assert "progress" in await one.text("web__work")


@asynccontextmanager
async def workshop(port: int) -> AsyncIterator[None]:
    """The well-behaved server, over HTTP."""
    argv = (sys.executable, str(FOLDER / "workshop.py"), str(port))
    process = await asyncio.create_subprocess_exec(*argv, stderr=asyncio.subprocess.DEVNULL)
    try:

        def is_listening() -> bool:
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        await until(is_listening, 20)
        yield
    finally:
        process.kill()
        await process.wait()


async def test_a_real_server_over_http_that_is_started_anew(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    async with bench(tmp_path, at(f"http://127.0.0.1:{port}/mcp", "w")) as one:
        async with workshop(port):
            names = await one.names()
            assert await one.text("w__add", first=2, second=3) == "5"
            lines, outcome = await one.run("w__count", to=2)
            assert outcome.text == "counted"
            assert "2 of 2: step 2\n" in lines
            await one.cancel("w__dawdle", tmp_path / "note")
            await one.run("w__grow", tool="late")
            await until_offered(one, [*names, "w__late"])
        async with workshop(port):  # it knows nothing of the session
            assert await one.text("w__add", first=2, second=3) == "5"
