"""Real MCP servers in the default sandbox: each is connected, called, and compared with the package's own client.

Each line names a server that people install, its pinned version, and a call whose result is the same each time. What
they need was seen by hand first: a home of their own, caches, sockets between processes, certificates.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import ToolContext, ToolOutcome
from desktop_app.settings import McpServer
from desktop_app.tools.mcp.server_context import ServerLimits, ServerSandbox
from desktop_app.tools.mcp.source import McpServers
from desktop_app.tools.mcp.tool_list import suffixes_of
from desktop_app.tools.sandbox.sandbox import Sandbox
from real_programs import npm, pypi
from sandbox_here import why_not

pytestmark = [pytest.mark.real, pytest.mark.skipif(bool(why_not()), reason=why_not())]

PATIENT = ServerLimits(wait=280.0, start=280.0)
UV = "uv==0.13.9"


class Real(NamedTuple):
    """A server. package: of npm, or of PyPI if it has `==`. WORK in arguments is the working folder."""

    package: str
    command: tuple[str, ...]
    tool: str
    arguments: dict[str, Any]
    part: str
    """A part of the result."""
    with_image: bool = False
    is_error: bool = False
    """Whether the call cannot work without an account or the network: then the server's own words arrive."""


THOUGHT = {"thought": "a", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1}
ENTITY = {"entities": [{"name": "a", "entityType": "b", "observations": ["c"]}]}
OFFICIAL = "@modelcontextprotocol/server-"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or "/usr/bin/chromium"
SERVERS = {
    "everything": Real(f"{OFFICIAL}everything@2026.8.31", ("mcp-server-everything",), "get-sum", {"a": 2, "b": 3}, "5"),
    "image": Real(f"{OFFICIAL}everything@2026.8.31", ("mcp-server-everything",), "get-tiny-image", {}, "Image", True),
    "filesystem": Real(
        f"{OFFICIAL}filesystem@2026.8.31", ("mcp-server-filesystem", "WORK"), "write_file",
        {"path": "WORK/a.txt", "content": "x"}, "Successfully wrote",
    ),
    "sequential": Real(
        f"{OFFICIAL}sequential-thinking@2026.8.31", ("mcp-server-sequential-thinking",), "sequentialthinking",
        THOUGHT, '"thoughtNumber": 1',
    ),
    "memory": Real(f"{OFFICIAL}memory@2026.8.31", ("npx",), "create_entities", ENTITY, '"entityType": "b"'),
    "playwright": Real(
        "@playwright/mcp@0.0.83", ("playwright-mcp", "--headless", "--executable-path", CHROMIUM), "browser_navigate",
        {"url": "data:text/html,<h1>hello</h1>"}, "Page URL: data:text/html",
    ),
    "devtools": Real(
        "chrome-devtools-mcp@1.11.0", ("chrome-devtools-mcp", "--headless", "--executablePath", CHROMIUM),
        "list_pages", {}, "about:blank",
    ),
    "context7": Real(
        "@upstash/context7-mcp@4.1.1", ("context7-mcp",), "resolve-library-id",
        {"libraryName": "react", "query": "hooks"}, "",
    ),
    "notion": Real("@notionhq/notion-mcp-server@2.5.2", ("notion-mcp-server",), "API-get-self", {}, "", is_error=True),
    "time": Real("mcp-server-time==2026.10.19", ("mcp-server-time",), "convert_time",
        {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}, "T21:00:00+09:00"),
    "fetch": Real(
        "mcp-server-fetch==2026.10.24", ("mcp-server-fetch",), "fetch", {"url": "http://127.0.0.1:9/"},
        "not a public address", is_error=True,
    ),
    "git": Real("mcp-server-git==2026.10.19", ("mcp-server-git",), "git_status", {"repo_path": "WORK"}, "branch"),
    "sqlite": Real(
        "mcp-server-sqlite==2025.4.25", ("--with", "mcp<2", "mcp-server-sqlite", "--db-path", "WORK/t.db"),
        "list_tables", {}, "[]",
    ),
    "excel": Real(
        "excel-mcp-server==2.2.2", ("excel-mcp-server", "stdio"), "create_workbook", {"path": "WORK/b.xlsx"}, "b.xlsx"
    ),
    "word": Real(
        "office-word-mcp-server==1.1.11", ("word_mcp_server",), "create_document", {"filename": "WORK/b.docx"},
        "created successfully",
    ),
    "serena": Real(
        "serena-agent==2.1.0", ("serena", "start-mcp-server", "--enable-web-dashboard", "false"), "activate_project",
        {"project": "WORK", "session": "x"}, "activated",
    ),
    "workspace": Real(
        "workspace-mcp==2.2.1", ("workspace-mcp",), "list_calendars", {"user_google_email": "a@example.com"},
        "OAuth client credentials not found", is_error=True,
    ),
}  # fmt: skip


def command_of(real: Real, work: Path) -> tuple[str, ...]:
    """Return the command of a server: installed by npm, or started by `npx` or `uvx` as people do."""
    words = tuple(word.replace("WORK", str(work)) for word in real.command)
    if words == ("npx",):
        return ("npx", "-y", real.package)
    if "==" not in real.package:
        return (str(npm(real.package) / words[0]), *words[1:])
    return (str(pypi(UV) / "uvx"), "--from", real.package, *words)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    return folder


async def sdk_names(command: tuple[str, ...], home: Path, work: Path) -> list[str]:
    """Return the names of the tools, as the package's own client lists them outside of the sandbox."""
    home.mkdir()
    environment = {**os.environ, "HOME": str(home)}
    parameters = StdioServerParameters(command=command[0], args=list(command[1:]), env=environment, cwd=str(work))
    async with Client(stdio_client(parameters), mode="legacy") as client:
        names: list[str] = []
        cursor: str | None = None
        while True:
            page = await client.list_tools(cursor=cursor)
            names += [tool.name for tool in page.tools]
            if not (cursor := page.next_cursor):
                return names


async def called(servers: McpServers, name: str, arguments: dict[str, Any], work: Path) -> ToolOutcome:
    call = ToolCall("1", name, json.dumps(arguments).replace("WORK", str(work)))
    pieces = [piece async for piece in servers.run(call, ToolContext("c", str(work)))]
    assert isinstance(pieces[-1], ToolOutcome)
    return pieces[-1]


def started(servers: tuple[McpServer, ...], data: Path, bugs: list[BaseException]) -> McpServers:
    return McpServers(servers, lambda _: "", bugs.append, ServerSandbox(Sandbox(data), True), PATIENT)


@pytest.mark.parametrize("name", SERVERS)
async def test_a_server_works_in_the_default_sandbox(name: str, tmp_path: Path, work: Path) -> None:
    real, bugs = SERVERS[name], list[BaseException]()
    command = command_of(real, work)
    servers = started((McpServer("s", command),), tmp_path / "data", bugs)
    try:
        specs = await servers.specs(ToolContext("c", str(work)))
        refused = [failure.detail for failure in servers.failures()]
        suffix = suffixes_of([real.tool], "s")[real.tool]
        outcome = await called(servers, f"s__{suffix}", real.arguments, work)
    finally:
        await servers.close()
    assert real.part in outcome.text, (outcome.text, refused)
    assert outcome.is_error == real.is_error or not real.part, outcome.text
    assert outcome.sandbox == "network"
    assert bool(outcome.attachments) == real.with_image
    names = suffixes_of(sorted(await sdk_names(command, tmp_path / "home", work)), "s").values()
    missing = {f"s__{name}" for name in names} - {spec.name for spec in specs}
    assert len(missing) == len([detail for detail in refused if "schema" in detail]), (missing, refused)
    assert bugs == []


@pytest.fixture
def everything() -> Iterator[str]:
    """The address of server-everything over HTTP."""
    program = npm(f"{OFFICIAL}everything@2026.8.31") / "mcp-server-everything"
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    process = _served(program, port)
    yield f"http://127.0.0.1:{port}/mcp"
    process.kill()
    process.wait()


def _served(program: Path, port: int) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PORT": str(port)}
    process = subprocess.Popen([str(program), "streamableHttp"], env=environment, stderr=subprocess.DEVNULL)
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
        except OSError:
            time.sleep(0.1)
        else:
            return process
    raise TimeoutError


async def test_a_restarted_server_over_http_gets_the_call_again(tmp_path: Path, work: Path) -> None:
    """server-everything 2026.8.31 answers 400 to a session of its former process."""
    program = npm(f"{OFFICIAL}everything@2026.8.31") / "mcp-server-everything"
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    bugs = list[BaseException]()
    servers = started((McpServer("s", url=f"http://127.0.0.1:{port}/mcp"),), tmp_path / "data", bugs)
    process = _served(program, port)
    try:
        await servers.specs(ToolContext("c", str(work)))
        for _ in range(2):
            outcome = await called(servers, "s__echo", {"message": "here"}, work)
            assert (outcome.text, outcome.is_error) == ("Echo: here", False)
            process.kill()
            process.wait()
            process = _served(program, port)
    finally:
        await servers.close()
        process.kill()
        process.wait()
    assert bugs == []


async def test_mcp_remote_reaches_a_server_from_the_sandbox(tmp_path: Path, work: Path, everything: str) -> None:
    bugs = list[BaseException]()
    program = str(npm("mcp-remote@0.15.1") / "mcp-remote")
    servers = started((McpServer("s", (program, everything)),), tmp_path / "data", bugs)
    try:
        await servers.specs(ToolContext("c", str(work)))
        outcome = await called(servers, "s__echo", {"message": "here"}, work)
    finally:
        await servers.close()
    assert outcome.text == "Echo: here", (outcome.text, servers.failures())
    assert bugs == []
