"""A well-behaved server, made with the `mcp` package: its tools, its answers, and the questions before them."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from mcp_bench import PATIENT, Bench, bench, server, until

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import RequiredPermission, Rule, ToolContext, ToolOutcome
from desktop_app.settings import McpServer
from desktop_app.tools.mcp.server_context import ServerLimits
from desktop_app.tools.registry import ToolRegistry
from desktop_app.tools.spill import SpillFolder
from slowness import slowness

pytestmark = pytest.mark.slow  # a server made with the package needs two seconds to start


@pytest.fixture
async def workshop(tmp_path: Path) -> AsyncIterator[Bench]:
    async with bench(tmp_path, server("workshop")) as one:
        await one.names()
        yield one


async def test_tools_are_offered_and_called(workshop: Bench) -> None:
    specs = {spec.name: spec for spec in await workshop.servers.specs(workshop.place)}
    assert specs["workshop__add"].description == "Adds two numbers."
    assert specs["workshop__add"].source == "workshop"
    assert json.loads(specs["workshop__add"].parameters) == {
        "type": "object",
        "properties": {"first": {"type": "integer"}, "second": {"type": "integer"}},
        "required": ["first", "second"],
    }
    assert not [spec for spec in specs.values() if "Ignore all" in spec.description]
    assert await workshop.text("workshop__add", first=2, second=3) == "5"
    assert await workshop.servers.specs(workshop.place) == tuple(specs.values())


async def test_calls_show_progress_fail_with_reasons_and_describe_images(workshop: Bench) -> None:
    lines, outcome = await workshop.run("workshop__count", to=2)
    assert outcome.text == "counted"
    assert lines == ["1 of 2: step 1\n", "counted 1\n", "2 of 2: step 2\n", "counted 2\n"]
    _, outcome = await workshop.run("workshop__fail", why="no paper")
    assert outcome.is_error
    assert "no paper" in outcome.text
    assert await workshop.text("workshop__picture") == (
        "Here it is:\n\n[An image, image/png, 20 kB. Only text can be shown here.]"
    )
    assert "not a JSON object" in (await pieces_of(workshop, "workshop__add", "[1, 2]"))[-1].text  # type: ignore[union-attr]


async def pieces_of(one: Bench, name: str, arguments: str) -> list[object]:
    return [piece async for piece in one.servers.run(ToolCall("1", name, arguments), one.place)]


async def test_calls_run_side_by_side_and_a_call_costs_milliseconds(workshop: Bench) -> None:
    began = time.monotonic()
    await asyncio.gather(*(workshop.run("workshop__dawdle", seconds=0.5) for _ in range(8)))
    assert time.monotonic() - began < 3 * slowness()
    spent = time.process_time()
    for _ in range(50):
        await workshop.run("workshop__say", text="hi")
    assert (time.process_time() - spent) / 50 < 0.02 * slowness()


async def test_a_cancelled_call_returns_at_once_and_the_server_hears_of_it(workshop: Bench, tmp_path: Path) -> None:
    await workshop.cancel("workshop__dawdle", tmp_path / "note")
    assert await workshop.text("workshop__add", first=1, second=1) == "2"


async def test_a_list_that_changes_is_read_again_and_keeps_its_order(workshop: Bench) -> None:
    before = await workshop.names()
    await workshop.run("workshop__grow", tool="aardvark")
    async with asyncio.timeout(5):
        while len(await workshop.names()) == len(before):
            await asyncio.sleep(0.05)
    assert await workshop.names() == [*before, "workshop__aardvark"]
    assert await workshop.text("workshop__aardvark") == "new"


async def test_progress_keeps_a_long_call_alive(tmp_path: Path) -> None:
    limits = ServerLimits(wait=20, start=20, call=1.0)
    async with bench(tmp_path, server("workshop"), limits=limits) as one:
        await one.names()
        assert "no sign of progress" in await one.text("workshop__dawdle", seconds=5)
        assert await one.text("workshop__plod", steps=5) == "arrived"


async def test_conversations_share_a_server_but_not_its_folder(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    fixed = server("workshop", name="fixed", folder=str(tmp_path))
    async with bench(tmp_path, server("workshop"), fixed) as one:
        found: dict[tuple[str, Path], dict[str, str]] = {}
        for folder in (here, there):
            one.place = ToolContext("c", str(folder))
            await one.names()
            for name in ("workshop", "fixed"):
                found[name, folder] = json.loads(await one.text(f"{name}__where"))
    assert [found["workshop", folder]["folder"] for folder in (here, there)] == [str(here), str(there)]
    assert found["workshop", here]["pid"] != found["workshop", there]["pid"]
    assert found["fixed", here]["pid"] == found["fixed", there]["pid"]
    assert found["fixed", here]["folder"] == str(tmp_path)


async def test_every_call_has_to_be_allowed_whether_or_not_the_server_answers(tmp_path: Path) -> None:
    async with bench(tmp_path, McpServer("my [odd]/server", ("no-such-program",)), limits=PATIENT) as one:
        [need] = await one.servers.needs(ToolCall("1", "my_odd_server__read"), one.place)
        assert need == RequiredPermission(
            "my_odd_server__read", "mcp", "my [odd]_server/read", "my [[]odd]_server/read"
        )
        assert Rule("my_odd_server__read", need.suggestion).covers(need)
        assert await one.servers.needs(ToolCall("1", "bash"), one.place) == ()
        assert await one.servers.needs(ToolCall("1", "other__read"), one.place) == ()


async def test_it_is_a_source_of_the_toolbox(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude")) as one:
        toolbox = ToolRegistry((one.servers,), SpillFolder(tmp_path / "spills"))
        specs = await toolbox.specs(one.place)
        assert [spec.name for spec in specs if spec.source] == ["rude__work"]
        call = ToolCall("1", "rude__work", "{}")
        assert [need.target for need in await toolbox.needs(call, one.place)] == ["rude/work"]
        assert [piece async for piece in toolbox.run(call, one.place)] == [ToolOutcome("worked")]
        await one.servers.change((server("rude", "dead"),))
        await until(toolbox.failures)


def test_nothing_is_imported_for_who_has_no_server() -> None:
    code = (
        "import asyncio, sys\n"
        "from desktop_app.tools.mcp.source import McpServers\n"
        "from desktop_app.conversation.tools import ToolContext\n"
        "async def main():\n"
        "    servers = McpServers((), lambda name: '', print)\n"
        "    assert await servers.specs(ToolContext('c')) == ()\n"
        "    await servers.close()\n"
        "asyncio.run(main())\n"
        "assert not {'mcp', 'mcp_types', 'httpx2', 'pydantic', 'anyio'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3], env={**os.environ})
