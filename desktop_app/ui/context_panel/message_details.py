"""The full text of an archived message, with actions on it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from time import monotonic

from msgspec.structs import replace
from PySide6.QtCore import QTimer
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from desktop_app.conversation.events import MessageRow, MessageState
from desktop_app.conversation.gauge import scaled_tokens
from desktop_app.conversation.message import Attachment, Part, Reasoning
from desktop_app.conversation.words import in_fence, translatable
from desktop_app.ui.transcript.markdown_documents import MarkdownText
from desktop_app.ui.transcript.row_painter import occurrences
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import Card, ScrollColumn
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.layouts import STRETCH, horizontal
from desktop_app.ui.widgets.long_text import LongTextField
from desktop_app.ui.widgets.look import BOLD, colour
from desktop_app.ui.widgets.number_formats import format_time, readable_text, speaker_of
from desktop_app.ui.widgets.text_label import TextLabel

from .requests import PanelRequests

MAX_MARKDOWN = 12_000
"""Characters up to which a message is shown as Markdown; laying out more would block the window."""
SLICE = 0.008  # seconds of searching in one pass of the event loop
LOOKED_THROUGH, MAX_FOUND = 50_000, 200  # characters that are searched between two checks of the clock; matches shown
SEEN_INSTEAD = translatable("What the model sees instead")


def markdown_of(row: MessageRow) -> str:
    """Return the message as Markdown: text unchanged, calls and results as code, then any text that is sent instead."""
    message, blocks = row.message, list[str]()
    if message.tool_result is not None:
        blocks.append(in_fence(message.tool_result.text))
    else:
        blocks += [message.text] if message.text else []
        blocks += [f"**{call.name}**\n\n{in_fence(call.arguments, 'json')}" for call in message.tool_calls]
        plain = readable_text(
            replace(message, parts=tuple(p for p in message.parts if is_beside_text(p, message.text)))
        )
        blocks += [in_fence(plain)] if plain else []
    if row.sent_text:
        blocks.append(f"**{tr(SEEN_INSTEAD)}**\n\n{in_fence(row.sent_text)}")
    return "\n\n".join(blocks) or tr("(This message has no text.)")


def is_beside_text(part: Part, text: str) -> bool:
    """Return whether a part is shown in addition to text and calls: an attachment, or reasoning without a text."""
    return isinstance(part, Attachment) or (isinstance(part, Reasoning) and not text)


class MessageDetails(Card):
    """The full text of a message with its actions, or the total of several messages."""

    def __init__(self, requests: PanelRequests) -> None:
        super().__init__()
        self._requests = requests
        self._chosen: tuple[MessageRow, ...] = ()
        self._sought: tuple[str, ...] = ()
        self._token_scale = 1.0
        self._shown = ""  # the text in `body`
        self._found: Iterator[tuple[int, int]] = iter(())
        self._seeking = QTimer(self, singleShot=True, interval=0)
        self._seeking.timeout.connect(self._seek)
        self.speaker = TextLabel(size=13, weight=BOLD)
        self.about = TextLabel(size=12, tint="ink_faint")
        self.body = LongTextField(size=13)
        self.body.setReadOnly(True)
        self.body.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.body.setAccessibleName(tr("Message"))
        self.page = MarkdownText("", tint="ink")
        self.page.setAccessibleName(tr("Message"))
        self.text_area = ScrollColumn()
        self.text_area.add(self.page)
        self.bring_back = LinkButton(tr("Bring back"))
        self.bring_back.setToolTip(tr("Puts the message back into the context window, word for word"))
        self.pin = LinkButton(tr("Pin"))
        self.pin.setToolTip(tr("Keeps the message in the context window, whatever else is summarized"))
        self.show_in_chat = LinkButton(tr("Show in chat"))
        self._lay_out()
        self.bring_back.clicked.connect(lambda _=False: requests.bring_back_requested.emit(self._archived_ids()))
        self.pin.clicked.connect(self._pin)
        self.show_in_chat.clicked.connect(lambda _=False: requests.message_requested.emit(self._chosen[0].message.id))
        self.show_messages(())

    def scale_tokens(self, scale: float) -> None:
        self._token_scale = scale
        self.show_messages(self._chosen, self._sought)

    def _tokens(self) -> str:
        return tr("%n tokens", "", sum(scaled_tokens(row.tokens, self._token_scale) for row in self._chosen))

    def show_messages(self, chosen: Sequence[MessageRow], sought: Sequence[str] = ()) -> None:
        """Show the full text of one message, or the number and tokens of several. sought: words to highlight."""
        was_shown = self._chosen, self._sought
        self._chosen, self._sought = tuple(chosen), tuple(sought)
        is_one = len(chosen) == 1
        for widget in (self.body, self.text_area):
            widget.hide()
        self.pin.setVisible(is_one)
        self.show_in_chat.setVisible(is_one)
        self.bring_back.setVisible(bool(self._archived_ids()))
        if is_one:
            self._show_one(chosen[0])
            if was_shown != (self._chosen, self._sought):
                self._show_found()
        elif chosen:
            self.speaker.set_text(tr("%n messages", "", len(chosen)))
            self.about.set_text(self._tokens())

    def _show_one(self, row: MessageRow) -> None:
        self.speaker.set_text(speaker_of(row.message))
        self.about.set_text(f"{format_time(row.message.at, time.time())} · {self._tokens()}")
        self.pin.setText(tr("Unpin") if row.is_pinned else tr("Pin"))
        is_long = len(readable_text(row.message)) > MAX_MARKDOWN
        self.body.setVisible(is_long)
        self.text_area.setVisible(not is_long)
        if not is_long:
            self.page.show_text(markdown_of(row))
            self.text_area.verticalScrollBar().setValue(0)
            return
        text = readable_text(row.message)
        if row.sent_text:
            text = f"{text}\n\n— {tr(SEEN_INSTEAD)} —\n\n{row.sent_text}"
        if self._shown != text:
            self._shown = text
            self.body.show_text(text)

    def _show_found(self) -> None:
        """Highlight the words that are sought, and scroll to the first one."""
        self.body.setExtraSelections([])
        self.page.setExtraSelections([])
        if self.body.isVisibleTo(self):
            self._found = places_of(self._shown, self._sought)
            self._seek()
            return
        found = [cursor for word in self._sought for cursor in occurrences(self.page.document(), word)]
        self.page.setExtraSelections([_mark_of(cursor) for cursor in found])
        if found:  # once it is laid out
            first = min(found, key=QTextCursor.selectionStart)
            QTimer.singleShot(0, self.page, lambda: self._scroll_to(first))

    def _seek(self) -> None:
        """Continue to search a long text for some milliseconds, as far as it has been inserted into the field."""
        deadline, marks = monotonic() + SLICE, self.body.extraSelections()
        while monotonic() < deadline and not self.body.is_inserting:
            start, end = next(self._found, (-1, -1))
            if start < 0 or len(marks) >= MAX_FOUND:
                return
            if end > start:
                marks.append(_mark_of(self.body.cursor_of(self._shown, start, end)))
                self.body.setExtraSelections(marks)
                if len(marks) == 1:
                    self._show_first(marks[0].cursor)  # type: ignore[attr-defined]
        self._seeking.start()

    def _show_first(self, found: QTextCursor) -> None:
        first = QTextCursor(found)
        first.setPosition(found.selectionStart())
        self.body.setTextCursor(first)
        self.body.centerCursor()

    def _scroll_to(self, found: QTextCursor) -> None:
        if found.document() is self.page.document():
            self.text_area.ensureVisible(0, self.page.cursorRect(found).center().y(), 0, self.text_area.height() // 3)

    def _lay_out(self) -> None:
        self.column.addLayout(horizontal((self.speaker, 1), self.about, spacing=8))
        self.column.addWidget(self.body, 1)
        self.column.addWidget(self.text_area, 1)
        self.column.addLayout(horizontal(self.show_in_chat, self.pin, self.bring_back, STRETCH, spacing=14))

    def _archived_ids(self) -> tuple[str, ...]:
        return tuple(row.message.id for row in self._chosen if row.state is MessageState.ARCHIVED)

    def _pin(self) -> None:
        row = self._chosen[0]
        requests = self._requests
        (requests.unpin_requested if row.is_pinned else requests.pin_requested).emit(row.message.id)


def places_of(text: str, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each match of these words in a text, ignoring case.

    An empty span follows after each LOOKED_THROUGH characters, so that the caller can check the clock.
    """
    sought = re.compile("|".join(map(re.escape, words)), re.IGNORECASE) if words else None
    longest = max(map(len, words), default=0)
    for start in range(0, len(text) if sought else 0, LOOKED_THROUGH):
        for found in sought.finditer(text, start, start + LOOKED_THROUGH + longest - 1) if sought else ():
            if found.start() < start + LOOKED_THROUGH:
                yield found.span()
        yield start, start


def _mark_of(found: QTextCursor) -> QTextEdit.ExtraSelection:
    mark, look = QTextEdit.ExtraSelection(), QTextCharFormat()
    look.setBackground(colour("warning", 0.28))
    mark.cursor, mark.format = found, look  # type: ignore[attr-defined]
    return mark
