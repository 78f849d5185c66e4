"""The processes of servers: started late, again after their death, and ended with all that they have started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from mcp_bench import FOLDER, bench, server, servers_of_ours, until, until_offered
from tool_calls import steady_loop

from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import Rule, ToolContext, ToolOutcome
from desktop_app.permissions.rules import decide
from desktop_app.settings import McpServer
from desktop_app.tools.mcp.process import Guard, ServerProcess
from desktop_app.tools.mcp.server_context import ServerLimits
from desktop_app.tools.registry import ToolRegistry
from desktop_app.tools.spill import SpillFolder
from slowness import slowness
from texts import NO_TOOL_OF_THAT_NAME

pytestmark = pytest.mark.wire
QUICK = ServerLimits(wait=10, start=10, pause=0.05, max_pause=0.2)
ENGINE = """
import asyncio, sys
from desktop_app.conversation.tools import ToolContext
from desktop_app.settings import McpServer
from desktop_app.tools.mcp.server_context import ServerSandbox
from desktop_app.tools.mcp.source import McpServers
from desktop_app.tools.sandbox.sandbox import Sandbox
from pathlib import Path
async def main():
    sandbox = ServerSandbox(Sandbox(Path('/nowhere')), False)
    servers = McpServers((McpServer('s', tuple(sys.argv[2:])),), lambda name: '', print, sandbox)
    while not (specs := await servers.specs(ToolContext('c', sys.argv[1]))):
        await asyncio.sleep(0.1)
    print(specs, flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""


def slow_server(seconds: float) -> McpServer:
    return McpServer("slow", ("/bin/sh", "-c", f"sleep {seconds}; exec {sys.executable} {FOLDER / 'rude.py'}"))


def pids_of(folder: Path) -> list[int]:
    """Of a server that has written down its own, and that of its child."""
    return [int(pid) for pid in (folder / "pids").read_text().split()]


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def test_a_server_starts_once_when_it_is_wanted_and_again_when_it_died(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude"), limits=QUICK) as one, steady_loop():
        assert servers_of_ours() == []
        assert await one.text("rude__work") == "worked", "a call waits for a server that starts"
        lists = await asyncio.gather(*(one.names() for _ in range(5)))
        assert lists == [["rude__work"]] * 5
        assert NO_TOOL_OF_THAT_NAME in await one.text("rude__other")
        [first] = servers_of_ours()
        os.kill(first, signal.SIGKILL)
        await until(lambda: servers_of_ours() not in ([], [first]))
        assert await one.names() == lists[0], "it keeps its tools meanwhile"
        assert await one.text("rude__work") == "worked"
        assert one.servers.failures() == ()
    assert servers_of_ours() == []


async def test_a_slow_server_is_not_waited_for_and_is_there_later(tmp_path: Path) -> None:
    async with bench(tmp_path, slow_server(0.8), server("rude"), limits=ServerLimits(wait=0.4)) as one:
        began = time.monotonic()
        assert "slow__work" not in await one.names()
        assert time.monotonic() - began < 0.7 * slowness()
        await until_offered(one, ["slow__work", "rude__work"])


async def test_a_server_that_needs_long_is_reported_and_may_still_come(tmp_path: Path) -> None:
    async with bench(tmp_path, slow_server(1.5), limits=ServerLimits(start=0.5, wait=10)) as one:
        assert await one.names() == []
        assert "0.5 seconds" in one.details()
        [only] = servers_of_ours("sleep 1.5")
        began = time.monotonic()
        assert await one.names() == []
        assert time.monotonic() - began < 0.2 * slowness()  # nobody waits for one that has failed
        await until_offered(one, ["slow__work"])
        assert servers_of_ours() == [only]
        assert one.servers.failures() == ()


async def test_a_server_that_dies_again_and_again_is_left_alone_until_it_is_wanted(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude"), limits=ServerLimits(wait=10, pause=0.02, max_pause=0.05)) as one:
        await one.names()
        killed: set[int] = set()
        async with asyncio.timeout(20):
            while not one.servers.failures():
                for pid in set(servers_of_ours()) - killed:
                    killed.add(pid)
                    os.kill(pid, signal.SIGKILL)
                await asyncio.sleep(0.01)
        assert 1 < len(killed) <= 5
        assert servers_of_ours() == []
        await until_offered(one, ["rude__work"])
        assert one.servers.failures() == ()


async def test_settings_change_only_the_servers_that_they_change(tmp_path: Path) -> None:
    stays, goes, off = (server("rude", name=name) for name in ("stays", "goes", "off"))
    async with bench(tmp_path, stays, goes, McpServer("off", off.command, is_on=False), limits=QUICK) as one:
        assert await one.names() == ["stays__work", "goes__work"]
        before = set(servers_of_ours())
        began = time.monotonic()
        await one.servers.change((stays, McpServer("goes", goes.command, is_on=False), off))
        assert time.monotonic() - began < 2 * slowness()
        await until(lambda: len(servers_of_ours()) == 2)  # the new one is started without being asked for
        assert await one.names() == ["stays__work", "off__work"]
        assert len(before & set(servers_of_ours())) == 1
        assert "is off" in await one.text("goes__work")
        await one.servers.change(())
        assert servers_of_ours() == []
        assert await one.names() == []


async def test_a_server_that_was_corrected_is_tried_at_once(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude", "dead"), limits=ServerLimits(wait=10, pause=60)) as one:
        for _ in range(2):  # it is not started anew each time
            assert await one.names() == []
        assert one.servers.failures()
        await one.servers.change((server("rude"),))
        assert await one.names() == ["rude__work"]
        assert one.servers.failures() == ()


async def test_folders_that_nobody_uses_lose_their_servers(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude"), limits=QUICK) as one:
        for number in range(10):
            folder = tmp_path / str(number)
            folder.mkdir()
            one.context = ToolContext("c", str(folder))
            await one.names()
        await until(lambda: len(servers_of_ours()) == 8)


@pytest.mark.parametrize("how", ["stubborn", "parent", "daemon"])
async def test_a_server_and_its_children_are_ended_in_time(tmp_path: Path, how: str) -> None:
    async with bench(tmp_path, server("rude", how), limits=QUICK) as one:
        await one.names()
        pids = pids_of(tmp_path)
        assert all(is_running(pid) for pid in pids)
        began = time.monotonic()
        await one.servers.close()
        assert time.monotonic() - began < 2 * slowness()
        await until(lambda: not any(is_running(pid) for pid in pids))


async def test_closing_while_a_server_starts_ends_it(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude", "silent"), limits=ServerLimits(wait=0.1)) as one:
        await one.names()
        await until(servers_of_ours)
        await one.servers.close()
        assert servers_of_ours() == []


@pytest.mark.parametrize("how", ["stubborn", "daemon"])
async def test_servers_do_not_outlive_a_killed_engine(tmp_path: Path, how: str) -> None:
    command = [sys.executable, "-c", ENGINE, str(tmp_path), *server("rude", how).command]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as engine:
        assert engine.stdout is not None
        assert b"s__work" in await asyncio.to_thread(engine.stdout.readline)
        family = psutil.Process(engine.pid).children(recursive=True)
        assert len(family) >= 3, "the guard, the server, and its child"
        engine.send_signal(signal.SIGKILL)
    await until(lambda: not any(is_running(process.pid) for process in family), seconds=5)


async def test_the_guard_forgets_what_has_ended(tmp_path: Path) -> None:
    guard = Guard()
    groups = [await ServerProcess.start(("/bin/sleep", "60"), {}, str(tmp_path), guard, lambda: None) for _ in range(3)]
    await groups[1].stop()
    guard.forget(groups[2].mark, groups[2].pid)
    guard.close()  # as if this process had ended
    await until(lambda: groups[0].exit_code is not None)
    assert groups[2].exit_code is None
    for group in (groups[0], groups[2]):
        await group.stop()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
async def test_whatever_happens_at_whatever_moment_every_call_ends_and_nothing_is_left(
    tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    kinds = ("well", "no answer", "flood", "quits", "pages", "dead", "stubborn", "odd")

    def choose() -> tuple[McpServer, ...]:
        return tuple(server("rude", kind, f"server {n}") for n, kind in enumerate(chance.sample(kinds, 3)))

    limits = ServerLimits(wait=0.3, start=1.0, max_start=1.0, call=0.4, pause=0.02, max_pause=0.1)
    async with bench(tmp_path, *choose(), limits=limits) as one:
        calls: list[asyncio.Task[object]] = []
        for _ in range(60):
            offered = await one.names() or ["server_0__work"]
            match chance.choice(("change", *("kill", "cancel") * 2, *("call",) * 7)):
                case "change":
                    await one.servers.change(choose())
                case "kill" if found := servers_of_ours():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(chance.choice(found), signal.SIGKILL)
                case "cancel" if calls:
                    chance.choice(calls).cancel()
                case _:
                    calls.append(asyncio.ensure_future(one.run(chance.choice(offered))))
            await asyncio.sleep(chance.random() * 0.1)
        async with asyncio.timeout(20):
            await asyncio.gather(*calls, return_exceptions=True)
        assert not [call for call in calls if not call.cancelled() and call.exception()]
    assert servers_of_ours() == []
    assert not [task for task in asyncio.all_tasks() if "mcp" in task.get_name()]


async def test_a_message_waits_for_a_starting_server_with_a_word(tmp_path: Path) -> None:
    broken = McpServer("broken", ("/bin/sh", "-c", "echo no such package >&2; exit 1"))
    async with bench(tmp_path, slow_server(1.2), broken, limits=ServerLimits(wait=0.2, start=0.5)) as one:
        reported: list[Failure] = []
        await one.servers.get_ready(one.context, reported.append)
        assert [failure.kind for failure in reported] == ["waiting", "connection"]
        assert "slow" in reported[0].title
        assert "no such package" in reported[1].detail
        assert await one.names() == ["slow__work"]
        await one.servers.get_ready(one.context, reported.append)
        assert len(reported) == 2, "each failure is reported once in a conversation"


async def test_a_call_of_a_dead_servers_tool_says_that_it_is_dead(tmp_path: Path) -> None:
    dead = McpServer("dead", ("/bin/sh", "-c", "echo out of order >&2; exit 1"))
    async with bench(tmp_path, dead, limits=QUICK) as one:
        tools = ToolRegistry((one.servers,), SpillFolder(tmp_path / "spills"), data=tmp_path / "data")
        call = ToolCall("1", "dead__work", "{}")
        await tools.needs(call, one.context)
        [outcome] = [piece async for piece in tools.run(call, one.context)]
        assert isinstance(outcome, ToolOutcome)
        assert "dead" in outcome.text
        assert "out of order" in outcome.text


async def test_what_only_reads_runs_at_once_and_without_a_question_if_the_settings_say_so(tmp_path: Path) -> None:
    for allowed, granted in (("", set()), ("reading", {"rude__fine"}), ("all", {"rude__fine", "rude__a_b"})):
        async with bench(tmp_path, server("rude", "odd", allowed=allowed), limits=QUICK) as one:
            await one.names()
            needs = [(await one.servers.needs(ToolCall("1", name, "{}"), one.context))[0] for name in await one.names()]
            assert {need.tool for need in needs if need.only_reads} == {"rude__fine"}
            assert {need.tool for need in needs if need.is_destructive} == {"rude__a_b"}
            assert {need.tool for need in needs if decide([need]) == "allow"} == granted
            assert {decide([need], [Rule("*", is_allowed=False)]) for need in needs} == {"deny"}


async def test_states_say_what_the_servers_do(tmp_path: Path) -> None:
    broken = McpServer("broken", ("/bin/sh", "-c", "echo no such package >&2; exit 1"))
    off = McpServer("off", ("x",), is_on=False)
    async with bench(tmp_path, server("rude"), broken, off, limits=QUICK) as one:
        assert [state.status for state in one.servers.states()] == ["idle", "idle", "off"]
        await one.names()
        good, bad, _ = one.servers.states()
        assert (good.status, good.tools, bad.status) == ("running", 1, "failed")
        assert bad.lines == "no such package"
        corrected = server("rude", name="broken")
        assert (await one.servers.try_server(corrected, None, str(tmp_path))).status == "running"
        assert one.servers.states()[1].status == "failed", "a trial changes nothing"
        again = await one.servers.try_server(server("rude"), None, str(tmp_path))
        assert again.status == "running"


async def test_the_last_lines_are_not_an_advertisement(tmp_path: Path) -> None:
    """npm 11 ends the errors of `npx` with five lines about a newer npm."""
    notices = "".join(f"echo npm notice {n} >&2; " for n in range(7))
    missing = McpServer("missing", ("/bin/sh", "-c", f"echo npm error 404 not found >&2; {notices} exit 1"))
    async with bench(tmp_path, missing, limits=QUICK) as one:
        assert await one.names() == []
        assert "npm error 404 not found" in one.details()
        assert "notice" not in one.details()
