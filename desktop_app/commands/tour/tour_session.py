"""Run the steps of a tour in one window, and provide the functions that they share."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from desktop_app.commands.arguments import show
from desktop_app.conversation.events import TurnEvent, ViewChanged
from desktop_app.conversation.gauge import Gauge
from desktop_app.paths import RESOURCES, settings_file
from desktop_app.settings import write_settings
from desktop_app.ui.app import run_window, turn_application
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.driver import Driver, NotSeen
from desktop_app.ui.main_window import MainWindow

from .variants import USUAL, Variant

log = logging.getLogger(__name__)

SAMPLES = RESOURCES / "samples"
PATIENCE = 400
"""Seconds for a reply to a full window: 35 on two idle slow cores, and ten times as long on a busy machine."""


class TourSession:
    """A running tour: the driver, the window's parts, and figures for the report."""

    def __init__(self, window: MainWindow, bridge: Bridge) -> None:
        self.driver = Driver(window, bridge)
        self.window = window
        self.model = window.ui.transcript_model
        self.figures: dict[str, float] = {}
        self.view_changes = 0
        bridge.happened.connect(self._note)

    @property
    def gauge(self) -> Gauge | None:
        return self.window.ui.gauge.gauge

    async def say(self, text: str) -> None:
        """Type a message and send it."""
        self.window.ui.composer.take_focus()
        await self.driver.type(text)
        await self.driver.enter()

    async def show_sidebar(self) -> None:
        """Open the sidebar if the window is too narrow to show it next to the conversation."""
        if not self.window.ui.sidebar.isVisible():
            await self.driver.click(self.window.ui.header.sidebar_button)
            await self.driver.until(self.window.ui.sidebar.isVisible, 5, "the sidebar")

    async def turn_is_over(self, seconds: float) -> None:
        await self.driver.until(lambda: not self.model.is_running, seconds, "the end of the reply")

    async def import_sample(self, name: str) -> None:
        """Import one of the sample conversations, and wait until it is shown."""
        before = self.window.chat.conversation
        self.window.importing.import_files([str(SAMPLES / name)])
        await self.driver.until(lambda: self.window.chat.conversation != before, 30, "the imported conversation")

    async def change_view(self, act: Callable[[], Awaitable[None]], seconds: float, what: str) -> None:
        """Perform an action, and wait until it has changed the view."""
        before = self.view_changes
        await act()
        await self.driver.until(lambda: self.view_changes > before, seconds, what)

    def _note(self, event: TurnEvent) -> None:
        self.view_changes += isinstance(event, ViewChanged)


Step = Callable[[TourSession], Awaitable[None]]


def take_tour(steps: Sequence[Step], data: Path, folder: Path, variant: Variant = USUAL) -> dict[str, Any]:
    """Open the window on the data folder, take the steps, save a picture of each, and return the report.

    A step that fails is reported, and the tour goes on.
    """
    report: dict[str, Any] = {}

    async def drive(window: MainWindow, bridge: Bridge) -> None:
        tour = TourSession(window, bridge)
        window.resize(*variant.size)
        taken = [await _take(number, step, tour, folder, variant) for number, step in enumerate(steps, start=1)]
        report["steps"] = taken
        report["window_shown_seconds"] = round(window.window_shown_seconds, 3)
        report["longest_ui_gap_ms"] = round(tour.driver.longest_gap * 1000, 1)
        report.update(tour.figures)

    settings = variant.settings()
    if variant.is_rtl:
        turn_application(settings)
    write_settings(settings_file(data), settings)  # otherwise the first stored setting would restyle the window
    run_window(data, settings, drive=drive)
    return report


async def _take(number: int, step: Step, tour: TourSession, folder: Path, variant: Variant) -> dict[str, Any]:
    name: str = getattr(step, "__name__", "")
    picture = folder / f"{number:02}-{name.replace('_', '-')}.png"
    started, error = time.monotonic(), ""
    try:
        await step(tour)
        if (tour.window.width(), tour.window.height()) != variant.size:
            raise NotSeen("the window in its size")
    except NotSeen as missing:
        error = f"not seen: {missing}"
    except Exception as bug:
        log.exception("the tour's step %s", name)
        error = f"{type(bug).__name__}: {bug}"
    seconds, gap = time.monotonic() - started, tour.driver.gap_of_step() * 1000
    await tour.driver.picture(picture)
    show(f"{'✗' if error else '✓'} {name.replace('_', ' '):<44} {seconds:6.1f} s {gap:5.0f} ms  {error}")
    taken = {"name": name, "ok": not error, "seconds": round(seconds, 2), "screenshot": picture.name}
    return taken | {"longest_ui_gap_ms": round(gap, 1)} | ({"error": error} if error else {})
