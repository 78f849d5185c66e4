"""A sheet with a field and a list below it: the arrow keys choose a row while the field keeps the focus."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtGui import QAccessible, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QWidget

from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr

from .accessibility import announce
from .buttons import ENTER
from .layouts import vertical
from .look import scale
from .row_list import ListRow, RowList
from .sheet import Sheet
from .text_label import TextLabel

WIDTH, LIST_HEIGHT, MIN_LIST_HEIGHT = 640, 420, 60  # pixels
KEYS = "↑ ↓"  # with which a note goes on about keys, in every language
HELP = translatable("↑ ↓ to choose · Enter to open · Esc to close")
SPOKEN_AFTER = 250  # milliseconds: while one types, only the last state is spoken
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
        self._note_spoken = ""
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
        self._spoken = QTimer(self, interval=SPOKEN_AFTER, singleShot=True)
        self._spoken.timeout.connect(self._speak)
        self.list.choice_changed.connect(self._speak_soon)

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

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._speak_soon()

    def _speak_soon(self) -> None:
        if QAccessible.isActive() and self.isVisible():
            self._spoken.start()

    def _speak(self) -> None:
        """Have the screen reader speak the note, if it is news, and the chosen row, as the field keeps the focus."""
        note = self.note.text().partition(KEYS)[0].strip(" ·")
        row = next((row.words for row in self.list.rows.rows if row.key == self.list.current_key()), "")
        words = [row] if note == self._note_spoken else [note, row]
        self._note_spoken = note
        if any(words) and self.isVisible():
            announce(self.field, ". ".join(filter(None, words)), is_urgent=True)

    def show_note(self, text: str) -> None:
        """Show a line below the list, such as the number of results."""
        self.note.set_text(text)
        self._speak_soon()

    def show_rows(self, rows: Sequence[ListRow]) -> None:
        """Show these rows and select the first; the list takes their height, up to LIST_HEIGHT."""
        self.list.rows.replace(rows)
        if rows:
            self.list.setCurrentIndex(self.list.rows.index(0))
        self.list.setVisible(bool(rows))
        self.list.updateGeometry()
