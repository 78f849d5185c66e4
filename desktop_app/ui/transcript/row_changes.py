"""What differs between two lists of rows: one stretch, of which the beginning may be the same rows with other words."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from .items import Item


class RowChange(msgspec.Struct, frozen=True):
    """From `first` on, `removed` old rows are `added` new ones; the first `kept` of both have the same keys."""

    first: int
    removed: int
    added: int
    kept: int


def change_between(old: Sequence[Item], new: Sequence[Item]) -> RowChange:
    """The stretch between what is equal at both ends."""
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    removed, added = len(old) - first - last, len(new) - first - last
    kept = 0
    while kept < min(removed, added) and old[first + kept].key == new[first + kept].key:
        kept += 1
    return RowChange(first, removed, added, kept)


def _common(old: Sequence[Item], new: Sequence[Item]) -> int:
    for count, (one, other) in enumerate(zip(old, new, strict=False)):
        if one != other:
            return count
    return min(len(old), len(new))
