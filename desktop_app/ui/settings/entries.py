"""Inputs of the settings. Each edits one field of a struct, and shows what is wrong with its value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import Button
from desktop_app.ui.widgets.file_dialog import ask_for_folder
from desktop_app.ui.widgets.inputs import Segmented, Select, Slider, ToggleSwitch
from desktop_app.ui.widgets.layouts import STRETCH, horizontal, set_margins, vertical
from desktop_app.ui.widgets.long_text import TextArea
from desktop_app.ui.widgets.look import BOLD, MEDIUM, Corner
from desktop_app.ui.widgets.number_formats import format_percent
from desktop_app.ui.widgets.text_label import TextLabel

S = TypeVar("S", bound=msgspec.Struct)
Row = QWidget | tuple[QWidget, ...]  # one widget, or several side by side


class FormEntry(QWidget):
    """An input below its label, above a note or an error message. Signal: changed, by the user or by code."""

    changed = Signal()

    def __init__(self, name: str, label: str, control: QWidget, about: str = "") -> None:
        """name: the name of the struct's field. control: the widget that takes the focus. about: the note."""
        super().__init__()
        self.name, self.control, self._about = name, control, about
        self.label = TextLabel(label, size=13, weight=MEDIUM)
        self.message = note("")
        if label:
            control.setAccessibleName(label)
        # The stretch keeps it at the top next to an entry with a longer message.
        above = (self.label, control) if label else (control,)
        self.column = vertical(*above, self.message, STRETCH, holder=self, spacing=4)
        self.explain(about)
        self.changed.connect(self._forget_error)

    def value(self) -> Any:
        """Return the field's value. Raises ValueError with a sentence for the user."""
        raise NotImplementedError

    def write(self, struct: S) -> S:
        """Return the struct with the value. Raises ValueError."""
        return msgspec.structs.replace(struct, **{self.name: self.value()})

    def keys(self) -> dict[str, str]:
        """Return API keys to store, by name; "" removes a key."""
        return {}

    def check(self) -> QWidget | None:
        """Show what is wrong with the value, and return the widget to correct; None if nothing is."""
        try:
            self.value()
        except ValueError as error:
            self._show(str(error), is_error=True)
            return self.control
        if self.error():
            self.explain(self._about)
        return None

    def explain(self, about: str, *, is_error: bool = False) -> None:
        """Show a note; "" for none."""
        self._about = about
        self._show(about, is_error=is_error)

    def error(self) -> str:
        """Return the error message shown; "" for none."""
        return "" if self.message.text() == self._about else self.message.text()

    def _forget_error(self) -> None:
        """Hide the error message, as the value is being corrected."""
        if FormEntry.error(self):
            self.explain(self._about)

    def _show(self, message: str, *, is_error: bool) -> None:
        self.message.set_tint("critical" if is_error else "ink_faint")
        self.message.set_text(message)
        self.message.setVisible(bool(message))
        self.control.setAccessibleDescription(message)


class Field(FormEntry):
    """A line of text."""

    def __init__(
        self,
        name: str,
        label: str,
        text: str = "",
        placeholder: str = "",
        parse: Callable[[str], Any] = str,
        about: str = "",
    ) -> None:
        """parse: converts the typed text to the value, or raises ValueError."""
        self.edit = QLineEdit(text)
        self.edit.setCursorPosition(0)  # to show the beginning of a long text
        self.edit.setPlaceholderText(placeholder)
        self._parse = parse
        super().__init__(name, label, self.edit, about)
        self.edit.textChanged.connect(self.changed)

    def text(self) -> str:
        """Return the typed text, stripped."""
        return self.edit.text().strip()

    def value(self) -> Any:
        return self._parse(self.text())


class FolderField(Field):
    """The path of a folder, with a button that lets the user choose one."""

    def __init__(self, name: str, label: str, folder: str = "", placeholder: str = "", about: str = "") -> None:
        super().__init__(name, label, folder, placeholder, parse_folder, about)
        self.choose = Button(tr("Choose…"))
        self.choose.setAccessibleName(tr("Choose the folder: {label}").format(label=label))
        self.choose.clicked.connect(lambda _=False: ask_for_folder(self, label, self.text(), self.edit.setText))
        at = self.column.indexOf(self.edit)
        self.column.removeWidget(self.edit)
        self.column.insertLayout(at, horizontal((self.edit, 1), self.choose, spacing=10))


def parse_folder(text: str) -> str:
    """Return the folder. Raises ValueError for a path that is not absolute."""
    if text and not Path(text).is_absolute():
        raise ValueError(tr("Enter the full path."))
    return text


class Choice(FormEntry):
    """A drop-down list."""

    def __init__(
        self,
        name: str,
        label: str,
        choices: Sequence[tuple[str, str]],
        chosen: str,
        about: str = "",
        parse: Callable[[str], Any] = str,
    ) -> None:
        """choices: pairs of a text and its value; a `chosen` value that is not among them is added as not available."""
        self.select = Select()
        for text, value in choices:
            self.select.addItem(text, value)
        if self.select.findData(chosen) < 0:
            self.select.addItem(tr("{model} · not available").format(model=chosen), chosen)
        self.select.choose(chosen)
        self._parse = parse
        super().__init__(name, label, self.select, about)
        self.select.currentIndexChanged.connect(self.changed)

    def chosen(self) -> str:
        return str(self.select.currentData())

    def value(self) -> Any:
        return self._parse(self.chosen())


class Segments(FormEntry):
    """A few values side by side. describe: returns the note of a value."""

    def __init__(
        self,
        name: str,
        choices: Sequence[tuple[str, str]],
        chosen: str,
        describe: Callable[[str], str] = lambda _: "",
        label: str = "",
    ) -> None:
        self.choices = Segmented(choices)
        if chosen in self.choices.values():
            self.choices.choose(chosen)
        super().__init__(name, label, self.choices, describe(self.choices.value()))
        self.choices.chosen.connect(lambda value: self.explain(describe(value)))
        self.choices.chosen.connect(self.changed)

    def value(self) -> str:
        return self.choices.value()


class OnOff(FormEntry):
    """Something that is on or off."""

    def __init__(self, name: str, label: str, is_on: bool, about: str = "") -> None:
        self.switch = ToggleSwitch(label)
        self.switch.setChecked(is_on)
        super().__init__(name, "", self.switch, about)
        self.switch.toggled.connect(self.changed)

    def value(self) -> bool:
        return self.switch.isChecked()


class Percent(FormEntry):
    """A factor that a slider sets in percent. limits: minimum, maximum and step, in percent."""

    def __init__(self, name: str, label: str, factor: float, limits: tuple[int, int, int]) -> None:
        self.slider = Slider()
        self.slider.set_range(*limits)
        super().__init__(name, label, self.slider)
        self._label = label
        self.slider.valueChanged.connect(self._show_value)
        self.slider.valueChanged.connect(self.changed)
        self.slider.setValue(round(factor * 100))
        self._show_value(self.slider.value())

    def value(self) -> float:
        return self.slider.value() / 100

    def _show_value(self, percent: int) -> None:
        text = format_percent(percent / 100)
        self.label.set_text(tr("{name}: {percent}").format(name=self._label, percent=text))
        self.slider.set_name(self._label, text)


class LongText(FormEntry):
    """Several lines of text."""

    def __init__(self, name: str, label: str, text: str, rows: int = 4, about: str = "") -> None:
        self.area = TextArea(rows=rows)
        self.area.setPlainText(text)
        self.area.setAccessibleName(label)
        card = Card(corner=Corner.CONTROL)
        set_margins(card.column, 10, 8, 4, 8)
        card.column.addWidget(self.area)
        super().__init__(name, label, card, about)
        self.area.textChanged.connect(self.changed)

    def value(self) -> Any:
        return self.area.toPlainText().strip()


def section(title: str, *rows: Row) -> QWidget:
    """Return a column of entries and other widgets below a title."""
    column = QWidget()
    vertical(TextLabel(title, size=14, weight=BOLD), *map(row_of, rows), holder=column, spacing=12)
    return column


def row_of(row: Row) -> QWidget:
    """Return a widget unchanged, or several side by side in one widget."""
    if isinstance(row, QWidget):
        return row
    line = QWidget()
    horizontal(*((part, 1) for part in row), holder=line, spacing=12)
    return line


def note(text: str) -> TextLabel:
    """Return a label for an explanation."""
    return TextLabel(text, size=12, tint="ink_faint", wraps=True)
