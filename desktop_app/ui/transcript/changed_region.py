"""The part of the transcript that has to be painted again after a row has grown: as a rule a few lines of a page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import msgspec
from PySide6.QtCore import QRectF
from PySide6.QtGui import QTextBlock, QTextListFormat

from .documents import InkDocument
from .row_painter import DashedRule, DisplayItem, Fill, Flow, HitRegion, RowLayout


class PaintedRow(msgspec.Struct, frozen=True):
    """A visible row: its key, its top below the top of all rows, in pixels, and its layout."""

    key: str
    top: int
    layout: RowLayout


class PaintedPage(msgspec.Struct, frozen=True):
    """What is visible: the offset of the viewport, its size and the left edge of the column, and the rows."""

    offset: int
    frame: tuple[int, int, int]
    rows: tuple[PaintedRow, ...]

    @property
    def head(self) -> float:
        """The height of the head of code that is painted over the top of the page, in pixels; 0 for none."""
        first = self.rows[0] if self.rows else None
        found = first.layout.shifted_head(self.offset - first.top) if first is not None else None
        return found[0].box.height() if found is not None else 0.0


def first_change(before: PaintedPage, after: PaintedPage) -> float | None:
    """Return the y below which the rows look different, in pixels below the top of all rows.

    None if everything has to be painted again. What is not visible in `before` is not compared.
    """
    if before.frame != after.frame:
        return None
    known, change = {row.key: row for row in before.rows}, _end(after)
    for row in after.rows:
        old = known.pop(row.key, None)
        if old is None or old.top != row.top:
            change = min(change, row.top)
        elif old.layout is not row.layout:
            change = min(change, row.top + change_within(old.layout, row.layout))
    below = (old.top for old in known.values() if old.top + old.layout.height > after.offset)
    return min(change, *below, change)


def _end(page: PaintedPage) -> float:
    return page.offset + page.frame[1]


def change_within(before: RowLayout, after: RowLayout) -> float:
    """Return the y in the row below which two of its layouts look different."""
    if (before.opacity, before.is_complete) != (after.opacity, after.is_complete):
        return 0.0
    change = min(before.height, after.height, _change_in(before.drawn, after.drawn))
    regions = zip_longest(before.hit_regions, after.hit_regions)
    return min([change, *(_top(region) for pair in regions if pair[0] != pair[1] for region in pair if region)])


def _change_in(before: Sequence[DisplayItem], after: Sequence[DisplayItem]) -> float:
    change = float("inf")
    for old, new in zip_longest(before, after):
        if old == new:
            continue
        if isinstance(old, Fill) and isinstance(new, Fill) and _has_grown(old, new):
            change = min(change, min(old.box.bottom(), new.box.bottom()) - max(old.radius, new.radius) - 1)
        elif isinstance(old, Flow) and isinstance(new, Flow) and _is_alike(old, new):
            change = min(change, new.top_left.y() + _change_of_text(old.document, new.document))
        else:
            change = min([change, *(_top(item) for item in (old, new) if item is not None)])
    return change


def _top(item: DisplayItem | HitRegion) -> float:
    if isinstance(item, DashedRule):
        return item.left.y() - 1
    if isinstance(item, Flow):
        return item.top_left.y()
    return item.box.top() - 1


def _has_grown(old: Fill, new: Fill) -> bool:
    """Return whether the box has only become longer or shorter."""
    taller = QRectF(old.box.left(), old.box.top(), old.box.width(), new.box.height())
    return msgspec.structs.replace(old, box=taller) == new


def _is_alike(old: Flow, new: Flow) -> bool:
    """Return whether the flows differ in their documents only."""
    return msgspec.structs.replace(old, document=new.document) == new


def _change_of_text(old: InkDocument, new: InkDocument) -> float:
    """Return the y below which two documents look different: the top of the block before the first other one, since the
    bar of a quote extends to the next block.

    A document with a table is compared as a whole, since its cells are placed together.
    """
    if old.rootFrame().childFrames() or new.rootFrame().childFrames():
        return 0.0
    before, last, block = old.begin(), new.begin(), new.begin()
    while block.isValid() and before.isValid() and _looks_alike(before, block):
        last, before, block = block, before.next(), block.next()
    return new.documentLayout().blockBoundingRect(last).top()


def _looks_alike(old: QTextBlock, new: QTextBlock) -> bool:
    return (
        old.text() == new.text()
        and old.blockFormat() == new.blockFormat()
        and old.layout().boundingRect() == new.layout().boundingRect()
        and old.textFormats() == new.textFormats()
        and _list_format(old) == _list_format(new)
    )


def _list_format(block: QTextBlock) -> QTextListFormat | None:
    listed = block.textList()
    return listed.format() if listed is not None else None
