"""What an import could not read, and why: one line that unfolds."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QSizePolicy

from desktop_app.conversation.foreign import FoundConversation, UnreadFile
from desktop_app.ui.engine_texts import tr_engine
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.fold import Fold
from desktop_app.ui.widgets.invisible import escape_name
from desktop_app.ui.widgets.row_list import ListRow, RowList
from desktop_app.ui.widgets.text_label import Run

ROWS, MIN_ROWS = 4, 1  # seen at once, and at least


def rows_of(unread: Sequence[UnreadFile], found: Sequence[FoundConversation]) -> list[ListRow]:
    """Return a row for each file, conversation and part of a conversation that could not be read."""
    rows = [
        (each.title or escape_name(each.file), escape_name(each.file) if each.title else "", each.reason)
        for each in unread
    ]
    rows += [(each.title, escape_name(each.file), reason) for each in found for reason in each.unread]
    return [
        ListRow(str(number), title, aside, (Run(tr_engine(reason)),))
        for number, (title, aside, reason) in enumerate(rows)
    ]


class ReasonList(RowList):
    """As high as its rows need; less where the window is low."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setAccessibleName(tr("What could not be read"))

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._height_of(ROWS))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self._height_of(MIN_ROWS))

    def _height_of(self, rows: int) -> int:
        return min(self.rows.rowCount(), rows) * self.sizeHintForRow(0) + 2


class UnreadList(Fold):
    """A link that says how much that is, and below it the reasons."""

    def __init__(self) -> None:
        self.list = ReasonList()
        super().__init__(self.list)
        self.hide()

    def show_unread(self, unread: Sequence[UnreadFile], found: Sequence[FoundConversation]) -> None:
        """Show what that is, folded; nothing where all was read."""
        self.list.rows.replace(rows_of(unread, found))
        self.set_title(tr("%n could not be read", "", self.list.rows.rowCount()))
        self.unfold(False)
        self.setVisible(bool(self.list.rows.rows))
