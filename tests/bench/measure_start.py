"""Measures the start of the window. `python tests/bench/measure_start.py [TREE] [RUNS] [MESSAGES]`

TREE: the tree of another build, with its environment in .venv, to alternate with. The last session left a conversation
of that many messages open. From the execution of the console script, seconds of the clock and of CPU in all processes:
*window*, until most of the screen was painted; *conversation*, until the newest messages are on the screen as they stay
once the program rests. A virtual screen's pixels are read every few milliseconds. Needs Xvfb, openbox and xdotool.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from virtual_screen import Screen, virtual_screen
from whole_process import HERE, Program, running

SETTLED, RESTING, LONGEST = 4.0, 0.1, 180.0
PART = (262, 1_060, 120, 640)
"""Left, right, top and bottom of the newest messages; the ages in the list change."""
WINDOW_PIXELS = 600_000


class Frame(NamedTuple):
    """What was on the screen. cpu: seconds of all processes until then."""

    at: float
    cpu: float
    part: int
    painted: int


def frames_of(screen: Screen, program: Program) -> list[Frame]:
    """Return each frame until nothing changes."""
    frames, blank = list[Frame](), screen.picture()
    changed = time.monotonic()
    used, looked = 0.0, time.monotonic()
    while True:
        if time.monotonic() - looked > SETTLED:
            before, used, looked = used, program.cpu_seconds(), time.monotonic()
            is_painted = bool(frames) and frames[-1].painted >= WINDOW_PIXELS
            if is_painted and used - before < RESTING and looked - changed > SETTLED:
                return frames
        if time.monotonic() - program.started > LONGEST:
            raise TimeoutError("the screen does not settle")
        now = screen.checksum_of(PART)
        if not frames or now != frames[-1].part:
            changed, cpu = time.monotonic(), program.cpu_seconds()
            painted = screen.differing(blank) if not frames or frames[-1].painted < WINDOW_PIXELS else WINDOW_PIXELS
            frames.append(Frame(changed - program.started, cpu, now, painted))
        time.sleep(0.01)


def measure(tree: Path, data: Path, screen: Screen) -> dict[str, float]:
    """Return the figures of one start."""
    with running(tree, data, screen.environment) as program:
        frames = frames_of(screen, program)
    found: dict[str, float] = {}
    window = next(frame for frame in frames if frame.painted >= WINDOW_PIXELS)
    last = max((n for n, frame in enumerate(frames) if frame.part != frames[-1].part), default=-1)
    for name, frame in (("window", window), ("conversation", frames[last + 1])):
        found |= {f"{name}, seconds": frame.at, f"{name}, CPU": frame.cpu}
    return found


def prepare(tree: Path, data: Path, messages: int, screen: Screen) -> None:
    """Import a conversation, open and close the window once, as the last session did."""
    file = data / "long.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        for n in range(messages):
            text = f"Message {n}: the file src/part{n % 97}/module_{n}.py was changed because of ticket T-{n}. " * 4
            lines.write(json.dumps({"role": "assistant" if n % 2 else "user", "content": text}) + "\n")
    command = [str(tree / ".venv/bin/palimpsest"), "--data-dir", str(data)]
    subprocess.run([*command, "import", str(file)], check=True, stdout=subprocess.DEVNULL)
    measure(tree, data, screen)


def main(other: str = "", runs: str = "5", messages: str = "2000") -> None:
    """Print the medians of the other build and of this one, and their ratio."""
    trees = [Path(other).resolve(), HERE] if other else [HERE]
    figures: dict[Path, list[dict[str, float]]] = {tree: [] for tree in trees}
    with tempfile.TemporaryDirectory() as folder, virtual_screen() as screen:
        screen.do("mousemove", "1430", "890")
        data = {tree: Path(folder) / str(number) for number, tree in enumerate(trees)}
        for tree in trees:
            data[tree].mkdir()
            prepare(tree, data[tree], int(messages), screen)
        for _ in range(int(runs)):
            for tree in trees:
                figures[tree].append(measure(tree, data[tree], screen))
    for name in figures[HERE][0]:
        medians = [statistics.median(run[name] for run in figures[tree]) for tree in trees]
        ratio = f"{medians[-1] / medians[0]:8.2f}" if other else ""
        print(f"{name:<24}" + "".join(f"{value:9.2f}" for value in medians) + ratio, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
