"""A label of runs that differ in weight and colour; it wraps, or ends in an ellipsis and has a tooltip.

Positions are Qt's, in units of UTF-16. Fonts of Chinese characters are found once: under a desktop in another language
Qt asks all fonts for each character, 6 µs instead of 0.2 with 450 fonts installed.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import Formatter
from typing import AnyStr

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from desktop_app.conversation.gauge import Segment

from .buttons import LinkButton
from .layouts import vertical
from .look import NORMAL, StyleAware, Tint, colour, font


class Fold(QWidget):
    """The link above what it unfolds."""

    def __init__(self, body: QWidget, title: str = "") -> None:
        super().__init__()
        self.link, self.body, self._title = LinkButton(""), body, title
        self.link.clicked.connect(lambda: self.unfold(self.body.isHidden()))
        vertical(self.link, body, holder=self, spacing=4)
        self.unfold(False)

    def set_title(self, title: str) -> None:
        """Say what lies below."""
        self._title = title
        self.unfold(not self.body.isHidden())

    def unfold(self, is_unfolded: bool) -> None:
        """Show it, or the link alone."""
        self.body.setVisible(is_unfolded)
        closed = "◂" if self.isRightToLeft() else "▸"
        self.link.setText(f"{'▾' if is_unfolded else closed} {self._title}")
        self.link.setAccessibleName(self._title)
        self.body.updateGeometry()


def without(text: AnyStr, start: int, end: int, joints: Sequence[int], width: int = 1) -> AnyStr:
    """Return a part of a text without what stands at the joints, so many units each."""
    parts, at = list[AnyStr](), start
    for joint in joints[bisect_left(joints, start) : bisect_left(joints, end)]:
        parts.append(text[at:joint])
        at = joint + width
    return text[:0].join([*parts, text[at:end]])  # type: ignore[arg-type]


def units(text: str, index: int) -> int:
    """Return an index in Qt's units of UTF-16: a character beyond the basic plane is two."""
    return index if text.isascii() else len(text[:index].encode("utf-16-le", "surrogatepass")) // 2


def utf16_slice(text: str, start: int, end: int) -> str:
    """Slice a text by Qt's positions, which count UTF-16 units."""
    if text.isascii() or (start <= 0 and end >= 2 * len(text)):
        return text[start:end]
    return text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


_WIDE = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_USUAL = "人大小上下中国水火山川"  # in fonts for whatever language; those of other scripts have some of them


def has_wide_letters(text: str) -> bool:
    """Return whether there are Chinese characters in a text, in whatever language."""
    return not text.isascii() and _WIDE.search(text) is not None


def look_for(text: str, look: QFont) -> QFont:
    """Return the look with which a text is shown: if there are such characters in it, their font is asked second."""
    if not has_wide_letters(text):
        return look
    made = QFont(look)
    made.setFamilies(wide_families(look.family()))
    return made


@lru_cache
def wide_families(family: str) -> list[str]:
    """Return the family, and the one that Qt takes most of such characters from."""
    layout = QTextLayout(_USUAL, QFont(family))
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    used = Counter[str]()
    for run in layout.glyphRuns():
        used[run.rawFont().familyName()] += sum(map(bool, run.glyphIndexes()))
    return [family, *(found for found, count in used.most_common(1) if count)]


ELLIPSIS = "…"
MAX_TEXT = 3_000  # characters, a screen: what is longer has a place of its own, where it is read in full
DENSER = 3  # for how many characters one counts that is not of the Latin alphabet: it takes as long to lay out, or more
LINE_WEIGHT = 30  # for how many a new line counts
FIRST_DENSE = "\u0250"
LINE_HEIGHT = 1.42  # of the font's size, as in the mockups; taller fonts keep their own height


@dataclass(frozen=True)
class Run:
    """A piece of text in one look; None for the tint and weight of the label."""

    text: str
    tint: Tint | Segment | None = None
    weight: int | None = None


def fill_runs(text: str, **values: Run | str) -> tuple[Run, ...]:
    """Return a translated text with its values, such as "{freed} tokens freed", each of them in its own look."""
    runs: list[Run] = []
    for words, name, _, _ in Formatter().parse(text):
        runs += [Run(words)] if words else []
        if name:
            value = values[name]
            runs.append(value if isinstance(value, Run) else Run(value))
    return tuple(runs)


def _shorten_runs(runs: tuple[Run, ...], most: int) -> tuple[Run, ...]:
    """Return as much of the runs as a label lays out. most: characters."""
    if sum(_weight(run.text) for run in runs) <= most // DENSER:
        return runs
    shown: list[Run] = []
    room = most
    for run in runs:
        text, room = _that_fits(run.text, room)
        shown.append(Run(text, run.tint, run.weight))
    is_whole = all(run.text == cut.text for run, cut in zip(runs, shown, strict=True))
    return runs if is_whole else (*shown, Run(ELLIPSIS))


def _that_fits(text: str, room: int) -> tuple[str, int]:
    """Return the beginning of a text for which there is room, and the room that is left."""
    begun = text[:room]
    if begun.isascii() and _weight(begun) <= room:
        return begun, room - _weight(begun)
    for at, sign in enumerate(begun):
        needed = LINE_WEIGHT if sign == "\n" else 1 if sign < FIRST_DENSE else DENSER
        if needed > room:
            return text[:at], 0
        room -= needed
    return begun, room


def _weight(text: str) -> int:
    """Return for how many characters a text of the Latin alphabet counts."""
    return len(text) + (LINE_WEIGHT - 1) * text.count("\n")


class TextLabel(StyleAware, QLabel):
    """A label of one font size that is never wider than its layout allows."""

    def __init__(
        self,
        text: str = "",
        *,
        tint: Tint = "ink",
        size: float = 14,
        weight: int = NORMAL,
        wraps: bool = False,
        is_mono: bool = False,
        most: int = MAX_TEXT,
        parent: QWidget | None = None,
    ) -> None:
        """most: characters that are shown, at most."""
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._tint: Tint = tint
        self._size, self._weight, self._wraps, self._is_mono, self._most = size, weight, wraps, is_mono, most
        self._given: tuple[Run, ...] = ()
        self._runs: tuple[Run, ...] = ()  # what is laid out of them
        self._hint = ""
        self._measured: dict[tuple[int, int], int] = {}
        vertical = QSizePolicy.Policy.Minimum if wraps else QSizePolicy.Policy.Fixed
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, vertical)
        policy.setHeightForWidth(wraps)
        self.setSizePolicy(policy)
        self.set_text(text)

    @classmethod
    def of_runs(cls, runs: Sequence[Run], *, tint: Tint = "ink", size: float = 14, wraps: bool = False) -> TextLabel:
        made = cls(tint=tint, size=size, wraps=wraps)
        made.set_runs(runs)
        return made

    def set_text(self, text: str) -> None:
        self.set_runs((Run(text),))

    def set_runs(self, runs: Sequence[Run]) -> None:
        if self._given == tuple(runs):
            return
        self._given = tuple(runs)
        self._runs = _shorten_runs(self._given, self._most)
        self._measured.clear()
        self.setText("".join(run.text for run in self._runs))
        self.updateGeometry()
        self._explain_ellipsis()
        self.update()

    def set_tint(self, tint: Tint) -> None:
        self._tint = tint
        self.update()

    def set_hint(self, hint: str) -> None:
        """Set a tooltip that shows also when nothing is cut off."""
        self._hint = hint
        self._explain_ellipsis()

    def is_elided(self) -> bool:
        """Return whether the end of the text is cut off at this width."""
        return not self._wraps and self._natural_width() > self.width() + 1

    def sizeHint(self) -> QSize:
        return QSize(self._natural_width(), math.ceil(self._line_height()))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self._natural_width(), 28), math.ceil(self._line_height()))

    def hasHeightForWidth(self) -> bool:
        return self._wraps

    def heightForWidth(self, width: int) -> int:
        if not self._wraps:
            return math.ceil(self._line_height())
        key = (self._font().pixelSize(), width)
        if key not in self._measured:  # layouts ask a dozen times
            lines = self._layout_of(self._runs, width).lineCount()
            self._measured[key] = math.ceil(self._line_height() * max(lines, 1))
        return self._measured[key]

    def paintEvent(self, event: QPaintEvent) -> None:
        runs = self._cut_runs() if self.is_elided() else self._runs
        layout = self._layout_of(runs, self.width() if self._wraps else 1e6)
        painter = QPainter(self)
        top = (self.height() - self._line_height() * layout.lineCount()) / 2
        if not self._wraps:
            line = layout.lineAt(0)
            is_right = bool(self.alignment() & Qt.AlignmentFlag.AlignRight) != self.isRightToLeft()
            line.setPosition(QPointF(self.width() - line.naturalTextWidth() if is_right else 0.0, line.y()))
        layout.draw(painter, QPointF(0, top))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._explain_ellipsis()

    def refresh_style(self) -> None:
        self._measured.clear()
        self.updateGeometry()
        self.update()

    def _font(self) -> QFont:
        return font(self._size, self._weight, is_mono=self._is_mono)

    def _line_height(self) -> float:
        shown = self._font()
        return max(shown.pixelSize() * LINE_HEIGHT, QFontMetricsF(shown).height())

    def _natural_width(self) -> int:
        key = (self._font().pixelSize(), -1)
        if key not in self._measured:
            layout = self._layout_of(self._runs, 1e6)  # held: a width is read from it
            self._measured[key] = math.ceil(layout.maximumWidth()) if self.text() else 0
        return self._measured[key]

    def _explain_ellipsis(self) -> None:
        hint = self._hint
        if self.is_elided():
            hint = f"{self.text()}\n{hint}" if hint else self.text()
        self.setToolTip(hint)

    def _cut_runs(self) -> list[Run]:
        """Return the runs as far as they fit before an ellipsis."""
        room = self.width() - math.ceil(QFontMetricsF(self._font()).horizontalAdvance(ELLIPSIS)) - 1
        layout = self._layout_of(self._runs, 1e6)  # held: a line is a view into it
        line = layout.lineAt(0)
        is_from_right = line.xToCursor(0.0) > 0  # the leftmost place is not before the first letter
        end = line.xToCursor(max(line.naturalTextWidth() - room if is_from_right else room, 0.0))
        cut: list[Run] = []
        for run in self._runs:
            cut.append(Run(run.text[:end].rstrip() if len(run.text) >= end else run.text, run.tint, run.weight))
            end -= len(run.text)
            if end <= 0:
                break
        return [*cut, Run(ELLIPSIS)]

    def _layout_of(self, runs: Sequence[Run], width: float) -> QTextLayout:
        text = "".join(run.text for run in runs)
        look = look_for(text, self._font())
        # A line separator breaks lines inside one layout; a newline would not.
        layout = QTextLayout(text.replace("\n", "\u2028"), look)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        if self._wraps and self.isRightToLeft():
            option.setAlignment(Qt.AlignmentFlag.AlignRight)
        layout.setTextOption(option)
        layout.setFormats(self._formats(runs))
        layout.beginLayout()
        height, top = self._line_height(), 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(width, 1))
            line.setPosition(QPointF(0, top + (height - line.height()) / 2))
            top += height
        layout.endLayout()
        return layout

    def _formats(self, runs: Sequence[Run]) -> list[QTextLayout.FormatRange]:
        formats: list[QTextLayout.FormatRange] = []
        start = 0
        for run in runs:
            made = QTextLayout.FormatRange()
            shown = QTextCharFormat()
            shown.setForeground(colour(run.tint or self._tint))
            if run.weight is not None:
                shown.setFontWeight(run.weight)
            made.start, made.length, made.format = start, len(run.text), shown  # type: ignore[misc]
            formats.append(made)
            start += len(run.text)
        return formats
