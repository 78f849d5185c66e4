"""How wide the columns of a table are that is laid out in pieces: the same in each of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtGui import QFontMetricsF

from desktop_app.ui.theme import theme
from desktop_app.ui.widgets.look import BOLD, font, scaled

from .documents import code_font
from .markdown_documents import BESIDE_CELL

STEP = 16  # pixels: while a table grows, its columns change seldom
_MARKS = re.compile(r"[*~`\\]|\]\([^)]*\)|\[")


def table_columns(head: str, pieces: Sequence[str], width: float) -> tuple[float, ...]:
    """Return the room for the text in each column, in pixels, of a table of that width at most.

    head: its first two lines; pieces: its rows, some lines each.
    """
    wanted = [_widths(head.split("\n")[0], theme.version), *(_widths(piece, theme.version) for piece in pieces)]
    count = len(wanted[0])
    natural = [max(row[column] if column < len(row) else 0 for row in wanted) for column in range(count)]
    return _shared(natural, width - count * (scaled(BESIDE_CELL) + 1) - 1)


def _shared(natural: Sequence[float], room: float) -> tuple[float, ...]:
    """What each needs, where there is room for it; the narrow ones get theirs, and the others share the rest."""
    given = [0.0] * len(natural)
    left = max(room, len(natural))
    for place, column in enumerate(sorted(range(len(natural)), key=lambda n: natural[n])):
        given[column] = min(natural[column], left / (len(natural) - place))
        left -= given[column]
    return tuple(given)


@lru_cache(maxsize=2_048)
def _widths(rows: str, version: int) -> tuple[float, ...]:
    """How wide the widest cell of each column is. version: of the theme, and so of its fonts."""
    longest: list[str] = []
    for line in rows.split("\n"):
        cells = [_MARKS.sub("", cell).strip() for cell in line.strip().strip("|").split("|")]
        longest += [""] * (len(cells) - len(longest))
        longest[: len(cells)] = [max(pair, key=len) for pair in zip(longest, cells, strict=False)]
    looks = [QFontMetricsF(font(14, BOLD)), QFontMetricsF(code_font(13))]
    widest = [max(look.horizontalAdvance(cell) for look in looks) for cell in longest]
    return tuple(-(-width // STEP) * STEP for width in widest)
