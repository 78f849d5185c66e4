"""The messages that an operation archived or shortened: searched, read in full, brought back."""

from __future__ import annotations

import time
from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QSplitter, QWidget

from desktop_app.conversation.events import MessageChange, MessageRow, MessageState, OperationRow
from desktop_app.conversation.gauge import scaled_tokens
from desktop_app.conversation.message import Attachment, Part, Reasoning
from desktop_app.conversation.words import in_fence, translatable
from desktop_app.ui.transcript.markdown_text import MarkdownText
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import Card, ScrollColumn
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.formats import first_line, format_time, readable_text, speaker_of
from desktop_app.ui.widgets.layouts import STRETCH, horizontal, vertical
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.row_list import ListRow, RowList
from desktop_app.ui.widgets.text_area import TextArea
from desktop_app.ui.widgets.text_label import Run, TextLabel

from .operation_card import figures_of, title_of
from .requests import PanelRequests

MAX_MARKDOWN = 12_000
"""Characters of a message that are shown as Markdown; laying out more of them would hold the window."""
SEEN_INSTEAD = translatable("What the model sees instead")


def markdown_of(row: MessageRow) -> str:
    """Return the message as Markdown: texts as they are, calls and results as code, and what is sent instead."""
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
    """Whether a part is read beside text and calls: an attachment, or reasoning without a text."""
    return isinstance(part, Attachment) or (isinstance(part, Reasoning) and not text)


class MessageDetails(Card):
    """A message in full with its actions, or the sum of several."""

    def __init__(self, requests: PanelRequests) -> None:
        super().__init__()
        self._requests = requests
        self._chosen: tuple[MessageRow, ...] = ()
        self._token_scale = 1.0
        self.speaker = TextLabel(size=13, weight=BOLD)
        self.about = TextLabel(size=12, tint="ink_faint")
        self.body = TextArea(size=13)
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
        self.pin.setToolTip(tr("Keeps the message in the context window, whatever else is archived"))
        self.show_in_chat = LinkButton(tr("Show in chat"))
        self._lay_out()
        self.bring_back.clicked.connect(lambda _=False: requests.bring_back_requested.emit(self._archived_ids()))
        self.pin.clicked.connect(self._pin)
        self.show_in_chat.clicked.connect(lambda _=False: requests.message_requested.emit(self._chosen[0].message.id))
        self.show_messages(())

    def scale_tokens(self, scale: float) -> None:
        self._token_scale = scale
        self.show_messages(self._chosen)

    def _tokens(self) -> str:
        return tr("%n tokens", "", sum(scaled_tokens(row.tokens, self._token_scale) for row in self._chosen))

    def show_messages(self, chosen: Sequence[MessageRow]) -> None:
        """Show one message in full, or the number and the tokens of several."""
        self._chosen = tuple(chosen)
        is_one = len(chosen) == 1
        for widget in (self.body, self.text_area):
            widget.hide()
        self.pin.setVisible(is_one)
        self.show_in_chat.setVisible(is_one)
        self.bring_back.setVisible(bool(self._archived_ids()))
        if is_one:
            self._show_one(chosen[0])
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
        if self.body.toPlainText() != text:
            self.body.setPlainText(text)

    def _lay_out(self) -> None:
        self.column.addLayout(horizontal((self.speaker, 1), self.about, spacing=8))
        self.column.addWidget(self.body, 1)
        self.column.addWidget(self.text_area, 1)
        self.column.addLayout(horizontal(self.bring_back, self.pin, self.show_in_chat, STRETCH, spacing=14))

    def _archived_ids(self) -> tuple[str, ...]:
        return tuple(row.message.id for row in self._chosen if row.state is MessageState.ARCHIVED)

    def _pin(self) -> None:
        row = self._chosen[0]
        requests = self._requests
        (requests.unpin_requested if row.is_pinned else requests.pin_requested).emit(row.message.id)


PAUSE = 150  # milliseconds from the last key to the search


def row_of(shown: MessageRow, token_scale: float = 1.0) -> ListRow:
    """Return the item as a row of the list."""
    tag, tint = "", "accent"
    if shown.is_pinned:
        tag, tint = tr("◆ pinned"), "warning"
    elif shown.state is MessageState.IN_VIEW:
        tag, tint = tr("in context"), "ok"
    body = first_line(readable_text(shown.message)) or tr("(no text)")
    return ListRow(
        shown.message.id,
        speaker_of(shown.message),
        tr("%n tokens", "", scaled_tokens(shown.tokens, token_scale)),
        (Run(body),),
        tag,
        tint,  # type: ignore[arg-type]
    )


class ArchivedMessages(QWidget):
    """The messages of one operation, requested page by page."""

    def __init__(self, requests: PanelRequests) -> None:
        super().__init__()
        self._requests = requests
        self.operation_id = ""
        self._messages: dict[str, MessageRow] = {}
        self._total = 0
        self._token_scale = 1.0
        self._is_waiting = False
        self.back = LinkButton(tr("‹ History"))
        self.title = TextLabel(size=13, weight=BOLD)
        self.figures = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search these messages…"))
        self.search.setAccessibleName(tr("Search these messages"))
        self.found = TextLabel(size=12, tint="ink_faint")
        self.list = RowList()
        self.list.setSelectionMode(RowList.SelectionMode.ExtendedSelection)
        self.list.setAccessibleName(tr("Archived messages"))
        self.reader = MessageDetails(requests)
        self._pause = QTimer(self, interval=PAUSE, singleShot=True)
        self._lay_out()
        self._connect()

    def open(self, operation: OperationRow) -> None:
        self.operation_id = operation.id
        self.title.set_text(f"{title_of(operation)} · {format_time(operation.at, time.time())}")
        self.figures.set_runs(figures_of(operation))
        self.search.blockSignals(True)
        self.search.clear()
        self.search.blockSignals(False)
        self.replace((), 0)
        self.found.set_text(tr("Loading…"))
        self._ask()

    def replace(self, rows: Sequence[MessageRow], total: int) -> None:
        self._messages = {row.message.id: row for row in rows}
        self._total, self._is_waiting = total, False
        self.list.rows.replace([row_of(row, self._token_scale) for row in rows])
        self.list.scrollToTop()
        self._show_total()
        self._read()

    def append(self, rows: Sequence[MessageRow], total: int) -> None:
        new = [row for row in rows if row.message.id not in self._messages]
        self._messages.update({row.message.id: row for row in new})
        self._total, self._is_waiting = total, False
        self.list.rows.append([row_of(row, self._token_scale) for row in new])
        self._show_total()

    def change(self, changes: Sequence[MessageChange]) -> None:
        """Show how these messages stand now, as far as they are loaded."""
        for change in changes:
            known = self._messages.get(change.message_id)
            if known is not None:
                row = self._messages[change.message_id] = change.apply_to(known)
                self.list.rows.change(row_of(row, self._token_scale))
        self._read()

    def scale_tokens(self, scale: float) -> None:
        """Tell the tokens with that scale: see `Gauge`."""
        if scale == self._token_scale:
            return
        self._token_scale = scale
        for row in self._messages.values():
            self.list.rows.change(row_of(row, scale))
        self.reader.scale_tokens(scale)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.back.click()
        else:
            super().keyPressEvent(event)

    def _lay_out(self) -> None:
        self.title.setAlignment(Qt.AlignmentFlag.AlignRight)
        parts = QSplitter(Qt.Orientation.Vertical)
        parts.setChildrenCollapsible(False)
        parts.setHandleWidth(10)
        parts.addWidget(self.list)
        parts.addWidget(self.reader)
        parts.setSizes([440, 360])
        parts.setStyleSheet("QSplitter::handle { background: transparent; }")
        head = horizontal(self.back, (self.title, 1))
        below = (self.figures, self.search, self.found, (parts, 1))
        vertical(head, *below, holder=self, margins=(0, 0, 12, 0), spacing=8)

    def _connect(self) -> None:
        self.search.textChanged.connect(lambda _: self._pause.start())
        self.search.returnPressed.connect(self._search)
        self._pause.timeout.connect(self._search)
        self.list.more_requested.connect(self._ask_for_more)
        self.list.choice_changed.connect(self._read)

    def _search(self) -> None:
        self._pause.stop()
        self._ask()

    def _ask(self, offset: int = 0) -> None:
        self._is_waiting = True
        self._requests.archived_requested.emit(self.operation_id, self.search.text().strip(), offset)

    def _ask_for_more(self) -> None:
        loaded = len(self._messages)
        if not self._is_waiting and 0 < loaded < self._total:
            self._ask(loaded)

    def _read(self) -> None:
        chosen = [self._messages[key] for key in self.list.chosen_keys()]
        self.reader.setVisible(bool(chosen))
        self.reader.show_messages(chosen)

    def _show_total(self) -> None:
        query = self.search.text().strip()
        if not self._total:
            self.found.set_text(tr("Nothing found for “{query}”.").format(query=query) if query else "")
        elif query:
            self.found.set_text(tr("%n messages found", "", self._total))
        else:
            self.found.set_text(tr("%n messages", "", self._total))
