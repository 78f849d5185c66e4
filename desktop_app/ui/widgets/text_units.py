"""Texts by Qt's positions, which count units of UTF-16."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import AnyStr


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
