"""Sets of words written as one text."""

from __future__ import annotations


def lexicon(words: str) -> frozenset[str]:
    """Return the words of a text that is separated by blanks."""
    return frozenset(words.split())
