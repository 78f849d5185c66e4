"""Counts what a message runs through, from Enter to the first painted delta. `python tests/bench/measure_path.py`

A person types a message in the real window, with the real engine and a scripted provider, after one that has loaded
everything. Both processes are profiled on all threads. Counted are the functions of desktop_app that ran at least once,
and their files. In the window that includes layout and painting; a second row leaves out `ui/widgets`, the layout and
the painting of the transcript: what remains hands the message on or decides about it. Names go to standard error.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

APP = str(ROOT / "desktop_app") + os.sep
PAINTING = (
    *("ui/widgets/", "ui/transcript/row_", "ui/transcript/documents", "ui/transcript/text_flow"),
    *("ui/theme", "ui/style"),
)
NAMES = frozenset({"<module>", "<lambda>", "<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"})


class Profile:
    """The functions that ran, each with the number of its newest call. watch: is called with each call's frame."""

    def __init__(self, watch: Callable[[FrameType], None] = lambda frame: None) -> None:
        self.newest: dict[str, int] = {}
        self.calls = 0
        self._watch = watch

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(APP):
            return
        self.calls += 1
        if code.co_name not in NAMES:
            self.newest[f"{code.co_filename[len(APP) :]} {code.co_qualname}"] = self.calls
        self._watch(frame)

    def since(self, start: int) -> list[str]:
        """Return the functions that ran after that call."""
        return sorted(name for name, call in self.newest.items() if call >= start)

    def begin(self) -> None:
        threading.setprofile(self)
        sys.setprofile(self)

    def end(self) -> None:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


def run_engine(report: Path, arguments: list[str]) -> None:
    """Run the engine in this process, and write what the second message ran through."""
    started, sends, is_written = 0, 0, False

    def watch(frame: FrameType) -> None:
        nonlocal started, sends, is_written
        name, values = frame.f_code.co_name, frame.f_locals
        if name == "take" and frame.f_code.co_filename.endswith("serve.py") and b'"Send"' in values.get("line", b""):
            started, sends = profile.calls, sends + 1
        elif name == "publish" and sends == 2 and not is_written and type(values.get("event")).__name__ == "TextDelta":
            is_written = True
            report.write_text(json.dumps(profile.since(started)))

    profile = Profile(watch)
    profile.begin()
    sys.argv = ["palimpsest", *arguments]
    runpy.run_module("desktop_app", run_name="__main__", alter_sys=True)


def run_both(folder: Path) -> dict[str, list[str]]:
    """Return the functions of each process."""
    from desktop_app.paths import settings_file
    from desktop_app.settings import Server, Settings, write_settings
    from desktop_app.ui import app
    from desktop_app.ui.driver import Driver
    from provider import Reply, ScriptedProvider, stream_of

    report, found = folder / "engine.json", dict[str, list[str]]()
    data = folder / "data"
    steps = [Reply("Hello."), stream_of(60, 20)]

    async def drive(window: Any, bridge: Any) -> None:
        driver = Driver(window, bridge)
        model = window.transcript_model
        await driver.until(lambda: window.chat.conversation and window.gauge.gauge, 60, "an open conversation")
        for text in ("Hello", "Again"):
            await driver.click(window.composer.field.viewport(), (8, 8))
            await driver.type(text)
            await driver.until(lambda: window.composer.draft_tokens, 60, "a counted draft")
            if text == "Hello":
                await driver.enter()
                await driver.until(lambda: not model.is_running and model.rowCount() >= 2, 60, "the first reply")
        profile = Profile()
        profile.begin()
        await driver.enter()
        await driver.until(lambda: model.streaming_text, 60, "a reply that streams")
        window.transcript.viewport().repaint()
        profile.end()
        found["window"] = profile.since(0)
        await driver.until(lambda: not model.is_running, 60, "the end of the reply")

    with ScriptedProvider(steps, models=("scripted",)) as provider:
        server = Server("scripted", provider.base_url, ("scripted",), 32_000, 1_000)
        quiet: dict[str, Any] = {"summaries": "extractive", "is_memory_on": False}
        settings = Settings(chat_model="scripted/scripted", servers=(server,), **quiet)
        write_settings(settings_file(data), settings)
        command = [sys.executable, __file__, "--engine", str(report), "engine", "--data-dir", str(data)]
        app.engine_command = lambda data_folder: command
        app.run_window(data, settings, drive)
    found["engine"] = json.loads(report.read_text())
    return found


def row(name: str, functions: list[str]) -> str:
    return f"| {name} | {len(functions)} | {len({function.split()[0] for function in functions})} |"


def main() -> None:
    """Print the table for docs/measurements.md."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as folder:
        found = run_both(Path(folder))
    window, engine = found["window"], found["engine"]
    print("| process | functions | files |\n|---|---|---|")
    print(row("window", window))
    print(row("window, without layout and painting", [f for f in window if not f.startswith(PAINTING)]))
    print(row("engine", engine))
    for name, functions in found.items():
        print(name, *functions, sep="\n  ", file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--engine"]:
        run_engine(Path(sys.argv[2]), sys.argv[3:])
    else:
        main()
