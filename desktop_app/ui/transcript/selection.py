"""Text that is selected with the mouse, within one row."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QTextCursor

from .display_list import Flow, RowLayout
from .formulas import selected_text

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

    def cursors(self, layout: RowLayout) -> list[QTextCursor]:
        """Return a cursor for each document that has selected text."""
        if self.is_empty:
            return []
        (first, start), (last, end) = sorted((self.anchor, self.caret))
        cursors: list[QTextCursor] = []
        for number, flow in enumerate(layout.flows[: last + 1]):
            if number >= first:
                cursor, most = QTextCursor(flow.document), flow.document.characterCount() - 1
                cursor.setPosition(min(start, most) if number == first else 0)
                cursor.setPosition(min(end, most) if number == last else most, QTextCursor.MoveMode.KeepAnchor)
                cursors.append(cursor)
        return cursors

    def text(self, layout: RowLayout) -> str:
        first = min(self.anchor, self.caret)[0]
        text = ""
        for number, cursor in enumerate(self.cursors(layout), first):
            joint = layout.flows[number].joint if number > first else ""
            text += joint + selected_text(cursor)
        return text


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
