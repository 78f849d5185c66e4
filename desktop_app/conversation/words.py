"""Format numbers with their nouns, in the window, commands and tool results alike; mark texts; parse word lists."""

from __future__ import annotations

import re


def format_number(number: int) -> str:
    """Return the number as "61,204"; negative ones with a minus sign, not a hyphen."""
    return f"{number:,}".replace("-", "−")


def pluralize(number: int, singular: str, plural: str = "") -> str:
    """Return "1 message", "42 messages"; many: the plural, if it does not end in a mere "s"."""
    return f"{format_number(number)} {singular if number == 1 else plural or singular + 's'}"


def translatable(text: str) -> str:
    """Return the text. The call marks it for `packaging/translations` as shown, translated, in the window."""
    return text


def in_fence(text: str, language: str = "") -> str:
    """Return a code block in Markdown, with a fence that the text itself cannot close."""
    fence = "`" * max(3, max(map(len, re.findall("`+", text)), default=0) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def lexicon(words: str) -> frozenset[str]:
    """Return the words of a text that is separated by whitespace."""
    return frozenset(words.split())
