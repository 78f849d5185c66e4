"""Cut texts into passages of some 200 characters, which recall ranks instead of messages. Pure.

A passage is a few sentences: words that occur together in it belong together, which words of a long message need not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

LENGTH = 200
"""Characters of a passage; a quarter more to end with a sentence."""
BITS = 12
"""A passage's number is its message's number, shifted by BITS, plus its place in the message."""
MAX_PLACE = (1 << BITS) - 1
"""The highest place of a passage; a very long message has longer passages."""
_ENDS = ("\n", ". ", "? ", "! ", "。", "？", "！")


def passages_of(text: str) -> Iterator[tuple[int, int]]:
    """Yield the beginning and the end of each passage. Together, they are the text."""
    length = max(LENGTH, 2 * len(text) // MAX_PLACE + 1)
    start = 0
    while len(text) - start > length * 5 // 4:
        end = _end_of(text, start + length // 2, start + length * 5 // 4)
        yield start, end
        start = end
    if start < len(text):
        yield start, len(text)


def _end_of(text: str, least: int, most: int) -> int:
    """Return the last end of a sentence, or else of a word, between two positions."""
    ends = [found + len(mark) for mark in _ENDS if (found := text.rfind(mark, least, most)) >= 0]
    space = text.rfind(" ", least, most)
    return max(ends, default=space + 1 if space >= 0 else most)


def message_of(passage: int) -> int:
    """Return the number of the message that contains a passage."""
    return passage >> BITS


def count_messages(passages: Iterable[int]) -> int:
    """Return the number of messages that contain the passages, which are ascending."""
    return sum(1 for _ in groupby(passages, message_of))
