"""Snippets for search results: the part of a text with most of the query's words. Pure.

FTS5's own functions take quadratic time in the number of hits: three minutes for a megabyte of a single word. They are
therefore used for short texts only; the hits of a long text are found here, nearly as FTS5 finds them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from itertools import islice

# Control characters mark hits, because a text may contain « and ».
START, END = "\x02", "\x03"

MAX_MARKS = 1_000
"""Hits in one message that are considered."""
LENGTH = 200
"""Characters of a snippet."""
LEAD = 60
"""Maximum characters before the first hit, so that both fit in a line of the palette."""
LONG = 8_000
"""Characters above which a text is not marked by FTS5."""
_PHRASE = re.compile(r'"((?:[^"]|"")*)"')
_WORD = re.compile(r"[^\W_]+")
_NOWHERE = r"(?!)"
_BETWEEN = r"[\W_]{1,100}"
_MIN_STEM, _MAX_ENDING = 4, 3
_MARK = re.compile(f"{START}([^{START}{END}]*){END}")


def snippet_of(highlighted: str) -> str:
    """Return the best part of a text whose hits are enclosed in START and END, with … where it is cut."""
    marks = [(found.start(), found.end(), found[1].lower()) for found in islice(_MARK.finditer(highlighted), MAX_MARKS)]
    first = marks[_best(marks)][0] if marks else 0
    begin = 0 if first <= LEAD else _word_after(highlighted, first - LEAD, first)
    end = _word_before(highlighted, begin + LENGTH)
    cut = highlighted[begin:end]
    if cut.count(START) > cut.count(END):
        cut += END
    return f"{'…' if begin else ''}{cut}{'…' if end < len(highlighted) else ''}"


def mark_hits(text: str, match: str) -> str:
    """Return the text with its first hits enclosed in START and END. match: an FTS5 query.

    Words are compared by their beginnings, to resemble the index, which compares stems; some forms may stay unmarked.
    """
    wanted = pattern_of_phrases([phrase.replace('""', '"') for phrase in _PHRASE.findall(match)])
    if wanted is None:
        return text
    pieces: list[str] = []
    end = 0
    for found in islice(wanted.finditer(same_letters(text)), MAX_MARKS):
        pieces += (text[end : found.start()], START, text[found.start() : found.end()], END)
        end = found.end()
    return "".join([*pieces, text[end:]])


def pattern_of_phrases(phrases: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern with a group for each phrase, for texts of `same_letters`; None if no phrase has a word."""
    found = [_BETWEEN.join(map(_pattern_of, _WORD.findall(same_letters(phrase)))) for phrase in phrases]
    if not any(found):
        return None
    groups = "|".join(f"({pattern or _NOWHERE})" for pattern in found)
    return re.compile(rf"(?<![^\W_])(?:{groups})(?![^\W_])")


def _pattern_of(word: str) -> str:
    stem = word[: max(_MIN_STEM, len(word) - _MAX_ENDING)] if word.isascii() else word
    return re.escape(stem) + ("[^\\W_]*" if len(word) >= _MIN_STEM and word.isascii() else "")


class _Folds(dict[int, str]):
    """Letters in lower case and without accents, as in the index; one for each, so that positions do not change."""

    def __missing__(self, code: int) -> str:
        letter = unicodedata.normalize("NFD", chr(code))[0].lower()
        self[code] = letter if len(letter) == 1 else chr(code)
        return self[code]


_FOLDS = _Folds()


def same_letters(text: str) -> str:
    """Return the text with letters folded as in the index, without changing positions."""
    return text.lower() if text.isascii() else text.translate(_FOLDS)


def _best(marks: list[tuple[int, int, str]]) -> int:
    """Return the index of the first mark from which a snippet contains the most different words."""
    best, most, last = 0, 0, 0
    within: Counter[str] = Counter()
    for first, (start, _, word) in enumerate(marks):
        while last < len(marks) and marks[last][1] - start <= LENGTH - LEAD:
            within[marks[last][2]] += 1
            last += 1
        different = len(within)
        if different > most:
            best, most = first, different
        if last > first:
            within[word] -= 1
            if not within[word]:
                del within[word]
        last = max(last, first + 1)
    return best


def _word_after(text: str, position: int, end: int) -> int:
    """Return the start of the first word after a position, or the position if there is none before `end`."""
    space = text.find(" ", position, end)
    return position if space < 0 else space + 1


def _word_before(text: str, position: int) -> int:
    """Return the end of the last word before a position, or the position if none ends near it."""
    if position >= len(text):
        return len(text)
    space = text.rfind(" ", position - LEAD, position)
    return position if space < 0 else space
