"""Rows of a conversation of which some pages are here: a place in it, and the page that is missing there."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from .pages import PAGE, GapItem, page_to_read
from .row_view import RowView
from .transcript_model import TranscriptModel

NEAR = 600  # pixels at which messages that are not here are asked for


class PagedView(RowView):
    """Remembers the reader's place: a row, or an index where no row is yet.

    Signal: page_requested(before, around), when the user comes near messages that are not here: the index before which
    they stand, and that of what is read.
    """

    page_requested = Signal(int, int)

    def __init__(self, model: TranscriptModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self.transcript = model
        self._anchor_key, self._anchor_offset = "", 0
        self._anchor_index = -1.0  # without a key: of the message that is read
        self._is_anchored_below = False

    def _ask_for_page(self) -> None:
        """Asks for the page that is missing where the user is."""
        top, height = self.verticalOffset(), self.viewport().height()
        first, last = self.heights.row_at(max(top - NEAR, 0)), self.heights.row_at(top + height + NEAR)
        for row in range(max(first, 0), last + 1):
            gap = self.transcript.item(row)
            if isinstance(gap, GapItem):
                place = self.heights.top(row), self.heights[row]
                before = page_to_read(gap, *place, (top, top + height), NEAR)
                if before is not None:
                    self.page_requested.emit(before, max(before - PAGE // 2, 0))
                    return

    def _go_to_index(self, index: float, offset: int = 0) -> None:
        """The reader's place is that message, here or not. offset: pixels below its beginning."""
        self._anchor_key, self._anchor_index, self._anchor_offset = "", index, offset
        self._is_anchored_below = False

    def _index_offset(self) -> int:
        row = self.transcript.row_of_index(int(self._anchor_index))
        if row < 0:
            return 0
        gap, within = self.transcript.item(row), 0.0
        if isinstance(gap, GapItem):
            within = (self._anchor_index - gap.first) / gap.count * self.heights[row]
        return round(self.heights.top(row) + within) + self._anchor_offset
