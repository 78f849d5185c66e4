"""The pinned messages, which stay in every view."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.events import MessageRow
from desktop_app.ui.widgets.boxes import Card, ScrollColumn
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.formats import first_line, format_number, pluralize, readable_text, speaker_of
from desktop_app.ui.widgets.keep_focus import keep_focus_in
from desktop_app.ui.widgets.layouts import STRETCH, discard, horizontal, vertical
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.text_label import Run, TextLabel

EMPTY = (
    "Nothing is pinned.\n\nA pinned message stays in the context window word for word, whatever else is archived. "
    "To pin one, choose “Pin” in its menu in the chat, or next to an archived message in the history."
)


class PinCard(Card):
    """One pinned message. A click shows it in the chat."""

    message_requested = Signal(str)
    unpin_requested = Signal(str)

    def __init__(self, row: MessageRow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row = row
        speaker = TextLabel(speaker_of(row.message), size=13, weight=BOLD)
        tokens = TextLabel(pluralize(row.tokens, "token"), size=12, tint="ink_faint")
        text = TextLabel(first_line(readable_text(row.message), 160), size=13, tint="ink_soft", wraps=True)
        self.show_in_chat = LinkButton("Show in chat")
        self.unpin = LinkButton("Unpin")
        self.column.addLayout(horizontal((speaker, 1), tokens))
        self.column.addWidget(text)
        self.column.addLayout(horizontal(self.show_in_chat, self.unpin, STRETCH, spacing=14))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.show_in_chat.clicked.connect(lambda _=False: self.message_requested.emit(row.message.id))
        self.unpin.clicked.connect(lambda _=False: self.unpin_requested.emit(row.message.id))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.message_requested.emit(self.row.message.id)


class Pins(QWidget):
    """The list of pins and their tokens."""

    message_requested = Signal(str)
    unpin_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.total = TextLabel(size=13, tint="ink_soft")
        self.empty = TextLabel(EMPTY, size=13, tint="ink_soft", wraps=True)
        self.area = ScrollColumn()
        self.area.column.setContentsMargins(0, 0, 12, 0)
        self.area.add(self.empty)
        self.cards: list[PinCard] = []
        vertical(self.total, (self.area, 1), holder=self)
        self.set_pins(())

    def set_pins(self, rows: Sequence[MessageRow]) -> None:
        with keep_focus_in(self):
            self._put_cards(rows)

    def _put_cards(self, rows: Sequence[MessageRow]) -> None:
        for card in self.cards:
            discard(card)
        self.cards = [PinCard(row) for row in rows]
        for card in self.cards:
            self.area.add(card)
            card.message_requested.connect(self.message_requested)
            card.unpin_requested.connect(self.unpin_requested)
        tokens = format_number(sum(row.tokens for row in rows))
        self.total.set_runs((Run(tokens, "ink", BOLD), Run(f" tokens in {pluralize(len(rows), 'pinned message')}")))
        self.total.setVisible(bool(rows))
        self.empty.setVisible(not rows)
