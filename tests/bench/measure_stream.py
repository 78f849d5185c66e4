"""Measures what a streamed reply costs on its way through the engine. `python tests/bench/measure_stream.py [SECONDS]`

Each delta of the scripted provider, which is a process of its own, says when it was written. "published": until the
engine publishes it, composed in this process, before deltas are joined. "line": until its line has been read from the
standard output of a real engine, joined with those of 50 ms. Prints a table for docs/measurements.md. CPU time is the
engine's alone; the other figures are of the clock, so that a busy machine shows in them.
"""

from __future__ import annotations

import asyncio
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import msgspec
import psutil

from desktop_app.conversation.events import TextDelta, TurnEvent, TurnFailed, TurnFinished
from desktop_app.engine import protocol as p
from desktop_app.engine.compose import compose_services
from desktop_app.settings import Server, Settings, write_settings
from engine_client import ROOT, EngineClient
from provider import Reply, stream_of

RATES = (50, 200, 1_000)
SECONDS = 20.0
WINDOW = 1_000_000
STAMP = re.compile(r"\d+\.\d{6}")


class Figures(msgspec.Struct, frozen=True):
    """Of one reply, in milliseconds. growth: the median of its last tenth less that of its first one. cpu: for each
    delta, of the engine and its threads."""

    per_second: int
    deltas: int
    median: float
    p95: float
    p99: float
    growth: float
    cpu: float


class Arrivals:
    """Notes how late each delta is. To be called with each event, when it comes."""

    def __init__(self) -> None:
        self.late: list[float] = []
        self.cpu = 0.0
        self._rest = ""
        self._ended = asyncio.Event()

    def __call__(self, event: TurnEvent) -> None:
        now = time.monotonic()
        if isinstance(event, TextDelta):
            *whole, self._rest = (self._rest + event.text).rsplit(" ", 1)
            for stamp in STAMP.findall(" ".join(whole)):
                self.late.append(now - float(stamp))
        if isinstance(event, TurnFailed):
            raise AssertionError(event.failure)
        if isinstance(event, TurnFinished):
            self._ended.set()

    async def next_end(self) -> None:
        """Waits until a turn is over."""
        await self._ended.wait()
        self._ended.clear()

    def figures(self, per_second: int) -> Figures:
        """What it comes to."""
        late, tenth = [1000 * seconds for seconds in self.late], max(len(self.late) // 10, 1)
        hundredths = statistics.quantiles(late, n=100)
        growth = statistics.median(late[-tenth:]) - statistics.median(late[:tenth])
        cpu = 1000 * self.cpu / len(late)
        return Figures(per_second, len(late), statistics.median(late), hundredths[94], hundredths[98], growth, cpu)


@contextmanager
def streaming_provider(per_second: int, seconds: float, folder: Path) -> Iterator[Settings]:
    """Settings with a provider, in a process of its own: a first word, so that all is loaded; then so many deltas."""
    script = folder / "script.json"
    script.write_bytes(msgspec.json.encode([Reply("Hello."), stream_of(round(per_second * seconds), per_second)]))
    command = [sys.executable, str(ROOT / "tests" / "support" / "provider.py"), str(script)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, **pipes) as process:
        assert process.stdout is not None
        server = Server("s", process.stdout.readline().decode().strip(), ("scripted",), WINDOW, WINDOW // 2)
        yield Settings(chat_model="s/scripted", servers=(server,))
        assert process.stdin is not None
        process.stdin.close()


async def published(per_second: int, seconds: float) -> Figures:
    """From the provider's write to the call of `publish`."""
    arrivals = Arrivals()
    with tempfile.TemporaryDirectory() as name, streaming_provider(per_second, seconds, Path(name)) as settings:
        services = await compose_services(Path(name), arrivals, lambda: None, _raise, lambda _: settings)
        session = await services.conversations.create()
        await services.conversations.turns.send(session, "Hello")
        await arrivals.next_end()
        before = time.process_time()
        await services.conversations.turns.send(session, "Tell me a long story.")
        await arrivals.next_end()
        arrivals.cpu = time.process_time() - before
        await services.close()
    return arrivals.figures(per_second)


async def line_read(per_second: int, seconds: float) -> Figures:
    """From the provider's write until the line of an engine process has been read."""
    arrivals = Arrivals()
    with tempfile.TemporaryDirectory() as name, streaming_provider(per_second, seconds, Path(name)) as settings:
        data = Path(name) / "data"
        write_settings(data / "settings.json", settings)
        engine = EngineClient(data, is_forked=False)  # its process is then the engine itself
        engine.events = _Told(arrivals)
        await engine.start()
        opened = await engine.ask(p.CreateConversation())
        await engine.ask(p.Send(opened.conversation.id, "Hello"))
        await arrivals.next_end()
        before = sum(psutil.Process(engine.process.pid).cpu_times()[:2])
        await engine.ask(p.Send(opened.conversation.id, "Tell me a long story."))
        await arrivals.next_end()
        arrivals.cpu = sum(psutil.Process(engine.process.pid).cpu_times()[:2]) - before
        await engine.close()
    return arrivals.figures(per_second)


class _Told(list[TurnEvent]):
    """Events that are told and not kept."""

    def __init__(self, arrivals: Arrivals) -> None:
        self._arrivals = arrivals

    def append(self, event: TurnEvent) -> None:
        self._arrivals(event)


def _raise(error: BaseException) -> None:
    raise error


async def main(seconds: float) -> None:
    """Prints the table."""
    print("| | deltas a second | median | p95 | p99 | growth | CPU for each |")
    print("|---|---|---|---|---|---|---|")
    for name, measure in (("published", published), ("line", line_read)):
        for rate in RATES:
            f = await measure(rate, seconds)
            times = " | ".join(f"{ms:.1f} ms" for ms in (f.median, f.p95, f.p99, f.growth))
            print(f"| {name} | {rate:,} | {times} | {f.cpu:.2f} ms |", flush=True)


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS))
