"""Measures how a long conversation is opened. `python tests/bench/measure_opening.py [MESSAGES] [RUNS] [compacted]`

Prints one JSON object of medians, with how slow the machine was. "page": from the click until the newest messages are
painted; "gauge": until the gauge shows the conversation's tokens; "engine_gap": the longest that the engine let another
request wait meanwhile; "ui_gap": the longest pause of the window's thread. "cold" is the first time, for which the
engine has to read the record; "warm" another time. compacted: room was made in it whenever a window was full. Each run
has an engine and a window of its own. Needs Linux (PSS).
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import psutil
from long_archive import KEPT, write_archive
from measure_window import pss

from desktop_app.engine import protocol as p
from desktop_app.paths import database_file
from desktop_app.settings import Settings, write_settings
from desktop_app.ui.app import run_window
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.driver import Driver
from desktop_app.ui.main_window import MainWindow
from slowness import slowness

MESSAGES, RUNS = 100_000, 3
LONGEST_RUN = 180  # seconds
SETTLED = 12  # seconds after which litellm is imported
PAUSE = 0.01  # seconds between two requests that only see how long the engine takes
MEASURED = "measured.json"


async def longest_wait(bridge: Bridge, known: asyncio.Event) -> float:
    """Return the longest that a request waited which the engine can answer at once, in seconds, until it is known."""
    longest = 0.0
    while not known.is_set():
        asked = time.perf_counter()
        await bridge.ask(p.ReadSettings())
        longest = max(longest, time.perf_counter() - asked)
        await asyncio.sleep(PAUSE)
    return longest


async def open_once(window: MainWindow, bridge: Bridge, name: str, tokens: range) -> dict[str, float]:
    """Open the conversation of that name, whose tokens are in that range; return how long its steps took in ms."""
    driver, known = Driver(window, bridge), asyncio.Event()
    waits = asyncio.ensure_future(longest_wait(bridge, known))
    await asyncio.sleep(0.2)
    driver.gap_of_step()
    started = time.perf_counter()
    window.chat.open(name)
    while not (rows := window.ui.transcript_model.rows) or not rows[0].message.id.startswith(f"{name}-"):
        await asyncio.sleep(0)
    await asyncio.sleep(0)  # what the opening has posted comes first
    window.ui.transcript.viewport().repaint()
    page = time.perf_counter() - started
    while (gauge := window.ui.gauge.gauge) is None or gauge.total not in tokens:
        await asyncio.sleep(0.002)
    counted = time.perf_counter() - started
    known.set()
    longest, gap = await waits, driver.gap_of_step()
    return {
        "page_ms": 1000 * page,
        "gauge_ms": 1000 * counted,
        "engine_gap_ms": 1000 * longest,
        "ui_gap_ms": 1000 * gap,
    }


async def open_twice(window: MainWindow, bridge: Bridge, shown: int) -> dict[str, float]:
    """Open the long conversation, and once more after a short one.

    shown: messages that the model sees of it at the least, each of 50 tokens or more; the short one has fewer.
    """
    figures: dict[str, float] = {}
    few, many = range(50 * shown), range(50 * shown, sys.maxsize)
    await Driver(window, bridge).until(lambda: window.ui.transcript_model.rowCount(), 60, "an open conversation")
    await asyncio.sleep(SETTLED)
    await open_once(window, bridge, "short", few)
    before = pss(psutil.Process())
    for name in ("cold", "warm"):
        took = await open_once(window, bridge, "long", many)
        figures |= {f"{name}_{figure}": value for figure, value in took.items()}
        figures[f"{name}_mib_more"] = pss(psutil.Process()) - before
        await asyncio.sleep(1)
        await open_once(window, bridge, "short", few)
    return figures


def run_window_on(data: Path, shown: int) -> None:
    """Run a window on that data folder, and write there what was measured."""

    async def drive(window: MainWindow, bridge: Bridge) -> None:
        try:
            (data / MEASURED).write_text(json.dumps(await open_twice(window, bridge, shown)))
        except Exception:  # noqa: BLE001 - the window is closed all the same
            traceback.print_exc()

    run_window(data, Settings(), drive)


def measure(made: Path, shown: int) -> dict[str, float]:
    """Return what one run measured, with a copy of that folder. Raises TimeoutExpired for one that does not end."""
    with tempfile.TemporaryDirectory() as name:
        data = Path(name) / "data"
        shutil.copytree(made, data)
        command = [sys.executable, __file__, "--window", str(data), str(shown)]
        subprocess.run(command, timeout=LONGEST_RUN, check=True)
        figures: dict[str, float] = json.loads((data / MEASURED).read_bytes())
    print(json.dumps(figures), file=sys.stderr, flush=True)
    return figures


def main(messages: int = MESSAGES, runs: int = RUNS, is_compacted: bool = False) -> None:
    """Measure so many times."""
    shown = KEPT if is_compacted else messages
    with tempfile.TemporaryDirectory() as name:
        made = Path(name) / "data"
        write_archive(database_file(made), messages, is_compacted)
        write_settings(made / "settings.json", Settings())
        measured = [measure(made, shown) for _ in range(runs)]
    figures = {figure: round(statistics.median(run[figure] for run in measured), 1) for figure in measured[0]}
    print(json.dumps({"messages": messages, "slowness": round(slowness(), 2), **figures}, indent=2))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--window"]:
        run_window_on(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main(*map(int, sys.argv[1:3]), is_compacted=sys.argv[3:4] == ["compacted"])
