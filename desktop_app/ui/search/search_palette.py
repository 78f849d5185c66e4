"""Search in all messages, archived or not, and a quick way to any conversation."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import date, datetime

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from desktop_app.context.search.filters import FilterNames, TypedQuery, completions, read_query, with_filter, without
from desktop_app.conversation.listing import NO_FILTERS, SEARCH_LIMIT, ConversationInfo, SearchResult
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.formats import format_time, format_title
from desktop_app.ui.widgets.palette_sheet import HELP, PaletteSheet
from desktop_app.ui.widgets.row_list import ListRow
from desktop_app.ui.widgets.text_label import Run

from .filter_bar import FilterBar
from .result_rows import row_of, row_of_completion, text_of_wrong

PAUSE = 120  # milliseconds from the last key to the search
PATIENCE = 400  # milliseconds without an answer after which it is said that one is awaited
MAX_CONVERSATIONS = 50


def midnight(day: date) -> float:
    """Return when a day begins here, in seconds since 1970."""
    return datetime(day.year, day.month, day.day).timestamp()


class SearchPalette(PaletteSheet):
    """A field, filters and results. Without a query it lists the given conversations."""

    search_requested = Signal(str, object)  # what was typed, and what it means: a TypedQuery
    result_chosen = Signal(object)  # SearchResult
    conversation_chosen = Signal(str)  # a conversation's id

    def __init__(self, parent: QWidget | None = None) -> None:
        self.filters = FilterBar()
        super().__init__(parent, title=tr("Search everything"), below_field=self.filters)
        self.results: tuple[SearchResult, ...] = ()
        self._names = FilterNames()
        self._conversations: tuple[ConversationInfo, ...] = ()
        self._projects: Mapping[str, str] = {}
        self._offered: tuple[str, ...] = ()  # completions, in place of results
        self._pause = QTimer(self, interval=PAUSE, singleShot=True)
        self._waiting = QTimer(self, interval=PATIENCE, singleShot=True)
        self.field.setPlaceholderText(tr("Search everything: words, a question, “last spring”, role:user …"))
        self.field.textChanged.connect(self._change)
        self.field.cursorPositionChanged.connect(self._offer)
        self._pause.timeout.connect(self._search)
        self._waiting.timeout.connect(lambda: self.note.set_text(tr("Searching…")))
        self.filters.chosen.connect(self._add_filter)
        self.filters.removed.connect(self._remove_filter)
        self.list.row_chosen.connect(self._choose)
        self._list_conversations()

    @property
    def typed(self) -> TypedQuery:
        """The query with its filters, as they are understood today."""
        return read_query(self.field.text(), date.today(), midnight, self._names)

    def open(self) -> None:
        """Search again for what was searched for last, with the text selected."""
        self.field.selectAll()
        self._search()
        super().open()

    def set_conversations(self, conversations: Sequence[ConversationInfo]) -> None:
        self._conversations = tuple(conversations)
        if not self.query():
            self._list_conversations()

    def set_names(self, names: FilterNames, projects: Mapping[str, str]) -> None:
        """Offer these in filters. projects: the name of each conversation's project, by the conversation's id."""
        self._names, self._projects = names, projects
        self.filters.set_names(names)
        if self.query():
            self._change()

    def set_results(self, query: str, results: Sequence[SearchResult], is_complete: bool = True) -> None:
        """Show what was found, best first; ignore the answer to an older query.

        is_complete: whether all messages are known to the filters.
        """
        if query.strip() != self.query() or not self.query():
            return
        self._waiting.stop()
        self.results = tuple({result.message: result for result in results}.values())
        if self._offered:
            return
        now = time.time()
        self.show_rows([row_of(result, now, self._projects) for result in self.results])
        self.note.set_text(self._text_of_results(is_complete))

    def note_failure(self, query: str) -> None:
        """Await no answer to a query any more."""
        if query == self.query():
            self._waiting.stop()
            self.note.set_text(tr("The search failed."))

    def enter(self) -> None:
        """Open the choice; while a search is due, search first."""
        if self._pause.isActive() and not self._offered:
            self._search()
        else:
            super().enter()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Complete the filter that is being typed when Tab is pressed."""
        is_press = self._offered and watched is self.field and event.type() == QEvent.Type.KeyPress
        if is_press and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Tab:
            self.enter()
            return True
        return super().eventFilter(watched, event)

    def _change(self) -> None:
        self._offer()
        # What can still become right while it is being typed is not shown as wrong.
        typed = self.typed.typed
        self.filters.show_filters([each for each in typed if not (each.is_wrong and self._offered)])
        if self.query():
            self._pause.start()
        else:
            self._pause.stop()
            self._list_conversations()

    def _offer(self) -> None:
        """Offer completions while a filter is being typed."""
        offered_before = self._offered
        before, self._offered = completions(self.field.text(), self.field.cursorPosition(), self._names)
        if self._offered:
            self.show_rows([row_of_completion(text, before) for text in self._offered])
            self.note.set_text(tr(HELP))
        elif offered_before and self.query():
            self.show_rows([row_of(result, time.time(), self._projects) for result in self.results])

    def _search(self) -> None:
        self._pause.stop()
        self._waiting.stop()  # an answer to what was typed before is not shown any more
        typed = self.typed
        if typed.wrong is not None and not self._offered:
            self.note.set_text(text_of_wrong(typed.wrong))
        if not typed.words and typed.filters == NO_FILTERS:
            if self.query() and not self._offered:
                self.results = ()
                self.show_rows(())
            return
        self._waiting.start()
        self.search_requested.emit(self.query(), typed)

    def _text_of_results(self, is_complete: bool) -> str:
        typed = self.typed
        if typed.wrong is not None:
            return text_of_wrong(typed.wrong)
        rest = () if is_complete else (tr("Older messages are still being prepared for filters."),)
        if self.results:
            found = len(self.results)
            counted = tr("The first %n results", "", found) if found >= SEARCH_LIMIT else tr("%n results", "", found)
            return " · ".join((counted, *rest, tr(HELP)))
        if typed.filters != NO_FILTERS:
            nothing = tr("Nothing found with these filters. A click on a filter removes it.")
        else:
            nothing = tr("Nothing found for “{query}”.").format(query=self.query())
        return " ".join((nothing, *rest))

    def _add_filter(self, name: str, value: str) -> None:
        self._set_text(with_filter(self.field.text(), self.typed.typed, name, value))

    def _remove_filter(self, kind: str) -> None:
        self._set_text(without(self.field.text(), [each for each in self.typed.typed if each.kind == kind]))

    def _set_text(self, text: str) -> None:
        self.field.setText(text)
        self.field.setFocus()
        self._search()

    def _choose(self, key: str) -> None:
        if key in self._offered:
            self._set_text(key)
            return
        result = next((result for result in self.results if result.message == key), None)
        self.accept()
        if result is not None:
            self.result_chosen.emit(result)
        else:
            self.conversation_chosen.emit(key)

    def _list_conversations(self) -> None:
        self._waiting.stop()
        now = time.time()
        self.results = ()
        shown = self._conversations[:MAX_CONVERSATIONS]
        rows = [
            ListRow(info.id, format_title(info.title), format_time(info.updated_at, now), (Run(_about(info)),))
            for info in shown
        ]
        self.show_rows(rows)
        nothing = tr("Searches every message of every conversation, summarized and archived ones too.")
        self.note.set_text(tr(HELP) if rows else nothing)


def _about(info: ConversationInfo) -> str:
    model = tr("built in") if info.model == "builtin" else info.model.rsplit("/", 1)[-1]
    return " · ".join(part for part in (tr("%n messages", "", info.messages), model) if part)
