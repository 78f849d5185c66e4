"""The deleted conversations, which can be restored."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.formats import format_time
from desktop_app.ui.widgets.palette_sheet import PaletteSheet
from desktop_app.ui.widgets.row_list import ListRow


class DeletedPalette(PaletteSheet):
    """Words of a title find it. Signal: restore_requested(id), by a click or Enter; the palette then closes."""

    restore_requested = Signal(str)

    def __init__(self, conversations: Sequence[ConversationInfo], parent: QWidget | None = None) -> None:
        """conversations: those that are deleted, as they are listed."""
        super().__init__(parent, title=tr("Deleted conversations"), has_body=False)
        self._conversations = conversations
        self.field.textChanged.connect(self._list)
        self.list.row_chosen.connect(self._choose)
        self._list()

    def _list(self) -> None:
        words, now = self.query().casefold().split(), time.time()
        found = [info for info in self._conversations if all(word in info.title.casefold() for word in words)]
        self.show_rows([self._row_of(info, now) for info in found])
        if not self._conversations:
            self.note.set_text(tr("No conversation is deleted."))
        elif found:
            self.note.set_text(tr("↑ ↓ to choose · Enter to restore · Esc to close"))
        else:
            self.note.set_text(tr("No title contains these words."))

    def _row_of(self, info: ConversationInfo, now: float) -> ListRow:
        about = (tr("%n messages", "", info.messages), format_time(info.updated_at, now))
        return ListRow(info.id, info.title, " · ".join(about))

    def _choose(self, conversation: str) -> None:
        self.accept()
        self.restore_requested.emit(conversation)
