"""A text that was looked for: marked where it is painted, and scrolled to."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from .display_list import Action, RowLayout
from .row_painter import Found, occurrences
from .transcript_model import TranscriptModel
from .transcript_view import TranscriptView

NEAR = 200
"""Characters within which words stand together, as in the snippet of a search result."""
MAX_NEAR = 50


class FoundTextView(TranscriptView):
    """Marks a text or words, and scrolls to where a message has most of them together, the first such place."""

    def __init__(self, model: TranscriptModel, parent: QWidget | None = None) -> None:
        self._is_revealing = False
        super().__init__(model, parent)

    def mark_text(self, found: Found) -> None:
        """Mark a text or words wherever they are painted; "" for nothing."""
        self.found_text, self._is_revealing = found, False
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
        top = top_of_text(layout, self.found_text)
        folded = [region.argument for region in layout.hit_regions if region.action is Action.FOLD]
        self._is_revealing = top is None and any([self.cache.unfold(key) for key in folded])
        if top is not None:
            self._anchor_offset = round(top) - self.viewport().height() // 3
        return top is not None or self._is_revealing


def top_of_text(layout: RowLayout, found: Found) -> float | None:
    """Return where the text, or most of the words together, are in the row, in pixels from its top; None if nowhere."""
    hits = [(flow, cursor) for flow in layout.flows for cursor in occurrences(flow.document, found)]
    if not hits:
        return None
    places = [(layout.flows.index(flow), each.selectionStart(), each.selectedText()) for flow, each in hits]
    flow, cursor = hits[best_place(places)]
    block = cursor.block()
    line = block.layout().lineForTextPosition(cursor.selectionStart() - block.position())
    box = flow.document.documentLayout().blockBoundingRect(block)
    return flow.top_left.y() + box.top() + (line.y() if line.isValid() else 0)


def best_place(hits: Sequence[tuple[int, int, str]]) -> int:
    """Return the first hit from which on the most different words stand within NEAR characters.

    hits: the number of the document, the position there and the word of each, in their order.
    """
    best, most = 0, 0
    for first, (document, start, _) in enumerate(hits):
        near = {w.lower() for d, at, w in hits[first : first + MAX_NEAR] if d == document and at - start <= NEAR}
        if len(near) > most:
            best, most = first, len(near)
    return best
