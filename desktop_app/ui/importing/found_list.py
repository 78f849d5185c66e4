"""A list of found conversations with tick boxes. Rows are created when painted, so that 5,000 scroll smoothly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QSizePolicy, QStyleOptionViewItem, QWidget

from desktop_app.conversation.foreign import FoundConversation
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.buttons import ENTER
from desktop_app.ui.widgets.look import Tint
from desktop_app.ui.widgets.number_formats import first_line, format_moment
from desktop_app.ui.widgets.row_list import ROW, AnyIndex, CheckDelegate, CheckRow, TransparentList
from desktop_app.ui.widgets.text_label import Run

ROWS, MIN_ROWS = 8, 2  # visible rows: the maximum, and the minimum in a low window


def row_of(found: FoundConversation, is_checked: bool) -> CheckRow:
    """Return a found conversation as a row."""
    body = " · ".join((found.program, tr("%n messages", "", found.messages)))
    if found.unread:
        body += " · " + tr("%n parts could not be read", "", len(found.unread))
    if not found.known:
        tag = tr("new", "a conversation")
    else:
        tag = tr("%n new messages", "", found.new) if found.new else tr("already here")
    tint: Tint = "accent" if is_wanted(found) else "ink_faint"
    return CheckRow(found.id, first_line(found.title), dates_of(found), (Run(body),), tag, tint, is_checked=is_checked)


def is_wanted(found: FoundConversation) -> bool:
    """Return whether it contains anything that is not in the archive yet."""
    return found.new > 0 or not found.known


def dates_of(found: FoundConversation) -> str:
    """Return the dates of its first and last message; "" if the program does not store them."""
    form = tr("d MMM yyyy", "a date, as QLocale reads it")
    days = [format_moment(at, form) for at in (found.first_at, found.last_at) if at]
    return " – ".join(dict.fromkeys(days))


class FoundModel(QAbstractListModel):
    """A model of the conversations that match a filter. chosen: the ids of ticked ones, including filtered-out ones."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows: list[FoundConversation] = []
        self.found: tuple[FoundConversation, ...] = ()
        self.chosen: set[str] = set()

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        texts = (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
        if role != ROW and role not in texts:
            return None
        found = self.rows[index.row()]
        row = row_of(found, found.id in self.chosen)
        return row if role == ROW else row.words

    def show_found(self, found: Sequence[FoundConversation]) -> None:
        """Show all of these, and tick the ones with anything new."""
        self.found = tuple(found)
        self.chosen = {each.id for each in found if is_wanted(each)}
        self.filter("")

    def filter(self, query: str) -> None:
        """Show the conversations whose title, program or file contains all words of the query."""
        words = query.casefold().split()
        self.beginResetModel()
        self.rows = [each for each in self.found if _has_words(each, words)]
        self.endResetModel()

    def choose(self, found: Iterable[FoundConversation], is_chosen: bool) -> None:
        """Tick or untick these conversations."""
        change = self.chosen.update if is_chosen else self.chosen.difference_update
        change({each.id for each in found})
        if self.rows:
            self.dataChanged.emit(self.index(0), self.index(len(self.rows) - 1))

    def chosen_found(self) -> list[FoundConversation]:
        return [each for each in self.found if each.id in self.chosen]


def _has_words(found: FoundConversation, words: Sequence[str]) -> bool:
    text = f"{found.title}\n{found.program}\n{found.file}".casefold()
    return all(word in text for word in words)


class FoundList(TransparentList):
    """The list. A click or the space bar toggles a row. Signals: choice_changed; entered, by Enter."""

    choice_changed = Signal()
    entered = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.found = FoundModel(self)
        self.setModel(self.found)
        self.setItemDelegate(CheckDelegate(self, has_body=True))
        self.setUniformItemSizes(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setAccessibleName(tr("Conversations that were found"))
        self.found.modelReset.connect(self._start_at_top)

    def choose_shown(self, is_chosen: bool) -> None:
        """Tick or untick all rows that match the filter."""
        self.found.choose(self.found.rows, is_chosen)
        self.choice_changed.emit()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._height_of(ROWS))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self._height_of(MIN_ROWS))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index.isValid():
            self._toggle(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and self.currentIndex().isValid():
            self._toggle(self.currentIndex())
        elif event.key() in ENTER:
            if not event.isAutoRepeat():  # a key still held down from choosing the file must not import it
                self.entered.emit()
        else:
            super().keyPressEvent(event)

    def _toggle(self, index: AnyIndex) -> None:
        found = self.found.rows[index.row()]
        self.found.choose((found,), found.id not in self.found.chosen)
        self.choice_changed.emit()

    def _height_of(self, rows: int) -> int:
        row = self.itemDelegate().sizeHint(QStyleOptionViewItem(), QModelIndex()).height()
        return min(len(self.found.found), rows) * row + 2

    def _start_at_top(self) -> None:
        self.setCurrentIndex(self.found.index(0))  # invalid if the list is empty
        self.updateGeometry()


def sum_of(found: Sequence[FoundConversation]) -> str:
    """Return a sum such as "12 conversations, 3,402 messages", counting new messages only."""
    messages = sum(each.new for each in found)
    return ", ".join((tr("%n conversations", "", len(found)), tr("%n messages", "", messages)))
