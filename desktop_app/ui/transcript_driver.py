"""Uses the transcript as a person does: clicks what a row offers, marks text with the mouse, copies it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from .driver import Driver, NotSeen
from .transcript.display_list import Action, DrawnGraphic, HitRegion
from .transcript.transcript_widget import TranscriptWidget
from .widgets.graphics import graphics

PATIENCE = 30  # seconds, for what is drawn by the engine
COPY_AS_MARKDOWN = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
LINE = 8  # pixels from the edge of a text into its first or last line


class TranscriptDriver:
    """Drives one transcript. Rows are counted from the first one that is loaded."""

    def __init__(self, driver: Driver, transcript: TranscriptWidget) -> None:
        self._driver, self._view = driver, transcript

    async def is_drawn(self, before: int) -> None:
        """Wait until graphics have arrived since that `version` of them, and all is laid out. Raises NotSeen."""
        await self._driver.until(lambda: graphics.version > before and self._view.is_settled, PATIENCE, "the graphics")

    async def has_diagram(self, row: int) -> None:
        """Wait until a row has a diagram. Raises NotSeen."""
        await self._driver.until(
            lambda: any(isinstance(drawn, DrawnGraphic) for drawn in self._view.layout_of(row).drawn),
            PATIENCE,
            "the diagram",
        )

    async def click(self, row: int, action: Action) -> None:
        """Bring what can be clicked for an action into sight, and click it. Raises NotSeen."""
        bar, room = self._view.verticalScrollBar(), self._view.viewport().height()
        bar.setValue(bar.value() + self._place(row, action).y() - room // 3)
        await self._driver.until(lambda: self._view.is_settled, 10, "the row")
        at = self._place(row, action)
        QTest.mouseMove(self._view.viewport(), at)  # it may be shown only under the mouse
        await self._driver.click(self._view.viewport(), (at.x(), at.y()))

    def mark(self, first: int, last: int) -> None:
        """Mark text with the mouse, from within the beginning of a row to within the end of another. Raises NotSeen."""
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
        """Copy what is marked as Markdown, with who said what. Raises NotSeen."""
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
