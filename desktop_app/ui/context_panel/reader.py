"""A message in full, and what can be done with it; or with several that are chosen."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QWidget

from desktop_app.conversation.events import MessageRow, MessageState
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.formats import format_time, pluralize, readable_text, speaker_of
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.text_area import TextArea
from desktop_app.ui.widgets.text_label import TextLabel


class Reader(Card):
    """Shows the chosen messages."""

    bring_back_requested = Signal(tuple)
    pin_requested = Signal(str)
    unpin_requested = Signal(str)
    message_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chosen: tuple[MessageRow, ...] = ()
        self.speaker = TextLabel(size=13, weight=BOLD)
        self.about = TextLabel(size=12, tint="ink_faint")
        self.body = TextArea(size=13)
        self.body.setReadOnly(True)
        self.body.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.body.setAccessibleName("Message")
        self.bring_back = LinkButton("Bring back")
        self.bring_back.setToolTip("Puts the message back into the context window, word for word")
        self.pin = LinkButton("Pin")
        self.pin.setToolTip("Keeps the message in the context window, whatever else is archived")
        self.show_in_chat = LinkButton("Show in chat")
        self._lay_out()
        self.bring_back.clicked.connect(lambda _=False: self.bring_back_requested.emit(self._archived()))
        self.pin.clicked.connect(self._pin)
        self.show_in_chat.clicked.connect(lambda _=False: self.message_requested.emit(self._chosen[0].message.id))
        self.show_messages(())

    def show_messages(self, chosen: Sequence[MessageRow]) -> None:
        """One message in full; of several only what they come to."""
        self._chosen = tuple(chosen)
        is_one = len(chosen) == 1
        self.body.setVisible(is_one)
        self.pin.setVisible(is_one)
        self.show_in_chat.setVisible(is_one)
        self.bring_back.setVisible(bool(self._archived()))
        if is_one:
            self._show_one(chosen[0])
        elif chosen:
            self.speaker.set_text(pluralize(len(chosen), "message"))
            self.about.set_text(pluralize(sum(row.tokens for row in chosen), "token"))

    def _show_one(self, row: MessageRow) -> None:
        self.speaker.set_text(speaker_of(row.message))
        self.about.set_text(f"{format_time(row.message.at, time.time())} · {pluralize(row.tokens, 'token')}")
        self.pin.setText("Unpin" if row.is_pinned else "Pin")
        text = readable_text(row.message) or "(This message has no text.)"
        if row.sent_text:
            text = f"{text}\n\n— What the model sees instead —\n\n{row.sent_text}"
        if self.body.toPlainText() != text:
            self.body.setPlainText(text)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.speaker, 1)
        head.addWidget(self.about)
        links = QHBoxLayout()
        links.setSpacing(14)
        for link in (self.bring_back, self.pin, self.show_in_chat):
            links.addWidget(link)
        links.addStretch(1)
        self.column.addLayout(head)
        self.column.addWidget(self.body, 1)
        self.column.addLayout(links)

    def _archived(self) -> tuple[str, ...]:
        return tuple(row.message.id for row in self._chosen if row.state is MessageState.ARCHIVED)

    def _pin(self) -> None:
        row = self._chosen[0]
        (self.unpin_requested if row.is_pinned else self.pin_requested).emit(row.message.id)
