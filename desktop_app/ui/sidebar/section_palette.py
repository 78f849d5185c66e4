"""Where to put conversations: a section that there is, a new one, or none."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.palette_sheet import PaletteSheet
from desktop_app.ui.widgets.row_list import ListRow

NO_KEY = " "  # names have no space at their ends


class SectionPalette(PaletteSheet):
    """A name can be typed or chosen. Signal: section_chosen(name); "" for none."""

    section_chosen = Signal(str)

    def __init__(self, sections: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent, title=tr("Move to section"), has_body=False)
        self._sections = tuple(sections)
        self.note.set_text(tr("↑ ↓ to choose · Enter to move · Esc to close"))
        self.field.textChanged.connect(self._list)
        self.list.row_chosen.connect(self._choose)
        self._list()

    def _list(self) -> None:
        name = " ".join(self.query().split())
        found = [section for section in self._sections if name.casefold() in section.casefold()]
        rows = [ListRow(section, section) for section in found]
        if name and name not in found:
            rows.append(ListRow(name, name, tr("new section")))
        self.show_rows(rows if name else [*rows, ListRow(NO_KEY, tr("No section"))])

    def _choose(self, name: str) -> None:
        self.accept()
        self.section_chosen.emit(name.strip())
