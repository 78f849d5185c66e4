"""Format numbers with their nouns, in the window, commands and tool results alike; mark texts; parse word lists."""

from __future__ import annotations

import re
from collections.abc import Callable


def format_number(number: int) -> str:
    """Return the number as "61,204"; negative ones with a minus sign, not a hyphen."""
    return f"{number:,}".replace("-", "−")


def pluralize(number: int, singular: str, plural: str = "") -> str:
    """Return "1 message", "42 messages"; many: the plural, if it does not end in a mere "s"."""
    return f"{format_number(number)} {singular if number == 1 else plural or singular + 's'}"


_SHARP_S = re.compile("ss|[ßẞ]", re.IGNORECASE)
MAX_SHARP = 3
"""Places with ss or ß in a text of which all combinations are looked for."""


def spellings_of(text: str) -> list[str]:
    """Return the text with each ss and ß in both spellings, as people write "Straße" and "Strasse" for the same."""
    pieces = _SHARP_S.split(text)
    if len(pieces) == 1:
        return [text]
    if len(pieces) > MAX_SHARP + 1:
        return list(dict.fromkeys([text, "ss".join(pieces), "ß".join(pieces)]))
    spelled = [pieces[0]]
    for piece in pieces[1:]:
        spelled = [f"{before}{sharp}{piece}" for before in spelled for sharp in ("ss", "ß")]
    return spelled


def either_spelling(text: str, escape: Callable[[str], str] = re.escape) -> str:
    """Return a regular expression for a text, in which each ss and ß matches both."""
    return "(?:ss|ß)".join(map(escape, _SHARP_S.split(text)))


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
