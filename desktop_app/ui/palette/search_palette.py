"""Search in all messages, archived or not, with filters as chips; without a query, a list of conversations."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.context.recall.filters import (
    FilterKind,
    FilterNames,
    TypedFilter,
    TypedQuery,
    completions,
    read_query,
    with_filter,
    without,
)
from desktop_app.conversation.listing import NO_FILTERS, SEARCH_LIMIT, ConversationInfo, SearchResult
from desktop_app.conversation.message import Role
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.buttons import Button, ButtonKind
from desktop_app.ui.widgets.layouts import FlowLayout
from desktop_app.ui.widgets.look import MEDIUM, colour, font, mix
from desktop_app.ui.widgets.number_formats import ROLE_NAMES, format_day, format_time, format_title
from desktop_app.ui.widgets.palette_sheet import HELP, PaletteSheet
from desktop_app.ui.widgets.row_list import ListRow
from desktop_app.ui.widgets.text_label import Run

from .result_rows import row_of, row_of_completion, text_of_wrong

MAX_SHOWN = 28
"""The maximum length of a filter's value on a chip, in characters."""

Choice = tuple[str, str, str]
"""The text in the menu, and the filter's name and value as typed."""


class FilterChip(Button):
    """A chip for one kind of filter. A click opens a menu of values; with a value, it removes it, as Delete does.

    Signals: chosen(name, value), as typed; removed.
    """

    chosen = Signal(str, str)
    removed = Signal()

    def __init__(self, name: str, offer: Callable[[], Sequence[Choice]], parent: QWidget | None = None) -> None:
        """offer: returns the choices; a choice with the chip's own name is taken without a menu."""
        super().__init__("", ButtonKind.QUIET, parent, padding=18)
        self._name, self._offer = name, offer
        self.value = ""
        self.clicked.connect(self._click)
        self.show_value("")

    def show_value(self, value: str, is_wrong: bool = False) -> None:
        """Show the filter's value; "" for none."""
        self.value, self._is_wrong = value, is_wrong
        short = value if len(value) <= MAX_SHOWN else value[: MAX_SHOWN - 1].rstrip() + "…"
        self.setText(f"{short}  ✕" if value else self._name if self._only_choice() else f"{self._name} ▾")
        removal = tr("Remove the filter {name}: {value}").format(name=self._name, value=value)
        self.setAccessibleName(removal if value else tr("Filter: {name}").format(name=self._name))
        self.setToolTip(removal if value else "")
        self.updateGeometry()
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.value and event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit()
        elif not self.value and event.key() == Qt.Key.Key_Down:
            self.click()
        else:
            super().keyPressEvent(event)

    def _click(self) -> None:
        if self.value:
            self.removed.emit()
        elif only := self._only_choice():
            self.chosen.emit(*only[1:])
        else:
            self._open()

    def _only_choice(self) -> Choice | None:
        return next((choice for choice in self._offer() if choice[0] == self._name), None)

    def _open(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, name, value in self._offer():
            menu.addAction(text.replace("&", "&&"), lambda name=name, value=value: self.chosen.emit(name, value))
        menu.popup(self.mapToGlobal(QPoint(0, self.height() + 4)))

    def _font(self) -> QFont:
        return font(13, MEDIUM)

    def _colours(self) -> tuple[QColor, QColor | None, QColor]:
        if not self.value:
            fill, _, ink = super()._colours()
            return fill, colour("line"), ink
        if self._is_wrong:
            return mix("critical", "raised", 0.12), colour("critical"), colour("ink")
        return colour("accent_soft"), colour("accent"), colour("ink")


KIND_NAMES: dict[FilterKind, str] = {
    "time": translatable("Time"),
    "project": translatable("Project"),
    "role": translatable("Who"),
    "model": translatable("Model"),
    "tool": translatable("Tool"),
    "has": translatable("With code"),
}
TIMES = (
    (translatable("Today"), "on", "today"),
    (translatable("Yesterday"), "on", "yesterday"),
    (translatable("Last 7 days"), "since", "1_week"),
    (translatable("Last 30 days"), "since", "1_month"),
    (translatable("This year"), "on", "this_year"),
    (translatable("Last year"), "on", "last_year"),
)
MAX_OFFERED = 20


class FilterBar(QWidget):
    """A chip for each kind of filter. Signals: chosen(name, value), as typed; removed(kind)."""

    chosen = Signal(str, str)
    removed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = FilterNames()
        self.chips: dict[FilterKind, FilterChip] = {kind: self._chip(kind, name) for kind, name in KIND_NAMES.items()}
        self.setLayout(FlowLayout(*self.chips.values(), gap=6))
        self.set_names(self._names)

    def _chip(self, kind: FilterKind, name: str) -> FilterChip:
        chip = FilterChip(tr(name), partial(self._offered, kind))
        chip.chosen.connect(self.chosen)
        chip.removed.connect(partial(self.removed.emit, kind))
        return chip

    def set_names(self, names: FilterNames) -> None:
        """Offer these projects, models and tools; a chip without choices is hidden."""
        self._names = names
        for kind, chip in self.chips.items():
            chip.show_value(chip.value)
            chip.setVisible(bool(chip.value or self._offered(kind)))

    def show_filters(self, typed: Sequence[TypedFilter]) -> None:
        """Show the filters of the query. Of several of a kind, all apply or the last one does."""
        for kind, chip in self.chips.items():
            mine = [each for each in typed if each.kind == kind]
            chip.show_value(text_of_filters(mine), any(each.is_wrong for each in mine))
            chip.setVisible(bool(mine or self._offered(kind)))

    def _offered(self, kind: FilterKind) -> Sequence[Choice]:
        names = self._names
        match kind:
            case "time":
                return [(tr(text), name, value) for text, name, value in TIMES]
            case "role":
                roles = (Role.USER, Role.ASSISTANT, Role.TOOL)
                return [(tr(ROLE_NAMES[role]), "role", role.value) for role in roles]
            case "project":
                return [(name, "in", name) for _, name in names.projects[:MAX_OFFERED]]
            case "model":
                return [(model.rsplit("/", 1)[-1], "model", model) for model in names.models[:MAX_OFFERED]]
            case "tool":
                return [(tool, "tool", tool) for tool in names.tools[:MAX_OFFERED]]
            case _:
                return [(tr("With code"), "has", "code")]


def text_of_filters(typed: Sequence[TypedFilter]) -> str:
    """Return a text for the filters of one kind; "" without any."""
    if not typed:
        return ""
    newest = typed[-1]
    if newest.is_wrong:
        return newest.value
    match newest.kind:
        case "time":
            right = [each for each in typed if not each.is_wrong]
            firsts, lasts = [e.first for e in right if e.first], [e.last for e in right if e.last]
            return text_of_days(firsts[-1] if firsts else None, lasts[-1] if lasts else None)
        case "role":
            return tr(ROLE_NAMES[Role(newest.value)])
        case "has":
            return tr("With code")
        case "model":
            return newest.value.rsplit("/", 1)[-1]
        case _:
            return newest.value


def text_of_days(first: date | None, last: date | None) -> str:
    """Return a range of days such as "1 Mar – 31 May 2026". first, last: None for no bound."""
    if first is None or last is None:
        bound, text = (last, tr("until {day}")) if first is None else (first, tr("since {day}"))
        return text.format(day=format_day(bound)) if bound else ""
    if first == last:
        return format_day(first)
    return f"{format_day(first, has_year=first.year != last.year)} – {format_day(last)}"


PAUSE = 120  # milliseconds from the last key press to the search
PATIENCE = 400  # milliseconds without an answer after which the palette says that it is searching
MAX_CONVERSATIONS = 50


def midnight(day: date) -> float:
    """Return the beginning of a day in local time, in seconds since 1970."""
    return datetime(day.year, day.month, day.day).timestamp()


class SearchPalette(PaletteSheet):
    """A field, filters and results. Without a query, it lists conversations."""

    search_requested = Signal(str, object)  # the typed text, and the TypedQuery that it means
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
        self._waiting.timeout.connect(lambda: self.show_note(tr("Searching…")))
        self.filters.chosen.connect(self._add_filter)
        self.filters.removed.connect(self._remove_filter)
        self.list.row_chosen.connect(self._choose)
        self._list_conversations()

    @property
    def typed(self) -> TypedQuery:
        """The query with its filters, with relative times such as "yesterday" resolved for today."""
        return read_query(self.field.text(), date.today(), midnight, self._names)

    def open(self) -> None:
        """Open with the last query selected, and search for it again."""
        self.field.selectAll()
        self._search()
        super().open()

    def set_conversations(self, conversations: Sequence[ConversationInfo]) -> None:
        self._conversations = tuple(conversations)
        if not self.query():
            self._list_conversations()

    def set_names(self, names: FilterNames, projects: Mapping[str, str]) -> None:
        """Offer these in filters. projects: the name of each conversation's project, by the conversation's id."""
        meant, before = self.typed, self._projects
        self._names, self._projects = names, projects
        self.filters.set_names(names)
        if self.query() and (self.typed != meant or self._offered):
            self._change()
        elif self.results and projects != before:
            self._show_results()

    def set_results(self, query: str, results: Sequence[SearchResult], is_complete: bool = True) -> None:
        """Show results, the best first; ignore the answer to an older query.

        is_complete: whether the filters' index contains all messages.
        """
        if query.strip() != self.query() or not self.query():
            return
        self._waiting.stop()
        self.results = tuple({result.message: result for result in results}.values())
        if self._offered:
            return
        self._show_results()
        self.show_note(self._text_of_results(is_complete))

    def note_failure(self, query: str) -> None:
        """Show that a query failed."""
        if query == self.query():
            self._waiting.stop()
            self.show_note(tr("The search failed."))

    def enter(self) -> None:
        """Choose the current row; if a search is due, search first."""
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
        # A filter that is being typed is not marked as wrong while completions remain.
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
            self.show_note(tr(HELP))
        elif offered_before and self.query():
            self._show_results()

    def _show_results(self) -> None:
        now = time.time()
        self.show_rows([row_of(result, now, self._projects) for result in self.results])

    def _search(self) -> None:
        self._pause.stop()
        self._waiting.stop()  # the answer to an older query is ignored
        typed = self.typed
        if typed.wrong is not None and not self._offered:
            self.show_note(text_of_wrong(typed.wrong))
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
        listed = self._conversations[:MAX_CONVERSATIONS]
        rows = [
            ListRow(info.id, format_title(info.title), format_time(info.updated_at, now), (Run(_about(info)),))
            for info in listed
        ]
        self.show_rows(rows)
        nothing = tr("Searches every message of every conversation, summarized and archived ones too.")
        self.show_note(tr(HELP) if rows else nothing)


def _about(info: ConversationInfo) -> str:
    model = tr("built in") if info.model == "builtin" else info.model.rsplit("/", 1)[-1]
    return " · ".join(part for part in (tr("%n messages", "", info.messages), model) if part)
