"""A chip that offers a filter, or shows the one that holds and removes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.buttons import Button, ButtonKind
from desktop_app.ui.widgets.look import MEDIUM, colour, font, mix

MAX_SHOWN = 28
"""Characters of a filter's value."""

Choice = tuple[str, str, str]
"""What the menu shows, and the filter's name and value as they are typed."""


class FilterChip(Button):
    """Without a filter a click opens a menu of values; with one it removes the filter, as Delete does.

    Signals: chosen(name, value), as they are typed; removed.
    """

    chosen = Signal(str, str)
    removed = Signal()

    def __init__(self, name: str, offer: Callable[[], Sequence[Choice]], parent: QWidget | None = None) -> None:
        """offer: returns the choices; one of the chip's own name is taken without a menu."""
        super().__init__("", ButtonKind.QUIET, parent, padding=18)
        self._name, self._offer = name, offer
        self.value = ""
        self.clicked.connect(self._click)
        self.show_value("")

    def show_value(self, value: str, is_wrong: bool = False) -> None:
        """Show the value of the filter that holds; "" for none."""
        self.value, self._is_wrong = value, is_wrong
        short = value if len(value) <= MAX_SHOWN else value[: MAX_SHOWN - 1].rstrip() + "…"
        self.setText(f"{short}  ✕" if value else self._name if self._only_choice() else f"{self._name} ▾")
        told = tr("Remove the filter {name}: {value}").format(name=self._name, value=value)
        self.setAccessibleName(told if value else tr("Filter: {name}").format(name=self._name))
        self.setToolTip(told if value else "")
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
