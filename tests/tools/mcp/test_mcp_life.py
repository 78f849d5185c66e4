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
from mcp_bench import FOLDER, Heartbeat, bench, server, until

from desktop_app.settings import McpServer
from desktop_app.tools.mcp.guard import Guard
from desktop_app.tools.mcp.process import ServerProcess
from desktop_app.tools.mcp.server_context import ServerLimits
from slowness import slowness

QUICK = ServerLimits(wait=10, start=10, pause=0.05, max_pause=0.2)


def pids_of(folder: Path) -> list[int]:
    """Of a server that has written down its own, and that of its child."""
    return [int(pid) for pid in (folder / "pids").read_text().split()]


def is_running(pid: int) -> bool:
    """Whether it runs, and is not only waiting for somebody to note its end."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def servers_of_ours() -> list[int]:
    return children_with(str(FOLDER))


def children_with(words: str) -> list[int]:
    """Those of this process whose command holds the words."""
    found: list[int] = []
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess):  # a zombie, too
            found += [child.pid] if words in " ".join(child.cmdline()) else []
    return found


async def test_a_server_starts_when_its_tools_are_asked_for_and_once_only(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude"), limits=QUICK) as one:
        assert servers_of_ours() == []
        lists = await asyncio.gather(*(one.names() for _ in range(5)))
        assert lists == [["rude__work"]] * 5
        assert len(servers_of_ours()) == 1
    assert servers_of_ours() == []


async def test_a_slow_server_is_not_waited_for_and_is_there_later(tmp_path: Path) -> None:
    slow = McpServer("slow", ("/bin/sh", "-c", f"sleep 0.8; exec {sys.executable} {FOLDER / 'rude.py'}"))
    async with bench(tmp_path, slow, server("rude"), limits=ServerLimits(wait=0.4)) as one:
        began = time.monotonic()
        first = await one.names()
        assert time.monotonic() - began < 0.7 * slowness()
        assert "slow__work" not in first
        async with asyncio.timeout(10):
            while await one.names() != ["slow__work", "rude__work"]:
                await asyncio.sleep(0.05)


async def test_a_call_waits_for_a_server_that_starts(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude"), limits=QUICK) as one:
        assert await one.text("rude__work") == "worked"
        assert await one.text("rude__other") == "The MCP server “rude” has no tool of that name now."


async def test_a_server_that_died_is_started_again_and_keeps_its_place_meanwhile(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude"), limits=QUICK) as one:
        names = await one.names()
        [first] = servers_of_ours()
        os.kill(first, signal.SIGKILL)
        await until(lambda: servers_of_ours() not in ([], [first]))
        assert await one.names() == names
        assert await one.text("rude__work") == "worked"
        assert one.servers.failures() == ()


async def test_a_call_during_which_the_server_is_killed_says_so(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude", "no answer"), limits=QUICK) as one:
        await one.names()
        call = asyncio.ensure_future(one.run("rude__work"))
        await asyncio.sleep(0.2)
        os.kill(servers_of_ours()[0], signal.SIGKILL)
        _, outcome = await call
        assert outcome.is_error
        assert "was ended by the signal SIGKILL" in outcome.text
        assert "may have had effects" in outcome.text


@pytest.mark.slow
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
        async with asyncio.timeout(10):
            while await one.names() != ["rude__work"]:
                await asyncio.sleep(0.05)
        assert one.servers.failures() == ()


@pytest.mark.slow
async def test_a_server_that_needs_long_is_told_of_and_may_still_come(tmp_path: Path) -> None:
    slow = McpServer("slow", ("/bin/sh", "-c", f"sleep 1.5; exec {sys.executable} {FOLDER / 'rude.py'}"))
    async with bench(tmp_path, slow, limits=ServerLimits(start=0.5, wait=10)) as one:
        assert await one.names() == []
        assert "did not answer within 0.5 seconds" in one.servers.failures()[0].detail
        [only] = children_with("sleep 1.5")
        began = time.monotonic()
        assert await one.names() == []
        assert time.monotonic() - began < 0.2 * slowness()  # nobody waits for one that has failed
        async with asyncio.timeout(10):
            while await one.names() != ["slow__work"]:
                await asyncio.sleep(0.05)
        assert servers_of_ours() == [only]
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
        after = set(servers_of_ours())
        assert len(before & after) == 1
        assert "is off" in await one.text("goes__work")
        await one.servers.change(())
        assert servers_of_ours() == []
        assert await one.names() == []


async def test_a_mended_server_is_tried_at_once(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude", "dead"), limits=ServerLimits(wait=10, pause=60)) as one:
        assert await one.names() == []
        assert await one.names() == []  # it is not started anew each time
        assert one.servers.failures()
        await one.servers.change((server("rude"),))
        assert await one.names() == ["rude__work"]
        assert one.servers.failures() == ()


@pytest.mark.slow
async def test_folders_that_nobody_uses_lose_their_servers(tmp_path: Path) -> None:
    from desktop_app.conversation.tools import ToolContext

    async with bench(tmp_path, server("rude"), limits=QUICK) as one:
        for number in range(10):
            folder = tmp_path / str(number)
            folder.mkdir()
            one.place = ToolContext("c", str(folder))
            await one.names()
        await until(lambda: len(servers_of_ours()) == 8)


@pytest.mark.slow
async def test_a_stubborn_server_and_its_children_are_ended_in_time(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude", "stubborn"), limits=QUICK) as one:
        await one.names()
        pids = pids_of(tmp_path)
        assert all(is_running(pid) for pid in pids)
        began = time.monotonic()
        await one.servers.close()
        assert time.monotonic() - began < 2 * slowness()
    await until(lambda: not any(is_running(pid) for pid in pids))


async def test_children_of_a_server_that_ends_politely_are_ended_too(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude", "parent"), limits=QUICK) as one:
        await one.names()
        own, child = pids_of(tmp_path)
        await one.servers.close()
        await until(lambda: not is_running(own) and not is_running(child))


async def test_closing_while_a_server_starts_ends_it(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude", "silent"), limits=ServerLimits(wait=0.1)) as one:
        await one.names()
        await until(servers_of_ours)
        began = time.monotonic()
        await one.servers.close()
        assert time.monotonic() - began < 2 * slowness()
        assert servers_of_ours() == []


@pytest.mark.slow
@pytest.mark.parametrize("how", ["well", "stubborn"])
async def test_servers_do_not_outlive_a_killed_engine(tmp_path: Path, how: str) -> None:
    code = (
        "import asyncio, os, sys\n"
        "from desktop_app.conversation.tools import ToolContext\n"
        "from desktop_app.settings import McpServer\n"
        "from desktop_app.tools.mcp.source import McpServers\n"
        "async def main():\n"
        "    servers = McpServers((McpServer('s', tuple(sys.argv[2:])),), lambda name: '', print)\n"
        "    while not (specs := await servers.specs(ToolContext('c', sys.argv[1]))):\n"
        "        await asyncio.sleep(0.1)\n"
        "    print(specs, flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path), *server("rude", how).command]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as engine:
        assert engine.stdout is not None
        line = await asyncio.to_thread(engine.stdout.readline)
        assert b"s__work" in line
        family = psutil.Process(engine.pid).children(recursive=True)
        assert len(family) >= (3 if how == "stubborn" else 2)  # the guard, the server, and its child
        engine.send_signal(signal.SIGKILL)
    await until(lambda: not any(is_running(process.pid) for process in family), seconds=5)


@pytest.mark.slow
async def test_the_guard_forgets_what_has_ended(tmp_path: Path) -> None:
    guard = Guard()
    groups = [await ServerProcess.start(("/bin/sleep", "60"), {}, str(tmp_path), guard, lambda: None) for _ in range(3)]
    await groups[1].stop()
    survivor = groups[2]
    guard.forget(survivor.pid)
    guard.close()  # as if this process had ended
    await until(lambda: groups[0].exit_code is not None)
    assert survivor.exit_code is None
    for group in (groups[0], survivor):
        await group.stop()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
async def test_whatever_happens_at_whatever_moment_every_call_ends_and_nothing_is_left(
    tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    kinds = ("well", "no answer", "flood", "quits", "pages", "dead", "stubborn", "shuffled")
    limits = ServerLimits(wait=0.3, start=1.0, max_start=1.0, call=0.4, pause=0.02, max_pause=0.1)
    first = tuple(server("rude", kind, f"server {n}") for n, kind in enumerate(kinds[:3]))
    async with bench(tmp_path, *first, limits=limits) as one:
        calls: list[asyncio.Task[object]] = []
        for _ in range(60):
            offered = await one.names() or ["server_0__work"]
            match chance.choice(("change", *("kill", "cancel") * 2, *("call",) * 7)):
                case "change":
                    chosen = chance.sample(kinds, 3)
                    await one.servers.change(
                        tuple(server("rude", kind, f"server {n}") for n, kind in enumerate(chosen))
                    )
                case "kill" if found := servers_of_ours():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(chance.choice(found), signal.SIGKILL)
                case "cancel" if calls:
                    chance.choice(calls).cancel()
                case "call":
                    calls.append(asyncio.ensure_future(one.run(chance.choice(offered))))
                case _:
                    pass
            await asyncio.sleep(chance.random() * 0.1)
        async with asyncio.timeout(20):
            await asyncio.gather(*calls, return_exceptions=True)
        assert not [call for call in calls if not call.cancelled() and call.exception()]
    assert servers_of_ours() == []
    assert not [task for task in asyncio.all_tasks() if "mcp" in task.get_name()]


async def test_the_loop_goes_on_while_a_server_starts(tmp_path: Path) -> None:
    heartbeat = Heartbeat()
    async with bench(tmp_path, server("rude"), server("rude", "pages", "p"), limits=QUICK) as one, heartbeat.watched():
        await one.names()
        await one.run("rude__work")
    assert heartbeat.longest < 0.05, heartbeat.longest
