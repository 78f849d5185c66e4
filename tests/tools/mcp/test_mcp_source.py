"""A well-behaved server, made with the `mcp` package: its tools, its answers, and the permissions that they require."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from mcp_bench import PATIENT, bench, server, until_offered

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import RequiredPermission, Rule, ToolContext, ToolOutcome
from desktop_app.settings import McpServer
from desktop_app.tools.mcp.server_context import ServerLimits
from slowness import slowness

pytestmark = pytest.mark.wire  # a server made with the package needs two seconds to start
WITHOUT_SERVERS = """
import asyncio, sys
from desktop_app.tools.mcp.server_context import ServerSandbox
from desktop_app.tools.mcp.source import McpServers
from desktop_app.tools.sandbox.sandbox import Sandbox
from pathlib import Path
from desktop_app.conversation.tools import ToolContext
async def main():
    servers = McpServers((), lambda name: '', print, ServerSandbox(Sandbox(Path('/nowhere')), False))
    assert await servers.specs(ToolContext('c')) == ()
    await servers.close()
asyncio.run(main())
assert not {'mcp', 'mcp_types', 'httpx2', 'pydantic', 'anyio'} & set(sys.modules)
"""


async def test_tools_are_offered_and_called(tmp_path: Path) -> None:
    async with bench(tmp_path, server("workshop")) as one:
        specs = {spec.name: spec for spec in await one.servers.specs(one.context)}
        add = specs["workshop__add"]
        assert (add.description, add.source) == ("Adds two numbers.", "workshop")
        assert json.loads(add.parameters) == {
            "type": "object",
            "properties": {"first": {"type": "integer"}, "second": {"type": "integer"}},
            "required": ["first", "second"],
        }
        assert not [spec for spec in specs.values() if "Ignore all" in spec.description]
        assert await one.text("workshop__add", first=2, second=3) == "5"
        assert await one.servers.specs(one.context) == tuple(specs.values())
        lines, outcome = await one.run("workshop__count", to=2)
        assert outcome.text == "counted"
        assert lines == ["1 of 2: step 1\n", "counted 1\n", "2 of 2: step 2\n", "counted 2\n"]
        _, outcome = await one.run("workshop__fail", why="no paper")
        assert outcome.is_error
        assert "no paper" in outcome.text
        for broken in ("[1, 2]", '{"first": 1', "[" * 100_000):
            call = ToolCall("1", "workshop__add", broken)
            [outcome] = [piece async for piece in one.servers.run(call, one.context)]
            assert isinstance(outcome, ToolOutcome)
            assert "did not run" in outcome.text
        await one.cancel("workshop__dawdle", tmp_path / "note")
        assert await one.text("workshop__add", first=1, second=1) == "2"
        await one.run("workshop__grow", tool="aardvark")
        await until_offered(one, [*specs, "workshop__aardvark"])
        assert await one.text("workshop__aardvark") == "new"


async def test_calls_run_side_by_side_and_a_call_costs_milliseconds(tmp_path: Path) -> None:
    async with bench(tmp_path, server("workshop")) as one:
        await one.names()
        began = time.monotonic()
        await asyncio.gather(*(one.run("workshop__dawdle", seconds=0.5) for _ in range(8)))
        assert time.monotonic() - began < 3 * slowness()
        spent = time.process_time()
        for _ in range(50):
            await one.run("workshop__add", first=2, second=3)
        assert (time.process_time() - spent) / 50 < 0.02 * slowness()


async def test_progress_keeps_a_long_call_alive(tmp_path: Path) -> None:
    async with bench(tmp_path, server("workshop"), limits=ServerLimits(wait=20, start=20, call=0.8)) as one:
        await one.names()
        assert "progress" in await one.text("workshop__dawdle", seconds=5)
        assert await one.text("workshop__count", to=3, pause=0.4) == "counted"


async def test_conversations_share_a_server_but_not_its_folder(tmp_path: Path) -> None:
    fixed = server("workshop", name="fixed", folder=str(tmp_path))
    async with bench(tmp_path, server("workshop"), fixed) as one:
        found: dict[str, list[dict[str, str]]] = {"workshop": [], "fixed": []}
        for name in ("here", "there"):
            (tmp_path / name).mkdir()
            one.context = ToolContext("c", str(tmp_path / name))
            await one.names()
            for each, where in found.items():
                where.append(json.loads(await one.text(f"{each}__where")))
    assert [where["folder"] for where in found["workshop"]] == [str(tmp_path / "here"), str(tmp_path / "there")]
    assert len({where["pid"] for where in found["workshop"]}) == 2
    assert len({where["pid"] for where in found["fixed"]}) == 1
    assert found["fixed"][0]["folder"] == str(tmp_path)


async def test_every_call_requires_permission_whether_or_not_the_server_answers(tmp_path: Path) -> None:
    async with bench(tmp_path, McpServer("my [odd]/server", ("no-such-program",)), limits=PATIENT) as one:
        [need] = await one.servers.needs(ToolCall("1", "my_odd_server__read"), one.context)
        pattern = "my [[]odd]_server/read"
        assert need == RequiredPermission("my_odd_server__read", "mcp", "my [odd]_server/read", pattern)
        assert Rule("my_odd_server__read", need.suggestion).covers(need)
        for name in ("bash", "other__read"):
            assert await one.servers.needs(ToolCall("1", name), one.context) == ()


def test_nothing_is_imported_for_who_has_no_server() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT_SERVERS], check=True, cwd=Path(__file__).parents[3])
