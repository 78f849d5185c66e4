"""The messages that an operation archived or shortened, to be searched, read in full and brought back."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QSplitter, QWidget

from desktop_app.conversation.events import MessageChange, MessageRow, MessageState, OperationRow
from desktop_app.conversation.gauge import scaled_tokens
from desktop_app.conversation.message import Role
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.layouts import horizontal, vertical
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.number_formats import (
    first_line,
    first_line_of_markdown,
    format_time,
    readable_text,
    speaker_of,
)
from desktop_app.ui.widgets.row_list import ListRow, RowList
from desktop_app.ui.widgets.text_label import Run, TextLabel

from .message_details import MessageDetails
from .operation_card import figures_of, title_of
from .requests import PanelRequests

LINE = 300
"""Characters of a message that its row shows."""
LOOKED_THROUGH = 100_000
"""Characters of a message that are searched for its row; when the message is read in full, all of it is searched."""
LEAD = 16
"""Characters before a match, so that the match is in the visible part of the row."""
PAUSE = 150  # milliseconds from the last key to the search


def row_of(row: MessageRow, token_scale: float = 1.0, sought: Sequence[str] = ()) -> ListRow:
    """Return the message as a row of the list. sought: words, the first match of which is shown in bold."""
    tag, tint = "", "accent"
    if row.is_pinned:
        tag, tint = tr("◆ pinned"), "warning"
    elif row.state is MessageState.IN_VIEW:
        tag, tint = tr("in context"), "ok"
    return ListRow(
        row.message.id,
        speaker_of(row.message),
        tr("%n tokens", "", scaled_tokens(row.tokens, token_scale)),
        _place_found(readable_text(row.message), sought) or (Run(_beginning(row) or tr("(no text)")),),
        tag,
        tint,  # type: ignore[arg-type]
    )


def _beginning(row: MessageRow) -> str:
    begin = first_line_of_markdown if row.message.role is Role.ASSISTANT else first_line
    return begin(readable_text(row.message), LINE)


def _place_found(text: str, sought: Sequence[str]) -> tuple[Run, ...]:
    """Return the text around the first match of any of the words; nothing if none matches."""
    text = text[:LOOKED_THROUGH]
    found = re.search("|".join(map(re.escape, sought)), text, re.IGNORECASE) if sought else None
    if found is None:
        return ()
    start = max(found.start() - LEAD, 0)
    before, after = first_line(f"{text[start : found.start()]}|"), first_line(f"|{text[found.end() :][:LINE]}")
    return Run(f"{'…' if start else ''}{before[:-1]}"), Run(found[0], "ink", BOLD), Run(after[1:])


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
        self.list.setAccessibleName(tr("Original messages"))
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

    def _row_of(self, row: MessageRow) -> ListRow:
        return row_of(row, self._token_scale, self._sought())

    def _sought(self) -> list[str]:
        return self.search.text().split()

    def replace(self, rows: Sequence[MessageRow], total: int) -> None:
        self._messages = {row.message.id: row for row in rows}
        self._total, self._is_waiting = total, False
        self.list.rows.replace([self._row_of(row) for row in rows])
        self.list.scrollToTop()
        self._show_total()
        self._read()

    def append(self, rows: Sequence[MessageRow], total: int) -> None:
        new = [row for row in rows if row.message.id not in self._messages]
        self._messages.update({row.message.id: row for row in new})
        self._total, self._is_waiting = total, False
        self.list.rows.append([self._row_of(row) for row in new])
        self._show_total()

    def change(self, changes: Sequence[MessageChange]) -> None:
        """Update the messages that have changed, as far as they are loaded."""
        for change in changes:
            known = self._messages.get(change.message_id)
            if known is not None:
                row = self._messages[change.message_id] = change.apply_to(known)
                self.list.rows.change(self._row_of(row))
        self._read()

    def scale_tokens(self, scale: float) -> None:
        """Show token counts multiplied by that scale: see `Gauge`."""
        if scale == self._token_scale:
            return
        self._token_scale = scale
        for row in self._messages.values():
            self.list.rows.change(self._row_of(row))
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
        self.reader.show_messages(chosen, self._sought())

    def _show_total(self) -> None:
        query = self.search.text().strip()
        if not self._total:
            self.found.set_text(tr("Nothing found for “{query}”.").format(query=query) if query else "")
        elif query:
            self.found.set_text(tr("%n messages found", "", self._total))
        else:
            self.found.set_text(tr("%n messages", "", self._total))
