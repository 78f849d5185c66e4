"""What the sections of the settings are made of: labelled fields, notes, drop-down lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QLineEdit, QWidget

from desktop_app.settings import Settings
from desktop_app.ui.widgets.inputs import Select
from desktop_app.ui.widgets.layouts import STRETCH, vertical
from desktop_app.ui.widgets.look import BOLD, MEDIUM
from desktop_app.ui.widgets.text_label import TextLabel


class Section(QWidget):
    """Widgets under a title, which write their share of the settings."""

    def __init__(self, title: str, *widgets: QWidget) -> None:
        super().__init__()
        self.column = vertical(TextLabel(title, size=14, weight=BOLD), *widgets, holder=self, spacing=8)

    def apply_to(self, settings: Settings) -> Settings:
        """Return the settings with what was written here. Raises ValueError for what is wrong."""
        return settings

    def keys(self) -> dict[str, str]:
        """Return keys to store by their names; an empty key is to be removed."""
        return {}

    def first_wrong(self) -> QWidget | None:
        """Show beside each field what is wrong with it; return the first such field."""
        return None


class Field(QWidget):
    """A line edit with a label above, and an error or a hint below."""

    def __init__(self, label: str, text: str = "", placeholder: str = "", *, is_secret: bool = False) -> None:
        super().__init__()
        self.edit = QLineEdit(text)
        self.edit.setCursorPosition(0)  # shows the beginning of a long text
        self.edit.setAccessibleName(label)
        self.edit.setPlaceholderText(placeholder)
        if is_secret:
            self.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self.message = TextLabel(size=12, tint="critical", wraps=True)
        self.message.hide()
        # It stretches below: beside a field with a longer message this one stays at the top.
        self.column = vertical(field_label(label), self.edit, self.message, STRETCH, holder=self, spacing=4)

    def text(self) -> str:
        """Return what was typed, without spaces around it."""
        return self.edit.text().strip()

    def set_error(self, error: str) -> None:
        """Show what is wrong; "" for nothing."""
        self._show(error, is_error=True)

    def set_hint(self, hint: str) -> None:
        self._show(hint, is_error=False)

    def error(self) -> str:
        return "" if self.message.isHidden() else self.message.text()

    def _show(self, message: str, *, is_error: bool) -> None:
        self.message.set_tint("critical" if is_error else "ink_faint")
        self.message.set_text(message)
        self.message.setVisible(bool(message))
        self.edit.setAccessibleDescription(message)


class LabelledSelect(QWidget):
    """A drop-down list with a label above and a note below."""

    def __init__(self, label: str, choices: Sequence[tuple[str, str]], chosen: str, about: str = "") -> None:
        """choices: texts with their values; a chosen value that is none of them is added as not available."""
        super().__init__()
        self.select = Select()
        self.select.setAccessibleName(label)
        for text, value in choices:
            self.select.addItem(text, value)
        if self.select.findData(chosen) < 0:
            self.select.addItem(f"{chosen} · not available", chosen)
        self.select.choose(chosen)
        self.note = note("")
        vertical(field_label(label), self.select, self.note, holder=self, spacing=6)
        self.set_note(about)

    def value(self) -> str:
        return str(self.select.currentData())

    def set_note(self, about: str, *, is_error: bool = False) -> None:
        self.note.set_tint("critical" if is_error else "ink_faint")
        self.note.set_text(about)
        self.note.setVisible(bool(about))
        self.select.setAccessibleDescription(about)


def field_label(text: str) -> TextLabel:
    """Return the label of a field."""
    return TextLabel(text, size=13, weight=MEDIUM)


def note(text: str) -> TextLabel:
    """Return a line that explains."""
    return TextLabel(text, size=12, tint="ink_faint", wraps=True)


def error_of(parse: Callable[[str], object], text: str) -> str:
    """Return why the text cannot be parsed; "" if it can."""
    try:
        parse(text)
    except ValueError as error:
        return str(error)
    return ""
