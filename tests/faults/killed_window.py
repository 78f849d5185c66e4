"""SIGKILL for the window, or for window and engine at once: the engine ends by itself, and everything is there."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

from killed import (
    PATIENCE,
    ROOT,
    AllTold,
    World,
    check_data,
    check_processes,
    children_of,
    entries_of,
    marked,
    settings_of,
)

from desktop_app.engine import protocol as p
from desktop_app.paths import settings_file
from desktop_app.settings import write_settings
from engine_client import EngineClient

WINDOW = Path(__file__).with_name("window_used.py")


async def kill_windows(folder: Path, kills: int, world: World) -> None:
    """Each a window of its own on the same data folder."""
    data, work, chance, told = folder / "data", folder / "work", world.chance(folder.name), AllTold()
    work.mkdir(parents=True)
    (work / "notes.txt").write_text("Notes of a journey.\n" * 20)
    write_settings(settings_file(data), settings_of(world.provider.base_url, work))
    for number in range(kills):
        marker = f"{folder.name}x{number}"
        process, engine_pid = await _window(folder, data, marker, told, chance.uniform(0, 6.0))
        children = children_of(process.pid)
        killed_at = time.monotonic()
        if chance.random() < 0.5:
            os.kill(engine_pid, signal.SIGKILL)
        process.send_signal(signal.SIGKILL)
        await process.wait()
        await check_processes(folder, children)
        told.check(check_data(data))
        await _started_again(data)
        entries = entries_of(data)
        told.check(entries)
        told.check_partials(entries, killed_at)
        told.arriving.clear()
        world.counts["window"] += 1


async def _window(
    folder: Path, data: Path, marker: str, told: AllTold, seconds: float
) -> tuple[asyncio.subprocess.Process, int]:
    """A window that was used for that long since its first message; the process id of its engine."""
    with (folder / "window.log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, str(WINDOW), str(data), marker),
            env=marked(folder) | {"PYTHONPATH": str(ROOT)},
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            limit=64 * 1024 * 1024,
        )
    engine_pid, ends = 0, time.monotonic() + PATIENCE
    while (left := ends - time.monotonic()) > 0:
        try:
            line = await asyncio.wait_for(process.stdout.readline(), left)
        except TimeoutError:
            break
        assert line, "the window has ended by itself"
        if line.startswith(b"engine "):
            engine_pid, ends = int(line.split()[1]), time.monotonic() + 2.0 + seconds
        else:
            told.hear(p.decode_engine_line(line).event)
    assert engine_pid, "no conversation"
    return process, engine_pid


async def _started_again(data: Path) -> None:
    """An engine that stores what was in flight, as the next window's does."""
    engine = await EngineClient(data).start()
    try:
        assert not (await engine.ask(p.Hello(p.VERSION))).warnings
    finally:
        assert await engine.close() == 0
