"""The histories that other programs keep on this computer, to be looked through with a click."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from desktop_app.conversation.foreign import FoundHistory
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.formats import format_bytes, format_moment
from desktop_app.ui.widgets.layouts import discard, horizontal, vertical
from desktop_app.ui.widgets.look import MEDIUM
from desktop_app.ui.widgets.text_label import TextLabel


def about(history: FoundHistory) -> str:
    """Return "214 files, 81.3 MB, changed on 3 Mar 2026"."""
    day = format_moment(history.newest, tr("d MMM yyyy", "a date, as QLocale reads it"))
    changed = tr("changed on {day}").format(day=day)
    return ", ".join((tr("%n files", "", history.files), format_bytes(history.bytes), changed))


class HistoryOffers(QWidget):
    """A card with a line for each; hidden while there is none. Signal: chosen(tuple), the paths to look through."""

    chosen = Signal(tuple)

    def __init__(self) -> None:
        super().__init__()
        self.histories: tuple[FoundHistory, ...] = ()
        self.links: list[LinkButton] = []
        """One for each."""
        self.all = LinkButton(tr("Look through all of them"))
        self.all.clicked.connect(lambda: self.chosen.emit(tuple(each.path for each in self.histories)))
        title = TextLabel(tr("Conversations on this computer"), weight=MEDIUM)
        note = TextLabel(tr("They are read when you click, not before."), tint="ink_soft", size=13, wraps=True)
        self._lines = QWidget()
        self._card = Card()
        self._card.column.addLayout(horizontal(title, (note, 1), self.all, spacing=12))
        self._card.column.addWidget(self._lines)
        vertical(self._card, holder=self)
        self.hide()

    def show_histories(self, histories: Sequence[FoundHistory]) -> None:
        """Show these in place of those before."""
        if tuple(histories) == self.histories:
            return
        self.histories, self.links = tuple(histories), []
        discard(self._lines)
        self._lines = QWidget()
        grid = QGridLayout(self._lines)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for row, history in enumerate(self.histories):
            self._add(grid, row, history)
        self._card.column.addWidget(self._lines)
        self.all.setVisible(len(self.histories) > 1)
        self.setVisible(bool(self.histories))

    def _add(self, grid: QGridLayout, row: int, history: FoundHistory) -> None:
        words = TextLabel(about(history), tint="ink_soft", size=13, wraps=True)
        words.setToolTip(history.path)
        link = LinkButton(tr("Look through"))
        link.setToolTip(history.path)
        link.setAccessibleName(tr("Look through {program}").format(program=history.program))
        link.clicked.connect(lambda: self.chosen.emit((history.path,)))
        self.links.append(link)
        for column, widget in enumerate((TextLabel(history.program, size=13), words, link)):
            grid.addWidget(widget, row, column)
