"""A window and its engine on a disk whose writes take long: how long does the window keep anybody waiting?

    python tests/bench/measure_slow_disk.py [SECONDS...]

For each time that a write takes, 0.2 and 1 s without arguments, it prints how long a turn took and the longest gap of
the window's heartbeat in each step, and ends with 1 if a gap is over LIMIT. Needs Linux and a C compiler; the window is
drawn off screen, the model is a server on loopback.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from endurance_server import running_server
from shim import FailingDisk
from ui_pauses import PauseWatch

from desktop_app.conversation.events import TurnEvent, TurnFinished
from desktop_app.engine import protocol as p
from desktop_app.paths import settings_file
from desktop_app.settings import Server, Settings, write_settings
from desktop_app.ui import app
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.driver import Driver
from desktop_app.ui.main_window import MainWindow

LIMIT = 0.1
"""Seconds: what a gap may be at most, on a machine that does other things, too."""
PATIENCE = 900  # seconds for one step
DELAYS = (0.2, 1.0)


async def use_window(window: MainWindow, bridge: Bridge, delays: list[float]) -> None:
    """Do what writes, at each speed of the disk, and print the gaps. What a line begins with tells the disk."""
    driver, watch, ended = Driver(window, bridge), PauseWatch(window), asyncio.Event()

    def take(event: TurnEvent) -> None:
        if isinstance(event, TurnFinished):
            ended.set()

    bridge.happened.connect(take)
    await driver.until(lambda: window.chat.conversation, PATIENCE, "an open conversation")
    first = window.chat.conversation
    other = (await bridge.ask(p.CreateConversation())).conversation.id
    for delay in delays:
        print(f"delay {delay}", flush=True)
        await asyncio.sleep(0.5)
        watch.take()
        window.ui.composer.take_focus()
        await driver.type("Which ticket was moved again? " * 4)
        await asyncio.sleep(1)
        tell("typing", watch)
        ended.clear()
        began = time.monotonic()
        await driver.enter()
        async with asyncio.timeout(PATIENCE):
            await ended.wait()
        await driver.until(lambda: not window.ui.transcript_model.is_running, PATIENCE, "the end of the turn")
        tell(f"a turn of {time.monotonic() - began:.0f} s", watch)
        for wanted in (other, first):
            window.chat.open(wanted)
            await driver.until(lambda wanted=wanted: window.chat.conversation == wanted, PATIENCE, "the conversation")
        tell("opening two conversations", watch)
        window.resize(window.width() - 40, window.height() - 40)
        await asyncio.sleep(1)
        tell("another size", watch)
    print("delay 0", flush=True)


def tell(step: str, watch: PauseWatch) -> None:
    """Print the longest gap of a step, by the clock and of the thread's own work, and where it was in a long one."""
    pause = watch.take()
    causes = f", in {'; '.join(pause.causes)}" if pause.clock > 1_000 * LIMIT else ""
    print(f"gap {pause.clock / 1_000:.3f} s, {pause.cpu:.0f} ms of CPU: {step}{causes}", flush=True)


def run_window(folder: Path, delays: list[float]) -> None:
    """Open the window in this process, whose writes the disk delays."""

    async def drive(window: MainWindow, bridge: Bridge) -> None:
        await use_window(window, bridge, delays)

    app.run_window(folder, Settings(theme="light"), drive)


def measure(delays: list[float]) -> int:
    """Start the window on the slow disk, set how slow that is, and print what it tells."""
    longest = 0.0
    with running_server() as url, tempfile.TemporaryDirectory() as name:
        data = Path(name) / "data"
        model = Server("scripted", url, ("scripted",), 12_000, 1_000)
        write_settings(settings_file(data), Settings(theme="light", chat_model="scripted/scripted", servers=(model,)))
        disk = FailingDisk(data, Path(name) / "control")
        command = [sys.executable, __file__, "window", str(data), *map(str, delays)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env={**os.environ, **disk.environment}
        ) as window:
            assert window.stdout is not None
            for line in window.stdout:
                print(line, end="", flush=True)
                kind, value, *_ = line.split()
                if kind == "delay":
                    disk.set(delay=float(value))
                elif kind == "gap":
                    longest = max(longest, float(value))
    print(f"longest {longest:.3f} s, limit {LIMIT} s; the window ended with {window.returncode}")
    return int(longest > LIMIT or window.returncode != 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["window"]:
        run_window(Path(sys.argv[2]), [float(each) for each in sys.argv[3:]])
    else:
        sys.exit(measure([float(each) for each in sys.argv[1:]] or list(DELAYS)))
