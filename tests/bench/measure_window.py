"""Measures the running window: start, memory, heartbeat, first token. `python tests/bench/measure_window.py`

Prints one JSON object. Needs Linux (PSS) and psutil; the window is drawn off screen.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import psutil

from desktop_app.settings import Settings
from desktop_app.ui.app import run_window
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.driver import Driver
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from desktop_app.ui.tools.tools_sheet import ToolsSheet

MIB = 1024 * 1024


def pss(process: psutil.Process) -> float:
    """MiB that the process really takes: shared pages are divided among their users."""
    return process.memory_full_info().pss / MIB


def write_long_chat(file: Path, messages: int) -> None:
    """A conversation of that many messages, about 150 tokens each."""
    with file.open("w") as lines:
        for n in range(messages):
            role = "user" if n % 2 == 0 else "assistant"
            text = f"Message {n}: the file src/part{n % 97}/module_{n}.py was changed because of ticket T-{n}. " + (
                f"It now reads setting_{n % 31} and writes report_{n % 13}.csv, as we agreed on day {n % 29}. " * 4
            )
            lines.write(json.dumps({"role": role, "content": text}) + "\n")


async def measure(window: MainWindow, bridge: Bridge, folder: Path) -> dict[str, float]:
    """Goes through what a user does, and notes figures."""
    driver = Driver(window, bridge)
    figures: dict[str, float] = {"window_shown_seconds": window.window_shown_seconds}
    started = time.monotonic()
    await driver.until(lambda: window.chat.conversation, 60, "an open conversation")
    figures["engine_ready_seconds"] = time.monotonic() - started
    await asyncio.sleep(12)  # litellm is imported meanwhile
    figures["gap_start_ms"] = driver.gap_of_step() * 1000
    own = psutil.Process()
    children = own.children(recursive=True)
    figures["pss_window_mib"] = pss(own)
    figures["pss_all_before_model_mib"] = pss(own) + sum(pss(child) for child in children)

    sheets = (("tools", window.ui.composer.tools, ToolsSheet), ("settings", window.ui.sidebar.settings, SettingsDialog))
    for name, button, kind in sheets:
        driver.gap_of_step()
        await driver.click(button)
        await driver.sheet(kind, 30, name)
        await asyncio.sleep(0.5)
        figures[f"gap_{name}_ms"] = driver.gap_of_step() * 1000
        await driver.escape()
        await driver.wait_until_closed(kind)

    window.ui.composer.take_focus()
    await driver.type("Please say hello to me in one short sentence.")
    await asyncio.sleep(4)  # a person types that sentence in about eight seconds, the driver in one
    await driver.enter()
    sent = time.monotonic()
    await driver.until(lambda: window.ui.transcript_model.streaming_text, 120, "the first words")
    figures["first_token_seconds"] = time.monotonic() - sent
    await driver.until(lambda: not window.ui.transcript_model.is_running, 240, "the reply")
    figures["gap_streaming_ms"] = driver.gap_of_step() * 1000
    figures["pss_all_with_model_mib"] = pss(own) + sum(pss(child) for child in own.children(recursive=True))

    long = folder / "long.jsonl"
    write_long_chat(long, 1_000)
    before = window.chat.conversation
    window.importing.import_files([str(long)])
    await driver.until(lambda: window.chat.conversation != before, 60, "the long conversation")
    await asyncio.sleep(0.5)
    figures["gap_open_1000_ms"] = driver.gap_of_step() * 1000
    await driver.click(window.ui.gauge.optimize)
    plan = await driver.sheet(PlanDialog, 60, "the plan")
    await asyncio.sleep(0.5)
    figures["gap_plan_1000_ms"] = driver.gap_of_step() * 1000
    await driver.click(plan.apply)
    await driver.wait_until_closed(PlanDialog)
    await asyncio.sleep(0.5)
    figures["gap_compaction_1000_ms"] = driver.gap_of_step() * 1000
    figures["pss_window_at_the_end_mib"] = pss(own)
    return figures


def main() -> None:
    """Measures once, on a data folder of its own."""
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:

        async def drive(window: MainWindow, bridge: Bridge) -> None:
            try:
                figures.update(await measure(window, bridge, Path(folder)))
            except Exception:
                traceback.print_exc()
                raise

        run_window(Path(folder) / "data", Settings(theme="light"), drive)
    json.dump({name: round(value, 3) for name, value in figures.items()}, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
