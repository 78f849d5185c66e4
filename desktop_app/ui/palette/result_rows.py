"""Texts of search results, and the bars above the transcript that find a text or step through search hits."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop_app.context.recall.filters import TypedFilter
from desktop_app.conversation.listing import SearchResult
from desktop_app.conversation.words import translatable
from desktop_app.ui.actions import keys_text
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.accessibility import announce
from desktop_app.ui.widgets.buttons import Button, ButtonKind, LinkButton
from desktop_app.ui.widgets.layouts import horizontal
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.number_formats import ROLE_NAMES, format_number, format_time, format_title
from desktop_app.ui.widgets.row_list import ListRow
from desktop_app.ui.widgets.text_label import Run, TextLabel

UNKNOWN = {
    "project": translatable("No project is called “{value}”."),
    "role": translatable("“{value}” is not a role. The roles are user, assistant and tool."),
    "model": translatable("No message is by a model called “{value}”."),
    "tool": translatable("No tool called “{value}” was used."),
    "has": translatable("“{value}” is not supported; use has:code."),
    "time": translatable("“{value}” is not a time. Examples: 2025-03-14, march, last_week, 3_days."),
}


def runs_of(snippet: str) -> tuple[Run, ...]:
    """Return the runs of a snippet on one line, with the matches in bold."""
    runs: list[Run] = []
    for index, piece in enumerate(" ".join(snippet.split()).split("«")):
        found, mark, rest = piece.partition("»")
        if index and mark:
            runs += [Run(found, "ink", BOLD), Run(rest)]
        else:
            runs.append(Run(piece if not index else f"«{piece}"))
    return tuple(run for run in runs if run.text)


def found_words(snippet: str) -> tuple[str, ...]:
    """Return the matched words of a snippet, each form once, the longest first."""
    found = {run.text.lower(): run.text for run in runs_of(snippet) if run.weight == BOLD}
    return tuple(sorted(found.values(), key=len, reverse=True))


def row_of(result: SearchResult, now: float, projects: Mapping[str, str]) -> ListRow:
    """Return the result as a row of the list. projects: the project of each conversation, by its id."""
    at = format_time(result.at, now) if result.at else ""
    project = projects.get(result.conversation, "")
    title = " · ".join(filter(None, (format_title(result.title), project, tr(ROLE_NAMES[result.role]))))
    tags = (tr("by meaning") if result.is_by_meaning else "", tr("summarized") if result.archived else "")
    return ListRow(result.message, title, at, runs_of(result.snippet), " · ".join(filter(None, tags)))


def row_of_completion(text: str, before: str) -> ListRow:
    """Return a row for a completed query. before: the part of the query in front of the filter being typed."""
    return ListRow(text, text[len(before) :].strip(), body=(Run(tr("Enter or Tab to accept")),))


def text_of_wrong(typed: TypedFilter) -> str:
    """Return what is wrong with a filter, and what the user may have meant."""
    problem = tr(UNKNOWN[typed.kind]).format(value=typed.value)
    nearest = tr("Did you mean “{nearest}”?").format(nearest=typed.nearest) if typed.nearest else ""
    return " ".join(filter(None, (problem, nearest)))


class HitBar(QWidget):
    """The query, the number of the current hit, and buttons to step through the hits and back to all results.

    Signals: step_requested(by), 1 or -1; results_requested; closed.
    """

    step_requested = Signal(int)
    results_requested = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.query = TextLabel(size=13, tint="ink_soft")
        self.count = TextLabel(size=12, tint="ink_faint")
        self.results = LinkButton(tr("All results"))
        self.previous = _button("↑", tr("Previous hit ({keys})"), "Shift+F3")
        self.next = _button("↓", tr("Next hit ({keys})"), "F3")
        self.close_button = _button("✕", tr("Close ({keys})"), "Esc")
        buttons = self.previous, self.next, self.close_button
        horizontal((self.query, 1), self.results, self.count, *buttons, holder=self, spacing=8, margins=(24, 4, 24, 4))
        self.results.clicked.connect(self.results_requested)
        self.previous.clicked.connect(lambda: self.step_requested.emit(-1))
        self.next.clicked.connect(lambda: self.step_requested.emit(1))
        self.close_button.clicked.connect(self.close_bar)
        self.hide()

    def show_hit(self, query: str, current: int, found: int) -> None:
        """Show the query, the number of the current hit, from 1, and the number of hits."""
        self.query.set_text(tr("Search: {query}").format(query=query))
        count = tr("{shown} of {found}").format(shown=format_number(current), found=format_number(found))
        self.count.set_text(count)
        self.setAccessibleName(f"{self.query.text()} · {count}")
        for button in (self.previous, self.next):
            button.setEnabled(found > 1)
        self.show()

    def close_bar(self) -> None:
        if self.isVisible():
            self.hide()
            self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        else:
            super().keyPressEvent(event)


def _button(text: str, name: str, keys: str) -> Button:
    name = name.format(keys=keys_text((keys,)))
    button = Button(text, ButtonKind.QUIET)
    button.setAccessibleName(name)
    button.setToolTip(name)
    return button


PAUSE = 150  # milliseconds from the last key press to the search
MAX_TEXT = 1_000  # characters


class FindBar(QWidget):
    """A field, a count, and buttons to the next and the previous occurrence of the text.

    Signals: text_changed(text), PAUSE after the last key press; step_requested(by), 1 or -1; closed.
    """

    text_changed = Signal(str)
    step_requested = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = QLineEdit()
        self.field.setMaxLength(MAX_TEXT)
        self.field.setPlaceholderText(tr("Find in this conversation"))
        self.field.setAccessibleName(tr("Find in this conversation"))
        self.count = TextLabel(size=12, tint="ink_faint")
        self.previous = _button("↑", tr("Previous place ({keys})"), "Shift+F3")
        self.next = _button("↓", tr("Next place ({keys})"), "F3")
        self.close_button = _button("✕", tr("Close ({keys})"), "Esc")
        buttons = self.previous, self.next, self.close_button
        horizontal((self.field, 1), self.count, *buttons, holder=self, spacing=6, margins=(24, 4, 24, 4))
        self._pause = QTimer(self, interval=PAUSE, singleShot=True)
        self._pause.timeout.connect(lambda: self.text_changed.emit(self.text))
        self.field.textChanged.connect(self._pause.start)
        self.previous.clicked.connect(lambda: self._step(-1))
        self.next.clicked.connect(lambda: self._step(1))
        self.close_button.clicked.connect(self.close_bar)
        self.show_count(0, 0)
        self.hide()

    @property
    def text(self) -> str:
        return self.field.text()

    def open(self) -> None:
        """Show the bar with the last text selected."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self._pause.start(0)

    def close_bar(self) -> None:
        self._pause.stop()
        self.hide()
        self.closed.emit()

    def show_count(self, current: int, found: int, is_all: bool = True) -> None:
        """Show the number of the current occurrence, from 1, and of those found. is_all: whether there are no more."""
        several = tr("{shown} of {found}").format(
            shown=format_number(current), found=f"{format_number(found)}{'' if is_all else '+'}"
        )
        self.count.set_text(several if found else tr("Not found") if self.text else "")
        for button in (self.previous, self.next):
            button.setEnabled(found > 0)
        if self.count.text() and self.isVisible():
            announce(self.field, self.count.text(), is_urgent=True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down, Qt.Key.Key_Up):
            is_back = event.key() == Qt.Key.Key_Up or event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self._step(-1 if is_back else 1)
        else:
            super().keyPressEvent(event)

    def _step(self, by: int) -> None:
        """Step to another occurrence; if a search is due, search first."""
        if self._pause.isActive():
            self._pause.start(0)
        else:
            self.step_requested.emit(by)
