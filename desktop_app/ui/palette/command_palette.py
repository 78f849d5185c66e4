"""The command palette, which finds the window's actions by a fuzzy match of their names, recent ones first.

Typed letters match in their order, with gaps.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.ui.actions import WindowAction, keys_text
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.palette_sheet import PaletteSheet
from desktop_app.ui.widgets.row_list import ListRow
from desktop_app.ui.widgets.text_label import Run


def fuzzy_rank(query: str, text: str) -> tuple[int, int] | None:
    """Return a rank for sorting, the lower the better; None if the query does not match.

    It matches if the text contains its letters in order, ignoring case and accents. The best match is a run of letters
    at the beginning of a word, then letters that begin words, then a run anywhere, then the closest letters.
    """
    words, letters = _folded(query).strip(), _folded(text)
    together = letters.find(words)
    if together >= 0 and (not words or _begins_word(letters, together)):
        return 0, together
    wanted = "".join(words.split())
    if (found := _starts(wanted, letters)) is not None:
        return 1, found[-1] - found[0]
    if together >= 0:
        return 2, together
    found = _first_letters(wanted, letters)
    return None if found is None else (3, found[-1] - found[0])


def _starts(wanted: str, letters: str) -> list[int] | None:
    """Return the positions of the letters if each continues a run or begins a word; None if that is impossible."""
    ends: list[list[int]] = [[]]  # ways to place the letters so far, one for each position of the last one
    for letter in wanted:
        ways: dict[int, list[int]] = {}
        for way in ends:
            after = way[-1] + 1 if way else 0
            for place in range(after, len(letters)):
                if letters[place] == letter and ((way and place == after) or _begins_word(letters, place)):
                    ways.setdefault(place, [*way, place])
        ends = list(ways.values())
    return ends[0] if ends else None


def _first_letters(wanted: str, letters: str) -> list[int] | None:
    """Return the positions of the letters, each as early as possible; None if a letter is missing."""
    found: list[int] = []
    for letter in wanted:
        place = letters.find(letter, found[-1] + 1 if found else 0)
        if place < 0:
            return None
        found.append(place)
    return found


def _begins_word(letters: str, place: int) -> bool:
    return letters[place : place + 1].isalnum() and (place == 0 or not letters[place - 1].isalnum())


@lru_cache(maxsize=1_024)  # each key press matches all names again
def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def matching_actions(query: str, actions: Sequence[WindowAction], recent: Sequence[str]) -> list[WindowAction]:
    """Return the actions whose names match the query, translated or in English, the best first. Of equal matches, the
    one used last is first."""
    ages = {name: age for age, name in enumerate(recent)}
    ranked = [(_name_rank(query, action) or _group_rank(query, action), action) for action in actions]
    fitting = [(rank, action) for rank, action in ranked if rank is not None]
    by_use = sorted(fitting, key=lambda pair: ages.get(pair[1].name, len(ages)))
    return [action for _, action in sorted(by_use, key=lambda pair: pair[0])]


def _name_rank(query: str, action: WindowAction) -> tuple[int, int] | None:
    ranks = (fuzzy_rank(query, name) for name in {tr(action.name), action.name})
    return min((rank for rank in ranks if rank is not None), default=None)


def _group_rank(query: str, action: WindowAction) -> tuple[int, int] | None:
    """Return a rank after all matches of names, if the group's name begins with the query; None otherwise."""
    groups = (tr(action.group).casefold(), action.group.casefold())
    return (9, 0) if query and any(group.startswith(query.casefold()) for group in groups) else None


class CommandPalette(PaletteSheet):
    """A palette of actions. Signal: action_chosen(name), once the palette is closed."""

    action_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, title=tr("Type a command"), has_body=False)
        self._actions: tuple[WindowAction, ...] = ()
        self._recent: tuple[str, ...] = ()
        self.field.textChanged.connect(self._filter)
        self.list.row_chosen.connect(self._choose)

    def show_actions(self, actions: Sequence[WindowAction], recent: Sequence[str]) -> None:
        """Offer these actions, and clear the field. recent: the names of the actions used last, the newest first."""
        self._actions, self._recent = tuple(actions), tuple(recent)
        self.field.clear()
        self._filter()

    def _filter(self) -> None:
        found = matching_actions(self.query(), self._actions, self._recent)
        self.show_rows([ListRow(a.name, tr(a.name), keys_text(a.keys[:1]), (Run(tr(a.about)),)) for a in found])
        keys = tr("↑ ↓ to choose · Enter to run · Esc to close")
        self.show_note(keys if found else tr("No matching command"))

    def _choose(self, name: str) -> None:
        self.accept()
        self.action_chosen.emit(name)
