"""The sections of the settings at the side, with a field that finds those with some words in them."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QWidget

from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.inputs import Select
from desktop_app.ui.widgets.layouts import UNBOUNDED, vertical
from desktop_app.ui.widgets.look import StyleAware, scale
from desktop_app.ui.widgets.row_list import ListRow, RowList
from desktop_app.ui.widgets.text_label import TextLabel

WIDTH = 190  # pixels


def words_of(section: QWidget) -> str:
    """Return all that can be read in a section, in small letters."""
    texts = [label.text() for label in section.findChildren(QLabel)]
    texts += [button.text() for button in section.findChildren(QAbstractButton)]
    return " ".join(texts).casefold()


class SectionList(StyleAware, QWidget):
    """Signal: section_chosen(name), by the user."""

    section_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._sections: dict[str, tuple[str, QWidget]] = {}
        self._is_narrow = False
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Find a setting"))
        self.field.setAccessibleName(tr("Find a setting"))
        self.field.setClearButtonEnabled(True)
        self.empty = TextLabel(tr("No setting contains these words."), size=13, tint="ink_soft", wraps=True)
        self.empty.hide()
        self.list = RowList(has_body=False)
        self.list.setAccessibleName(tr("Sections"))
        self.choice = Select()
        self.choice.setAccessibleName(tr("Section"))
        self.choice.hide()
        vertical(self.choice, self.field, self.empty, (self.list, 1), holder=self, spacing=10)
        self.field.textChanged.connect(self._find)
        self.list.choice_changed.connect(self._choose)
        self.choice.activated.connect(lambda _: self.section_chosen.emit(self.choice.currentData()))
        self.refresh_style()

    def add(self, name: str, title: str, section: QWidget) -> None:
        """Append a section; the first one is chosen."""
        self._sections[name] = title, section
        self.list.rows.append([ListRow(name, title)])
        self.choice.addItem(title, name)
        if len(self._sections) == 1:
            self.show_chosen(name)

    def show_chosen(self, name: str) -> None:
        """Mark that section as the one that is shown; without a signal, and also if it was filtered away."""
        self.choice.choose(name)
        names = [row.key for row in self.list.rows.rows]
        if name not in names:
            self.field.clear()
            names = [row.key for row in self.list.rows.rows]
        if name in names and self.list.current_key() != name:
            self.list.setCurrentIndex(self.list.rows.index(names.index(name)))

    def set_narrow(self, is_narrow: bool) -> None:
        """Be a drop-down list above the fields, where the list beside them would leave them no room."""
        self._is_narrow = is_narrow
        self.choice.setVisible(is_narrow)
        self.field.setVisible(not is_narrow)
        self.list.setVisible(not is_narrow)
        self.refresh_style()

    def refresh_style(self) -> None:
        self.setMinimumWidth(0 if self._is_narrow else scale(WIDTH))
        self.setMaximumWidth(UNBOUNDED if self._is_narrow else scale(WIDTH))

    def _find(self, text: str) -> None:
        wanted, chosen = text.strip().casefold(), self.list.current_key()
        found = [
            ListRow(name, title)
            for name, (title, section) in self._sections.items()
            if wanted in title.casefold() or wanted in words_of(section)
        ]
        self.list.rows.replace(found)
        self.empty.setVisible(not found)
        if found:
            names = [row.key for row in found]
            self.list.setCurrentIndex(self.list.rows.index(names.index(chosen) if chosen in names else 0))

    def _choose(self) -> None:
        if name := self.list.current_key():
            self.section_chosen.emit(name)
