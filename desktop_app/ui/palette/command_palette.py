"""The command palette: every action of the window by its name, those used last first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.ui.actions import WindowAction, keys_text
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.palette_sheet import PaletteSheet
from desktop_app.ui.widgets.row_list import ListRow
from desktop_app.ui.widgets.text_label import Run

from .fuzzy import fuzzy_rank


def matching_actions(query: str, actions: Sequence[WindowAction], recent: Sequence[str]) -> list[WindowAction]:
    """Return the actions whose names fit the query, translated or in English, best first; of equals those used last
    first."""
    ages = {name: age for age, name in enumerate(recent)}
    ranked = [(_name_rank(query, action) or _group_rank(query, action), action) for action in actions]
    fitting = [(rank, action) for rank, action in ranked if rank is not None]
    by_use = sorted(fitting, key=lambda pair: ages.get(pair[1].name, len(ages)))
    return [action for _, action in sorted(by_use, key=lambda pair: pair[0])]


def _name_rank(query: str, action: WindowAction) -> tuple[int, int] | None:
    ranks = (fuzzy_rank(query, name) for name in {tr(action.name), action.name})
    return min((rank for rank in ranks if rank is not None), default=None)


def _group_rank(query: str, action: WindowAction) -> tuple[int, int] | None:
    """Return a rank behind all names, for a query that the group's name begins with."""
    groups = (tr(action.group).casefold(), action.group.casefold())
    return (9, 0) if query and any(group.startswith(query.casefold()) for group in groups) else None


class CommandPalette(PaletteSheet):
    """Signal: action_chosen(name), once the palette is closed."""

    action_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, title=tr("Type a command"), has_body=False)
        self._actions: tuple[WindowAction, ...] = ()
        self._recent: tuple[str, ...] = ()
        self.field.textChanged.connect(self._filter)
        self.list.row_chosen.connect(self._choose)

    def show_actions(self, actions: Sequence[WindowAction], recent: Sequence[str]) -> None:
        """Offer these actions, with nothing typed. recent: the names of those used last, the newest first."""
        self._actions, self._recent = tuple(actions), tuple(recent)
        self.field.clear()
        self._filter()

    def _filter(self) -> None:
        found = matching_actions(self.query(), self._actions, self._recent)
        self.show_rows([ListRow(a.name, tr(a.name), keys_text(a.keys[:1]), (Run(tr(a.about)),)) for a in found])
        keys = tr("↑ ↓ to choose · Enter to run · Esc to close")
        self.note.set_text(keys if found else tr("No matching command"))

    def _choose(self, name: str) -> None:
        self.accept()
        self.action_chosen.emit(name)
