"""A label of runs that differ in weight and colour. It wraps, or is elided and has the text as a tooltip.

Positions are Qt's, in UTF-16 units. Fonts for Chinese characters are looked up once: on a desktop in another language,
Qt tries all fonts for each character, which takes 6 µs instead of 0.2 with 450 fonts installed.
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
    """A link, and the widget below it that it unfolds."""

    def __init__(self, body: QWidget, title: str = "") -> None:
        super().__init__()
        self.link, self.body, self._title = LinkButton(""), body, title
        self.link.clicked.connect(lambda: self.unfold(self.body.isHidden()))
        vertical(self.link, body, holder=self, spacing=4)
        self.unfold(False)

    def set_title(self, title: str) -> None:
        """Set the text of the link."""
        self._title = title
        self.unfold(not self.body.isHidden())

    def unfold(self, is_unfolded: bool) -> None:
        """Show or hide the body."""
        self.body.setVisible(is_unfolded)
        closed = "◂" if self.isRightToLeft() else "▸"
        self.link.setText(f"{'▾' if is_unfolded else closed} {self._title}")
        self.link.setAccessibleName(self._title)
        self.body.updateGeometry()


def without(text: AnyStr, start: int, end: int, joints: Sequence[int], width: int = 1) -> AnyStr:
    """Return text[start:end] without the `width` units at each joint."""
    parts, at = list[AnyStr](), start
    for joint in joints[bisect_left(joints, start) : bisect_left(joints, end)]:
        parts.append(text[at:joint])
        at = joint + width
    return text[:0].join([*parts, text[at:end]])  # type: ignore[arg-type]


def units(text: str, index: int) -> int:
    """Return a string index in UTF-16 units, as Qt counts: a character beyond the basic plane counts twice."""
    return index if text.isascii() else len(text[:index].encode("utf-16-le", "surrogatepass")) // 2


def utf16_head(text: str, end: int) -> str:
    """Return the beginning of a text up to a position of Qt's, which counts UTF-16 units."""
    if text.isascii() or end >= 2 * len(text):
        return text[:end]
    return text.encode("utf-16-le", "surrogatepass")[: 2 * end].decode("utf-16-le", "surrogatepass")


_WIDE = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_USUAL = "人大小上下中国水火山川"  # all in Chinese and Japanese fonts; fonts of other scripts have only some of them


def has_wide_letters(text: str) -> bool:
    """Return whether a text contains Chinese characters, in any language."""
    return not text.isascii() and _WIDE.search(text) is not None


def look_for(text: str, look: QFont) -> QFont:
    """Return the font for a text: with Chinese characters in it, it has their font as its second family."""
    if not has_wide_letters(text):
        return look
    widened = QFont(look)
    widened.setFamilies(wide_families(look.family()))
    return widened


@lru_cache
def wide_families(family: str) -> list[str]:
    """Return the family, and the one from which Qt takes most Chinese characters."""
    layout = QTextLayout(_USUAL, QFont(family))
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    used = Counter[str]()
    for run in layout.glyphRuns():
        used[run.rawFont().familyName()] += sum(map(bool, run.glyphIndexes()))
    return [family, *(found for found, count in used.most_common(1) if count)]


ELLIPSIS = "…"
MAX_TEXT = 3_000  # characters, about a screen: longer texts can be read in full elsewhere
DENSER = 3  # Latin characters that one of another alphabet counts for: it takes at least as long to lay out
LINE_WEIGHT = 30  # Latin characters that a new line counts for
FIRST_DENSE = "\u0250"  # the first character beyond the Latin alphabet
LINE_HEIGHT = 1.42  # times the font's size, as in the mockups; taller fonts keep their own height


@dataclass(frozen=True)
class Run:
    """A piece of text in one style. tint, weight: None for the label's."""

    text: str
    tint: Tint | Segment | None = None
    weight: int | None = None


def fill_runs(text: str, **values: Run | str) -> tuple[Run, ...]:
    """Return a translated text such as "{freed} tokens freed" with its values, each in its own style."""
    runs: list[Run] = []
    for words, name, _, _ in Formatter().parse(text):
        runs += [Run(words)] if words else []
        if name:
            value = values[name]
            runs.append(value if isinstance(value, Run) else Run(value))
    return tuple(runs)


def _shorten_runs(runs: tuple[Run, ...], most: int) -> tuple[Run, ...]:
    """Return the beginning of the runs, of `most` Latin characters or as much text as takes as long to lay out."""
    if sum(_weight(run.text) for run in runs) <= most // DENSER:
        return runs
    fitting: list[Run] = []
    room = most
    for run in runs:
        text, room = _that_fits(run.text, room)
        fitting.append(Run(text, run.tint, run.weight))
    is_complete = all(run.text == cut.text for run, cut in zip(runs, fitting, strict=True))
    return runs if is_complete else (*fitting, Run(ELLIPSIS))


def _that_fits(text: str, room: int) -> tuple[str, int]:
    """Return the beginning of a text that fits into `room` Latin characters, and the remaining room."""
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
    """Return the number of characters that a Latin text counts for."""
    return len(text) + (LINE_WEIGHT - 1) * text.count("\n")


class TextLabel(StyleAware, QLabel):
    """A label in one font size that is never wider than its layout allows."""

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
        """most: the maximum number of characters shown."""
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._tint: Tint = tint
        self._size, self._weight, self._wraps, self._is_mono, self._most = size, weight, wraps, is_mono, most
        self._all_runs: tuple[Run, ...] = ()
        self._runs: tuple[Run, ...] = ()  # the beginning of them that is laid out
        self._hint = ""
        self._measured: dict[tuple[int, int], int] = {}
        vertical = QSizePolicy.Policy.Minimum if wraps else QSizePolicy.Policy.Fixed
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, vertical)
        policy.setHeightForWidth(wraps)
        self.setSizePolicy(policy)
        self.set_text(text)

    @classmethod
    def of_runs(cls, runs: Sequence[Run], *, tint: Tint = "ink", size: float = 14) -> TextLabel:
        """Return a label that wraps, with runs of text in different looks."""
        label = cls(tint=tint, size=size, wraps=True)
        label.set_runs(runs)
        return label

    def set_text(self, text: str) -> None:
        self.set_runs((Run(text),))

    def set_runs(self, runs: Sequence[Run]) -> None:
        if self._all_runs == tuple(runs):
            return
        self._all_runs = tuple(runs)
        self._runs = _shorten_runs(self._all_runs, self._most)
        self._measured.clear()
        self.setText("".join(run.text for run in self._runs))
        self.updateGeometry()
        self._explain_ellipsis()
        self.update()

    def set_tint(self, tint: Tint) -> None:
        self._tint = tint
        self.update()

    def set_hint(self, hint: str) -> None:
        """Set a tooltip that is shown even if nothing is elided."""
        self._hint = hint
        self._explain_ellipsis()

    def is_elided(self) -> bool:
        """Return whether the text is elided at the current width."""
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
        if key not in self._measured:  # layouts call this a dozen times
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
        look = self._font()
        return max(look.pixelSize() * LINE_HEIGHT, QFontMetricsF(look).height())

    def _natural_width(self) -> int:
        key = (self._font().pixelSize(), -1)
        if key not in self._measured:
            layout = self._layout_of(self._runs, 1e6)
            self._measured[key] = math.ceil(layout.maximumWidth()) if self.text() else 0
        return self._measured[key]

    def _explain_ellipsis(self) -> None:
        hint = self._hint
        if self.is_elided():
            hint = f"{self.text()}\n{hint}" if hint else self.text()
        self.setToolTip(hint)

    def _cut_runs(self) -> list[Run]:
        """Return the runs, cut where an ellipsis still fits."""
        room = self.width() - math.ceil(QFontMetricsF(self._font()).horizontalAdvance(ELLIPSIS)) - 1
        layout = self._layout_of(self._runs, 1e6)  # a variable, since a line is a view into it
        line = layout.lineAt(0)
        is_from_right = line.xToCursor(0.0) > 0  # the leftmost position is not before the first letter
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
        # A line separator breaks a line inside one layout, which a newline does not.
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
            span, look = QTextLayout.FormatRange(), QTextCharFormat()
            look.setForeground(colour(run.tint or self._tint))
            if run.weight is not None:
                look.setFontWeight(run.weight)
            span.start, span.length, span.format = start, len(run.text), look  # type: ignore[misc]
            formats.append(span)
            start += len(run.text)
        return formats
