"""The lines that a widget paints, as labels and buttons that paint nothing: what a screen reader finds in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import msgspec
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget


def bring_in_order(holder: QWidget, wanted: Sequence[QWidget]) -> None:
    """Let these children of the holder be found in that order."""
    known = set(wanted)
    if [child for child in holder.children() if child in known] != list(wanted):
        for widget in wanted:
            widget.raise_()


class AccessibleLine(msgspec.Struct, frozen=True):
    """A line. key: what it is about, which stays the same when its numbers change. press: what a click on it does."""

    key: str
    text: str
    box: QRect
    press: Callable[[], object] | None = None


class AccessibleLines(QWidget):
    """Stands over a widget that paints lines. A button keeps its object as long as it is about the same."""

    def __init__(self, painted: QWidget) -> None:
        super().__init__(painted)
        self._painted = painted
        self._shown: dict[tuple[str, bool], QLabel | QPushButton] = {}
        self._press: dict[str, Callable[[], object]] = {}
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setUpdatesEnabled(False)

    def show_lines(self, lines: Sequence[AccessibleLine]) -> None:
        """Show these lines, whose keys differ; the boxes are within the widget that paints them."""
        self.resize(self._painted.size())
        before, self._shown = self._shown, {}
        for line in lines:
            kind = line.key, line.press is not None
            widget = before.pop(kind, None) or self._made(line)
            widget.setText(line.text)
            widget.setAccessibleName(line.text)
            widget.setGeometry(line.box)
            self._shown[kind] = widget
        self._press = {line.key: line.press for line in lines if line.press is not None}
        for widget in before.values():
            widget.hide()
            widget.deleteLater()
        bring_in_order(self, [*self._shown.values()])

    def _made(self, line: AccessibleLine) -> QLabel | QPushButton:
        if line.press is None:
            widget = QLabel(self)
            widget.setTextFormat(Qt.TextFormat.PlainText)
        else:
            widget = QPushButton(self)
            widget.setAutoDefault(False)
            widget.clicked.connect(partial(self._do, line.key))
        widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        widget.show()
        return widget

    def _do(self, key: str) -> None:
        press = self._press.get(key)
        if press is not None:
            press()
