"""The personas, to begin a conversation with."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.setup import Persona

from .palette.fuzzy import fuzzy_rank
from .translation import tr
from .widgets.formats import first_line
from .widgets.palette_sheet import PaletteSheet
from .widgets.row_list import ListRow
from .widgets.text_label import Run


class PersonaPalette(PaletteSheet):
    """Signal: persona_chosen(name), once it is closed."""

    persona_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, title=tr("New conversation with"))
        self._personas: tuple[Persona, ...] = ()
        self._help = self.note.text()
        self.field.textChanged.connect(lambda _: self._show())
        self.list.row_chosen.connect(self._choose)

    def offer(self, personas: Sequence[Persona]) -> None:
        """Offer these personas."""
        self._personas = tuple(personas)
        empty = tr("There are no personas yet: “Conversation settings…” in the ⋯ menu saves one.")
        self.note.set_text(self._help if personas else empty)
        self.field.clear()
        self._show()

    def _show(self) -> None:
        ranked = [(fuzzy_rank(self.query(), persona.name), persona) for persona in self._personas]
        fitting = sorted((pair for pair in ranked if pair[0] is not None), key=lambda pair: pair[0] or (0, 0))
        self.show_rows([_row_of(persona) for _, persona in fitting])

    def _choose(self, name: str) -> None:
        self.accept()
        self.persona_chosen.emit(name)


def _row_of(persona: Persona) -> ListRow:
    about = first_line(persona.setup.system_prompt or "", 120)
    return ListRow(persona.name, persona.name, persona.model.rpartition("/")[2], body=(Run(about),))
