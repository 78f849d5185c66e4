"""The numbers and bullets of paragraphs, which Word counts when it shows a document, and stores nowhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from lxml.etree import _Element

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_ROMAN = ((1_000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
MAX_LEVELS = 9
MAX_BASES = 20
"""Styles that a style is based on, one after the other."""


class _Level(NamedTuple):
    """How the paragraphs of a level are numbered. text: such as "%1.%2."."""

    start: int
    kind: str
    text: str


class Numbering:
    """Counts the numbered paragraphs of one document."""

    def __init__(self, numbering: _Element | None, styles: _Element) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._lists: dict[str, str] = {}
        self._starts: dict[tuple[str, int], int] = {}
        self._counts: dict[str, list[int]] = {}
        self._styled: dict[str, int] = {}
        self._styles = {_text(style, "styleId"): style for style in styles.iter(_W + "style")}
        if numbering is not None:
            self._read(numbering)

    def _read(self, numbering: _Element) -> None:
        for pattern in numbering.iter(_W + "abstractNum"):
            levels = self._levels.setdefault(_text(pattern, "abstractNumId"), {})
            for level in pattern.iter(_W + "lvl"):
                number = _number(_text(level, "ilvl"))
                levels[number] = _Level(_value(level, "start", 1), _word(level, "numFmt"), _word(level, "lvlText"))
                if style := _word(level, "pStyle"):
                    self._styled[style] = number
        for used in numbering.iter(_W + "num"):
            name = _text(used, "numId")
            self._lists[name] = _word(used, "abstractNumId")
            for change in used.iter(_W + "lvlOverride"):
                if change.find(_W + "startOverride") is not None:
                    self._starts[name, _number(_text(change, "ilvl"))] = _value(change, "startOverride", 1)

    def label_of(self, properties: _Element | None) -> str:
        """Return the number or bullet of the next paragraph, with a space; "" if it has none."""
        name, level = self._place_of(properties)
        levels = self._levels.get(self._lists.get(name, ""), {})
        if name in ("", "0") or level not in levels:
            return ""
        shape = levels[level]
        if shape.kind == "bullet":
            return "  " * level + "- "
        counts = self._count(name, level, levels)
        if shape.kind == "none" or not shape.text:
            return ""

        def written(found: re.Match[str]) -> str:
            number = int(found[1]) - 1
            of = levels.get(number, shape)
            return number_in_words(counts[number] or of.start, of.kind) if number < MAX_LEVELS else ""

        return re.sub("%([1-9])", written, shape.text).strip() + " "

    def _count(self, name: str, level: int, levels: dict[int, _Level]) -> list[int]:
        """Count one more paragraph of a level; the deeper ones begin again."""
        counts = self._counts.setdefault(self._lists[name], [0] * MAX_LEVELS)
        start = self._starts.pop((name, level), None)  # a list that begins again does so once
        begins = start if start is not None else levels[level].start
        counts[level] = begins if start is not None or not counts[level] else counts[level] + 1
        counts[level + 1 :] = [0] * (MAX_LEVELS - level - 1)
        return counts

    def _place_of(self, properties: _Element | None) -> tuple[str, int]:
        """Return the list and the level of a paragraph, by itself or by its style."""
        style = _word(properties, "pStyle") if properties is not None else ""
        own = properties.find(_W + "numPr") if properties is not None else None
        name, level = _word(own, "numId"), _word(own, "ilvl")
        known = self._styled.get(style)
        for _ in range(MAX_BASES):
            if (name and level) or style not in self._styles:
                break
            of_style = self._styles[style].find(f"{_W}pPr/{_W}numPr")
            name, level = name or _word(of_style, "numId"), level or _word(of_style, "ilvl")
            known = self._styled.get(style) if known is None else known
            style = _word(self._styles[style], "basedOn")
        return name, min(_number(level) if level else known or 0, MAX_LEVELS - 1)


def number_in_words(number: int, kind: str) -> str:
    """Return a number as a list writes it: 3, c, iii."""
    if kind in ("lowerLetter", "upperLetter") and number > 0:
        letters = chr(97 + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letters.upper() if kind == "upperLetter" else letters
    if kind in ("lowerRoman", "upperRoman") and 0 < number < 4_000:
        roman = ""
        for value, letters in _ROMAN:
            roman += letters * (number // value)
            number %= value
        return roman.upper() if kind == "upperRoman" else roman
    return f"{number:02}" if kind == "decimalZero" else str(number)


def _text(element: Any, name: str) -> str:
    return element.get(_W + name) or ""


def _word(parent: _Element | None, name: str) -> str:
    """Return the value of a child; "" without one."""
    child = parent.find(_W + name) if parent is not None else None
    return _text(child, "val") if child is not None else ""


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _value(parent: _Element, name: str, default: int) -> int:
    word = _word(parent, name)
    return int(word) if word.isdecimal() else default
