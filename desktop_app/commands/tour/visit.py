"""What the tour's steps share: the window's parts, and what several of them do or wait for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from desktop_app.conversation.events import TurnEvent, ViewChanged
from desktop_app.conversation.gauge import Gauge
from desktop_app.paths import RESOURCES
from desktop_app.ui.driver import Driver

SAMPLES = RESOURCES / "samples"
PATIENCE = 400
"""Seconds for a reply to a full window: 35 on two idle slow cores, and a busy machine takes ten times as long."""


class Visit:
    """What the steps share: the driver, shortcuts to the window's parts, and figures for the report."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.window = driver.window
        self.model = driver.window.transcript_model
        self.figures: dict[str, float] = {}
        driver.bridge.happened.connect(self._note)
        self.changes = 0

    def _note(self, event: TurnEvent) -> None:
        self.changes += isinstance(event, ViewChanged)

    @property
    def gauge(self) -> Gauge | None:
        """What the gauge shows."""
        return self.window.gauge.gauge

    async def say(self, text: str) -> None:
        """Types a message and sends it."""
        self.window.composer.take_focus()
        await self.driver.type(text)
        await self.driver.enter()

    async def turn_is_over(self, seconds: float) -> None:
        """Waits for the end of the running turn."""
        await self.driver.until(lambda: not self.model.is_running, seconds, "the end of the reply")

    async def opened_sample(self, name: str) -> None:
        """Imports one of the sample conversations, and waits until it is shown."""
        before = self.window.chat.conversation
        self.window.listing.import_files([str(SAMPLES / name)])
        await self.driver.until(lambda: self.window.chat.conversation != before, 30, "the imported conversation")

    async def view_changes(self, act: Callable[[], Awaitable[None]], seconds: float, what: str) -> None:
        """Does something and waits until the view has changed by it."""
        before = self.changes
        await act()
        await self.driver.until(lambda: self.changes > before, seconds, what)


Step = Callable[[Visit], Awaitable[None]]
