"""A text that was looked for: marked where it is painted, and scrolled to."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget

from .display_list import Action, Flow, RowLayout
from .row_painter import Found, boxes_of, occurrences
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
        self._place = 0
        self._search: RowSearch | None = None
        super().__init__(model, parent)

    def mark_text(self, found: Found) -> None:
        """Mark a text or words wherever they are painted; "" for nothing."""
        self.found_text, self._is_revealing, self._search, self.current_place = found, False, None, None
        self.viewport().update()

    def show_occurrence(self, message_id: str, place: int = 0) -> bool:
        """Scroll to an occurrence of the marked text in a message, the first one being 0; of words, to where most of
        them are together. Return False if the message is not loaded."""
        self._is_revealing, self._place, self._search = self.transcript.row_of(message_id) >= 0, place, None
        return self.show_message(message_id)

    def _go_on_settled(self) -> bool:
        """Scroll on to the text once its message is laid out, unfolded if need be."""
        row = self.transcript.row_of(self._anchor_key) if self._is_revealing else -1
        if row < 0:
            return False
        layout = self.layout_of(row)
        if self._search is None or self._search.layout is not layout:
            self._search = RowSearch(layout, self.found_text, self._place)
        if not self._search.go_on(monotonic() + SLICE):
            return True
        search, top, self._search = self._search, self._search.top, None
        folded = [region.argument for region in layout.hit_regions if region.action is Action.FOLD]
        self._is_revealing = not search.is_found and any([self.cache.unfold(key) for key in folded])
        if self._is_revealing:
            return True
        self.current_place = (self._anchor_key, search.box) if search.box is not None else None
        if top is not None:
            self._anchor_offset = round(top) - self.viewport().height() // 3
        return top is not None or self._is_revealing


class RowSearch:
    """Looks in a row for an occurrence of a text, or for where most of the words are together, some milliseconds at a
    time. box: where that is, in the row's pixels; None as long as nothing was found.

    place: the number of the occurrence, from 0. Where fewer of them are painted than the text has, as in a folded
    part, the last one is taken.
    """

    def __init__(self, layout: RowLayout, found: Found, place: int = 0) -> None:
        self.layout = layout
        self.box: QRectF | None = None
        self._found = found
        self._flows = iter(layout.flows)
        self._is_text = isinstance(found, str)
        self._best, self._wanted = 0, place + 1 if self._is_text else len(set(found))

    @property
    def top(self) -> float | None:
        """Pixels from the row's top."""
        return None if self.box is None else self.box.top()

    @property
    def is_found(self) -> bool:
        """Whether the occurrence that was asked for is there, or any of the words."""
        return self._best >= self._wanted if self._is_text else self.box is not None

    def go_on(self, deadline: float) -> bool:
        """Look on until the deadline, by `monotonic`; return whether all was looked through."""
        for flow in self._flows:
            self._look(flow)
            if self._best >= self._wanted:
                return True
            if monotonic() > deadline:
                return False
        return True

    def _look(self, flow: Flow) -> None:
        hits = occurrences(flow.document, self._found)
        if not hits:
            return
        if self._is_text:
            index = min(self._wanted - self._best, len(hits)) - 1
            self._best, self.box = self._best + index + 1, _box_of(flow, hits[index])
            return
        index, count = best_place([(each.selectionStart(), each.selectedText()) for each in hits])
        if count > self._best:
            self._best, self.box = count, _box_of(flow, hits[index])


def _box_of(flow: Flow, cursor: QTextCursor) -> QRectF:
    """Return where an occurrence begins, in the row's pixels: its first line."""
    place = flow.top_left - QPointF(flow.shift, 0)
    if boxes := boxes_of([cursor]):
        return boxes[0].translated(place)
    return flow.document.documentLayout().blockBoundingRect(cursor.block()).translated(place)


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
