"""The builder of a row's layout: lines, tags, links, text and code boxes, stacked in a column."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from enum import Enum

import msgspec
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication

from desktop_app.conversation.events import MessageRow
from desktop_app.conversation.gauge import Segment, scaled_tokens
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.look import BOLD, MEDIUM, SMALL_HEIGHT, Corner, Tint, colour, font, scale

from .documents import DocumentCache, Make
from .row_painter import Action, DashedRule, Fill, Flow, HitRegion, RowLayout, TextLine

WHO_HEIGHT = 20
ACTION_GAP = 14
MAX_WORDS = 1_000  # characters of one line, more than fit into any window
MAX_LABEL, MAX_ADVANCES = 40, 2_000  # characters of a label whose width is cached; cached widths


class TagFrame(Enum):
    """The background of a tag."""

    FRAME = "frame"
    ACCENT = "accent"
    NOTHING = "nothing"


class Tag(msgspec.Struct, frozen=True):
    """A label next to a name."""

    text: str
    tint: Tint | Segment
    ground: TagFrame = TagFrame.FRAME

    @property
    def width(self) -> float:
        return advance(font(11, MEDIUM), self.text) + (0 if self.ground is TagFrame.NOTHING else scale(14))


class ActionLink(msgspec.Struct, frozen=True):
    """A link that performs an action. text: its label, if it is not the action's name."""

    action: Action
    argument: str
    text: str = ""

    @property
    def label(self) -> str:
        return self.text or tr(self.action.value)


class Versions(msgspec.Struct, frozen=True):
    """The number of the shown version of a message, from 1, and links to its neighbours. count: 0 for a single one."""

    number: int = 1
    count: int = 0
    before: ActionLink = ActionLink(Action.EARLIER, "", " ‹ ")
    after: ActionLink = ActionLink(Action.LATER, "", " › ")


NO_VERSIONS = Versions()


class RowBuilder:
    """A row that is being laid out, `width` pixels wide. The next element is placed at `y`.

    is_unfolded: whether the user has unfolded the row. looked_at: the middle of its visible part, in pixels from its
    top: long text is laid out from there. unfolded: the keys of long code that the user has unfolded, and of other
    switches, such as showing a diagram's code. can_fold_code: whether long code is folded at all. shifts: pixels by
    which code and tables are scrolled to the left, by key. token_scale: see `Gauge`. look: equal
    for rows that are laid out alike, apart from their content; None if that is not known.
    """

    def __init__(
        self,
        width: float,
        cache: DocumentCache,
        is_unfolded: bool = False,
        looked_at: float = 0,
        unfolded: Container[str] = (),
        can_fold_code: bool = True,
        shifts: Mapping[str, float] | None = None,
        token_scale: float = 1.0,
        look: object = None,
    ) -> None:
        self.width = width
        self.cache = cache
        self.is_unfolded = is_unfolded
        self.looked_at = looked_at
        self.can_fold_code = can_fold_code
        self._unfolded = unfolded
        self._shifts = shifts or {}
        self._token_scale = token_scale
        self.look = look
        self.layout = RowLayout()
        self.y = 0.0

    def folds_code(self, key: str) -> bool:
        """Return whether long code with that key is folded."""
        return self.can_fold_code and key not in self._unfolded

    def is_toggled(self, key: str) -> bool:
        """Return whether the user has toggled the switch with that key."""
        return key in self._unfolded

    def shift_of(self, key: str) -> float:
        """Return the number of pixels by which the code or table with that key is scrolled to the left."""
        return self._shifts.get(key, 0.0)

    def tokens_of(self, row: MessageRow) -> int:
        """Return the message's tokens in the request."""
        return scaled_tokens(row.tokens, self._token_scale)

    def finish(self) -> RowLayout:
        self.layout.height = self.y
        return self.layout

    def skip(self, pixels: float) -> None:
        self.y += scale(pixels)

    def words(self, x: float, text: str, look: QFont, tint: Tint | QColor, height: float, most: float = 1e6) -> float:
        """Put text on the line at `y`, up to `most` pixels, and return the x where it ends."""
        text = text if len(text) <= MAX_WORDS else f"{text[:MAX_WORDS]}…"
        width = min(advance(look, text) + 1, most)
        ink = tint if isinstance(tint, QColor) else colour(tint)
        self.layout.drawn.append(TextLine(QRectF(x, self.y, width, height), text, look, ink))
        return x + width

    def tag(self, x: float, tag: Tag, height: float) -> float:
        """Put a tag on the line at `y`, and return the x where it ends."""
        box = QRectF(x, self.y + (height - scale(18)) / 2, tag.width + 1, scale(18))
        fill = colour("accent_soft") if tag.ground is TagFrame.ACCENT else None
        border = colour(tag.tint) if tag.ground is TagFrame.FRAME else None
        inner = box
        if tag.ground is not TagFrame.NOTHING:
            self.layout.drawn.append(Fill(box, fill, border, Corner.TAG))
            inner = box.adjusted(scale(7), 0, 0, 0)
        self.layout.drawn.append(TextLine(inner, tag.text, font(11, MEDIUM), colour(tag.tint)))
        return box.right()

    def link(
        self,
        x: float,
        link: ActionLink,
        look: QFont,
        height: float,
        is_on_hover: bool = False,
        tint: Tint | None = None,
        most: float = 1e6,
    ) -> float:
        """Put a link on the line at `y`, and return the x where it ends. Its region is larger than the text."""
        box = QRectF(x, self.y, min(advance(look, link.label) + 1, most), height)
        ink = colour(tint or ("ink_faint" if link.action is Action.FOLD else "accent"))
        words = TextLine(box, link.label, look, ink)
        grown = box.adjusted(-4, -2, 4, 2)
        self.layout.hit_regions.append(HitRegion(grown, link.action, link.argument, words, is_on_hover))
        return box.right()

    def fold_link(self, key: str, words: str, is_unfolded: bool, height: float) -> float:
        """Put the link that folds and unfolds the row on the line at `y`, and return the x where it ends."""
        return self.link(0, ActionLink(Action.FOLD, key, f"{fold_sign(is_unfolded)} {words}"), font(12), height)

    def buttons(self, inset: float, links: Sequence[ActionLink]) -> None:
        """Put buttons side by side, on as many lines as they need; the first one is highlighted."""
        look, height, gap = font(13, MEDIUM), scale(SMALL_HEIGHT), scale(8)
        x = inset
        for number, link in enumerate(links):
            width = advance(look, link.label) + scale(24)
            if x > inset and x + width > self.width - inset:
                x = inset
                self.y += height + gap
            box = QRectF(x, self.y, width, height)
            is_first = number == 0
            fill, border = (colour("accent"), None) if is_first else (colour("raised"), colour("line"))
            self.layout.drawn.append(Fill(box, fill, border, Corner.CONTROL))
            inner = box.adjusted(scale(12), 0, -scale(12) + 2, 0)
            words = TextLine(inner, link.label, look, colour("accent_ink" if is_first else "ink"))
            self.layout.hit_regions.append(HitRegion(box, link.action, link.argument, words))
            x += width + gap
        self.y += height

    def head_line(
        self,
        name: str,
        tags: Sequence[Tag],
        meta: str,
        actions: Sequence[ActionLink],
        versions: Versions = NO_VERSIONS,
    ) -> None:
        """Put the speaker, versions and tags on the left, and `meta` and (on hover) the actions on the right."""
        height = scale(WHO_HEIGHT)
        x = self.words(0, name, font(12, BOLD), "ink_soft", height)
        x = self.versions(x + scale(6), versions, height)
        for tag in tags:
            x = self.tag(x + scale(8), tag, height)
        self.right_end(meta, actions, 0, height, x)

    def versions(self, x: float, versions: Versions, height: float) -> float:
        """Put "‹ 2/3 ›" on the line at `y`, if there are several versions, and return the x where it ends."""
        chevron = font(15, MEDIUM)
        if not versions.count:
            return x
        for link in (versions.before, None, versions.after):
            if link is None:
                x = self.words(x, f"{versions.number}/{versions.count}", font(12), "ink_soft", height)
            elif link.argument:
                x = self.link(x, link, chevron, height)
            else:
                x = self.words(x, link.label, chevron, "line", height)
        return x

    def right_end(
        self, meta: str, actions: Sequence[ActionLink], inset: float, height: float, least: float = 0
    ) -> float:
        """Put `meta` at the right end of the line and actions before it; return the x where they start.

        least: the minimum x of the actions; if not all of them fit, the last one is kept longest.
        """
        small = font(12)
        width = advance(small, meta) + 1
        right = self.width - inset
        box = QRectF(right - width, self.y, width, height)
        self.layout.drawn.append(TextLine(box, meta, small, colour("ink_faint"), is_right_aligned=True))
        x = box.left()
        widths = [advance(small, link.label) + scale(ACTION_GAP) for link in actions]
        while sum(widths) > x - least - scale(ACTION_GAP) and len(widths) > 1:
            del widths[-2]
            actions = (*actions[:-2], actions[-1])
        for link, taken in zip(reversed(actions), reversed(widths), strict=True):
            x -= taken
            self.link(x, link, small, height, is_on_hover=True)
        return x - scale(ACTION_GAP)

    def flow(self, flow: Flow) -> None:
        self.layout.drawn.append(flow)
        self.y = flow.top_left.y() + flow.document.size().height()

    def document(self, make: Make, text: str, inset: float, is_code: bool = False) -> None:
        """Put a text at `y` that is laid out at once. make: creates its document."""
        document = self.cache.get(make, text, self.width - 2 * inset)
        self.flow(Flow(QPointF(inset, self.y), document, is_code=is_code))

    def rule(self, text_left: float, text_right: float, height: float) -> None:
        """Put dashes on both sides of the text in the middle of the line at `y`."""
        ink = colour(Segment.SUMMARY)
        middle = self.y + round(height / 2)
        gap = scale(12)
        self.layout.drawn.append(DashedRule(QPointF(0, middle), max(text_left - gap, 0), ink))
        self.layout.drawn.append(
            DashedRule(QPointF(text_right + gap, middle), max(self.width - text_right - gap, 0), ink)
        )


def fold_sign(is_unfolded: bool) -> str:
    """Return the sign before a text that can be folded."""
    return "▾" if is_unfolded else "◂" if QGuiApplication.isRightToLeft() else "▸"


_advances: dict[tuple[str, str], float] = {}  # widths of labels by font and text: they are measured often


def advance(look: QFont, text: str) -> float:
    """Return the width of a text in pixels."""
    if len(text) > MAX_LABEL:
        return QFontMetricsF(look).horizontalAdvance(text)
    key = look.key(), text
    if key not in _advances:
        if len(_advances) >= MAX_ADVANCES:
            _advances.clear()
        _advances[key] = QFontMetricsF(look).horizontalAdvance(text)
    return _advances[key]
