"""A text that was looked for: marked where it is painted, and scrolled to."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget

from .display_list import Action, Flow, RowLayout
from .row_painter import Found, occurrences
from .transcript_model import TranscriptModel
from .transcript_view import TranscriptView

NEAR = 200
"""Characters within which words stand together, as in the snippet of a search result."""
MAX_NEAR = 50
SLICE = 0.008  # seconds of looking in one pass of the event loop


class FoundTextView(TranscriptView):
    """Marks a text or words, and scrolls to where a message has most of them together, the first such place."""

    def __init__(self, model: TranscriptModel, parent: QWidget | None = None) -> None:
        self._is_revealing = False
        self._search: RowSearch | None = None
        super().__init__(model, parent)

    def mark_text(self, found: Found) -> None:
        """Mark a text or words wherever they are painted; "" for nothing."""
        self.found_text, self._is_revealing, self._search = found, False, None
        self.viewport().update()

    def show_occurrence(self, message_id: str) -> bool:
        """Scroll to the first occurrence of the marked text in a message; return False if that is not loaded."""
        self._is_revealing = self.transcript.row_of(message_id) >= 0
        return self.show_message(message_id)

    def _go_on_settled(self) -> bool:
        """Scroll on to the text once its message is laid out, unfolded if need be."""
        row = self.transcript.row_of(self._anchor_key) if self._is_revealing else -1
        if row < 0:
            return False
        layout = self.layout_of(row)
        if self._search is None or self._search.layout is not layout:
            self._search = RowSearch(layout, self.found_text)
        if not self._search.go_on(monotonic() + SLICE):
            return True
        top, self._search = self._search.top, None
        folded = [region.argument for region in layout.hit_regions if region.action is Action.FOLD]
        self._is_revealing = top is None and any([self.cache.unfold(key) for key in folded])
        if top is not None:
            self._anchor_offset = round(top) - self.viewport().height() // 3
        return top is not None or self._is_revealing


class RowSearch:
    """Looks in a row for a text, or for where most of the words stand together, some milliseconds at a time.

    top: where that is, in pixels from the row's top; None as long as nothing was found.
    """

    def __init__(self, layout: RowLayout, found: Found) -> None:
        self.layout = layout
        self.top: float | None = None
        self._found = found
        self._flows = iter(layout.flows)
        self._most, self._enough = 0, 1 if isinstance(found, str) else len(set(found))

    def go_on(self, deadline: float) -> bool:
        """Look on until the deadline, by `monotonic`; return whether all was looked through."""
        for flow in self._flows:
            self._look(flow)
            if self._most >= self._enough:
                return True
            if monotonic() > deadline:
                return False
        return True

    def _look(self, flow: Flow) -> None:
        hits = occurrences(flow.document, self._found)
        if hits:
            best, count = best_place([(each.selectionStart(), each.selectedText()) for each in hits])
            if count > self._most:
                self._most, self.top = count, _top_of(flow, hits[best])


def _top_of(flow: Flow, cursor: QTextCursor) -> float:
    block = cursor.block()
    line = block.layout().lineForTextPosition(cursor.selectionStart() - block.position())
    box = flow.document.documentLayout().blockBoundingRect(block)
    return flow.top_left.y() + box.top() + (line.y() if line.isValid() else 0)


def best_place(hits: Sequence[tuple[int, str]]) -> tuple[int, int]:
    """Return the first hit from which on the most different words stand within NEAR characters, and how many do.

    hits: the position in a document and the word of each, in their order.
    """
    best, most = 0, 0
    for first, (start, _) in enumerate(hits):
        near = {word.lower() for at, word in hits[first : first + MAX_NEAR] if at - start <= NEAR}
        if len(near) > most:
            best, most = first, len(near)
    return best, most
