"""The bar above the transcript while the hits of a search are walked through."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from desktop_app.ui.actions import keys_text
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.buttons import Button, ButtonKind, LinkButton
from desktop_app.ui.widgets.formats import format_number
from desktop_app.ui.widgets.layouts import horizontal
from desktop_app.ui.widgets.text_label import TextLabel


class HitBar(QWidget):
    """What was searched for, which hit is shown, and buttons to the next one and back to all.

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

    def show_hit(self, query: str, shown: int, found: int) -> None:
        """Show the query and which of how many hits is shown, from 1."""
        self.query.set_text(tr("Search: {query}").format(query=query))
        told = tr("{shown} of {found}").format(shown=format_number(shown), found=format_number(found))
        self.count.set_text(told)
        self.setAccessibleName(f"{self.query.text()} · {told}")
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
