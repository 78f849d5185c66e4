"""Text that is selected with the mouse, within one row."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QTextCursor

from .display_list import Flow, RowLayout, SelectedRange

TextPosition = tuple[int, int]
"""A document of the row, by its number from the top, and a position in it."""


class TextSelection(msgspec.Struct):
    """A selection from the anchor to the caret. key: of the row; "" for no selection."""

    key: str = ""
    anchor: TextPosition = (0, 0)
    caret: TextPosition = (0, 0)

    @property
    def is_empty(self) -> bool:
        return not self.key or self.anchor == self.caret

    def clear(self) -> None:
        self.key, self.anchor, self.caret = "", (0, 0), (0, 0)

    def begin(self, key: str, position: TextPosition) -> None:
        self.key, self.anchor, self.caret = key, position, position

    def take_word(self, layout: RowLayout) -> None:
        number, position = self.caret
        cursor = QTextCursor(layout.flows[number].document)
        cursor.setPosition(position)
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        self.anchor, self.caret = (number, cursor.selectionStart()), (number, cursor.selectionEnd())

    def ranges(self, layout: RowLayout) -> list[SelectedRange]:
        """Return the selected ranges, document by document."""
        if self.is_empty:
            return []
        (first, start), (last, end) = sorted((self.anchor, self.caret))
        flows = layout.flows[: last + 1]
        ranges: list[SelectedRange] = []
        for number in range(first, len(flows)):
            document = flows[number].document
            most = document.characterCount() - 1
            begin = min(start, most) if number == first else 0
            ranges.append(SelectedRange(document, begin, min(end, most) if number == last else most))
        return ranges

    def text(self, layout: RowLayout) -> str:
        parts: list[str] = []
        first = min(self.anchor, self.caret)[0]
        for mark, flow in zip(self.ranges(layout), layout.flows[first:], strict=False):
            parts.append(flow.joint if parts else "")
            cursor = QTextCursor(mark.document)
            cursor.setPosition(mark.start)
            cursor.setPosition(mark.end, QTextCursor.MoveMode.KeepAnchor)
            parts.append(cursor.selection().toPlainText())
        return "".join(parts)


def position_at(layout: RowLayout, point: QPointF) -> TextPosition | None:
    """Return the position of the character nearest to a point; None if the row has no text."""
    flows = layout.flows
    if not flows:
        return None
    number = min(range(len(flows)), key=lambda n: _distance(flows[n], point.y()))
    flow = flows[number]
    inside = point - flow.top_left
    return number, max(flow.document.documentLayout().hitTest(inside, Qt.HitTestAccuracy.FuzzyHit), 0)


def anchor_at(layout: RowLayout, point: QPointF) -> str:
    """Return the link under a point of the row; "" if there is none."""
    for flow in layout.flows:
        if flow.box.contains(point):
            return flow.document.documentLayout().anchorAt(point - flow.top_left)
    return ""


def is_over_text(layout: RowLayout, point: QPointF) -> bool:
    """Return whether a document is at that point."""
    return any(flow.box.contains(point) for flow in layout.flows)


def _distance(flow: Flow, y: float) -> float:
    return max(flow.box.top() - y, y - flow.box.bottom(), 0)
