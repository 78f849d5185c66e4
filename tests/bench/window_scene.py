"""What a user does with long conversations and many of them, with the figures of each step."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Callable

import psutil
from measure_window import pss
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QWheelEvent
from shiboken6 import isValid
from ui_pauses import PauseWatch

from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.driver import Driver
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.transcript.message_editor import MessageReader
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.widgets.sheet import Sheet

FRAMES, WHEEL_FRAMES = 600, 400
QUERIES = ("ticket T-4711", "module_99", "setting_3", "agreed", "the file", "nowhere to be found")
FILTER = "conversation 49"


class Scene:
    """The steps. figures: in the unit that their names end with; causes: of pauses, by figure."""

    def __init__(self, window: MainWindow, bridge: Bridge) -> None:
        self.window, self.driver, self.bridge = window, Driver(window, bridge), bridge
        self.watch = PauseWatch(window)
        self.figures: dict[str, float] = {"window_shown_s": window.window_shown_seconds}
        self.causes: dict[str, tuple[str, ...]] = {}

    async def run(self) -> None:
        """Do all of it."""
        await self.driver.until(lambda: self.window.ui.transcript_model.rowCount(), 60, "an open conversation")
        await asyncio.sleep(12)  # litellm is imported meanwhile
        self.note("start")
        await self.open("short")
        before = pss(psutil.Process())
        for name in ("long", "long_again", "large", "code"):
            conversation = name.removesuffix("_again")
            await self.open(conversation, name)
            if name != "long":
                await self.drag(conversation)
                await self.turn_wheel(conversation)
                await self.resize(conversation)
            if name == "long_again":
                self.tell("long_more_mib", pss(psutil.Process()) - before)
                await self.search()
                await self.open_everything()
                await self.filter_conversations()
            if conversation in ("large", "code"):
                await self.unfold(conversation)
                await self.read_as_text(conversation)
            await self.open("short")
        await self.stream()

    def tell(self, name: str, value: float) -> None:
        """Note a figure, and show it at once."""
        self.figures[name] = value
        print(f"{name:28} {value:10.2f}", file=sys.stderr, flush=True)

    def note(self, name: str) -> None:
        """Note the longest pause since the last step."""
        pause = self.watch.take()
        self.tell(f"{name}_gap_ms", pause.clock)
        self.tell(f"{name}_gap_cpu_ms", pause.cpu)
        if pause.collecting > 2:
            self.tell(f"{name}_collecting_ms", pause.collecting)
        if pause.causes:
            self.causes[f"{name}_gap"] = pause.causes

    def spread(self, name: str, times: list[float]) -> None:
        """Note how long frames took, in milliseconds of the thread's CPU time."""
        self.tell(f"{name}_p95_cpu_ms", statistics.quantiles(times, n=100)[94])
        self.tell(f"{name}_longest_cpu_ms", max(times))

    # Reading

    async def open(self, conversation: str, name: str = "") -> None:
        """Open a conversation, until its end is painted."""
        self.watch.take()
        started = time.perf_counter()
        self.window.chat.open(conversation)
        rows = self.window.ui.transcript_model
        while not (rows.rows and str(rows.rows[0].message.id).startswith(f"{conversation}-")):
            await asyncio.sleep(0)
        self.window.ui.transcript.viewport().repaint()
        if name:
            self.tell(f"{name}_open_ms", 1000 * (time.perf_counter() - started))
        await asyncio.sleep(1)
        if name:
            self.note(f"{name}_open")

    async def drag(self, name: str) -> None:
        """Drag the scroll bar from the end to the beginning."""
        bar = self.window.ui.transcript.verticalScrollBar()
        await self._frames(name, FRAMES, lambda n: bar.setValue(round(bar.maximum() * (1 - (n + 1) / FRAMES))))

    async def turn_wheel(self, name: str) -> None:
        """Turn the wheel near the middle, a notch in each frame."""
        bar, viewport = self.window.ui.transcript.verticalScrollBar(), self.window.ui.transcript.viewport()
        bar.setValue(bar.maximum() // 2)
        await asyncio.sleep(0.5)
        middle = QPointF(viewport.rect().center())

        def turn(_: int) -> None:
            wheel = QWheelEvent(
                middle, viewport.mapToGlobal(middle), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
                Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
            )  # fmt: skip
            QCoreApplication.sendEvent(viewport, wheel)

        await self._frames(f"{name}_wheel", WHEEL_FRAMES, turn)

    async def _frames(self, name: str, count: int, act: Callable[[int], object]) -> None:
        self.watch.take()
        frames: list[float] = []
        for n in range(count):
            before = time.thread_time()
            act(n)
            self.window.ui.transcript.viewport().repaint()
            frames.append(1000 * (time.thread_time() - before))
            await asyncio.sleep(0.005)
        self.spread(f"{name}_frame", frames)
        self.note(f"{name}_scroll")

    async def resize(self, name: str) -> None:
        """Resize the window by the mouse, and paint it at each size."""
        times: list[float] = []
        size = self.window.size()
        self.watch.take()
        for n in range(1, 9):
            before = time.thread_time()
            self.window.resize(QSize(size.width() - 70 * n, size.height() - 20 * n))
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
            self.window.ui.transcript.viewport().repaint()
            times.append(1000 * (time.thread_time() - before))
            await asyncio.sleep(0.1)
        self.window.resize(size)
        await asyncio.sleep(0.3)
        self.tell(f"{name}_resize_longest_cpu_ms", max(times))
        self.note(f"{name}_resize")

    async def unfold(self, name: str) -> None:
        """Show all of what is folded in the newest message, and fold it again."""
        transcript, row = self.window.ui.transcript, self.window.ui.transcript_model.rowCount() - 1
        folds = [region for region in transcript.layout_of(row).hit_regions if region.action is Action.FOLD]
        for again in ("", "_again"):
            for fold in folds:
                self.watch.take()
                transcript.perform(fold.action, fold.argument)
                await asyncio.sleep(1)
                self.note(f"{name}_unfold{again}")

    async def read_as_text(self, name: str) -> None:
        """Open the newest message in a window of its own."""
        self.watch.take()
        self.window.ui.transcript.perform(Action.READ, str(self.window.ui.transcript_model.rows[-1].message.id))
        await asyncio.sleep(1)
        self.note(f"{name}_as_text")
        for reader in self.window.findChildren(MessageReader):
            reader.close()
        await asyncio.sleep(0.2)

    async def search(self) -> None:
        """Search in all conversations and in the long one, until the first hits are here."""
        for scope, where in (("all", None), ("one", "long")):
            times: list[float] = []
            for query in QUERIES:
                started = time.perf_counter()
                await self.bridge.ask(p.SearchMessages(query, where))
                times.append(1000 * (time.perf_counter() - started))
            self.tell(f"search_{scope}_median_ms", statistics.median(times))
            self.tell(f"search_{scope}_longest_ms", max(times))

    # Everything that opens

    async def open_everything(self) -> None:
        """Open each dialog twice: its modules are imported at the first time."""
        window = self.window
        window.ui.composer.take_focus()
        await asyncio.sleep(1)
        dialogs: tuple[tuple[str, Callable[[], object], str], ...] = (
            ("settings", window.settings.open, ""),
            ("tools", window.tools.open, ""),
            ("search", window.listing.open_search, "module_99"),
            ("optimize", window.context.optimize, ""),
            ("commands", window.commands.open_palette, "set"),
            ("shortcuts", window.commands.open_shortcuts, ""),
            ("policy", window.policies.open, ""),
            ("export", window.export.open, ""),
            ("project", lambda: window.projects.choose_for(("c1",)), "new"),
        )
        for again in ("", "_again"):
            for name, act, words in dialogs:
                await self._open_dialog(name + again, act, words)
            for name, act in (("insights", window.insights.toggle), ("xray", window.request.toggle)):
                await self._toggle(name + again, act)
            await self._find("find" + again)

    async def _open_dialog(self, name: str, act: Callable[[], object], words: str) -> None:
        self.watch.take()
        act()
        sheet = await self.driver.sheet(Sheet, 120, name)
        await asyncio.sleep(0.5)
        self.note(name)
        if words:
            await self.driver.type(words)
            await asyncio.sleep(0.5)
            self.note(f"{name}_typing")
        await self.driver.escape()
        await self.driver.until(lambda: not isValid(sheet) or not sheet.isVisible(), 10, f"the end of {name}")
        await asyncio.sleep(0.1)

    async def _toggle(self, name: str, act: Callable[[], object]) -> None:
        self.watch.take()
        act()
        await asyncio.sleep(1)
        act()
        await asyncio.sleep(0.5)
        self.note(name)

    async def _find(self, name: str) -> None:
        self.watch.take()
        self.window.finder.open()
        await asyncio.sleep(0.2)
        await self.driver.type("agreed")
        await asyncio.sleep(1)
        await self.driver.escape()
        self.note(name)

    async def filter_conversations(self) -> None:
        """Type words into the field above the list, and take them back."""
        field = self.window.ui.sidebar.filter
        field.setFocus()
        self.watch.take()
        await self.driver.type(FILTER)
        for _ in FILTER:
            await self.driver.press(Qt.Key.Key_Backspace)
        await asyncio.sleep(0.2)
        self.note("filter")
        self.window.ui.composer.take_focus()

    # A reply

    async def stream(self) -> None:
        """Take a long reply; CPU time is that of this thread."""
        model, driver = self.window.ui.transcript_model, self.driver
        for text in ("Hello", "Tell me a long story."):
            self.window.ui.composer.take_focus()
            await driver.type(text)
            before = len(model.rows)
            await driver.enter()
            await driver.until(lambda before=before: len(model.rows) > before, 60, "the message")
            self.watch.take()
            clock, cpu = time.perf_counter(), time.thread_time()
            await driver.until(lambda: not model.is_running, 60, "the reply")
            clock, cpu = time.perf_counter() - clock, time.thread_time() - cpu
        self.tell("stream_busy_share", cpu / clock)
        self.note("stream")
