"""What rows are made of: lines, tags, links, prose and code boxes, stacked from top to bottom in a column."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import msgspec
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF

from desktop_app.conversation.gauge import Segment
from desktop_app.ui.widgets.look import BOLD, MEDIUM, Tint, colour, font, scaled

from .display_list import Action, Dashes, Fill, Flow, Hot, RowLayout, Words
from .document_shelf import DocumentShelf

WHO_HEIGHT = 20
ACTION_GAP = 14


class Ground(Enum):
    """What a tag stands on."""

    FRAME = "frame"
    ACCENT = "accent"
    NOTHING = "nothing"


class Tag(msgspec.Struct, frozen=True):
    """A small word beside a name."""

    text: str
    tint: Tint | Segment
    ground: Ground = Ground.FRAME

    @property
    def width(self) -> float:
        """How much room it takes."""
        return advance(font(11, MEDIUM), self.text) + (0 if self.ground is Ground.NOTHING else scaled(14))


class Link(msgspec.Struct, frozen=True):
    """A word that does something."""

    action: Action
    argument: str
    text: str = ""

    @property
    def label(self) -> str:
        """What is read."""
        return self.text or self.action.value


class Page:
    """A row that is being laid out, `width` pixels wide. `y` is where the next thing goes.

    looked_at: the middle of what is seen of the row, in pixels from its top: long text is laid out from there.
    """

    def __init__(self, width: float, shelf: DocumentShelf, looked_at: float = 0) -> None:
        self.width = width
        self.looked_at = looked_at
        self.shelf = shelf
        self.layout = RowLayout()
        self.y = 0.0

    def done(self) -> RowLayout:
        """The finished row."""
        self.layout.height = self.y
        return self.layout

    def skip(self, pixels: float) -> None:
        """Leaves room."""
        self.y += scaled(pixels)

    def words(self, x: float, text: str, look: QFont, tint: Tint | QColor, height: float, most: float = 1e6) -> float:
        """Puts text on the line at `y`, and returns where it ends."""
        width = min(advance(look, text) + 1, most)
        ink = tint if isinstance(tint, QColor) else colour(tint)
        self.layout.drawn.append(Words(QRectF(x, self.y, width, height), text, look, ink))
        return x + width

    def tag(self, x: float, tag: Tag, height: float) -> float:
        """Puts a tag on the line at `y`, and returns where it ends."""
        box = QRectF(x, self.y + (height - scaled(18)) / 2, tag.width + 1, scaled(18))
        fill = colour("accent_soft") if tag.ground is Ground.ACCENT else None
        border = colour(tag.tint) if tag.ground is Ground.FRAME else None
        inner = box
        if tag.ground is not Ground.NOTHING:
            self.layout.drawn.append(Fill(box, fill, border, 4))
            inner = box.adjusted(scaled(7), 0, 0, 0)
        self.layout.drawn.append(Words(inner, tag.text, font(11, MEDIUM), colour(tag.tint)))
        return box.right()

    def link(self, x: float, link: Link, look: QFont, height: float, is_on_hover: bool = False) -> float:
        """Puts a link on the line at `y`, and returns where it ends. The target is a little larger than the word."""
        box = QRectF(x, self.y, advance(look, link.label) + 1, height)
        words = Words(box, link.label, look, colour("ink_faint" if link.action is Action.FOLD else "accent"))
        grown = box.adjusted(-4, -2, 4, 2)
        self.layout.hots.append(Hot(grown, link.action, link.argument, words, is_on_hover))
        return box.right()

    def buttons(self, inset: float, links: Sequence[Link]) -> None:
        """Boxes that are clicked, side by side, on as many lines as they need; the first stands out."""
        look, height, gap = font(13, MEDIUM), scaled(32), scaled(8)
        x = inset
        for number, link in enumerate(links):
            width = advance(look, link.label) + scaled(24)
            if x > inset and x + width > self.width - inset:
                x = inset
                self.y += height + gap
            box = QRectF(x, self.y, width, height)
            is_first = number == 0
            fill, border = (colour("accent"), None) if is_first else (colour("raised"), colour("line"))
            self.layout.drawn.append(Fill(box, fill, border, scaled(8)))
            inner = box.adjusted(scaled(12), 0, -scaled(12) + 2, 0)
            words = Words(inner, link.label, look, colour("accent_ink" if is_first else "ink"))
            self.layout.hots.append(Hot(box, link.action, link.argument, words))
            x += width + gap
        self.y += height

    def head_line(
        self, name: str, tags: Sequence[Tag], meta: str, actions: Sequence[Link], inset: float = 0, height: float = 0
    ) -> None:
        """Who speaks, tags, on the right the numbers, and left of those what can be done, while hovered."""
        height = height or scaled(WHO_HEIGHT)
        x = self.words(inset, name, font(12, BOLD), "ink_soft", height)
        for tag in tags:
            x = self.tag(x + scaled(8), tag, height)
        self.right_end(meta, actions, inset, height)

    def right_end(self, meta: str, actions: Sequence[Link], inset: float, height: float) -> float:
        """The numbers at the right end of the line, and the actions before them; returns where they start."""
        small = font(12)
        width = advance(small, meta) + 1
        right = self.width - inset
        box = QRectF(right - width, self.y, width, height)
        self.layout.drawn.append(Words(box, meta, small, colour("ink_faint"), is_right_aligned=True))
        x = box.left()
        for link in reversed(actions):
            x -= advance(small, link.label) + scaled(ACTION_GAP)
            self.link(x, link, small, height, is_on_hover=True)
        return box.left() - scaled(ACTION_GAP)

    def flow(self, flow: Flow) -> None:
        """A document at `y`."""
        self.layout.drawn.append(flow)
        self.y = flow.top_left.y() + flow.document.size().height()

    def plain(self, text: str, inset: float = 0, is_soft: bool = False) -> None:
        """A short text as it was typed."""
        make = self.shelf.soft if is_soft else self.shelf.plain
        self.flow(Flow(QPointF(inset, self.y), make(text, self.width - 2 * inset)))

    def rule(self, text_left: float, text_right: float, height: float) -> None:
        """Dashes on both sides of what stands in the middle of the line at `y`."""
        ink = colour(Segment.SUMMARY)
        middle = self.y + round(height / 2)
        gap = scaled(12)
        self.layout.drawn.append(Dashes(QPointF(0, middle), max(text_left - gap, 0), ink))
        self.layout.drawn.append(Dashes(QPointF(text_right + gap, middle), max(self.width - text_right - gap, 0), ink))


def advance(look: QFont, text: str) -> float:
    """How wide the text is."""
    return QFontMetricsF(look).horizontalAdvance(text)
