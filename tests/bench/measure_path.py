"""Counts what a message runs through, from Enter to the first painted delta. `python tests/bench/measure_path.py`

A person types a message in the real window, with the real engine and a scripted provider, after one that has loaded
everything. Both processes are profiled on all threads. Counted are the functions of desktop_app that ran at least once,
and their files. In the window that includes layout and painting; a second row leaves out `ui/widgets`, the layout and
the painting of the transcript: what remains hands the message on or decides about it. Names go to standard error.

The rows "hand-over only" follow the message itself. A function counts if it waits for, or makes, a call that hands the
text of the message or of a delta on: to a task, a timer, a thread, the archive, a pipe, the provider or the view (a
function whose name is in HANDING and whose arguments hold the text). So it is on the stack of such a call, or on the
stack where the task or the thread of that call was begun. What such a function calls to decide, count, convert, lay out
or style does not count, and neither does a call that hands on something else, such as the gauge, or the event loop.
"""

from __future__ import annotations

import asyncio
import os
import runpy
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from types import CoroutineType, FrameType, FunctionType
from typing import Any

import msgspec
from msgspec import Struct

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

APP = str(ROOT / "desktop_app") + os.sep
PAINTING = (
    *("ui/widgets/", "ui/transcript/row_", "ui/transcript/documents", "ui/transcript/text_flow"),
    *("ui/theme", "ui/style"),
)
NAMES = frozenset({"<module>", "<lambda>", "<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"})


class Found(Struct):
    """Functions of one process."""

    all: list[str]
    handing: list[str]


QUESTION, WORD = "Tell me more", "word"
"""The message, and a part of each delta."""
HANDING = frozenset(
    {
        *("create_task", "call_soon", "call_later", "run_in_executor"),  # of asyncio
        *("write", "_write_all", "take", "_take_line", "publish"),  # pipes
        *("_append", "store_unsent"),  # the archive
        *("open_stream", "pieces"),  # the provider
        *("apply", "dataChanged"),  # the view
    }
)
MAX_DEPTH = 7
OUTSIDE = ("ui/driver.py", "ui/app.py", "engine/serve.py _serve", "engine/serve.py _run")
"""What presses Enter, and what runs for as long as its process."""


def holds(value: object, depth: int = 0) -> bool:
    """Return whether a value is or has the text of the message or of a delta."""
    if isinstance(value, str):
        return QUESTION in value or WORD in value
    if isinstance(value, bytes):
        return QUESTION.encode() in value or WORD.encode() in value
    return depth < MAX_DEPTH and any(holds(part, depth + 1) for part in _parts_of(value))


def _parts_of(value: object) -> Iterable[object]:
    match value:
        case list() | tuple():
            return value
        case dict():
            return value.values()
        case Struct():
            return (getattr(value, name) for name in value.__struct_fields__)
        case partial():
            return (value.func, value.args, value.keywords)
        case FunctionType(__closure__=tuple() as cells):
            return (cell.cell_contents for cell in cells)
        case CoroutineType(cr_frame=FrameType() as frame):
            return [part for name, part in frame.f_locals.items() if name != "self"]
        case _:
            return ()


class Profile:
    """The functions that ran, each with the number of its newest call. watch: is called with each call's frame."""

    def __init__(self, watch: Callable[[FrameType], None] = lambda frame: None) -> None:
        self.newest: dict[str, int] = {}
        self.handing: dict[str, int] = {}
        self.calls = 0
        self._watch = watch

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_name in HANDING:
            self._note_handing(frame)
        if event != "call" or not code.co_filename.startswith(APP):
            return
        self.calls += 1
        if code.co_name not in NAMES:
            self.newest[f"{code.co_filename[len(APP) :]} {code.co_qualname}"] = self.calls
        self._watch(frame)

    def _note_handing(self, frame: FrameType) -> None:
        arguments = [value for name, value in frame.f_locals.items() if name != "self"]
        if not holds(arguments) and frame.f_code.co_name != "dataChanged":
            return
        caller: FrameType | None = frame
        while caller is not None:
            code = caller.f_code
            if code.co_filename.startswith(APP) and code.co_name not in NAMES:
                self.handing[f"{code.co_filename[len(APP) :]} {code.co_qualname}"] = self.calls
            caller = caller.f_back

    def since(self, start: int) -> Found:
        """Return the functions that ran after that call, and those of them that handed the text on."""
        newest = sorted(name for name, call in self.newest.items() if call >= start)
        handing = [name for name in newest if self.handing.get(name, -1) >= start and not name.startswith(OUTSIDE)]
        return Found(newest, handing)

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
        elif name == "_write_all" and sends == 2 and not is_written and b'"text_delta"' in values["line"]:
            is_written = True
            report.write_bytes(msgspec.json.encode(profile.since(started)))

    profile = Profile(watch)
    profile.begin()
    sys.argv = ["palimpsest", *arguments]
    runpy.run_module("desktop_app", run_name="__main__", alter_sys=True)


def run_both(folder: Path) -> dict[str, Found]:
    """Return the functions of each process."""
    from desktop_app.paths import settings_file
    from desktop_app.settings import Server, Settings, write_settings
    from desktop_app.ui import app
    from desktop_app.ui.driver import Driver
    from provider import Reply, ScriptedProvider, stream_of

    report, found = folder / "engine.json", dict[str, Found]()
    data = folder / "data"
    steps = [Reply("Hello."), stream_of(60, 20)]

    async def drive(window: Any, bridge: Any) -> None:
        driver = Driver(window, bridge)
        model = window.ui.transcript_model
        await driver.until(lambda: window.chat.conversation and window.ui.gauge.gauge, 60, "an open conversation")
        for text in ("Hello", QUESTION):
            await driver.click(window.ui.composer.field.viewport(), (8, 8))
            await driver.type(text)
            await driver.until(lambda: window.ui.composer.draft_tokens, 60, "a counted draft")
            if text == "Hello":
                await driver.enter()
                await driver.until(lambda: [row.message.text for row in model.rows][-1:] == ["Hello."], 60, "a reply")
                await driver.until(lambda: not model.is_running, 60, "the end of the turn")
        await asyncio.sleep(2)  # in which the draft is stored, and the first turn has ended in the engine
        profile = Profile()
        profile.begin()
        await driver.enter()
        await driver.until(lambda: model.streaming_text, 60, "a reply that streams")
        window.ui.transcript.viewport().repaint()
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
    found["engine"] = msgspec.json.decode(report.read_bytes(), type=Found)
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
    print(row("window", window.all))
    print(row("window, without layout and painting", [f for f in window.all if not f.startswith(PAINTING)]))
    print(row("engine", engine.all))
    print(row("window, hand-over only", window.handing))
    print(row("engine, hand-over only", engine.handing))
    print(row("both, hand-over only", sorted({*window.handing, *engine.handing})))
    for name, functions in found.items():
        print(name, *functions.all, sep="\n  ", file=sys.stderr)
        print(f"{name}, hand-over only", *functions.handing, sep="\n  ", file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--engine"]:
        run_engine(Path(sys.argv[2]), sys.argv[3:])
    else:
        main()
