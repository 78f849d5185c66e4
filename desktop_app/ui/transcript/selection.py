"""Selections of text with the mouse, within a message or across several."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QTextCursor, QTextDocument

from desktop_app.conversation.words import in_fence

from .formulas import fill_in_formulas, selected_text
from .row_painter import Flow, RowLayout

START, END = (0, 0), (1_000_000_000, 0)


class TextPosition(msgspec.Struct, frozen=True):
    """A position in a row. within: the index of a document of the row, from the top, and a position in that."""

    key: str
    within: tuple[int, int]


class RowSpan(msgspec.Struct, frozen=True):
    """The selected part of a row. start, end: positions as in `TextPosition.within`."""

    start: tuple[int, int] = START
    end: tuple[int, int] = END

    def cursors(self, layout: RowLayout) -> list[tuple[Flow, QTextCursor]]:
        """Return each document with selected text, with a cursor that selects it."""
        (first, start), (last, end) = self.start, self.end
        cursors: list[tuple[Flow, QTextCursor]] = []
        for number, flow in enumerate(layout.flows[: last + 1]):
            if number >= first:
                cursor, most = QTextCursor(flow.document), flow.document.characterCount() - 1
                cursor.setPosition(min(start, most) if number == first else 0)
                cursor.setPosition(min(end, most) if number == last else most, QTextCursor.MoveMode.KeepAnchor)
                cursors.append((flow, cursor))
        return cursors

    def text(self, layout: RowLayout) -> str:
        """Return the selected text as it is shown."""
        text = ""
        for number, (flow, cursor) in enumerate(self.cursors(layout)):
            text += (flow.joint if number else "") + selected_text(cursor)
        return text

    def markdown(self, layout: RowLayout) -> str:
        """Return the selected part of a Markdown message as Markdown."""
        pieces = (_markdown(flow, cursor) for flow, cursor in self.cursors(layout))
        return "\n\n".join(filter(None, pieces))

    def covers(self, layout: RowLayout) -> bool:
        """Return whether all of the row's text is selected."""
        flows = layout.flows
        end = (len(flows) - 1, flows[-1].document.characterCount() - 1) if flows else END
        return self.start == START and self.end >= end


WHOLE = RowSpan()


class TextSelection(msgspec.Struct):
    """A selection from the anchor to the caret, in either direction."""

    anchor: TextPosition | None = None
    caret: TextPosition | None = None

    @property
    def is_empty(self) -> bool:
        return self.anchor is None or self.anchor == self.caret

    def clear(self) -> None:
        self.anchor = self.caret = None

    def begin(self, position: TextPosition) -> None:
        self.anchor = self.caret = position

    def take_word(self, layout: RowLayout) -> None:
        """Select the word at the caret."""
        if self.caret is not None:
            number, position = self.caret.within
            cursor = QTextCursor(layout.flows[number].document)
            cursor.setPosition(position)
            cursor.select(QTextCursor.SelectionType.WordUnderCursor)
            self.anchor = TextPosition(self.caret.key, (number, cursor.selectionStart()))
            self.caret = TextPosition(self.caret.key, (number, cursor.selectionEnd()))

    def spans(self, row_of: Callable[[str], int]) -> dict[int, RowSpan]:
        """Return the selected part of each row; {} if a row with an end of the selection no longer exists."""
        if self.anchor is None or self.caret is None or self.is_empty:
            return {}
        ends = sorted((row_of(end.key), end.within) for end in (self.anchor, self.caret))
        (first, start), (last, end) = ends
        if first < 0:
            return {}
        return {
            row: RowSpan(start if row == first else START, end if row == last else END)
            for row in range(first, last + 1)
        }


def position_at(layout: RowLayout, point: QPointF) -> tuple[int, int] | None:
    """Return the position of the character nearest to a point; None if the row has no text."""
    flows = layout.flows
    if not flows:
        return None
    number = min(range(len(flows)), key=lambda n: _distance(flows[n], point.y()))
    flow = flows[number]
    return number, max(flow.document.documentLayout().hitTest(flow.inside(point), Qt.HitTestAccuracy.FuzzyHit), 0)


def flow_at(layout: RowLayout, point: QPointF) -> Flow | None:
    """Return the document at a point of the row; None if there is none."""
    return next((flow for flow in layout.flows if flow.box.contains(point)), None)


def _markdown(flow: Flow, cursor: QTextCursor) -> str:
    if flow.is_code:
        return in_fence(cursor.selection().toPlainText(), flow.language)
    text = cursor.selection().toMarkdown(QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
    return fill_in_formulas(text, cursor).strip("\n")


def _distance(flow: Flow, y: float) -> float:
    return max(flow.box.top() - y, y - flow.box.bottom(), 0)
