"""Select text within one or several messages, highlight matches, and copy as text, HTML or Markdown.

The HTML of a copy is created when a program requests it, as most use only the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from html import escape
from time import monotonic
from typing import Any, Literal

import msgspec
from PySide6.QtCore import QByteArray, QMimeData, QPointF, QRectF, QTimer, Signal
from PySide6.QtGui import QClipboard, QGuiApplication, QTextCursor
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
"""Characters within which words are considered together, as in the snippet of a search result."""
MAX_NEAR = 50  # matches that are compared with each one
SLICE = 0.008  # seconds of searching in one pass of the event loop


class FoundTextView(TranscriptView):
    """Highlights a text or words, and scrolls to an occurrence, or to the first place with most of the words."""

    def __init__(self, model: TranscriptModel, parent: QWidget | None = None) -> None:
        self._is_revealing = False
        self._place = 0
        self._search: RowSearch | None = None
        self._is_passing = False  # whether the highlighted text is forgotten together with the highlighted message
        super().__init__(model, parent)

    def mark_text(self, found: Found) -> None:
        """Highlight a text or words wherever they are painted; "" for nothing."""
        self.found_text, self._is_revealing, self._search, self.current_place = found, False, None, None
        self._is_passing = False
        self.viewport().update()

    def show_passage(self, message_id: str, text: str, place: int) -> None:
        """Scroll to an occurrence of a text, and highlight it for a moment, unless the user searches for another."""
        if self.found_text and not self._is_passing:
            self.show_message(message_id)
            return
        self.mark_text(text)
        self._is_passing = True
        self.show_occurrence(message_id, place)

    def _forget_shown(self) -> None:
        super()._forget_shown()
        if self._is_passing:
            self.mark_text("")

    def show_occurrence(self, message_id: str, place: int = 0) -> bool:
        """Scroll to an occurrence of the highlighted text in a message; for words, to where most of them are together.

        place: the number of the occurrence, from 0. Return False if the message is not loaded.
        """
        self._is_revealing, self._place, self._search = self.transcript.row_of(message_id) >= 0, place, None
        return self.show_message(message_id)

    def _go_on_settled(self) -> bool:
        """Scroll to the text once its message is laid out, and unfold that if necessary."""
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
    """Searches a row for an occurrence of a text, or for the place with most of the words, some milliseconds at a time.

    box: the place in the row's pixels; None while nothing was found. place: the number of the occurrence, from 0. If
    fewer are laid out than the text has, because a part is folded, the last one is taken.
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
        """Whether the requested occurrence, or any of the words, was found."""
        return self._best >= self._wanted if self._is_text else self.box is not None

    def go_on(self, deadline: float) -> bool:
        """Continue until the deadline, by `monotonic`; return whether the search is complete."""
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
        index, count = best_place([(hit.selectionStart(), hit.selectedText()) for hit in hits])
        if count > self._best:
            self._best, self.box = count, _box_of(flow, hits[index])


def _box_of(flow: Flow, cursor: QTextCursor) -> QRectF:
    """Return the box of an occurrence's first line, in the row's pixels."""
    origin = flow.top_left - QPointF(flow.shift, 0)
    if boxes := boxes_of([cursor]):
        return boxes[0].translated(origin)
    return flow.document.documentLayout().blockBoundingRect(cursor.block()).translated(origin)


def best_place(hits: Sequence[tuple[int, str]]) -> tuple[int, int]:
    """Return the index of the first hit that is followed by most different words within NEAR characters, and their
    number.

    hits: the position in a document and the word of each hit, in order.
    """
    best, most = 0, 0
    for first, (start, _) in enumerate(hits):
        near = {word.lower() for at, word in hits[first : first + MAX_NEAR] if at - start <= NEAR}
        if len(near) > most:
            best, most = first, len(near)
    return best, most


TEXT, HTML, MARKDOWN = "text/plain", "text/html", "text/markdown"
MAX_RICH = 200_000
"""Characters beyond which only text is copied, since creating the HTML would take seconds."""
STYLE = (
    "table{border-collapse:collapse}th,td{border:1px solid #999;padding:3px 7px}"
    "pre,code{font-family:monospace}blockquote{border-left:3px solid #ccc;padding-left:9px}"
)


CopiedKind = Literal["markdown", "typed", "code"]


class CopiedRow(msgspec.Struct, frozen=True):
    """The copied part of one message. kind: the kind of its text; "typed" text keeps its lines."""

    text: str
    kind: CopiedKind = "markdown"
    speaker: str = ""
    """The message's author, if it is copied with others; otherwise ""."""

    @property
    def html(self) -> str:
        head = f"<p><b>{escape(self.speaker)}</b></p>\n" if self.speaker else ""
        match self.kind:
            case "markdown":
                body = html_of_markdown(self.text, {})
                return head + body.replace("<table>", '<table border="1" cellspacing="0" cellpadding="4">')
            case "typed":
                lines = escape(self.text).replace("\n", "<br>\n")
                return f"{head}<p>{lines}</p>\n"
            case "code":
                return f"{head}{code_html(self.text)}\n"

    @property
    def markdown(self) -> str:
        return f"## {self.speaker}\n\n{self.text}" if self.speaker else self.text


class RichText(QMimeData):
    """Text for the clipboard with the rows that it comes from, without hidden control characters for terminals."""

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
        body = without_commands("".join(row.html for row in self._rows))
        return f'<html><head><meta charset="utf-8"><style>{STYLE}</style></head><body>{body}</body></html>'

    @cached_property
    def _markdown(self) -> str:
        return without_commands("\n\n".join(row.markdown for row in self._rows))


def kind_of(item: Item | None) -> CopiedKind:
    """Return the kind of a row's text."""
    match item:
        case ReplyItem() | MessageItem(MessageRow(Message(role=Role.ASSISTANT))):
            return "markdown"
        case MessageItem(MessageRow(Message(role=Role.USER))):
            return "typed"
        case _:
            return "code"


def copy_to_clipboard(text: str, rows: Sequence[CopiedRow] = ()) -> None:
    """Put a text on the clipboard, also as HTML and Markdown if rows are given."""
    clipboard = QGuiApplication.clipboard()
    if not rows or len(text) > MAX_RICH:
        clipboard.setText(without_commands(text))
        return
    clipboard.setMimeData(RichText(text, rows))


def leave_text() -> None:
    """Replace rich text on the clipboard by its plain text: Qt would free a Python object after Python has ended."""
    clipboard = QGuiApplication.clipboard()
    if isinstance(content := clipboard.mimeData(), RichText):
        clipboard.setText(content.text())


SCROLL_TICK = 30  # milliseconds
SCROLL_SHARE = 0.25  # the share of the mouse's distance from the view that is scrolled at each tick


class SelectingView(FoundTextView):
    """Selects text from where the mouse was pressed to where it is, and scrolls while it is outside.

    Signals: copied(notice), with a text for the user; quote_requested(Markdown).
    """

    copied = Signal(str)
    quote_requested = Signal(str)

    def __init__(self, model: TranscriptModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self._is_marking = False
        self._mouse = QPointF()
        self._scrolling = QTimer(self, interval=SCROLL_TICK)
        self._scrolling.timeout.connect(self._scroll_on)

    def set_gauge(self, gauge: Gauge | None) -> None:
        """Show each message's tokens with this gauge's scale; None while they are counted."""
        self.cache.token_scale = gauge.scale if gauge else 1.0
        self.lay_out_visible()

    # Selecting

    def begin_selection(self, row: int, point: QPointF, goes_on: bool) -> None:
        """Begin a selection at a point of a row. goes_on: extend the present one to there instead."""
        within = position_at(self.layout_of(row), point)
        if within is not None:
            position = TextPosition(self.transcript.item(row).key, within)
            if goes_on and self.text_selection.anchor is not None:
                self.text_selection.caret = position
            else:
                self.text_selection.begin(position)
            self._is_marking = True

    def extend_selection(self, position: QPointF) -> None:
        """Extend the selection to the text nearest to a point of the viewport."""
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
        """End it. As in Qt's own fields, the middle button pastes what is selected under X11 and Wayland."""
        if self._is_marking:
            self._offer_selection()
        self._is_marking = False
        self._scrolling.stop()

    def _offer_selection(self) -> None:
        clipboard = QGuiApplication.clipboard()
        spans = self.text_selection.spans(self.transcript.row_of) if clipboard.supportsSelection() else {}
        if text := "\n\n".join(filter(None, (self._plain(row, span) for row, span in spans.items()))):
            clipboard.setText(without_commands(text), QClipboard.Mode.Selection)

    def select_word(self, row: int, point: QPointF) -> None:
        layout = self.layout_of(row)
        within = position_at(layout, point) if flow_at(layout, point) is not None else None
        if within is not None:
            self.text_selection.begin(TextPosition(self.transcript.item(row).key, within))
            self.text_selection.take_word(layout)
            self._offer_selection()
            self.viewport().update()

    def _scroll_on(self) -> None:
        bar, height = self.verticalScrollBar(), self.viewport().height()
        beyond = self._mouse.y() - (height if self._mouse.y() > 0 else 0)
        bar.setValue(bar.value() + round(beyond * SCROLL_SHARE))
        self.extend_selection(self._mouse)

    # Copying

    def copy_selected_text(self) -> bool:
        """Copy the selection as text and HTML; return False if there is none."""
        spans = self.text_selection.spans(self.transcript.row_of)
        copied = [
            CopiedRow(self._markdown(row, span), kind_of(self.transcript.item(row)), self._heading(row, spans))
            for row, span in spans.items()
        ]
        texts = {row: self._plain(row, span) for row, span in spans.items()}
        return self._copy_rows(texts, rows=[row for row in copied if row.text])

    def copy_selected_markdown(self) -> bool:
        """Copy the selection as Markdown; return False if there is none."""
        return self._copy_rows(self._selected_markdown(), "## ")

    def quote_selection(self) -> None:
        """Ask for the selection, as Markdown, in the draft."""
        self.quote_requested.emit("\n\n".join(filter(None, self._selected_markdown().values())))

    def has_selection(self) -> bool:
        return not self.text_selection.is_empty

    def _selected_markdown(self) -> dict[int, str]:
        """Return the selected part of each row."""
        spans = self.text_selection.spans(self.transcript.row_of)
        return {row: self._markdown(row, span) for row, span in spans.items()}

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
        """Put a text on the clipboard, without hidden control characters for terminals, and emit the notice.

        rows: the rows that it comes from, if it can also be pasted as HTML.
        """
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
        """Return the source of a message; "" for other rows."""
        item = self.transcript.item(row)
        return copied_text(item) if isinstance(item, MessageItem | ReplyItem) else ""

    def _heading(self, row: int, spans: Mapping[int, RowSpan]) -> str:
        return self._speaker(row) if len(spans) > 1 else ""

    def _speaker(self, row: int) -> str:
        item = self.transcript.item(row)
        return speaker_of(item.row.message) if isinstance(item, MessageItem) else tr("Assistant")
