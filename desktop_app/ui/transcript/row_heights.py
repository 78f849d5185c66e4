"""The heights of the rows of the transcript, and where each begins."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate


class RowHeights:
    """The heights of the rows in pixels. top: the space above the first one, in pixels."""

    def __init__(self, top: int) -> None:
        self._first_top = top
        self._heights: list[int] = []
        self._tops: list[int] | None = None

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, row: int) -> int:
        return self._heights[row]

    def reset(self, heights: Iterable[int]) -> None:
        self._heights = list(heights)
        self._tops = None

    def insert(self, row: int, heights: Iterable[int]) -> None:
        self._heights[row:row] = heights
        self._tops = None

    def remove(self, first: int, count: int) -> None:
        del self._heights[first : first + count]
        self._tops = None

    def set(self, row: int, height: int) -> bool:
        """Set a height; return whether it has changed."""
        if self._heights[row] == height:
            return False
        self._heights[row] = height
        self._tops = None
        return True

    def top(self, row: int) -> int:
        """Return the top of a row; for the index after the last row, the end of all rows."""
        return self._starts()[row]

    def row_at(self, y: int) -> int:
        """Return the row at that y, or the nearest one; -1 without rows."""
        return max(min(bisect_right(self._starts(), y) - 1, len(self) - 1), min(0, len(self) - 1))

    @property
    def end(self) -> int:
        return self._starts()[-1]

    def _starts(self) -> list[int]:
        if self._tops is None:
            self._tops = list(accumulate(self._heights, initial=self._first_top))
        return self._tops
