"""Cuts texts: never inside what a reader sees as one character, rather at the end of a line."""

from __future__ import annotations

from unicodedata import category

MAX_STEPS = 16
"""Characters by which a cut moves to spare a composed one; longer heaps of accents are cut."""
JOINER = "\u200d"


def head_of(text: str, most: int, slack: int = 0) -> str:
    """Return at most `most` characters of the beginning; up to `slack` fewer if a line ends there."""
    if len(text) <= most:
        return text
    end = text.rfind("\n", most - slack, most) + 1 if slack else 0
    return text[: end or _cut(text, most, -1)]


def tail_of(text: str, most: int, slack: int = 0) -> str:
    """Return at most `most` characters of the end; up to `slack` fewer if a line begins there."""
    start = len(text) - most
    if start <= 0:
        return text
    begin = text.find("\n", start - 1, start + slack) + 1 if slack else 0
    return text[begin or _cut(text, start, 1) :]


def ends_of(text: str, most: int) -> str:
    """Return at most `most` characters: the whole text, or two thirds of its beginning and a third of its end."""
    if len(text) <= most:
        return text
    head = head_of(text, most * 2 // 3)
    return f"{head}\n…\n{tail_of(text, most - len(head) - 3)}" if most > len(head) + 3 else head_of(text, most)


def _cut(text: str, at: int, step: int) -> int:
    """Return the index nearest to `at` where a cut parts nothing; step: -1 to look before it, 1 behind it."""
    for index in range(at, at + step * MAX_STEPS, step):
        if not _is_inside(text, index):
            return index
    return at + step * _is_pair(text, at)


def _is_inside(text: str, at: int) -> bool:
    """Return whether both sides are seen as one: an accent, a joined emoji, a flag, two halves of a character."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if right < "\u0300":
        return left == "\r" and right == "\n"
    if right == JOINER or left == JOINER or category(right)[0] == "M" or "\U0001f3fb" <= right <= "\U0001f3ff":
        return True
    return _is_pair(text, at) or (_is_flag(right) and _flags_before(text, at) % 2 == 1)


def _is_pair(text: str, at: int) -> bool:
    """Return whether a pair of surrogates stands on both sides: JSON may hold such, Python's own text not."""
    return 0 < at < len(text) and "\ud800" <= text[at - 1] <= "\udbff" and "\udc00" <= text[at] <= "\udfff"


def _is_flag(sign: str) -> bool:
    return "\U0001f1e6" <= sign <= "\U0001f1ff"


def _flags_before(text: str, at: int) -> int:
    """Return how many halves of flags stand right before that index: two make a flag, counted from the first."""
    start = at
    while start and _is_flag(text[start - 1]):
        start -= 1
    return at - start
