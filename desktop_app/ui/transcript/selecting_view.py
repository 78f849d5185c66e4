"""Select text within one or several messages, mark found text, and copy as text, HTML or Markdown.

The HTML of a copy is made when a program asks for it: most want the text alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from html import escape
from time import monotonic
from typing import Any, Literal

import msgspec
from PySide6.QtCore import QByteArray, QMimeData, QPointF, QRectF, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.markdown_html import code_html, html_of_markdown
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.message_rows import MessageRow
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.number_formats import speaker_of, without_commands

from .row_painter import Action, Flow, Found, RowLayout, boxes_of, occurrences
from .row_text import copied_text
from .selection import START, WHOLE, RowSpan, TextPosition, flow_at, position_at
from .transcript_items import GapItem, Item, MessageItem, ReplyItem
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


TEXT, HTML, MARKDOWN = "text/plain", "text/html", "text/markdown"
MAX_RICH = 200_000
"""Characters; of more the text alone is copied, since HTML of them would take seconds."""
STYLE = (
    "table{border-collapse:collapse}th,td{border:1px solid #999;padding:3px 7px}"
    "pre,code{font-family:monospace}blockquote{border-left:3px solid #ccc;padding-left:9px}"
)


CopiedKind = Literal["markdown", "typed", "code"]


class CopiedRow(msgspec.Struct, frozen=True):
    """What is copied of one message. kind: what its text is; what was typed keeps its lines."""

    text: str
    kind: CopiedKind = "markdown"
    speaker: str = ""
    """Who said it, where it is copied with others."""

    @property
    def html(self) -> str:
        head = f"<p><b>{escape(self.speaker)}</b></p>\n" if self.speaker else ""
        match self.kind:
            case "markdown":
                shown = html_of_markdown(self.text, {})
                return head + shown.replace("<table>", '<table border="1" cellspacing="0" cellpadding="4">')
            case "typed":
                lines = escape(self.text).replace("\n", "<br>\n")
                return f"{head}<p>{lines}</p>\n"
            case "code":
                return f"{head}{code_html(self.text)}\n"

    @property
    def markdown(self) -> str:
        return f"## {self.speaker}\n\n{self.text}" if self.speaker else self.text


class RichText(QMimeData):
    """Text with the rows that it was made of, without what a terminal would obey unseen."""

    def __init__(self, text: str, rows: Sequence[CopiedRow]) -> None:
        super().__init__()
        self._text, self._rows = without_commands(text), rows

    def formats(self) -> list[str]:
        return [TEXT, HTML, MARKDOWN]

    def hasFormat(self, mimetype: str) -> bool:
        return mimetype in self.formats()

    def retrieveData(self, mimetype: str, preferredType: Any) -> Any:
        match mimetype:
            case "text/plain":
                return self._text
            case "text/html":
                return self._html
            case "text/markdown":
                return QByteArray(self._markdown.encode(errors="replace"))
            case _:
                return None

    @cached_property
    def _html(self) -> str:
        said = without_commands("".join(row.html for row in self._rows))
        return f'<html><head><meta charset="utf-8"><style>{STYLE}</style></head><body>{said}</body></html>'

    @cached_property
    def _markdown(self) -> str:
        return without_commands("\n\n".join(row.markdown for row in self._rows))


def kind_of(item: Item | None) -> CopiedKind:
    """Return what the text of a row is."""
    match item:
        case ReplyItem() | MessageItem(MessageRow(Message(role=Role.ASSISTANT))):
            return "markdown"
        case MessageItem(MessageRow(Message(role=Role.USER))):
            return "typed"
        case _:
            return "code"


def copy_to_clipboard(text: str, rows: Sequence[CopiedRow] = ()) -> None:
    """Put a text on the clipboard, and what it looks like, if there are rows of it."""
    clipboard = QGuiApplication.clipboard()
    if not rows or len(text) > MAX_RICH:
        clipboard.setText(without_commands(text))
        return
    clipboard.setMimeData(RichText(text, rows))


def leave_text() -> None:
    """Leave the text alone on the clipboard: what Python has made there, Qt would free after Python's end."""
    clipboard = QGuiApplication.clipboard()
    if isinstance(held := clipboard.mimeData(), RichText):
        clipboard.setText(held.text())


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
