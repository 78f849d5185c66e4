"""Real MCP servers in the default sandbox: each is connected, called, and compared with the package's own client.

Each line names a server that people install, its pinned version, and a call whose result is the same each time. What
they need was seen by hand first: a home of their own, caches, sockets between processes, certificates.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import ContentBlock, ImageContent, TextContent, Tool

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import ToolContext, ToolOutcome, ToolSpec
from desktop_app.settings import McpServer
from desktop_app.tools.mcp.server_context import ServerLimits, ServerSandbox
from desktop_app.tools.mcp.source import McpServers
from desktop_app.tools.mcp.tool_list import suffixes_of
from desktop_app.tools.sandbox.sandbox import Sandbox
from real_programs import npm, pypi, python_312
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
    differs: str = ""
    """A pattern for what differs between two calls, such as a time or a path of the server's own home."""
    outside: tuple[str, ...] = ()
    """Arguments that it needs outside of the sandbox, where Chromium refuses to run as root."""
    python: bool = False
    """Whether it needs a Python 3.12."""


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
        differs=r"page-[\dTZ-]+\.yml", outside=("--no-sandbox",),
    ),
    "devtools": Real(
        "chrome-devtools-mcp@1.11.0", ("chrome-devtools-mcp", "--headless", "--executablePath", CHROMIUM),
        "list_pages", {}, "about:blank", outside=("--chromeArg=--no-sandbox",),
    ),
    "context7": Real(
        "@upstash/context7-mcp@4.1.1", ("context7-mcp",), "resolve-library-id",
        {"libraryName": "react", "query": "hooks"}, "",
    ),
    "notion": Real(
        "@notionhq/notion-mcp-server@2.5.2", ("notion-mcp-server",), "API-get-self", {}, "", is_error=True,
        differs='"request_id":"[^"]+"',
    ),
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
    "commander": Real(
        "@wonderwhy-er/desktop-commander@0.2.52", ("desktop-commander", "--no-onboarding"), "read_file",
        {"path": "WORK/.git/HEAD"}, "ref: refs/heads/main",
    ),
    "mongodb": Real("mongodb-mcp-server@3.0.4", ("mongodb-mcp-server",), "list-databases", {}, "", is_error=True),
    "n8n": Real("n8n-mcp@2.87.0", ("n8n-mcp",), "tools_documentation", {}, "n8n"),
    "firecrawl": Real(
        "firecrawl-mcp@3.26.0", ("firecrawl-mcp",), "firecrawl_map", {"url": "https://example.com"}, "", is_error=True
    ),
    "markitdown": Real(
        "markitdown-mcp==0.0.1a8", ("markitdown-mcp",), "convert_to_markdown",
        {"uri": "data:text/html,<h1>hello</h1>"}, "# hello",
    ),
    "powerpoint": Real(
        "office-powerpoint-mcp-server==2.0.7", ("--with", "mcp<2", "ppt_mcp_server"), "create_presentation", {},
        "presentation_id",
    ),
    "basic-memory": Real(
        "basic-memory==0.24.1", ("basic-memory", "mcp"), "write_note",
        {"title": "Pond", "content": "Newts.", "directory": "notes"}, "Pond", python=True,
    ),
    "workspace": Real(
        "workspace-mcp==2.2.1", ("workspace-mcp",), "list_calendars", {"user_google_email": "a@example.com"},
        "OAuth client credentials not found", is_error=True, differs=r"/\S+/site-packages",
    ),
}  # fmt: skip


def command_of(real: Real, work: Path) -> tuple[str, ...]:
    """Return the command of a server: installed by npm, or started by `npx` or `uvx` as people do."""
    words = tuple(word.replace("WORK", str(work)) for word in real.command)
    if words == ("npx",):
        return ("npx", "-y", real.package)
    if "==" not in real.package:
        return (str(npm(real.package) / words[0]), *words[1:])
    python = ("--python", python_312()) if real.python else ()
    return (str(pypi(UV) / "uvx"), *python, "--from", real.package, *words)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    return folder


async def by_sdk(command: tuple[str, ...], real: Real, home: Path, work: Path) -> tuple[list[Tool], str]:
    """Return the tools and the text of the call, as the package's own client gets them outside of the sandbox."""
    home.mkdir()
    environment = {**os.environ, "HOME": str(home)}
    words = [*command[1:], *real.outside]
    parameters = StdioServerParameters(command=command[0], args=words, env=environment, cwd=str(work))
    async with Client(stdio_client(parameters), mode="legacy") as client:
        tools: list[Tool] = []
        cursor: str | None = None
        while cursor is not None or not tools:
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
            if not (cursor := page.next_cursor):
                break
        arguments = json.loads(json.dumps(real.arguments).replace("WORK", str(work)))
        try:
            result = await client.call_tool(real.tool, arguments)
        except MCPError as refusal:
            return tools, refusal.message
    return tools, "\n\n".join(text_of(part, real.tool) for part in result.content)


def text_of(part: ContentBlock, tool: str) -> str:
    """Return a part of a result as the model reads it: an image as a line, since it is attached."""
    if isinstance(part, ImageContent):
        return f"[Image: {tool}-1.png, {len(base64.b64decode(part.data)):,} bytes]"
    assert isinstance(part, TextContent)
    return part.text


def same_words(text: str, real: Real) -> str:
    """Return a text without what differs between two calls, and without the space at the ends of lines."""
    text = re.sub(real.differs, "…", text) if real.differs else text
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


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
    fresh = work.with_name("again") / "work"
    subprocess.run(["git", "init", "-q", "-b", "main", str(fresh)], check=True)
    tools, text = await by_sdk(command_of(real, fresh), real, tmp_path / "home", fresh)
    check_tools(tools, specs, refused)
    seen = outcome.text.replace(str(work), "WORK")
    assert same_words(text.replace(str(fresh), "WORK"), real) in same_words(seen, real)
    assert bugs == []


def check_tools(tools: list[Tool], specs: tuple[ToolSpec, ...], refused: list[str]) -> None:
    """Check that each tool is offered as its server lists it, or was refused for its schema or for their number."""
    offered = {spec.name: spec for spec in specs}
    suffixes = suffixes_of(sorted(tool.name for tool in tools), "s")
    missing = {tool.name for tool in tools if f"s__{suffixes[tool.name]}" not in offered}
    assert missing == {name for name in missing if any(f"“{name}”" in detail for detail in refused)}, refused
    assert len(offered) == len(tools) - len(missing)
    for tool in tools:
        if tool.name not in missing:
            spec = offered[f"s__{suffixes[tool.name]}"]
            assert words_of(tool.description or tool.title)[:1_000] == words_of(spec.description)[:1_000]
            assert arguments_of(tool.input_schema) == arguments_of(json.loads(spec.parameters))


def words_of(text: object) -> str:
    return " ".join(text.split()) if isinstance(text, str) else ""


def arguments_of(schema: dict[str, Any]) -> dict[str, tuple[bool, object, object, str]]:
    """Return of each argument whether it is required, its type, its values, and how its description begins."""
    required = schema.get("required") or ()
    found: dict[str, tuple[bool, object, object, str]] = {}
    for name, own in (schema.get("properties") or {}).items():
        target = schema["$defs"][own["$ref"].removeprefix("#/$defs/")] if "$ref" in own else {}
        about = {**target, **own}
        words = words_of(about.get("description"))[:200]
        found[name] = (name in required, about.get("type"), about.get("enum"), words)
    return found


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
