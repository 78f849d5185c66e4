"""Thousands of turns in fifty conversations, in a real window with a real engine: what grows with them?

    python tests/bench/measure_endurance.py [TURNS] [CONVERSATIONS]

Prints a table while it runs, then one JSON object: for each figure its first and last value and its slope, and what
has missed its target. Ends with 1 if something has. With SMALL_CACHES=1 the engine keeps less in memory, so that what
it keeps is full early. Needs Linux; the window is drawn off screen, and the model is a server on loopback that answers
at once.
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
from typing import NamedTuple

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import psutil
from endurance_server import WINDOW, running_server
from engine_with_tasks import TASKS_FILE

from desktop_app.conversation.events import TurnEvent, TurnFailed, TurnFinished, ViewChanged
from desktop_app.engine import protocol as p
from desktop_app.paths import settings_file
from desktop_app.settings import Server, Settings, write_settings
from desktop_app.ui import app
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.driver import Driver
from desktop_app.ui.main_window import MainWindow

HERE = Path(__file__).resolve().parent
IN_A_ROW = 5
"""Turns in one conversation before the next one is opened."""
SAMPLES = 100
PATIENCE = 600
"""Seconds for one turn: with the first one, litellm is imported, which takes minutes on a machine that is busy."""
WARM = 0.3
"""The share of the run that is left out of the slopes: caches fill, modules are imported."""
QUIET = 2.0
"""Seconds before each sample: what follows a turn has ended then."""
LIMITS = {
    "window_kib": 2.0,
    "engine_kib": 8.0,
    "window_files": 0.001,
    "engine_files": 0.001,
    "window_threads": 0.001,
    "engine_threads": 0.001,
    "window_tasks": 0.001,
    "engine_tasks": 0.001,
}
"""The most that each may grow in a turn. The engine keeps conversations open, six or 32 MiB, which become longer
here, and what recall knows of the last 80,000 messages. Before that was bounded in bytes, it grew by 2.8 KiB a turn
between turns 1,200 and 3,800. In 7,000 turns the window grew by 0.2, in shorter runs by more: its caches fill."""
SLOWER = 1.25
"""How much more CPU time a turn of the end may take than one of the beginning, in window and engine together, each
divided by that of a fixed piece of work done beside it: what shares the machine's cores makes both slower. The time by
the clock is told, too."""
LATE = 0.75
"""The share of the run after which the slope is told once more: what is kept up to a bound has reached it then."""
MORE_BYTES = 1.25
"""How many times the bytes of a turn in the first half one of the second half may take in the archive."""


class Sample(NamedTuple):
    """What there is after so many turns."""

    turn: int
    window_kib: float
    engine_kib: float
    window_files: int
    engine_files: int
    window_threads: int
    engine_threads: int
    window_tasks: int
    engine_tasks: int
    archive_kib: float
    latency_ms: float
    """The median of the turns since the last sample, by the clock."""
    cpu_ms: float
    """Of window and engine, for each of them."""
    yardstick_ms: float
    """CPU time of a fixed piece of work, done then."""


class Endurance:
    """The run in one window."""

    def __init__(self, window: MainWindow, bridge: Bridge, folder: Path, turns: int, conversations: int) -> None:
        self.window, self.bridge, self.folder = window, bridge, folder
        self.driver = Driver(window, bridge)
        self.turns, self.conversations = turns, conversations
        self.samples: list[Sample] = []
        self.seconds: list[float] = []
        self.compactions = self.failures = 0
        self._ended = 0.0  # when the turn did
        self._own, self._cpu = psutil.Process(), 0.0
        bridge.happened.connect(self._take)

    def _take(self, event: TurnEvent) -> None:
        if isinstance(event, TurnFinished):
            self._ended = time.perf_counter()
        elif isinstance(event, TurnFailed):
            self.failures += 1
            print(event.failure, file=sys.stderr, flush=True)
        elif isinstance(event, ViewChanged):
            self.compactions += any(row.kind == "compaction" for row in event.operations)

    async def run(self) -> None:
        """Do all of it."""
        await self.driver.until(lambda: self.window.chat.conversation, PATIENCE, "an open conversation")
        made = [await self.bridge.ask(p.CreateConversation()) for _ in range(self.conversations)]
        ids = [opened.conversation.id for opened in made]
        print(" ".join(f"{name:>14}" for name in Sample._fields), file=sys.stderr, flush=True)
        every = max(self.turns // SAMPLES, 1)
        for turn in range(self.turns):
            if turn % IN_A_ROW == 0:
                await self._open(ids[turn // IN_A_ROW % len(ids)])
            await self._turn(turn)
            if (turn + 1) % every == 0:
                await self._sample(turn + 1, every)

    async def _open(self, conversation: str) -> None:
        self.window.chat.open(conversation)
        await self.driver.until(lambda: self.window.chat.conversation == conversation, PATIENCE, "the conversation")

    async def _turn(self, turn: int) -> None:
        composer = self.window.ui.composer
        composer.take_focus()
        composer.set_text(
            f"Question {turn}: what about ticket T-{turn}, " + "which was moved again " * (turn % 7) + "?"
        )
        self._ended, started = 0.0, time.perf_counter()
        await self.driver.enter()
        await self.driver.until(lambda: self._ended, PATIENCE, "the answer")
        self.seconds.append(self._ended - started)
        await self.driver.until(lambda: not self.window.ui.transcript_model.is_running, PATIENCE, "the end of the turn")

    async def _sample(self, turn: int, last: int) -> None:
        await asyncio.sleep(QUIET)
        engine = psutil.Process(self.bridge.engine_pid)
        archive = sum(file.stat().st_size for file in self.folder.glob("data/archive.sqlite3*"))
        spent = sum(sum(each.cpu_times()[:2]) for each in (self._own, engine)) - self._cpu
        yardstick = cpu_of_fixed_work()
        self._cpu += spent + yardstick
        sample = Sample(
            turn,
            self._own.memory_info().rss / 1024,
            engine.memory_info().rss / 1024,
            self._own.num_fds(),
            engine.num_fds(),
            self._own.num_threads(),
            engine.num_threads(),
            len(asyncio.all_tasks()),
            int((self.folder / "tasks").read_text()),
            archive / 1024,
            1000 * statistics.median(self.seconds[-last:]),
            1000 * spent / last,
            1000 * yardstick,
        )
        self.samples.append(sample)
        print(" ".join(f"{value:14,.0f}" for value in sample), file=sys.stderr, flush=True)


def cpu_of_fixed_work() -> float:
    """Return the seconds of CPU that megabytes of JSON take here and now, more than the processor's caches hold."""
    words = [{"id": f"{number}", "text": "which was moved again " * (number % 7)} for number in range(20_000)]
    started = time.process_time()
    for _ in range(2):
        json.loads(json.dumps(words))
    return time.process_time() - started


def slope(samples: list[Sample], name: str, after: float = WARM) -> float:
    """The growth of a figure in one turn, by least squares over all but the beginning."""
    warm = [s for s in samples if s.turn > after * samples[-1].turn]
    turns, values = [s.turn for s in warm], [float(getattr(s, name)) for s in warm]
    return statistics.linear_regression(turns, values).slope


def judge(run: Endurance) -> dict[str, object]:
    """What has grown, and what has missed its target."""
    samples, part = run.samples, max(min(500, len(run.seconds) // 4), 1)
    grown = {
        name: {
            "first": getattr(samples[0], name),
            "last": getattr(samples[-1], name),
            "each_turn": slope(samples, name),
            "late": slope(samples, name, LATE),
        }
        for name in LIMITS
    }
    first, last = statistics.median(run.seconds[:part]), statistics.median(run.seconds[-part:])
    few = max(len(samples) // 10, 1)
    ends = samples[1 : 1 + few], samples[-few:]
    cpu = [statistics.median(s.cpu_ms for s in some) for some in ends]
    relative = [statistics.median(s.cpu_ms / s.yardstick_ms for s in some) for some in ends]
    half = samples[len(samples) // 2]
    early, late = _bytes(samples[0], half), _bytes(half, samples[-1])
    missed = [name for name, limit in LIMITS.items() if grown[name]["each_turn"] > limit]
    missed += ["cpu"] * (relative[1] > SLOWER * relative[0]) + ["archive"] * (late > MORE_BYTES * early)
    missed += ["failed turns"] * bool(run.failures) + ["no compaction"] * (not run.compactions)
    return {
        "turns": len(run.seconds),
        "conversations": run.conversations,
        "compactions": run.compactions,
        "failures": run.failures,
        "grown": grown,
        "latency_ms": {"first": 1000 * first, "last": 1000 * last, "of": part},
        "cpu_ms_each_turn": {"first": cpu[0], "last": cpu[1]},
        "cpu_by_yardstick": {"first": relative[0], "last": relative[1]},
        "archive_bytes_each_turn": {"first_half": early, "second_half": late},
        "missed": missed,
    }


def _bytes(before: Sample, after: Sample) -> float:
    return 1024 * (after.archive_kib - before.archive_kib) / max(after.turn - before.turn, 1)


def measure(turns: int, conversations: int) -> dict[str, object]:
    """Run it once, on a data folder of its own."""
    found: dict[str, object] = {"missed": ["the run"]}
    with running_server() as url, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = Settings(
            theme="light",
            chat_model="scripted/scripted",
            servers=(Server("scripted", url, ("scripted",), WINDOW, 1_000),),
        )
        (folder / "data").mkdir()
        write_settings(settings_file(folder / "data"), settings)
        os.environ[TASKS_FILE] = str(folder / "tasks")
        own = [sys.executable, str(HERE / "engine_with_tasks.py"), "engine", "--data-dir", str(folder / "data")]
        app.engine_command = lambda _: own

        async def drive(window: MainWindow, bridge: Bridge) -> None:
            run = Endurance(window, bridge, folder, turns, conversations)
            try:
                await run.run()
            except BaseException:
                traceback.print_exc()
                raise
            found.clear()
            found.update(judge(run))

        app.run_window(folder / "data", settings, drive)
    return found


def main() -> int:
    """Measures once, and prints it."""
    numbers = [int(argument) for argument in sys.argv[1:]]
    found = measure(*(numbers or [10_000]), *([] if len(numbers) > 1 else [50]))
    print(json.dumps(found, indent=2))
    return bool(found["missed"])


if __name__ == "__main__":
    sys.exit(main())
