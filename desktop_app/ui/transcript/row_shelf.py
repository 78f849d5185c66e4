"""Laid out rows that are kept: those on the screen and around it."""

from __future__ import annotations

from collections import OrderedDict

from desktop_app.ui.theme import theme

from .display_list import RowLayout
from .document_shelf import DocumentShelf
from .items import Item
from .row_layout import lay_out

KEPT = 64  # rows


class RowShelf:
    """Lays rows out when they are first needed, and again when they changed."""

    def __init__(self) -> None:
        self._documents = DocumentShelf()
        self._kept: OrderedDict[str, tuple[tuple[object, ...], RowLayout]] = OrderedDict()
        self._unfolded: set[str] = set()
        self._chosen: dict[str, int] = {}  # of several answers, which one is shown

    def fold(self, key: str) -> None:
        """Folds what is unfolded, and the other way round."""
        self._unfolded ^= {key}

    def choose(self, key: str, number: int) -> None:
        """Shows that one of several answers."""
        self._chosen[key] = number

    def chosen(self, key: str) -> int:
        """Which of several answers is shown; -1 for the newest."""
        return self._chosen.get(key, -1)

    def find(self, item: Item, width: int, is_running: bool) -> RowLayout | None:
        """The row as it would be laid out now, if it is here."""
        kept = self._kept.get(item.key)
        return kept[1] if kept is not None and kept[0] == self._state(item, width, is_running) else None

    def make(
        self, item: Item, width: int, is_running: bool, deadline: float | None = None, looked_at: float = 0
    ) -> RowLayout:
        """Lays the row out; of a long text after the deadline only what is kept already. looked_at: see `Page`."""
        self._documents.begin(deadline)
        layout = lay_out(
            item, width, self._documents, item.key in self._unfolded, is_running, looked_at, self.chosen(item.key)
        )
        self._kept[item.key] = (self._state(item, width, is_running), layout)
        self._kept.move_to_end(item.key)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return layout

    def stale(self, key: str) -> RowLayout | None:
        """The row as it was laid out last, right or not."""
        kept = self._kept.get(key)
        return kept[1] if kept is not None else None

    def _state(self, item: Item, width: int, is_running: bool) -> tuple[object, ...]:
        return item, width, is_running, theme.version, item.key in self._unfolded, self.chosen(item.key)
