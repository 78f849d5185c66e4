"""Measures whether the window ever stutters. `python tests/bench/measure_transcript.py [MESSAGES] [FILE.json]`

The archive is written by the store itself, the window talks to a real engine, and the replies come from a scripted
provider; each is a process of its own. Prints one JSON object: figures, those that missed their target, what the window
did in its longest pauses, and how slow the machine was. Ends with 1 if a target was missed. Needs Linux (PSS).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from slowness import slowness

MESSAGES = 100_000
PER_SECOND, STREAMED = 200, 64_000
LONGEST_RUN = 600  # seconds
GAP = 33.0
TARGETS = {
    "long_open_ms": 150, "long_again_open_ms": 150, "long_more_mib": 80, "window_shown_s": 0.6,
    "frame_p95_cpu_ms": 16, "frame_longest_cpu_ms": 50, "resize_longest_cpu_ms": 100,
    "search_all_longest_ms": 100, "search_one_longest_ms": 100, "stream_busy_share": 0.3,
    "scroll_gap_cpu_ms": 50, "resize_gap_cpu_ms": 100, "gap_cpu_ms": GAP,
}  # fmt: skip
"""By how a figure's name ends, the first that fits. Milliseconds of CPU are those of the window's thread alone."""


def target_of(figure: str) -> float:
    """Return what a figure must stay below; infinity for one without a target."""
    return next((most for ending, most in TARGETS.items() if figure.endswith(ending)), float("inf"))


def allowed(figure: str, slower: float) -> float:
    """Return its target; of the clock's time more on a busy machine, since others took of it, but not of CPU time."""
    return target_of(figure) * (1 if figure.endswith(("_cpu_ms", "_mib", "_share")) else slower)


def measure(messages: int) -> dict[str, object]:
    """Return what one run measured, in a data folder of its own. Raises TimeoutExpired for one that does not end."""
    from long_archive import write_archive
    from measure_stream import streaming_provider

    from desktop_app.paths import database_file
    from desktop_app.settings import write_settings

    with tempfile.TemporaryDirectory() as name:
        folder, size = Path(name), len(f"{time.monotonic():.6f} word ")
        with streaming_provider(PER_SECOND, STREAMED / size / PER_SECOND, folder) as settings:
            data = folder / "data"
            write_settings(data / "settings.json", settings)
            write_archive(database_file(data), messages)
            before = slowness()
            command = [sys.executable, __file__, "--window", str(data)]
            subprocess.run(command, timeout=LONGEST_RUN, check=True)
        measured = json.loads((data / "measured.json").read_bytes())
    slower = max(before, slowness())
    missed = {name: value for name, value in measured["figures"].items() if value > allowed(name, slower)}
    return {"messages": messages, "slowness": round(slower, 2), "missed": missed, **measured}


def run_scene(data: Path) -> None:
    """Run the window on that data folder, and write there what was measured."""
    from window_scene import Scene

    from desktop_app.settings import read_settings
    from desktop_app.ui.app import run_window
    from desktop_app.ui.bridge import Bridge
    from desktop_app.ui.main_window import MainWindow

    errors: list[str] = []

    async def drive(window: MainWindow, bridge: Bridge) -> None:
        scene = Scene(window, bridge)
        try:
            await scene.run()
        except Exception:  # noqa: BLE001 - the figures so far are of interest, too
            errors.append(traceback.format_exc())
        figures = {name: round(value, 3) for name, value in scene.figures.items()}
        measured = {"figures": figures, "causes": scene.causes, "errors": errors}
        (data / "measured.json").write_text(json.dumps(measured))

    run_window(data, read_settings(data / "settings.json"), drive)


def main(messages: int = MESSAGES, file: str = "") -> int:
    """Measure once; return the exit code."""
    measured = measure(messages)
    text = json.dumps(measured, indent=2, ensure_ascii=False)
    print(text)
    if file:
        Path(file).write_text(text + "\n")
    return 1 if measured["missed"] or measured["errors"] else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--window"]:
        run_scene(Path(sys.argv[2]))
    else:
        sys.exit(main(*map(int, sys.argv[1:2]), *sys.argv[2:3]))
