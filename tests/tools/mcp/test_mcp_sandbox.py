"""Programs of MCP servers in the sandbox."""

from __future__ import annotations

import socket
import sys
import time
from pathlib import Path

import psutil
import pytest
from mcp_bench import FOLDER, bench, servers_of_ours, until

from desktop_app.settings import McpServer
from desktop_app.tools.mcp.server_context import ADVICE
from sandbox_here import why_not

pytestmark = [
    pytest.mark.wire,
    pytest.mark.skipif(bool(why_not()), reason=why_not()),
]
TRIES = """
exec 2>/dev/null
echo x > here; echo x > {more}/a; echo x > {outside}/a; echo x > ~/a
(exec 3<>/dev/tcp/127.0.0.1/{port}) && echo x > connected
cat ~/.netrc > netrc; env > env
exec {python} {rude}
"""


@pytest.mark.parametrize("has_network", [True, False])
async def test_a_server_writes_its_folders_and_reads_no_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_network: bool
) -> None:
    home, work, more, outside = (tmp_path / name for name in ("home", "work", "more", "outside"))
    for folder in (home, work, more, outside):
        folder.mkdir()
    (home / ".netrc").write_text("secret")
    monkeypatch.setenv("HOME", str(home))
    listening = socket.create_server(("127.0.0.1", 0))
    names = {"more": more, "outside": outside, "port": listening.getsockname()[1], "python": sys.executable}
    script = TRIES.format(**names, rude=FOLDER / "rude.py")
    kind = "network" if has_network else "closed"
    environment = {"TRACKER_TOKEN": "its own"}
    server = McpServer("s", ("bash", "-c", script), "", environment, str(work), True, kind, (str(more),))
    async with bench(tmp_path, server, is_on=True) as one:
        assert await one.names() == ["s__work"]
        _, outcome = await one.run("s__work")
        assert (outcome.text, outcome.sandbox) == ("worked", kind)
    listening.close()
    assert {path.name for path in work.iterdir()} == {"here", "netrc", "env", *(["connected"] if has_network else [])}
    assert (work / "netrc").read_text() == ""
    assert "TRACKER_TOKEN=its own" in (work / "env").read_text()
    assert (more / "a").exists()
    assert not [*outside.iterdir(), *home.glob("a")]


def sandboxes_of(folder: Path) -> list[psutil.Process]:
    processes = psutil.process_iter(["name", "cmdline"])
    return [
        one for one in processes if one.info["name"] == "bwrap" and str(folder) in " ".join(one.info["cmdline"] or ())
    ]


async def test_the_switches_hold_at_once_and_nothing_is_left(tmp_path: Path) -> None:
    server = McpServer("s", (sys.executable, str(FOLDER / "rude.py")))
    async with bench(tmp_path, server, is_on=True) as one:
        assert (await one.run("s__work"))[1].sandbox == "network"
        await one.servers.change((server,), is_sandboxed=False)
        assert (await one.run("s__work"))[1].sandbox == ""
        await one.servers.change((server,), is_sandboxed=True)
        assert (await one.run("s__work"))[1].sandbox == "network"
        began = time.monotonic()
        await one.servers.change((McpServer("s", server.command, sandbox="off"),))
        assert time.monotonic() - began < 5
        assert (await one.run("s__work"))[1].sandbox == "outside"
    await until(lambda: not servers_of_ours())
    assert not sandboxes_of(tmp_path)


async def test_a_program_that_is_not_there_is_named_as_before(tmp_path: Path) -> None:
    missing, dead = McpServer("s", ("no-such-program",)), McpServer("d", ("/bin/sh", "-c", "touch /x; exit 3"))
    async with bench(tmp_path, missing, dead, is_on=True) as one:
        assert await one.names() == []
        assert "Its program 'no-such-program' was not found." in one.details()
        assert "Read-only file system" in one.details()
        advice = [failure.advice for failure in one.servers.failures()]
        assert ADVICE in advice[1]
        assert ADVICE not in advice[0]
