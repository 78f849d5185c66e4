"""The bar above the transcript that finds a text in the open conversation."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from .actions import keys_text
from .translation import tr
from .widgets.buttons import Button, ButtonKind
from .widgets.layouts import horizontal
from .widgets.number_formats import format_number
from .widgets.text_label import TextLabel

PAUSE = 150  # milliseconds from the last key to the search
MAX_TEXT = 1_000  # characters


class FindBar(QWidget):
    """A field, a count, and buttons to the next and the previous place with the text.

    Signals: text_changed(text) a moment after the last key; step_requested(by), 1 or -1; closed.
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
        self.previous = self._button("↑", tr("Previous place ({keys})"), "Shift+F3")
        self.next = self._button("↓", tr("Next place ({keys})"), "F3")
        self.close_button = self._button("✕", tr("Close ({keys})"), "Esc")
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
        """Show the bar, with the text that was looked for last selected."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self._pause.start(0)

    def close_bar(self) -> None:
        self._pause.stop()
        self.hide()
        self.closed.emit()

    def show_count(self, shown: int, found: int, is_all: bool = True) -> None:
        """Show which of how many places is shown, from 1. is_all: whether there are no more."""
        several = tr("{shown} of {found}").format(
            shown=format_number(shown), found=f"{format_number(found)}{'' if is_all else '+'}"
        )
        self.count.set_text(several if found else tr("Not found") if self.text else "")
        for button in (self.previous, self.next):
            button.setEnabled(found > 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down, Qt.Key.Key_Up):
            is_back = event.key() == Qt.Key.Key_Up or event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self._step(-1 if is_back else 1)
        else:
            super().keyPressEvent(event)

    def _step(self, by: int) -> None:
        """Go on; while a search is due, search first."""
        if self._pause.isActive():
            self._pause.start(0)
        else:
            self.step_requested.emit(by)

    def _button(self, text: str, name: str, keys: str) -> Button:
        name = name.format(keys=keys_text((keys,)))
        button = Button(text, ButtonKind.QUIET)
        button.setAccessibleName(name)
        button.setToolTip(name)
        return button
