"""What can be imported: each program, and what to give of it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from desktop_app.conversation.foreign import KnownKind
from desktop_app.ui.engine_texts import tr_engine
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.fold import Fold
from desktop_app.ui.widgets.look import MEDIUM
from desktop_app.ui.widgets.text_label import TextLabel


class KnownKinds(Fold):
    """A link, and below it a table of two columns."""

    def __init__(self) -> None:
        self.kinds: tuple[KnownKind, ...] = ()
        self._table = QWidget()
        super().__init__(self._table, tr("What can be imported"))
        self._grid = QGridLayout(self._table)
        self._grid.setContentsMargins(14, 2, 0, 4)
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(1, 1)
        self.hide()

    def show_kinds(self, kinds: Sequence[KnownKind]) -> None:
        """Fill the table, which stays as it is from then on."""
        if self.kinds:
            return
        self.kinds = tuple(kinds)
        for row, kind in enumerate(self.kinds):
            program = TextLabel(kind.program, size=13, weight=MEDIUM)
            what = TextLabel(tr_engine(kind.what), tint="ink_soft", size=13, wraps=True)
            self._grid.addWidget(program, row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(what, row, 1)
        self.setVisible(bool(self.kinds))
