"""Runs the steps one after the other in one window, and keeps what each one showed."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Any

from desktop_app.commands.terminal import show
from desktop_app.settings import Settings
from desktop_app.ui.app import run_window
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.driver import Driver, NotSeen
from desktop_app.ui.main_window import MainWindow

from .steps import STEPS
from .visit import Step, Visit

log = logging.getLogger(__name__)


class Guide:
    """One tour. A step that fails is reported, and the tour goes on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._steps: list[dict[str, Any]] = []
        self._report: dict[str, Any] = {}

    def run(self, data: Path) -> dict[str, Any]:
        """The report, in the shape that the documentation gives."""
        run_window(data, Settings(theme="light"), drive=self._drive)
        return self._report

    async def _drive(self, window: MainWindow, bridge: Bridge) -> None:
        driver = Driver(window, bridge)
        visit = Visit(driver)
        for number, step in enumerate(STEPS, start=1):
            await self._take(number, step, visit)
        self._report = {
            "steps": self._steps,
            "window_shown_seconds": round(window.window_shown_seconds, 3),
            "longest_ui_gap_ms": round(driver.longest_gap * 1000, 1),
            **visit.figures,
        }

    async def _take(self, number: int, step: Step, visit: Visit) -> None:
        name = step.__name__
        picture = self._folder / f"{number:02}-{name.replace('_', '-')}.png"
        started, error = time.monotonic(), ""
        try:
            await step(visit)
        except NotSeen as missing:
            error = f"not seen: {missing}"
        except Exception as bug:
            log.exception("the tour's step %s", name)
            error = f"{type(bug).__name__}: {bug}"
        seconds, gap = time.monotonic() - started, visit.driver.gap_of_step()
        await visit.driver.picture(picture)
        self._steps.append(
            {"name": name, "ok": not error, "seconds": round(seconds, 2), "screenshot": picture.name}
            | {"longest_ui_gap_ms": round(gap * 1000, 1)}
            | ({"error": error} if error else {})
        )
        show(
            f"{'✓' if not error else '✗'} {name.replace('_', ' '):<44} {seconds:6.1f} s {gap * 1000:5.0f} ms  {error}",
        )
