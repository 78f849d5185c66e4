"""Lists the files of desktop_app on the way from Enter to the first painted delta. `python tests/bench/trace_turn.py`

The engine is composed in this process, with a scripted provider; its second turn is traced, from the request to the
line of the first delta. The window is a real one without a screen, with the scripted engine of the tests; it is traced
from the key to the paint of the delta. On the way is who calls, or awaits, the functions in which the message is handed
over; what else runs meanwhile, such as counting and storing, is told as a number.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
for folder in ("tests", "tests/ui", "."):
    sys.path.insert(0, str(ROOT / folder))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

HANDED_OVER = {
    *("EngineProcess.write", "respond", "Tasks.start", "with_pauses", "LiteLLM.chunks", "EventCoalescer.publish"),
    *("TranscriptModel.apply", "_paint_flow"),
}
"""Functions in which a message goes to another process or task, or is shown: who calls them is on the way."""
MAX_PAINT_DELAY = 60
"""Milliseconds from a delta to its paint, which is put off so that there are at most 25 a second."""
APP = str(ROOT / "desktop_app") + os.sep


class Trace:
    """The functions of ours that were called while it is on, in any thread that began after it was made."""

    def __init__(self) -> None:
        self.calls: Counter[tuple[str, str]] = Counter()
        self.way: set[tuple[str, str]] = set()
        self.is_on = False
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def _note(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if self.is_on and event == "call" and code.co_filename.startswith(APP):
            self.calls[code.co_filename.removeprefix(APP), code.co_qualname] += 1
            told = frame.f_locals.get("event")
            if code.co_qualname in HANDED_OVER and (told is None or type(told).__name__ == "TextDelta"):
                self.follow(frame)

    def follow(self, frame: FrameType | None) -> None:
        """Note all callers of that frame, those that await it too."""
        while frame is not None:
            if frame.f_code.co_filename.startswith(APP):
                self.way.add((frame.f_code.co_filename.removeprefix(APP), frame.f_code.co_qualname))
            frame = frame.f_back

    def report(self, title: str) -> int:
        """Print the files with the number of their functions. Return how many files there are."""
        self.is_on = False
        files, way = Counter(file for file, _ in self.calls), Counter(file for file, _ in self.way)
        print(f"{title}: {len(way)} files and {len(self.way)} functions on the way, of {len(files)} files that run")
        for file, functions in sorted(way.items()):
            print(f"  {functions:3} {file}")
        return len(way)


async def engine(trace: Trace) -> None:
    """A turn of the engine, from the line of the request to the line of the first delta."""
    from desktop_app.engine import protocol as p
    from desktop_app.engine.compose import compose_engine
    from desktop_app.engine.event_coalescer import EventCoalescer
    from desktop_app.engine.requests import respond
    from desktop_app.settings import Server, Settings, write_settings
    from provider import Reply, ScriptedProvider

    finished = asyncio.Event()

    def write(line: bytes) -> None:
        if b'"text_delta"' in line:
            trace.is_on = False
        if b'"turn_finished"' in line:
            finished.set()

    with (
        tempfile.TemporaryDirectory() as name,
        ScriptedProvider([Reply("Hello there. " * 9)], repeat_last=True) as provider,
    ):
        settings = Settings(
            chat_model="s/scripted",
            servers=(Server("s", provider.base_url, ("scripted",), 8_192),),
            summaries="extractive",
        )
        write_settings(Path(name) / "settings.json", settings)
        made = await compose_engine(Path(name), EventCoalescer(write), lambda: None, print)
        opened: Any = await respond(made, p.CreateConversation())
        for is_traced in (False, True):
            finished.clear()
            trace.is_on = is_traced
            line = p.encode_line(p.RequestLine(1, p.Send(opened.conversation.id, "Hello")))
            await respond(made, p.decode_request(line).request)
            await finished.wait()
        await made.services.close()


def window(trace: Trace) -> None:
    """A turn of the window, from Enter until the first delta is painted."""
    import qasync
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication
    from ui_scenes import in_window

    from desktop_app.conversation.events import TextDelta
    from desktop_app.settings import Settings
    from desktop_app.ui.bridge import Bridge
    from desktop_app.ui.main_window import MainWindow

    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    loop = qasync.QEventLoop(app)
    with tempfile.TemporaryDirectory() as name:
        command = [sys.executable, str(ROOT / "tests/ui/scripted_engine.py"), "--data-dir", name, "--messages", "40"]
        bridge = Bridge(command, Path(name) / "engine.log")
        made = MainWindow(bridge, Settings(), Path(name) / "window.ini")

        painted = asyncio.Event()

        def hear(event: object) -> None:
            if isinstance(event, TextDelta):
                QTimer.singleShot(MAX_PAINT_DELAY, painted.set)

        bridge.happened.connect(hear)

        async def scene() -> None:
            field = made.composer.field
            for is_traced in (False, True):
                field.setPlainText("Hello")
                await asyncio.sleep(0.5)
                painted.clear()
                trace.is_on = is_traced
                QTest.keyClick(field, Qt.Key.Key_Return)
                await painted.wait()
                trace.is_on = False
                await asyncio.sleep(4.0)

        loop.run_until_complete(
            asyncio.wait_for(in_window(made, bridge, scene, lambda: made.transcript_model.rowCount()), 60)
        )
    loop.close()


def main(runs: dict[str, Callable[[Trace], None]]) -> None:
    """Trace each of them, or those that the arguments name."""
    total = 0
    for name in sys.argv[1:] or runs:
        trace = Trace()
        runs[name](trace)
        total += trace.report(name)
    print(f"together {total} files")


if __name__ == "__main__":
    main({"engine": lambda trace: asyncio.run(engine(trace)), "window": window})
