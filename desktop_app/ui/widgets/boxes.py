"""Containers: cards, panels, scrolling columns, and a list of cards that keeps the focus when it is updated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Generic, TypeVar

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from desktop_app.conversation.gauge import Segment

from .accessibility import Role, WithRole
from .buttons import LinkButton
from .layouts import STRETCH, discard, horizontal, set_margins, vertical, walk_as_read
from .look import Corner, Tint, colour, paint_box, scale
from .text_label import TextLabel

BAR_GAP = 6  # pixels between a column and its scroll bar


class Card(WithRole, QWidget):
    """A raised box around a column."""

    accessible_role = Role.Grouping

    def __init__(self, parent: QWidget | None = None, *, corner: Corner = Corner.CARD, tint: Tint = "raised") -> None:
        super().__init__(parent)
        self._corner = corner
        self._tint: Tint = tint
        self.column = vertical(holder=self, spacing=6, margins=(14, 12, 14, 12))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_box(QPainter(self), QRectF(self.rect()), colour(self._tint), colour("line"), self._corner)


class Panel(QWidget):
    """A plain area in one colour."""

    def __init__(self, tint: Tint, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tint: Tint = tint

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), colour(self._tint))


class Swatch(QWidget):
    """A small square or dot in one colour."""

    def __init__(self, tint: Tint | Segment, *, is_round: bool = False) -> None:
        super().__init__()
        self._tint: Tint | Segment = tint
        self._is_round = is_round
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_tint(self, tint: Tint) -> None:
        self._tint = tint
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scale(9), scale(9))

    def paintEvent(self, event: QPaintEvent) -> None:
        radius = self.height() / 2 if self._is_round else Corner.MARK
        paint_box(QPainter(self), QRectF(self.rect()), colour(self._tint), None, radius)


def page_of(column: QWidget) -> ScrollColumn:
    """Return a page that centres a column, and scrolls it where the window is too low."""
    middle, area = QWidget(), ScrollColumn()
    horizontal(column, holder=middle, margins=(24, 0, 24, 0))
    area.add(middle)
    area.column.setStretch(0, 1)
    area.column.setStretch(1, 0)
    return area


class ScrollColumn(QScrollArea):
    """A transparent column that scrolls vertically and adapts to the width available."""

    def __init__(self, parent: QWidget | None = None, *, spacing: int = 12) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        self.content = QWidget()
        self.content.setSizePolicy(QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum))
        # A stretch, and not an alignment: with that, a layout ignores height-for-width.
        self.column = vertical(STRETCH, holder=self.content, spacing=spacing)
        self.setWidget(self.content)
        self.content.setAutoFillBackground(False)  # setWidget turns it on

    def add(self, widget: QWidget) -> None:
        """Append a widget."""
        self.column.insertWidget(self.column.count() - 1, widget)

    def sizeHint(self) -> QSize:
        layout = self.column
        width = self.viewport().width() if self.isVisible() else self.width()  # a hidden viewport is not laid out
        wraps = layout.hasHeightForWidth()
        height = layout.totalHeightForWidth(width) if wraps else layout.totalSizeHint().height()
        return QSize(self.viewport().width(), height + 1)

    def minimumSizeHint(self) -> QSize:
        """Return no more than the content needs: Qt's minimum for a scroll area is higher than a line."""
        hint = super().minimumSizeHint()
        return QSize(hint.width(), min(hint.height(), self.sizeHint().height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()  # layouts cache the height for the old width

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        handled = super().eventFilter(watched, event)
        if event.type() == QEvent.Type.LayoutRequest and watched is self.content:
            self.updateGeometry()
        return handled


class SteadyColumn(ScrollColumn):
    """A scroll column whose content has the same width with and without a scroll bar."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        bar, taken = self.verticalScrollBar().sizeHint().width(), self.width() - self.viewport().width()
        set_margins(self.column, 0, 0, BAR_GAP + max(bar - taken, 0), 0)
        super().resizeEvent(event)

    def needed_width(self) -> int:
        """Return the width that fits the content and a scroll bar, in pixels."""
        content = self.column.minimumSize().width() - self.column.contentsMargins().right()
        return content + BAR_GAP + self.verticalScrollBar().sizeHint().width()


T = TypeVar("T")
C = TypeVar("C", bound=Card)


class CardList(ScrollColumn, Generic[T, C]):
    """A list with a card for each item, of which it shows the first `page`, and more on request.

    Building a card takes two milliseconds, so cards are built only once the list is visible or `cards` is read.
    """

    def __init__(self, make: Callable[[T, C | None], C], empty: str, more: str = "", page: int = 1_000) -> None:
        """make: returns the card of an item; its second argument is the card that it replaces, if any. empty: the text
        shown when there are no items. more: the text of the link that shows the next `page` items."""
        super().__init__()
        self._cards: dict[str, C] = {}
        self._is_outdated = False  # whether the cards still show the items before
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
        """The cards by the keys of their items, built if necessary."""
        self._catch_up()
        return self._cards

    def set_items(self, items: Mapping[str, T]) -> None:
        """Show these items, from top to bottom. Unchanged items keep their cards."""
        if not self._items.keys() & items.keys():
            self._limit = self._page
        self._items = dict(items)
        self._is_outdated = True
        if self.isVisible():
            self._catch_up()

    def showEvent(self, event: QShowEvent) -> None:
        self._catch_up()
        super().showEvent(event)

    def _catch_up(self) -> None:
        if self._is_outdated:
            self._is_outdated = False
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
        for unused in before.values():
            discard(unused)
        self.empty.setVisible(not self._items)
        self.more.setVisible(len(self._items) > len(self._cards))
        walk_as_read(self)

    def _show_more(self) -> None:
        self._limit += self._page
        self.set_items(self._items)


@contextmanager
def keep_focus_in(holder: QWidget) -> Iterator[None]:
    """Keep the focus within the holder while its children are replaced.

    If the focused widget disappears, the widget nearest to its position gets the focus. Without this, Qt would pass the
    focus to the next widget of the window, wherever that is.
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
    if reachable and holder.window().focusWidget() is holder:  # the focus has not moved elsewhere in the meantime
        nearest = min(reachable, key=lambda w: (w.mapTo(holder, w.rect().center()) - position).manhattanLength())
        nearest.setFocus(Qt.FocusReason.OtherFocusReason)


def _takes_focus(widget: QWidget, holder: QWidget) -> bool:
    is_reachable = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isEnabled()
    return is_reachable and holder.isAncestorOf(widget) and widget.isVisibleTo(holder)
