"""The place of a message that a search result shows: where most of what was asked for stands together. Pure.

FTS5 has functions for it, whose time grows with the square of the hits: a megabyte of one word took three minutes. So
they are asked about short texts alone, and the hits of a long one are found here, nearly as FTS5 finds them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import islice

# Control characters mark what was found, since a text may hold « and » of its own.
START, END = "\x02", "\x03"

MAX_MARKS = 1_000
"""Hits of one message that are looked at."""
LENGTH = 200
"""Characters of a snippet."""
LEAD = 60
"""Characters before the first of its hits, at most: with it, they fill a line of the palette."""
LONG = 8_000
"""Characters of a text in which FTS5 is not asked for the hits."""
_PHRASE = re.compile(r'"((?:[^"]|"")*)"')
_WORD = re.compile(r"[^\W_]+")
_BETWEEN = r"[\W_]{1,100}"
_STEM_LEAST, _ENDING_MOST = 4, 3
_MARK = re.compile(f"{START}([^{START}{END}]*){END}")


def snippet_of(highlighted: str) -> str:
    """Return the best place of a text in which each hit stands between START and END, with … where it is cut."""
    marks = [(found.start(), found.end(), found[1].lower()) for found in islice(_MARK.finditer(highlighted), MAX_MARKS)]
    first = marks[_best(marks)][0] if marks else 0
    begin = 0 if first <= LEAD else _word_after(highlighted, first - LEAD, first)
    end = _word_before(highlighted, begin + LENGTH)
    cut = highlighted[begin:end]
    if cut.count(START) > cut.count(END):
        cut += END
    return f"{'…' if begin else ''}{cut}{'…' if end < len(highlighted) else ''}"


def marked(text: str, match: str) -> str:
    """Return the text with its first hits between START and END. match: what was asked, in FTS5's language.

    A word is found in all its forms by its beginning, as the index finds it by its stem. A text may hold none that is
    found so; then nothing is marked.
    """
    phrases = [_WORD.findall(_folded(phrase.replace('""', '"'))) for phrase in _PHRASE.findall(match)]
    patterns = [_BETWEEN.join(map(_pattern_of, words)) for words in phrases if words]
    if not patterns:
        return text
    wanted = re.compile(r"(?<![^\W_])(?:" + "|".join(patterns) + r")(?![^\W_])")
    pieces: list[str] = []
    end = 0
    for found in islice(wanted.finditer(_folded(text)), MAX_MARKS):
        pieces += (text[end : found.start()], START, text[found.start() : found.end()], END)
        end = found.end()
    return "".join([*pieces, text[end:]])


def _pattern_of(word: str) -> str:
    stem = word[: max(_STEM_LEAST, len(word) - _ENDING_MOST)] if word.isascii() else word
    return re.escape(stem) + ("[^\\W_]*" if len(word) >= _STEM_LEAST and word.isascii() else "")


class _Folds(dict[int, str]):
    """Letters as the index has them, small and without accents: one for each, so that places stay the same."""

    def __missing__(self, code: int) -> str:
        letter = unicodedata.normalize("NFD", chr(code))[0].lower()
        self[code] = letter if len(letter) == 1 else chr(code)
        return self[code]


_FOLDS = _Folds()


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else text.translate(_FOLDS)


def _best(marks: list[tuple[int, int, str]]) -> int:
    """Return the mark from which on the most different words stand within a snippet; the first of several."""
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


def _word_after(text: str, place: int, most: int) -> int:
    """Return the beginning of the first word behind that place, if there is one before `most`."""
    space = text.find(" ", place, most)
    return place if space < 0 else space + 1


def _word_before(text: str, place: int) -> int:
    """Return the end of the last word before that place, if one ends near it."""
    if place >= len(text):
        return len(text)
    space = text.rfind(" ", place - LEAD, place)
    return place if space < 0 else space
