"""Selecting text with the mouse, within a message or over several, and copying it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, QTimer, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.message import Role
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.formats import speaker_of

from .found_text import FoundTextView
from .items import MessageItem
from .pages import GapItem
from .replies import ReplyItem
from .rich_copy import CopiedRow, copy_to_clipboard, kind_of
from .row_text import copied_text
from .selection import START, WHOLE, RowSpan, TextPosition, flow_at, position_at
from .transcript_model import TranscriptModel

SCROLL_TICK = 30  # milliseconds
SCROLL_SHARE = 0.25  # of the pixels by which the mouse has left the view, for each tick


class SelectingView(FoundTextView):
    """Marks text from where the mouse was pressed to where it is, and scrolls on while it is outside.

    Signal: copied, with what to tell the user.
    """

    copied = Signal(str)

    def __init__(self, model: TranscriptModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self._is_marking = False
        self._mouse = QPointF()
        self._scrolling = QTimer(self, interval=SCROLL_TICK)
        self._scrolling.timeout.connect(self._scroll_on)

    def set_gauge(self, gauge: Gauge | None) -> None:
        """Tell each message's tokens as this request has them; None while they are counted."""
        self.cache.token_scale = gauge.scale if gauge else 1.0
        self.lay_out_visible()

    # Marking

    def begin_selection(self, row: int, point: QPointF, goes_on: bool) -> None:
        """Begin at a point of a row. goes_on: reach from where the selection began, instead."""
        within = position_at(self.layout_of(row), point)
        if within is not None:
            position = TextPosition(self.transcript.item(row).key, within)
            if goes_on and self.text_selection.anchor is not None:
                self.text_selection.caret = position
            else:
                self.text_selection.begin(position)
            self._is_marking = True

    def extend_selection(self, position: QPointF) -> None:
        """Reach to the text nearest to a point of the viewport."""
        self._mouse = position
        height = self.viewport().height()
        if not 0 <= position.y() < height:
            self._scrolling.start()
        else:
            self._scrolling.stop()
        inside = QPointF(position.x(), min(max(position.y(), 0), height - 1))
        row = self.heights.row_at(round(inside.y()) + self.verticalOffset())
        item = self.transcript.item(row)
        if isinstance(item, GapItem):
            return
        within = position_at(self.layout_of(row), inside - self.origin(row)) or START
        self.text_selection.caret = TextPosition(item.key, within)
        self.viewport().update()

    def end_selection(self) -> None:
        self._is_marking = False
        self._scrolling.stop()

    def select_word(self, row: int, point: QPointF) -> None:
        layout = self.layout_of(row)
        within = position_at(layout, point) if flow_at(layout, point) is not None else None
        if within is not None:
            self.text_selection.begin(TextPosition(self.transcript.item(row).key, within))
            self.text_selection.take_word(layout)
            self.viewport().update()

    def _scroll_on(self) -> None:
        bar, height = self.verticalScrollBar(), self.viewport().height()
        beyond = self._mouse.y() - (height if self._mouse.y() > 0 else 0)
        bar.setValue(bar.value() + round(beyond * SCROLL_SHARE))
        self.extend_selection(self._mouse)

    # Copying

    def copy_selected_text(self) -> bool:
        """Copy what is selected as it is read; return False if nothing is."""
        spans = self.text_selection.spans(self.transcript.row_of)
        copied = [
            CopiedRow(self._markdown(row, span), kind_of(self.transcript.item(row)), self._heading(row, spans))
            for row, span in spans.items()
        ]
        texts = {row: self._plain(row, span) for row, span in spans.items()}
        return self._copy_rows(texts, rows=[row for row in copied if row.text])

    def copy_selected_markdown(self) -> bool:
        """Copy what is selected as Markdown; return False if nothing is."""
        spans = self.text_selection.spans(self.transcript.row_of)
        return self._copy_rows({row: self._markdown(row, span) for row, span in spans.items()}, "## ")

    def _copy_rows(self, texts: dict[int, str], mark: str = "", rows: Sequence[CopiedRow] = ()) -> bool:
        if not texts:
            return False
        missing = sum(item.count for row in texts if isinstance(item := self.transcript.item(row), GapItem))
        headed = [
            (f"{mark}{self._speaker(row)}\n\n" if len(texts) > 1 else "") + text for row, text in texts.items() if text
        ]
        notice = tr("Copied, without %n messages that are not loaded", "", missing) if missing else tr("Copied")
        self.copy("\n\n".join(headed), notice, rows)
        return True

    def copy(self, text: str, notice: str, rows: Sequence[CopiedRow] = ()) -> None:
        """Put a text on the clipboard, without what a terminal would obey unseen. rows: what it is made of, if that can
        be pasted as it looks."""
        copy_to_clipboard(text, rows)
        self.copied.emit(notice)

    def _plain(self, row: int, span: RowSpan) -> str:
        return self._whole(row) if span == WHOLE else span.text(self.layout_of(row))

    def _markdown(self, row: int, span: RowSpan) -> str:
        item = self.transcript.item(row)
        if span == WHOLE or span.covers(self.layout_of(row)):
            return self._whole(row)
        is_plain = isinstance(item, MessageItem) and item.row.message.role is not Role.ASSISTANT
        return span.text(self.layout_of(row)) if is_plain else span.markdown(self.layout_of(row))

    def _whole(self, row: int) -> str:
        """Return the text of a message as it was written; nothing of what stands between messages."""
        item = self.transcript.item(row)
        return copied_text(item) if isinstance(item, MessageItem | ReplyItem) else ""

    def _heading(self, row: int, spans: Mapping[int, RowSpan]) -> str:
        return self._speaker(row) if len(spans) > 1 else ""

    def _speaker(self, row: int) -> str:
        item = self.transcript.item(row)
        return speaker_of(item.row.message) if isinstance(item, MessageItem) else tr("Assistant")
