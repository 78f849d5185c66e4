"""Operate the window and its transcript as a person does, with clicks and keys, and measure how responsive it is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from PySide6.QtCore import QObject, QPoint, QPointF, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from .bridge import Bridge
from .main_window import MainWindow
from .style import show_theme
from .transcript.row_painter import Action, DrawnGraphic, HitRegion
from .transcript.transcript_widget import TranscriptWidget
from .widgets.boxes import ScrollColumn
from .widgets.pictures import graphics
from .widgets.sheet import Sheet

BEAT = 10  # milliseconds
LOOK_EVERY = 0.02  # seconds
KEY_PAUSE = 0.012  # seconds: about 80 keys a second, faster than people type, slower than the event loop

S = TypeVar("S", bound=Sheet)


class Heartbeat(QObject):
    """Beats every 10 ms and records the longest gap between two beats."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._last = 0.0
        self._longest = 0.0
        self.beats = 0
        self._timer = QTimer(self, interval=BEAT)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)

    @property
    def longest_gap(self) -> float:
        """The longest gap in seconds since the last `restart`; the time since the last beat counts too."""
        return max(self._longest, perf_counter() - self._last) if self._timer.isActive() else self._longest

    def restart(self) -> None:
        """Start a new measurement."""
        self._last, self._longest, self.beats = perf_counter(), 0.0, 0
        self._timer.start()

    def stop(self) -> None:
        """End the measurement; `longest_gap` keeps its value."""
        self._longest = self.longest_gap
        self._timer.stop()

    def _beat(self) -> None:
        now = perf_counter()
        self._longest = max(self._longest, now - self._last)
        self._last = now
        self.beats += 1


class NotSeen(Exception):
    """Raised when something did not appear in time."""


class Driver:
    """Drives one window, and measures the gaps of its heartbeat, except those caused by taking pictures."""

    def __init__(self, window: MainWindow, bridge: Bridge) -> None:
        self.window = window
        self.bridge = bridge
        self._heart = Heartbeat(window)
        self._longest = self._of_step = 0.0
        self._heart.restart()

    @property
    def longest_gap(self) -> float:
        """The longest gap so far, in seconds."""
        return max(self._longest, self._heart.longest_gap)

    def gap_of_step(self) -> float:
        """Return the longest gap since the last call, in seconds."""
        self._set_aside()
        gap, self._of_step = self._of_step, 0.0
        self._heart.restart()
        return gap

    def _set_aside(self) -> None:
        gap = self._heart.longest_gap
        self._longest, self._of_step = max(self._longest, gap), max(self._of_step, gap)
        self._heart.stop()

    async def until(self, is_seen: Callable[[], object], seconds: float, what: str) -> None:
        """Wait until `is_seen()`. Raises NotSeen with `what` after that many seconds."""
        # asyncio.timeout would leave a QTimer running until it expires.
        deadline = perf_counter() + seconds
        while not is_seen():
            if perf_counter() > deadline:
                raise NotSeen(f"{what}, within {seconds:.0f} s")
            await asyncio.sleep(LOOK_EVERY)

    async def type(self, text: str) -> None:
        """Type into the widget that has the focus."""
        for letter in text:
            QTest.keyClicks(self._focus(), letter)
            await asyncio.sleep(KEY_PAUSE)

    async def press(self, key: Qt.Key) -> None:
        QTest.keyClick(self._focus(), key)
        await asyncio.sleep(LOOK_EVERY)

    async def enter(self) -> None:
        await self.press(Qt.Key.Key_Return)

    async def escape(self) -> None:
        await self.press(Qt.Key.Key_Escape)

    async def click(self, widget: QWidget | None, at: tuple[int, int] | None = None) -> None:
        """Click on a widget, in its middle or at a point. Raises NotSeen if it cannot be clicked."""
        if widget is None or not widget.isVisible() or not widget.isEnabled():
            raise NotSeen(f"something to click: {type(widget).__name__}")
        point = QPoint(*at) if at else widget.rect().center()
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point)
        await asyncio.sleep(LOOK_EVERY)

    async def sheet(self, kind: type[S], seconds: float, what: str) -> S:
        """Return the sheet of that class once it is open."""
        await self.until(lambda: self._open(kind), seconds, what)
        return self._open(kind)[0]

    async def wait_until_closed(self, kind: type[Sheet]) -> None:
        """Wait until no sheet of that class is open."""
        await self.until(lambda: not self._open(kind), 10, f"the end of the {kind.__name__}")

    async def leave(self, kind: type[Sheet], button: QWidget) -> None:
        """Close the sheet of that class by its button, and discard its changes."""
        sheet = self._open(kind)[0]
        await self.click(button)
        if sheet.question is not None and sheet.question.is_asked:
            await self.click(sheet.question.discard)
        await self.wait_until_closed(kind)

    async def paste(self, text: str) -> None:
        """Paste into the draft from the clipboard."""
        QApplication.clipboard().setText(text)
        self.window.ui.composer.take_focus()
        self.window.ui.composer.field.paste()
        await asyncio.sleep(LOOK_EVERY)

    def copied(self) -> str:
        """Return the text that is on the clipboard."""
        return QApplication.clipboard().text()

    async def scroll_to(self, part: QWidget, area: ScrollColumn) -> None:
        """Scroll an area so that the part begins at its top."""
        await asyncio.sleep(LOOK_EVERY)  # until a new part is laid out
        area.verticalScrollBar().setValue(part.mapTo(area.content, QPoint(0, 0)).y())

    def _open(self, kind: type[S]) -> list[S]:
        return [sheet for sheet in self.window.findChildren(kind) if sheet.is_complete]

    async def picture(self, file: Path) -> None:
        """Save a PNG of the window. The gap that this causes is not measured."""
        await asyncio.sleep(0.15)  # until recent changes are painted
        self._set_aside()
        if not self.window.grab().save(str(file)):
            raise OSError(f"{file} could not be written")
        self._heart.restart()

    async def restyle(self, act: Callable[[], Awaitable[None]]) -> None:
        """Run an action that restyles every widget. The gap that this causes is not measured."""
        self._set_aside()
        await act()
        await asyncio.sleep(0.2)
        self._heart.restart()

    async def show_theme(self, theme: str) -> None:
        """Show "light" or "dark". The gap that this causes is not measured."""
        application = QApplication.instance()
        assert isinstance(application, QApplication)

        async def show() -> None:
            show_theme(application, theme, 1.0)

        await self.restyle(show)

    def _focus(self) -> QWidget:
        # Without a window manager no window gets the focus; focusWidget() still is the widget that would have it.
        return QApplication.focusWidget() or self.window.focusWidget() or self.window


PATIENCE = 30  # seconds, for graphics that the engine draws
COPY_AS_MARKDOWN = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
LINE = 8  # pixels from the edge of a text to the middle of its first or last line


class TranscriptDriver:
    """Drives one transcript. Row 0 is the first one that is loaded."""

    def __init__(self, driver: Driver, transcript: TranscriptWidget) -> None:
        self._driver, self._view = driver, transcript

    async def is_drawn(self, before: int) -> None:
        """Wait until graphics newer than that `version` have arrived and everything is laid out. Raises NotSeen."""
        await self._driver.until(lambda: graphics.version > before and self._view.is_settled, PATIENCE, "the graphics")

    async def has_diagram(self, row: int) -> None:
        """Wait until a row has a diagram. Raises NotSeen."""
        await self._driver.until(
            lambda: any(isinstance(drawn, DrawnGraphic) for drawn in self._view.layout_of(row).drawn),
            PATIENCE,
            "the diagram",
        )

    async def click(self, row: int, action: Action) -> None:
        """Scroll to the clickable region of an action, and click it. Raises NotSeen."""
        bar, height = self._view.verticalScrollBar(), self._view.viewport().height()
        bar.setValue(bar.value() + self._place(row, action).y() - height // 3)
        await self._driver.until(lambda: self._view.is_settled, 10, "the row")
        at = self._place(row, action)
        QTest.mouseMove(self._view.viewport(), at)  # it may be shown only under the mouse
        await self._driver.click(self._view.viewport(), (at.x(), at.y()))

    def mark(self, first: int, last: int) -> None:
        """Select text with the mouse, from the first line of a row to the last line of another. Raises NotSeen."""
        view, left = self._view.viewport(), Qt.MouseButton.LeftButton
        start, end = self._view.layout_of(first).flows[0].box, self._view.layout_of(last).flows[-1].box
        begin = self._in_view(first, start.topLeft() + QPointF(start.width() / 3, LINE))
        until = self._in_view(last, end.bottomLeft() + QPointF(end.width() / 3, -LINE))
        QTest.mousePress(view, left, pos=begin)
        QTest.mouseMove(view, until)
        QTest.mouseRelease(view, left, pos=until)
        if self._view.text_selection.is_empty:
            raise NotSeen("a selection")

    async def copy_as_markdown(self) -> None:
        """Copy the selection as Markdown, with the authors as headings. Raises NotSeen."""
        QTest.keyClick(self._view, Qt.Key.Key_C, COPY_AS_MARKDOWN)
        await self._driver.until(lambda: self._driver.copied().startswith("## "), 5, "Markdown")

    def _place(self, row: int, action: Action) -> QPoint:
        return self._in_view(row, self._region(row, action).box.center())

    def _region(self, row: int, action: Action) -> HitRegion:
        regions = self._view.layout_of(row).hit_regions
        found = next((region for region in regions if region.action is action), None)
        if found is None:
            raise NotSeen(str(action))
        return found

    def _in_view(self, row: int, point: QPointF) -> QPoint:
        return (self._view.origin(row) + point).toPoint()
