"""Search in all messages, archived or not, and a quick way to any conversation."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.listing import ConversationInfo, SearchResult
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.formats import ROLE_NAMES, format_time, format_title
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.palette_sheet import HELP, PaletteSheet
from desktop_app.ui.widgets.row_list import ListRow
from desktop_app.ui.widgets.text_label import Run

PAUSE = 120  # milliseconds from the last key to the search
MAX_CONVERSATIONS = 50


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
    title = " · ".join((format_title(result.title), tr(ROLE_NAMES[result.role])))
    return ListRow(result.message, title, at, runs_of(result.snippet), tr("archived") if result.archived else "")


class SearchPalette(PaletteSheet):
    """A field and its results. Without a query it lists the given conversations."""

    search_requested = Signal(str)
    result_chosen = Signal(object)  # SearchResult
    conversation_chosen = Signal(str)  # a conversation's id

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, title=tr("Search everything"))
        self._results: dict[str, SearchResult] = {}
        self._conversations: tuple[ConversationInfo, ...] = ()
        self._pause = QTimer(self, interval=PAUSE, singleShot=True)
        self.field.textChanged.connect(self._change)
        self._pause.timeout.connect(self._search)
        self.list.row_chosen.connect(self._choose)
        self._list_conversations()

    def open(self) -> None:
        """Search again for what was searched for last, with the text selected."""
        self.field.selectAll()
        self._search()
        super().open()

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
        self.show_rows([row_of(result, now) for result in self._results.values()])
        found = " · ".join((tr("%n results", "", len(results)), tr(HELP)))
        self.note.set_text(found if results else tr("Nothing found for “{query}”.").format(query=query))

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

    def enter(self) -> None:
        """Open the choice; while a search is due, search first."""
        if self._pause.isActive():
            self._search()
        else:
            super().enter()

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
            ListRow(info.id, format_title(info.title), format_time(info.updated_at, now), (Run(_about(info)),))
            for info in shown
        ]
        self.show_rows(rows)
        nothing = tr("Searches all messages of all conversations, archived or not.")
        self.note.set_text(tr(HELP) if rows else nothing)


def _about(info: ConversationInfo) -> str:
    model = tr("built in") if info.model == "builtin" else info.model.rsplit("/", 1)[-1]
    return " · ".join(part for part in (tr("%n messages", "", info.messages), model) if part)
