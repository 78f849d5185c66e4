"""Measures the window with long conversations and many of them. `python tests/bench/measure_transcript.py [MESSAGES]`

Prints one JSON object, with how slow the machine was. The archive is written by the store itself, the window talks to a
real engine, and the replies come from a scripted provider; each is a process of its own. Needs Linux (PSS).
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
import traceback
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import psutil
from measure_stream import streaming_provider
from measure_window import pss
from PySide6.QtCore import QCoreApplication, QSize

from desktop_app.archive.store import Store
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text
from desktop_app.engine import protocol as p
from desktop_app.paths import database_file
from desktop_app.settings import write_settings
from desktop_app.ui.app import run_window
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.driver import Driver
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.search.search_palette import SearchPalette
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from desktop_app.ui.tools.tools_sheet import ToolsSheet
from desktop_app.ui.widgets.sheet import Sheet
from slowness import slowness

CONVERSATIONS = 5_000
FRAMES = 600
PER_SECOND, STREAMED = 200, 64_000
MEGABYTE, CODE_LINES = 1_000_000, 5_000
QUERIES = ("ticket T-4711", "module_99", "setting_3", "agreed", "nowhere to be found")


def message(n: int) -> Message:
    """Two kinds in turn, with a list and code in each tenth."""
    text = f"Message {n}: the file src/part{n % 97}/module_{n}.py was changed because of ticket T-{n}. " + (
        f"It now reads `setting_{n % 31}` and writes **report_{n % 13}.csv**, as we agreed on day {n % 29}. " * 2
    )
    if n % 10 == 1:
        text += f"\n\n- one\n- two of {n}\n\n```python\ndef part_{n}(x):\n    return x * {n}\n```\n"
    return Message(id=f"m{n}", at=1e9 + n, role=Role.ASSISTANT if n % 2 else Role.USER, parts=(Text(text),))


def write_archive(file: Path, messages: int) -> None:
    """A conversation of that many, one of a megabyte, one with much code, one empty, and thousands of short ones."""
    store = Store(file)
    code = "\n".join(f"    value_{n} = compute(value_{n - 1}, {n})  # step {n}" for n in range(CODE_LINES))
    paragraph = "A long answer has **many** words, and `code` between them, as those of models have. " * 8 + "\n\n"
    large = paragraph * (MEGABYTE // len(paragraph))
    whole = {
        "short": [message(n) for n in range(4)],
        "long": [message(n) for n in range(messages)],
        "large": [message(0), Message(id="large", role=Role.ASSISTANT, parts=(Text(large),))],
        "code": [message(0), Message(id="code", role=Role.ASSISTANT, parts=(Text(f"```python\n{code}\n```"),))],
    }
    for name, said in whole.items():
        store.create(ConversationInfo(name, name, 2e9, 2e9, len(said)), [_named(one, name) for one in said])
    for n in range(CONVERSATIONS):
        store.create(ConversationInfo(f"c{n}", f"Conversation {n}", 1e9 + n, 1e9 + n), [_named(message(n), f"c{n}")])
    store.close()


def _named(said: Message, conversation: str) -> Message:
    return Message(id=f"{conversation}-{said.id}", at=said.at, role=said.role, parts=said.parts)


class Figures(dict[str, float]):
    """Figures that are also printed as they come."""

    def __setitem__(self, name: str, value: float) -> None:
        super().__setitem__(name, value)
        print(f"{name:24} {value:10.2f}", file=sys.stderr, flush=True)


class Measurement:
    """What a user does, with the figures of each step."""

    def __init__(self, window: MainWindow, bridge: Bridge) -> None:
        self.window, self.driver, self.bridge = window, Driver(window, bridge), bridge
        self.figures = Figures()
        self.figures["window_shown_s"] = window.window_shown_seconds

    async def run(self) -> None:
        window, driver = self.window, self.driver
        await driver.until(lambda: window.transcript_model.rowCount(), 60, "an open conversation")
        await asyncio.sleep(12)  # litellm is imported meanwhile
        self.figures["start_gap_ms"] = 1000 * driver.gap_of_step()
        await self.open("short")
        before = pss(psutil.Process())
        for name in ("long", "long_again", "large", "code"):
            await self.open(name.removesuffix("_again"), name)
            if name != "long":
                await self.scroll(name.removesuffix("_again"))
            if name == "long_again":
                self.figures["long_mib_more"] = pss(psutil.Process()) - before
                await self.resize()
                await self.search()
                await self.dialogs()
            await self.open("short")
        await self.stream()
        self.figures["slowness"] = slowness()

    async def open(self, conversation: str, name: str = "") -> None:
        self.driver.gap_of_step()
        started = time.perf_counter()
        self.window.chat.open(conversation)
        shown = lambda: self.window.transcript_model.rows and self.window.transcript_model.rows[0].message.id  # noqa: E731
        while not str(shown()).startswith(f"{conversation}-"):
            await asyncio.sleep(0)
        QCoreApplication.processEvents()
        self.window.transcript.viewport().repaint()
        if name:
            self.figures[f"{name}_open_ms"] = 1000 * (time.perf_counter() - started)
        await asyncio.sleep(1)
        if name:
            self.figures[f"{name}_open_gap_ms"] = 1000 * self.driver.gap_of_step()

    async def scroll(self, name: str) -> None:
        """From the end to the beginning: the time of each frame, layout and painting."""
        transcript, frames = self.window.transcript, list[float]()
        bar = transcript.verticalScrollBar()
        self.driver.gap_of_step()
        for n in range(FRAMES):
            started = time.perf_counter()
            bar.setValue(round(bar.maximum() * (1 - (n + 1) / FRAMES)))
            transcript.viewport().repaint()
            frames.append(1000 * (time.perf_counter() - started))
            await asyncio.sleep(0.005)
        hundredths = statistics.quantiles(frames, n=100)
        self.figures[f"{name}_frame_median_ms"], self.figures[f"{name}_frame_p95_ms"] = hundredths[49], hundredths[94]
        self.figures[f"{name}_frame_longest_ms"] = max(frames)
        self.figures[f"{name}_scroll_gap_ms"] = 1000 * self.driver.gap_of_step()

    async def resize(self) -> None:
        times: list[float] = []
        size = self.window.size()
        for n in range(1, 9):
            started = time.perf_counter()
            self.window.resize(QSize(size.width() - 70 * n, size.height() - 20 * n))
            QCoreApplication.sendPostedEvents()
            self.window.transcript.viewport().repaint()
            times.append(1000 * (time.perf_counter() - started))
            await asyncio.sleep(0.1)
        self.window.resize(size)
        self.figures["resize_median_ms"], self.figures["resize_longest_ms"] = statistics.median(times), max(times)

    async def search(self) -> None:
        for scope, where in (("all", None), ("one", "long")):
            times: list[float] = []
            for query in QUERIES:
                started = time.perf_counter()
                await self.bridge.ask(p.SearchMessages(query, where))
                times.append(1000 * (time.perf_counter() - started))
            self.figures[f"search_{scope}_median_ms"] = statistics.median(times)
            self.figures[f"search_{scope}_longest_ms"] = max(times)

    async def dialogs(self) -> None:
        window = self.window
        await asyncio.sleep(1)
        opened: tuple[tuple[str, type[Sheet], object], ...] = (
            ("settings", SettingsDialog, window.settings.open),
            ("tools", ToolsSheet, window.tools.open),
            ("search", SearchPalette, window.listing.open_search),
            ("optimize", PlanDialog, window.context.optimize),
        )
        for name, kind, act in opened:
            self.driver.gap_of_step()
            act()  # type: ignore[operator]
            await self.driver.sheet(kind, 120, name)
            await asyncio.sleep(0.5)
            self.figures[f"{name}_gap_ms"] = 1000 * self.driver.gap_of_step()
            await self.driver.escape()
            await self.driver.wait_until_closed(kind)

    async def stream(self) -> None:
        """CPU time of this process alone, beside the clock's."""
        model, driver = self.window.transcript_model, self.driver
        for text in ("Hello", "Tell me a long story."):
            self.window.composer.take_focus()
            await driver.type(text)
            before = len(model.rows)
            await driver.enter()
            await driver.until(lambda before=before: len(model.rows) > before, 60, "the message")
            driver.gap_of_step()
            clock, cpu = time.perf_counter(), time.process_time()
            await driver.until(lambda: not model.is_running, 60, "the reply")
            clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
        self.figures["stream_s"], self.figures["stream_busy_share"] = clock, cpu / clock
        self.figures["stream_gap_ms"] = 1000 * driver.gap_of_step()


def main(messages: int) -> None:
    """Measure once, on a data folder of its own."""
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = len(f"{time.monotonic():.6f} word ")
        with streaming_provider(PER_SECOND, STREAMED / size / PER_SECOND, folder) as settings:
            data = folder / "data"
            write_settings(data / "settings.json", settings)
            write_archive(database_file(data), messages)

            async def drive(window: MainWindow, bridge: Bridge) -> None:
                measurement = Measurement(window, bridge)
                try:
                    await measurement.run()
                except Exception:  # noqa: BLE001 - shown, with the figures so far
                    traceback.print_exc()
                finally:
                    figures.update(measurement.figures)

            run_window(data, settings, drive)
    json.dump({name: round(value, 3) for name, value in figures.items()}, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
