"""The history of the context: every operation, newest first, with its messages."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop_app.conversation.events import MessageRow, OperationRow
from desktop_app.ui.widgets.boxes import ScrollColumn
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.keep_focus import keep_focus_in
from desktop_app.ui.widgets.layouts import discard
from desktop_app.ui.widgets.text_label import TextLabel

from .archived import ArchivedMessages
from .operation_card import OperationCard

CARDS = 20  # cards made at a time: each costs about a millisecond
EMPTY = (
    "Nothing has been archived yet.\n\nWhen the context window fills up, older messages make room for new ones. They "
    "are listed here in full: you can read them, search them, bring them back, or undo the whole operation."
)


class History(QStackedWidget):
    """The cards of the operations, or the messages of one."""

    archived_requested = Signal(str, str, int)
    undo_requested = Signal(str)
    redo_requested = Signal(str)
    memories_requested = Signal()
    conversation_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: dict[str, OperationRow] = {}
        self._max_cards = CARDS
        self.cards: dict[str, OperationCard] = {}
        self.area = ScrollColumn()
        self.area.column.setContentsMargins(0, 0, 12, 0)
        self.empty = TextLabel(EMPTY, size=13, tint="ink_soft", wraps=True)
        self.more = LinkButton("Show earlier operations")
        self.archived = ArchivedMessages()
        self.area.add(self.empty)
        self.area.add(self.more)
        self.addWidget(self.area)
        self.addWidget(self.archived)
        self.more.clicked.connect(self._show_more)
        self.archived.page_requested.connect(self.archived_requested)
        self.archived.back_requested.connect(self._go_back)
        self._rebuild()

    def set_operations(self, rows: Sequence[OperationRow]) -> None:
        self._rows = {row.id: row for row in rows}
        self._max_cards = CARDS
        self._show_cards()
        self._rebuild()

    def change_operations(self, rows: Sequence[OperationRow]) -> None:
        self._rows.update({row.id: row for row in rows})
        self._rebuild()

    def operation(self, operation_id: str) -> OperationRow | None:
        return self._rows.get(operation_id)

    def open_messages(self, operation_id: str) -> None:
        operation = self._rows.get(operation_id)
        if operation is not None and operation.kind == "flush":
            self.memories_requested.emit()
        elif operation is not None:
            self.setCurrentWidget(self.archived)
            self.archived.open(operation)
            self.archived.list.setFocus()

    def show_archived(self, operation_id: str, rows: Sequence[MessageRow], total: int, offset: int) -> None:
        """Show a page of messages; ignore one that nobody waits for any more."""
        if operation_id == self.archived.operation_id and self.currentWidget() is self.archived:
            (self.archived.append if offset else self.archived.replace)(rows, total)

    def _go_back(self) -> None:
        card = self.cards.get(self.archived.operation_id)
        self._show_cards()
        if card is not None:
            self.area.ensureWidgetVisible(card)

    def _show_cards(self) -> None:
        self.setCurrentWidget(self.area)

    def _show_more(self) -> None:
        self._max_cards += CARDS
        self._rebuild()

    def _rebuild(self) -> None:
        with keep_focus_in(self):
            self._put_cards()

    def _put_cards(self) -> None:
        """Make the cards that are missing or out of date, and put all of them in order."""
        newest = sorted(self._rows.values(), key=lambda row: row.at, reverse=True)
        shown = newest[: self._max_cards]
        wanted = {row.id for row in shown}
        for gone in [key for key in self.cards if key not in wanted]:
            self._drop(gone)
        for index, row in enumerate(shown):
            card = self.cards.get(row.id)
            if card is None or card.row != row:
                card = self._remake(row)
            self.area.column.insertWidget(index, card)
        self.empty.setVisible(not newest)
        self.more.setVisible(len(newest) > len(shown))

    def _remake(self, row: OperationRow) -> OperationCard:
        was_open = row.id in self.cards and self.cards[row.id].is_open()
        self._drop(row.id)
        card = self.cards[row.id] = OperationCard(row)
        card.messages_requested.connect(self.open_messages)
        card.undo_requested.connect(self.undo_requested)
        card.redo_requested.connect(self.redo_requested)
        card.memories_requested.connect(self.memories_requested)
        card.conversation_requested.connect(self.conversation_requested)
        if was_open:
            card.toggle_summary()
        return card

    def _drop(self, operation_id: str) -> None:
        card = self.cards.pop(operation_id, None)
        if card is not None:
            discard(card)
