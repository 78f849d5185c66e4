"""Measures a streamed reply from outside, against another build. `python tests/bench/measure_live_window.py [TREE]`

Starts `palimpsest` of each build on a virtual screen (needs Xvfb), sends a message by real keys, and streams 4,000
chunks of Markdown at 200 a second, paced by the clock. CPU is that of all processes of the program in 18 s of the
stream, without the screen and the provider; a gap is the time between two paints in the middle of the transcript, as
the X server reports them (XDamage). The builds take turns, PAIRS times. TREE: a work tree of the build before, with a
`.venv` of its own; without one only this build is measured. Words behind TREE: the number of pairs.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path

import msgspec
import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from desktop_app.settings import Server, Settings, write_settings
from provider import Reply

HERE = Path(__file__).resolve().parents[2]
CHUNKS, SIZE, PER_SECOND = 4_000, 7, 200
SECONDS, LEAD_IN = 18.0, 1.0
"""Seconds that are measured, and those before them."""
PAIRS = 3
WIDTH, HEIGHT = 1_440, 900
PART = """## Step {n}: read the file

The parser of step {n} reads **one line at a time**, keeps `offset_{n}` and skips what it has seen. See the
[notes](https://example.org/{n}) for the reasons; the sum $\\sum_{{i=1}}^{n} x_i$ stays below the bound.

- The first point of {n} is about *speed*, and is long enough to wrap onto a second line of the column.
- The second one is about memory.
  1. A numbered point inside.

```python
def step_{n}(lines: list[str]) -> int:
    # counts what is left of the lines
    return sum(len(line) for line in lines if line.strip())
```

| name | before | after |
|------|-------:|------:|
| fold_{n} | 12.5 | 3.1 |
| paint_{n} | 8.0 | 2.2 |

> A quoted remark that ends step {n}.

"""
MIDDLE = (0.35, 0.15, 0.65, 0.75)
"""The part of the window where a paint is one of the transcript, and not of a cursor or the gauge."""


class Run(msgspec.Struct, frozen=True):
    """What one run came to. cpu: seconds; of_window, of_engine: parts of it. Gaps in milliseconds."""

    cpu: float
    of_window: float
    of_engine: float
    paints: int
    median: float
    p95: float
    longest: float


def reply() -> Reply:
    text = "".join(PART.format(n=n) for n in range(1, 100))[: CHUNKS * SIZE]
    return Reply(text, size=SIZE, per_second=PER_SECOND, usage=(11, CHUNKS, 0))


# The screen


class _DamageEvent(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p), ("drawable", ctypes.c_ulong), ("damage", ctypes.c_ulong),
        ("level", ctypes.c_int), ("more", ctypes.c_int), ("timestamp", ctypes.c_ulong),
        ("x", ctypes.c_short), ("y", ctypes.c_short), ("width", ctypes.c_ushort), ("height", ctypes.c_ushort),
        ("gx", ctypes.c_short), ("gy", ctypes.c_short), ("gw", ctypes.c_ushort), ("gh", ctypes.c_ushort),
    ]  # fmt: skip


def _library(name: str) -> ctypes.CDLL:
    found = ctypes.util.find_library(name)
    if found is None:
        sys.exit(f"lib{name} is not installed.")
    return ctypes.CDLL(found)


class Screen:
    """A connection to the X server: presses keys, and notes when and where something was painted."""

    def __init__(self, name: str) -> None:
        self._x, self._test = _library("X11"), _library("Xtst")
        self._x.XOpenDisplay.restype = ctypes.c_void_p
        self._x.XStringToKeysym.restype = ctypes.c_ulong
        self._x.XDefaultRootWindow.restype = ctypes.c_ulong
        self._name = name.encode()
        self._display = ctypes.c_void_p(self._x.XOpenDisplay(self._name))
        self.root = self._x.XDefaultRootWindow(self._display)
        self.paints: list[tuple[float, int, int, int, int]] = []
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        damage = _library("Xdamage")
        display = ctypes.c_void_p(self._x.XOpenDisplay(self._name))
        base, error = ctypes.c_int(), ctypes.c_int()
        damage.XDamageQueryExtension(display, ctypes.byref(base), ctypes.byref(error))
        damage.XDamageCreate.restype = ctypes.c_ulong
        damage.XDamageCreate(display, ctypes.c_ulong(self.root), 0)  # XDamageReportRawRectangles
        event = ctypes.create_string_buffer(192)
        while True:
            self._x.XNextEvent(display, event)
            seen = _DamageEvent.from_buffer(event)
            if seen.type == base.value:
                self.paints.append((time.monotonic(), seen.x, seen.y, seen.width, seen.height))

    def painted_since(self, since: float, area: int) -> bool:
        return any(at > since and width * height >= area for at, _, _, width, height in list(self.paints))

    def press(self, key: str) -> None:
        code = self._x.XKeysymToKeycode(self._display, ctypes.c_ulong(self._x.XStringToKeysym(key.encode())))
        for is_down in (1, 0):
            self._test.XTestFakeKeyEvent(self._display, code, is_down, 0)
        self._x.XFlush(self._display)
        time.sleep(0.05)

    def click(self, x: int, y: int) -> None:
        self._test.XTestFakeMotionEvent(self._display, -1, x, y, 0)
        for is_down in (1, 0):
            self._test.XTestFakeButtonEvent(self._display, 1, is_down, 0)
        self._x.XFlush(self._display)
        time.sleep(0.05)


@contextmanager
def virtual_screen() -> Iterator[str]:
    """Start a virtual screen, and yield its name."""
    read, write = os.pipe()
    size = f"{WIDTH}x{HEIGHT}x24"
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL) as server:
        name = ":" + os.read(read, 16).decode().strip()
        try:
            yield name
        finally:
            server.terminate()


def hurry() -> None:
    """Let this process and its children go first, where the system allows that: the machine may be busy."""
    with suppress(OSError):
        os.setsid()
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text("-20")


# A run


def seconds_of_all(window: psutil.Process) -> float:
    """Return the CPU time of the program so far; that of ended processes is in the times of what started them."""
    seconds = 0.0
    for process in (window, *window.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            seconds += sum(process.cpu_times()[:4])
    return seconds


def wait_for(condition: Callable[[], bool], seconds: float, name: str) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(name)
        time.sleep(0.02)


@contextmanager
def provider(folder: Path) -> Iterator[Settings]:
    """Start the scripted provider, and yield the settings with it."""
    script = folder / "script.json"
    script.write_bytes(msgspec.json.encode([Reply("Hello."), reply()]))
    command = [sys.executable, str(HERE / "tests/support/provider.py"), str(script)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=HERE, env={"PYTHONPATH": str(HERE)}, **pipes) as process:
        assert process.stdout
        assert process.stdin
        server = Server("s", process.stdout.readline().decode().strip(), ("scripted",), 1_000_000, 500_000)
        try:
            yield Settings(chat_model="s/scripted", servers=(server,))
        finally:
            process.stdin.close()


def run(tree: Path, screen: Screen, name: str) -> Run:
    """Measure one build once."""
    with tempfile.TemporaryDirectory() as temporary, provider(Path(temporary)) as settings:
        data = Path(temporary) / "data"
        write_settings(data / "settings.json", settings)
        environment = {**os.environ, "DISPLAY": name, "QT_QPA_PLATFORM": "xcb", "LC_ALL": "C.UTF-8"}
        environment |= {"HOME": temporary, "PYTHONPATH": ""}
        command = [str(tree / ".venv/bin/python"), "-m", "desktop_app", "--data-dir", str(data)]
        started = time.monotonic()
        with subprocess.Popen(command, cwd=tree, env=environment, stderr=subprocess.DEVNULL) as process:
            window = psutil.Process(process.pid)
            try:
                wait_for(lambda: screen.painted_since(started, WIDTH * HEIGHT // 4), 60, "the window")
                time.sleep(4)
                send(screen, "hello")
                time.sleep(3)
                at = time.monotonic()
                send(screen, "more")
                wait_for(lambda: len(middle_paints(screen, at)) > 5, 30, "the reply")
                time.sleep(LEAD_IN)
                return watch(screen, window)
            finally:
                process.terminate()
                process.wait(20)


def send(screen: Screen, text: str) -> None:
    screen.click(WIDTH // 2, HEIGHT - 60)
    for key in (*text, "Return"):
        screen.press(key)


def middle_paints(screen: Screen, since: float, until: float = float("inf")) -> list[float]:
    """Return when something was painted in the middle of the transcript; what came at once is one paint."""
    left, top, right, bottom = (part * size for part, size in zip(MIDDLE, (WIDTH, HEIGHT) * 2, strict=True))
    times: list[float] = []
    for at, x, y, width, height in list(screen.paints):
        is_inside = x < right and x + width > left and y < bottom and y + height > top
        if since <= at < until and is_inside and width * height > 400 and (not times or at - times[-1] > 0.002):
            times.append(at)
    return times


def watch(screen: Screen, window: psutil.Process) -> Run:
    start, before, alone = time.monotonic(), seconds_of_all(window), sum(window.cpu_times()[:2])
    time.sleep(SECONDS)
    end, after = time.monotonic(), seconds_of_all(window)
    of_window = sum(window.cpu_times()[:2]) - alone
    paints = middle_paints(screen, start, end)
    gaps = sorted(1_000 * (b - a) for a, b in pairwise(paints))
    p95 = gaps[int(0.95 * len(gaps))]
    cpu = after - before
    return Run(cpu, of_window, cpu - of_window, len(paints), statistics.median(gaps), p95, gaps[-1])


def table(name: str, runs: list[Run]) -> None:
    middle = {field: statistics.median(getattr(run, field) for run in runs) for field in Run.__struct_fields__}
    print(
        f"{name}: CPU {middle['cpu']:.2f} s (window {middle['of_window']:.2f}, engine {middle['of_engine']:.2f}), "
        f"{middle['paints']:.0f} paints, gaps median {middle['median']:.0f}, 95 % {middle['p95']:.0f}, "
        f"longest {middle['longest']:.0f} ms",
        flush=True,
    )


def main(trees: list[Path], pairs: int) -> None:
    """Print each run, the medians of each build, and the ratio of their CPU."""
    hurry()
    runs: dict[Path, list[Run]] = {tree: [] for tree in trees}
    with virtual_screen() as name:
        screen = Screen(name)
        for number in range(pairs):
            for tree in trees if number % 2 == 0 else trees[::-1]:
                runs[tree].append(run(tree, screen, name))
                table(f"  {tree.name}", runs[tree][-1:])
    for tree in trees:
        table(tree.name, runs[tree])
    if len(trees) == 2:
        old, new = (statistics.median(run.cpu for run in runs[tree]) for tree in trees)
        print(f"CPU: {new / old:.2f} of the build before")


if __name__ == "__main__":
    before = [Path(word).resolve() for word in sys.argv[1:] if not word.isdigit()]
    main([*before, HERE], next((int(word) for word in sys.argv[1:] if word.isdigit()), PAIRS))
