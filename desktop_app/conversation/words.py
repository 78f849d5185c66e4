"""Numbers with their nouns, the same in the window, the commands and what tools say; and sets of words."""

from __future__ import annotations

import re


def format_number(number: int) -> str:
    """Return the number as "61,204"; a minus sign, not a hyphen, stands before what is below zero."""
    return f"{number:,}".replace("-", "−")


def pluralize(number: int, one: str, many: str = "") -> str:
    """Return "1 message", "42 messages"; many: the plural, if it does not end in a mere "s"."""
    return f"{format_number(number)} {one if number == 1 else many or one + 's'}"


def translatable(text: str) -> str:
    """Return the text: a mark for `packaging/translations` that the window shows it, translated."""
    return text


def in_fence(text: str, language: str = "") -> str:
    """Return a block of code in Markdown, in a fence that the text cannot close itself."""
    fence = "`" * max(3, max(map(len, re.findall("`+", text)), default=0) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def lexicon(words: str) -> frozenset[str]:
    """Return the words of a text that is separated by blanks."""
    return frozenset(words.split())
