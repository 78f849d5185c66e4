"""Which messages of a conversation are loaded: its end, and pages around the reader's position. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from desktop_app.conversation.events import MessageRow

PAGE = 60  # messages, as the engine gives them
MAX_OLDER = 600  # messages that are kept beside the newest page


class GapItem(msgspec.Struct, frozen=True):
    """Messages that are not loaded: from index `first` to `last`, both included."""

    first: int
    last: int

    @property
    def key(self) -> str:
        return f"gap {self.first} {self.last}"

    @property
    def count(self) -> int:
        return self.last - self.first + 1


def merge_pages(rows: Iterable[MessageRow], page: Iterable[MessageRow]) -> list[MessageRow]:
    """Return both in their order; a message that is in both stays as it is known."""
    by_index = {row.index: row for row in page} | {row.index: row for row in rows}
    return [by_index[index] for index in sorted(by_index)]


def trim_rows(rows: Sequence[MessageRow], around: int) -> list[MessageRow]:
    """Return the messages nearest to that index and the newest page, a bounded number."""
    if len(rows) <= MAX_OLDER + PAGE:
        return list(rows)
    newest = rows[-1].index - PAGE
    return [row for row in rows if row.index > newest or abs(row.index - around) <= MAX_OLDER // 2]


def runs_of(rows: Sequence[MessageRow]) -> list[list[MessageRow]]:
    """Return the runs of consecutive messages."""
    runs: list[list[MessageRow]] = []
    for row in rows:
        if runs and row.index == runs[-1][-1].index + 1:
            runs[-1].append(row)
        else:
            runs.append([row])
    return runs


def page_to_read(gap: GapItem, top: float, height: float, seen: tuple[float, float], near: float) -> int | None:
    """Return the index before which a page is to be read; None while the gap is far from what is visible.

    top, height: of the gap in pixels. seen: the visible range. The end of the gap that adjoins loaded messages comes
    first.
    """
    bottom = top + height
    if bottom < seen[0] - near or top > seen[1] + near:
        return None
    if bottom <= seen[1] + near:
        return gap.last + 1
    if top >= seen[0] - near:
        return min(gap.first + PAGE, gap.last + 1)
    middle = gap.first + ((seen[0] + seen[1]) / 2 - top) / max(height, 1) * gap.count
    return min(max(int(middle) + PAGE // 2, gap.first + PAGE), gap.last + 1)
