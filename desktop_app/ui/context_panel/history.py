"""The history of the context: all operations, newest first, with their messages; and the versions of branches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop_app.conversation.events import MessageRow, OperationRow
from desktop_app.conversation.message_rows import VersionRow
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import Card, CardList
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.layouts import STRETCH, horizontal
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.number_formats import first_line_of_markdown, format_number, shorten
from desktop_app.ui.widgets.text_label import TextLabel

from .archived import ArchivedMessages
from .operation_card import OperationCard
from .requests import PanelRequests

CARDS = 10  # cards that are created at a time, more than a screenful: each takes about 1.5 ms
EMPTY = translatable(
    "Nothing has been summarized yet.\n\n"
    "When the context window fills up, older messages are summarized for the model. "
    "You keep them here in full: you can read them, search them, bring them back, or undo the whole operation."
)


class History(QStackedWidget):
    """The cards of the operations, or the messages of one."""

    def __init__(self, requests: PanelRequests) -> None:
        super().__init__()
        self._rows: dict[str, OperationRow] = {}
        self._requests = requests
        self.list = CardList(self._card_of, tr(EMPTY), tr("Show earlier operations"), CARDS)
        self.archived = ArchivedMessages(requests)
        self.addWidget(self.list)
        self.addWidget(self.archived)
        self.archived.back.clicked.connect(self._go_back)

    def set_operations(self, rows: Sequence[OperationRow]) -> None:
        """Show the operations of a conversation."""
        self._rows = {}
        self.change_operations(rows)
        self.setCurrentWidget(self.list)

    def change_operations(self, rows: Sequence[OperationRow]) -> None:
        """Add these operations, in place of any with the same ids."""
        self._rows.update({row.id: row for row in rows})
        newest = sorted(self._rows.values(), key=lambda row: row.at, reverse=True)
        self.list.set_items({row.id: row for row in newest})

    @property
    def operations(self) -> Mapping[str, OperationRow]:
        """The operations by id."""
        return self._rows

    def newest_undoable(self) -> str:
        """Return the id of the newest operation that can be undone; "" if there is none."""
        rows = sorted(self._rows.values(), key=lambda row: row.at, reverse=True)
        made_room = (row for row in rows if row.kind in ("compaction", "prune") and not row.is_beginning)
        return next((row.id for row in made_room if not (row.is_undone or row.is_elsewhere)), "")

    def open_messages(self, operation_id: str) -> None:
        operation = self._rows.get(operation_id)
        if operation is not None and operation.kind == "flush":
            self._requests.tab_requested.emit("memory")
        elif operation is not None and operation.is_beginning:
            self.show_operation(operation_id)
            if (card := self.list.cards.get(operation_id)) is not None and not card.is_open():
                card.toggle_summary()
        elif operation is not None:
            self.setCurrentWidget(self.archived)
            self.archived.open(operation)
            self.archived.list.setFocus()

    def show_operation(self, operation_id: str) -> None:
        """Show the card of an operation, or its messages if it has no card because it is older."""
        self.setCurrentWidget(self.list)
        if (card := self.list.cards.get(operation_id)) is not None:
            self.list.ensureWidgetVisible(card)
            card.setFocus()
        else:
            self.open_messages(operation_id)

    def show_archived(self, operation_id: str, rows: Sequence[MessageRow], total: int, offset: int = 0) -> None:
        """Show the answer to `archived_requested`; ignore one that is no longer awaited."""
        if operation_id == self.archived.operation_id and self.currentWidget() is self.archived:
            (self.archived.append if offset else self.archived.replace)(rows, total)

    def _go_back(self) -> None:
        self.setCurrentWidget(self.list)
        if (card := self.list.cards.get(self.archived.operation_id)) is not None:
            self.list.ensureWidgetVisible(card)

    def _card_of(self, row: OperationRow, old: OperationCard | None) -> OperationCard:
        card = OperationCard(row, self._requests)
        card.messages_requested.connect(self.open_messages)
        if old is not None and old.is_open():
            card.toggle_summary()
        return card


MAX_TEXT = 24  # characters of a version


class VersionsCard(Card):
    """The versions of a message, oldest first; all but the current one are links. Hidden if there is only one."""

    def __init__(self, requests: PanelRequests) -> None:
        super().__init__()
        self._requests = requests
        self._lines: list[QWidget] = []
        self.links: list[LinkButton] = []
        self.place = TextLabel(size=12, tint="ink_soft")
        title = horizontal(TextLabel(tr("This branch"), size=13, weight=BOLD), STRETCH, self.place, spacing=8)
        self.column.addLayout(title)
        about = tr("Each version continues on its own, with its own window.")
        self.column.addWidget(TextLabel(about, size=12, tint="ink_faint", wraps=True))
        self.setAccessibleName(tr("This branch"))
        self.set_versions((), 0)

    def set_versions(self, versions: Sequence[VersionRow], total: int) -> None:
        """Show the versions of a message. total: the number of its versions, including any that are not listed."""
        for line in self._lines:
            self.column.removeWidget(line)
            line.hide()
            line.deleteLater()
        self.links = []
        self._lines = [self._line(version) for version in versions]
        for line in self._lines:
            self.column.addWidget(line)
        current = next((version.number for version in versions if version.is_current), 0)
        self.place.set_text(tr("{number} of {count}").format(number=current, count=total))
        self.setVisible(len(versions) > 1)

    def _line(self, version: VersionRow) -> QWidget:
        begin = shorten(first_line_of_markdown(version.text, 2 * MAX_TEXT), MAX_TEXT) or tr("(no text)")
        text = f"{version.number}  {begin}"
        tokens = TextLabel(format_number(version.tokens), size=13, tint="ink" if version.is_current else "ink_soft")
        tokens.setAccessibleName(tr("%n tokens", "", version.tokens))
        words: QWidget = TextLabel(text, size=13, weight=BOLD)
        if not version.is_current:
            words = link = LinkButton(text)
            link.clicked.connect(lambda _=False: self._requests.version_requested.emit(version.message_id))
            self.links.append(link)
        line = QWidget()
        horizontal(words, STRETCH, tokens, holder=line, spacing=8)
        return line
