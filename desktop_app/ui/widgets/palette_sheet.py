"""A sheet with a field and a list below it: the arrow keys choose a row while the field keeps the focus."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QWidget

from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr

from .buttons import ENTER
from .layouts import vertical
from .look import scale
from .row_list import ListRow, RowList
from .sheet import Sheet
from .text_label import TextLabel

WIDTH, LIST_HEIGHT, MIN_LIST_HEIGHT = 640, 420, 60  # pixels
HELP = translatable("↑ ↓ to choose · Enter to open · Esc to close")
MOVES = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}


class PaletteList(RowList):
    """A list as high as its rows, and lower in a low window."""

    def __init__(self, *, has_body: bool) -> None:
        super().__init__(has_body=has_body)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the field keeps the focus

    def sizeHint(self) -> QSize:
        rows = self.rows.rowCount()
        return QSize(super().sizeHint().width(), min(rows * self.sizeHintForRow(0) + 2, scale(LIST_HEIGHT)))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, min(self.sizeHint().height(), scale(MIN_LIST_HEIGHT)))


class PaletteSheet(Sheet):
    """The base of palettes. They override `enter`, and connect to `list.row_chosen`."""

    def __init__(
        self, parent: QWidget | None, *, title: str, has_body: bool = True, below_field: QWidget | None = None
    ) -> None:
        super().__init__(parent, width=WIDTH, top=0.12, closes_outside=True, title=title)
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("{title}…").format(title=title))
        self.field.setAccessibleName(title)
        self.note = TextLabel(tr(HELP), size=12, tint="ink_faint")
        self.list = PaletteList(has_body=has_body)
        self.list.setAccessibleName(tr("Results"))
        below = (below_field,) if below_field is not None else ()
        vertical(self.field, *below, self.list, self.note, holder=self, margins=(14, 14, 14, 12), spacing=8)
        self.set_first(self.field)
        self.field.installEventFilter(self)

    def query(self) -> str:
        return self.field.text().strip()

    def enter(self) -> None:
        """Choose the current row."""
        if self.list.current_key():
            self.list.row_chosen.emit(self.list.current_key())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Navigate the list and choose from it while the field has the focus."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in MOVES:
                self.list.step(MOVES[Qt.Key(event.key())])
                return True
            if event.key() in ENTER:
                self.enter()
                return True
        return super().eventFilter(watched, event)

    def show_rows(self, rows: Sequence[ListRow]) -> None:
        """Show these rows and select the first; the list takes their height, up to LIST_HEIGHT."""
        self.list.rows.replace(rows)
        if rows:
            self.list.setCurrentIndex(self.list.rows.index(0))
        self.list.setVisible(bool(rows))
        self.list.updateGeometry()
