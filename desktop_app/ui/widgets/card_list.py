"""A list of cards that keeps the keyboard focus while its cards come, change and go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Generic, TypeVar

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from .boxes import Card, ScrollColumn
from .buttons import LinkButton
from .layouts import discard, set_margins
from .text_label import TextLabel

T = TypeVar("T")
C = TypeVar("C", bound=Card)


class CardList(ScrollColumn, Generic[T, C]):
    """A card for each item. Of many items the first ones are shown, until the user asks for more.

    A card takes two milliseconds: while nobody sees the list, and nobody asks for its cards, none is made.
    """

    def __init__(self, make: Callable[[T, C | None], C], empty: str, more: str = "", page: int = 1_000) -> None:
        """make: returns the card of an item; its second argument is the card in whose place that comes. empty: is
        shown when there are no items. more: the text of the link to the next `page` of them."""
        super().__init__()
        self._cards: dict[str, C] = {}
        self._is_behind = False  # of its items
        self.empty = TextLabel(empty, size=13, tint="ink_soft", wraps=True)
        self.more = LinkButton(more)
        self._make, self._page, self._limit = make, page, page
        self._items: dict[str, T] = {}
        self._made_of: dict[str, T] = {}
        set_margins(self.column, 0, 0, 12, 0)
        self.add(self.empty)
        self.add(self.more)
        self.more.clicked.connect(self._show_more)
        self.set_items({})

    @property
    def cards(self) -> Mapping[str, C]:
        """The cards by the keys of their items."""
        self._catch_up()
        return self._cards

    def set_items(self, items: Mapping[str, T]) -> None:
        """Show these items by their keys, from top to bottom; the cards of those that are the same stay."""
        if not self._items.keys() & items.keys():
            self._limit = self._page
        self._items = dict(items)
        self._is_behind = True
        if self.isVisible():
            self._catch_up()

    def showEvent(self, event: QShowEvent) -> None:
        self._catch_up()
        super().showEvent(event)

    def _catch_up(self) -> None:
        if self._is_behind:
            self._is_behind = False
            with keep_focus_in(self):
                self._put_cards()

    def _put_cards(self) -> None:
        before, self._cards = self._cards, {}
        for index, (key, item) in enumerate(islice(self._items.items(), self._limit)):
            old = before.pop(key, None)
            card = old if old is not None and self._made_of[key] == item else self._make(item, old)
            if card is not old:
                self._made_of[key] = item
                if old is not None:
                    discard(old)
            self._cards[key] = card
            self.column.insertWidget(index, card)
        for gone in before.values():
            discard(gone)
        self.empty.setVisible(not self._items)
        self.more.setVisible(len(self._items) > len(self._cards))

    def _show_more(self) -> None:
        self._limit += self._page
        self.set_items(self._items)


@contextmanager
def keep_focus_in(holder: QWidget) -> Iterator[None]:
    """Keep the focus in the holder if it is there: it goes to the widget that takes the focused one's position.

    Without this Qt passes the focus of a deleted widget to the next one of the window, wherever that is.
    """
    focused = holder.window().focusWidget()
    if focused is None or not holder.isAncestorOf(focused):
        yield
        return
    position = focused.mapTo(holder, focused.rect().center())
    yield
    if not _takes_focus(focused, holder):
        holder.setFocus(Qt.FocusReason.OtherFocusReason)
        QTimer.singleShot(0, holder, lambda: _focus_nearest(holder, position))  # once the new widgets are shown


def _focus_nearest(holder: QWidget, position: QPoint) -> None:
    for widget in (holder, *holder.findChildren(QWidget)):
        if (layout := widget.layout()) is not None:
            layout.activate()
    reachable = [widget for widget in holder.findChildren(QWidget) if _takes_focus(widget, holder)]
    if reachable and holder.window().focusWidget() is holder:  # the focus has not gone elsewhere meanwhile
        nearest = min(reachable, key=lambda w: (w.mapTo(holder, w.rect().center()) - position).manhattanLength())
        nearest.setFocus(Qt.FocusReason.OtherFocusReason)


def _takes_focus(widget: QWidget, holder: QWidget) -> bool:
    is_reached = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isEnabled()
    return is_reached and holder.isAncestorOf(widget) and widget.isVisibleTo(holder)
