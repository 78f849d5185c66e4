"""The pinned messages, which stay in every view."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.events import MessageRow
from desktop_app.conversation.gauge import scaled_tokens
from desktop_app.conversation.message import Role
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.card_list import CardList
from desktop_app.ui.widgets.formats import first_line, first_line_of_markdown, format_number, readable_text, speaker_of
from desktop_app.ui.widgets.layouts import STRETCH, horizontal, vertical
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.text_label import Run, TextLabel, fill_runs

from .requests import PanelRequests

EMPTY = translatable(
    "Nothing is pinned.\n\nA pinned message stays in the context window word for word, whatever else is summarized. "
    "To pin a rule, point at its message in the chat and choose “Pin”."
)


class PinCard(Card):
    """One pinned message. A click shows it in the chat."""

    def __init__(self, row: MessageRow, requests: PanelRequests) -> None:
        super().__init__()
        speaker = TextLabel(speaker_of(row.message), size=13, weight=BOLD)
        tokens = TextLabel(tr("%n tokens", "", row.tokens), size=12, tint="ink_faint")
        begin = first_line_of_markdown if row.message.role is Role.ASSISTANT else first_line
        text = TextLabel(begin(readable_text(row.message), 160), size=13, tint="ink_soft", wraps=True)
        self.show_in_chat = LinkButton(tr("Show in chat"))
        self.unpin = LinkButton(tr("Unpin"))
        self.column.addLayout(horizontal((speaker, 1), tokens))
        self.column.addWidget(text)
        self.column.addLayout(horizontal(self.show_in_chat, self.unpin, STRETCH, spacing=14))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.show_in_chat.clicked.connect(lambda _=False: requests.message_requested.emit(row.message.id))
        self.unpin.clicked.connect(lambda _=False: requests.unpin_requested.emit(row.message.id))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.show_in_chat.click()


class Pins(QWidget):
    """The list of pins and their tokens."""

    def __init__(self, requests: PanelRequests) -> None:
        super().__init__()
        self.total = TextLabel(size=13, tint="ink_soft")
        self.list = CardList[MessageRow, PinCard](lambda row, _: PinCard(row, requests), tr(EMPTY))
        self._rows: tuple[MessageRow, ...] = ()
        self._token_scale = 1.0
        vertical(self.total, (self.list, 1), holder=self)
        self.total.hide()

    def set_pins(self, rows: Sequence[MessageRow]) -> None:
        self._rows = tuple(rows)
        self._show()

    def scale_tokens(self, scale: float) -> None:
        """Tell the tokens with that scale: see `Gauge`."""
        if scale != self._token_scale:
            self._token_scale = scale
            self._show()

    def _show(self) -> None:
        rows = [replace(row, tokens=scaled_tokens(row.tokens, self._token_scale)) for row in self._rows]
        self.list.set_items({row.message.id: row for row in rows})
        tokens = Run(format_number(sum(row.tokens for row in rows)), "ink", BOLD)
        self.total.set_runs(fill_runs(tr("{tokens} tokens in %n pinned messages", "", len(rows)), tokens=tokens))
        self.total.setVisible(bool(rows))
