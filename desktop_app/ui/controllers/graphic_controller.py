"""The controller of graphics: formulas and diagrams that the engine draws."""

from __future__ import annotations

from PySide6.QtCore import QObject

from desktop_app.conversation.markdown_html import Graphic
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.widgets.pictures import graphics

BATCH = 40


class GraphicController(QObject):
    """Lets the engine draw what the transcript is missing, a batch at a time."""

    def __init__(self, bridge: Bridge, parent: QObject) -> None:
        super().__init__(parent)  # it goes with its window: what is missing is told to all there are
        self._bridge = bridge
        self._is_drawing = False
        graphics.wanted.connect(self.draw)

    @in_task
    async def draw(self) -> None:
        """Draw what is missing."""
        if self._is_drawing:
            return
        self._is_drawing = True
        try:
            while batch := graphics.take_missing(BATCH):
                await self._draw(tuple(batch))
        finally:
            self._is_drawing = False

    async def _draw(self, batch: tuple[Graphic, ...]) -> None:
        try:
            answer = await self._bridge.ask(p.DrawGraphics(batch))
        except EngineFailure:  # it ended, which is told; until the next layout they stay text
            graphics.forget(batch)
        else:
            graphics.keep(batch, answer.drawings)
