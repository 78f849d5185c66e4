"""Search in all messages, archived or not, and a quick way to any conversation."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop_app.conversation.listing import ConversationInfo, SearchResult
from desktop_app.ui.widgets.formats import ROLE_NAMES, format_time, pluralize
from desktop_app.ui.widgets.layouts import vertical
from desktop_app.ui.widgets.look import BOLD, scale
from desktop_app.ui.widgets.row_list import ListRow, RowList
from desktop_app.ui.widgets.sheet import Sheet
from desktop_app.ui.widgets.text_label import Run, TextLabel

WIDTH, LIST_HEIGHT = 640, 420  # pixels
PAUSE = 120  # milliseconds from the last key to the search
MAX_CONVERSATIONS = 50
HELP = "↑ ↓ to choose · Enter to open · Esc to close"
MOVES = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}


def runs_of(snippet: str) -> tuple[Run, ...]:
    """Return the runs of consecutive messages."""
    runs: list[Run] = []
    for index, piece in enumerate(" ".join(snippet.split()).split("«")):
        found, mark, rest = piece.partition("»")
        if index and mark:
            runs += [Run(found, "ink", BOLD), Run(rest)]
        else:
            runs.append(Run(piece if not index else f"«{piece}"))
    return tuple(run for run in runs if run.text)


def row_of(result: SearchResult, now: float) -> ListRow:
    """Return the item as a row of the list."""
    at = format_time(result.at, now) if result.at else ""
    title = f"{result.title or 'Untitled'} · {ROLE_NAMES[result.role]}"
    return ListRow(result.message, title, at, runs_of(result.snippet), "archived" if result.archived else "")


class SearchPalette(Sheet):
    """A field and its results. Without a query it lists the given conversations."""

    search_requested = Signal(str)
    result_chosen = Signal(object)  # SearchResult
    conversation_chosen = Signal(str)  # a conversation's id

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, width=WIDTH, top=0.12, closes_outside=True, title="Search everything")
        self._results: dict[str, SearchResult] = {}
        self._conversations: tuple[ConversationInfo, ...] = ()
        self.field = QLineEdit()
        self.field.setPlaceholderText("Search everything…")
        self.field.setAccessibleName("Search everything")
        self.note = TextLabel(HELP, size=12, tint="ink_faint")
        self.list = RowList()
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keyboard stays in the field
        self.list.setAccessibleName("Results")
        self._pause = QTimer(self, interval=PAUSE, singleShot=True)
        vertical(self.field, self.list, self.note, holder=self, margins=(14, 14, 14, 12), spacing=8)
        self.set_first(self.field)
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._change)
        self._pause.timeout.connect(self._search)
        self.list.row_chosen.connect(self._choose)
        self._list_conversations()

    def open(self) -> None:
        """Search again for what was searched for last, with the text selected."""
        self.field.selectAll()
        self._search()
        super().open()

    def query(self) -> str:
        return self.field.text().strip()

    def set_conversations(self, conversations: Sequence[ConversationInfo]) -> None:
        self._conversations = tuple(conversations)
        if not self.query():
            self._list_conversations()

    def set_results(self, query: str, results: Sequence[SearchResult]) -> None:
        """Show what was found, best first; ignore the answer to an older query."""
        if query.strip() != self.query() or not self.query():
            return
        now = time.time()
        self._results = {result.message: result for result in results}
        self._show([row_of(result, now) for result in self._results.values()])
        self.note.set_text(
            f"{pluralize(len(results), 'result')} · {HELP}" if results else f"Nothing found for “{query}”."
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move in the list and choose from it while the field has the keyboard."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in MOVES:
                self.list.step(MOVES[Qt.Key(event.key())])
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._enter()
                return True
        return super().eventFilter(watched, event)

    def _change(self) -> None:
        if self.query():
            self._pause.start()
        else:
            self._pause.stop()
            self._list_conversations()

    def _search(self) -> None:
        self._pause.stop()
        if self.query():
            self.search_requested.emit(self.query())

    def _enter(self) -> None:
        """Open the choice; while a search is due, search first."""
        if self._pause.isActive():
            self._search()
        elif self.list.current_key():
            self._choose(self.list.current_key())

    def _choose(self, key: str) -> None:
        result = self._results.get(key)
        self.accept()
        if result is not None:
            self.result_chosen.emit(result)
        else:
            self.conversation_chosen.emit(key)

    def _list_conversations(self) -> None:
        now = time.time()
        self._results = {}
        shown = self._conversations[:MAX_CONVERSATIONS]
        rows = [
            ListRow(info.id, info.title or "Untitled", format_time(info.updated_at, now), (Run(_about(info)),))
            for info in shown
        ]
        self._show(rows)
        self.note.set_text(HELP if rows else "Searches all messages of all conversations, archived or not.")

    def _show(self, rows: list[ListRow]) -> None:
        self.list.rows.replace(rows)
        if rows:
            self.list.setCurrentIndex(self.list.rows.index(0))
        self.list.setVisible(bool(rows))
        row = self.list.sizeHintForRow(0) if rows else 0
        self.list.setFixedHeight(min(len(rows) * row + 2, scale(LIST_HEIGHT)))


def _about(info: ConversationInfo) -> str:
    model = info.model.rsplit("/", 1)[-1]
    return " · ".join(part for part in (pluralize(info.messages, "message"), model) if part)
