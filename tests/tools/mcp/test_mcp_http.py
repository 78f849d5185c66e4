"""Servers that are reached over HTTP, well-behaved and not."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp_bench import FOLDER, PATIENT, bench
from mcp_servers.web import web
from web_server import certificates

from desktop_app.settings import McpServer
from desktop_app.tools.mcp.server_context import ServerLimits

HASTY = ServerLimits(start=1.5, wait=20.0, call=1.0, pause=0.05)


def at(url: str, name: str = "web") -> McpServer:
    return McpServer(name, url=url)


@pytest.mark.parametrize(
    ("how", "kind", "words"),
    [
        ("refuses", "auth", "It does not accept the key (HTTP 401)"),
        ("missing", "not_found", "There is no such server at its address (HTTP 404)"),
        ("broken", "server", "It has an error of its own (HTTP 500)"),
        ("busy", "rate_limit", "It was asked too often (HTTP 429)"),
        ("page", "malformed", "Unexpected content type: text/html"),
        ("nonsense", "malformed", "Failed to parse JSON response"),
        ("large", "garbage", "Its answer has more than 4,000,000 bytes"),
        ("packed", "garbage", "It compresses its answers"),
        ("silent", "timeout", "It did not answer within 1.5 seconds"),
    ],
)
async def test_a_server_that_does_not_answer_is_a_failure_in_words(
    tmp_path: Path, how: str, kind: str, words: str
) -> None:
    async with web(how) as other, bench(tmp_path, at(other.url), limits=HASTY) as one:
        assert await one.names() == []
        [failure] = one.servers.failures()
        assert words in failure.detail
        assert failure.kind == kind


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1:9/mcp", "It could not be reached"),
        ("ftp://example.org/mcp", "Its address is not valid"),
        ("file:///etc/passwd", "Its address is not valid"),
        ("http://", "Its address is not valid"),
        ("not an address", "Its address is not valid"),
        ("http://[::", "Its address is not valid"),
    ],
)
async def test_an_address_that_leads_nowhere(tmp_path: Path, url: str, words: str) -> None:
    async with bench(tmp_path, at(url), limits=HASTY) as one:
        assert await one.names() == []
        assert words in one.servers.failures()[0].detail


async def test_the_key_goes_to_its_server_and_to_no_other(tmp_path: Path) -> None:
    keys = {"mcp/web": "the-key", "mcp/away": "another-key"}
    async with web() as good, web() as thief, web(f"http://127.0.0.1:{thief.port}/mcp") as away:
        async with bench(tmp_path, at(good.url), at(away.url, "away"), limits=HASTY, keys=keys) as one:
            assert await one.names() == ["web__work"]
            assert await one.text("web__work") == "worked"
            [failure] = one.servers.failures()
            assert "not followed" in failure.detail
        assert {request.headers.get("authorization") for request in good.requests} == {"Bearer the-key"}
        assert thief.requests == []


async def test_a_certificate_that_nobody_vouches_for_is_not_accepted(tmp_path: Path) -> None:
    async with web(tls=certificates(tmp_path, "localhost")[1]) as other:
        async with bench(tmp_path, at(other.url), limits=HASTY, keys={"mcp/web": "the-key"}) as one:
            assert await one.names() == []
            assert "Its certificate is not valid" in one.servers.failures()[0].detail
        assert other.requests == []


async def test_a_key_that_a_server_repeats_is_not_told(tmp_path: Path) -> None:
    keys = {"mcp/web": "the-key"}
    async with web("echo") as other, bench(tmp_path, at(other.url), limits=HASTY, keys=keys) as one:
        await one.names()
        detail = one.servers.failures()[0].detail
    assert "bad key" in detail
    assert "the-key" not in detail


async def test_a_call_whose_connection_breaks_says_that_it_may_have_run(tmp_path: Path) -> None:
    async with web("breaks off") as other, bench(tmp_path, at(other.url), limits=HASTY) as one:
        await one.names()
        _, outcome = await one.run("web__work")
        assert outcome.is_error
        assert "could not be reached" in outcome.text
        assert "may have had effects" in outcome.text
        assert len([r for r in other.requests if r.message.get("method") == "tools/call"]) == 1
        other.how = ""
        async with asyncio.timeout(5):
            while await one.text("web__work") != "worked":
                await asyncio.sleep(0.05)


async def test_a_key_that_is_refused_during_a_call(tmp_path: Path) -> None:
    async with web() as other, bench(tmp_path, at(other.url), limits=HASTY) as one:
        await one.names()
        other.how = "refuses"
        assert "does not accept the key" in await one.text("web__work")
        other.how = "silent"
        assert "no sign of progress" in await one.text("web__work")


@asynccontextmanager
async def workshop(port: int) -> AsyncIterator[None]:
    """The well-behaved server, over HTTP."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(FOLDER / "workshop.py"), str(port), stderr=asyncio.subprocess.DEVNULL
    )
    try:
        async with asyncio.timeout(20):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                except OSError:
                    await asyncio.sleep(0.05)
                else:
                    writer.close()
                    break
        yield
    finally:
        process.kill()
        await process.wait()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


@pytest.mark.slow
async def test_a_real_server_over_http(tmp_path: Path) -> None:
    port = free_port()
    async with workshop(port), bench(tmp_path, at(f"http://127.0.0.1:{port}/mcp", "w"), limits=PATIENT) as one:
        names = await one.names()
        assert "w__add" in names
        assert await one.text("w__add", first=2, second=3) == "5"
        lines, outcome = await one.run("w__count", to=2)
        assert outcome.text == "counted"
        assert "2 of 2: step 2\n" in lines
        await one.cancel("w__dawdle", tmp_path / "note")
        await one.run("w__grow", tool="late")
        async with asyncio.timeout(5):
            while "w__late" not in await one.names():
                await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_a_server_that_was_started_anew_is_asked_anew(tmp_path: Path) -> None:
    port = free_port()
    async with bench(tmp_path, at(f"http://127.0.0.1:{port}/mcp", "w"), limits=PATIENT) as one:
        async with workshop(port):
            assert "w__add" in await one.names()
        async with workshop(port):  # it knows nothing of the session
            assert await one.text("w__add", first=2, second=3) == "5"
