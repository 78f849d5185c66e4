"""Fonts of letters that were not shown yet: to find, shape and draw them takes long, so that is done few at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby
from typing import NamedTuple
from unicodedata import category

from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QGuiApplication, QImage, QPainter, QTextBlock, QTextDocument, QTextLayout

from .shaped_scripts import shaping_rules

LETTERS = 16  # that are drawn at a time


class LoadedFonts(NamedTuple):
    """The letters that were drawn in a look. look: it is held, since Qt lets go of fonts that nothing has."""

    look: QFont
    letters: set[str]


_known: dict[tuple[str, ...], LoadedFonts] = {}
"""By the look, and what stands in for its font."""


def load_document_fonts(document: QTextDocument, may_go_on: Callable[[], bool]) -> bool:
    """Load the fonts that a document will be laid out with, bold ones and the like too: each is another one for Qt."""
    if document.toPlainText().isascii():
        return True
    texts: dict[str, tuple[QFont, list[str]]] = {}
    block = document.begin()
    while block.isValid():
        for look, text in _fragments(block, document.defaultFont()):
            texts.setdefault(look.key(), (look, []))[1].append(text)
        block = block.next()
    return all(load_fonts("\n".join(written), look, may_go_on) for look, written in texts.values())


def _fragments(block: QTextBlock, default: QFont) -> Iterator[tuple[QFont, str]]:
    """Yield each look with what is written in it, and with the letter before signs that are of no script of their own:
    Qt takes them from that letter's font."""
    before = next(filter(str.isalpha, block.text()), "")
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        text = fragment.text() if fragment.text()[:1].isalpha() else before + fragment.text()
        if not text.isascii():
            yield fragment.charFormat().font().resolve(default), text
        before = next(filter(str.isalpha, reversed(text)), before)
        iterator += 1


def load_fonts(text: str, look: QFont, may_go_on: Callable[[], bool]) -> bool:
    """Load the fonts of what is written in a look; return False if there was no time for all."""
    known = _loaded(look)
    for some in _alike(_letters(text) - known.letters):
        if not may_go_on() or not shaping_rules().prepare(some[0], look.family(), may_go_on):
            return False
        if known is not _loaded(look):
            return load_fonts(text, look, may_go_on)  # all that the font lacks is looked for anew
        _draw("".join(some), known.look)
        known.letters.update(some)
    return True


def _loaded(look: QFont) -> LoadedFonts:
    key = look.key(), *look.families(), *QFont.substitutes(look.family())  # the key of a look has one family alone
    if key not in _known:
        bare = QFont(look)  # every setter that changes something drops what was found for the look before
        bare.setUnderline(not look.underline())
        bare.setUnderline(look.underline())
        _known[key] = LoadedFonts(bare, set())
    return _known[key]


def _alike(letters: set[str]) -> Iterator[list[str]]:
    """Yield a few letters of one script at a time."""
    for _, alike in groupby(sorted(letters, key=_order), lambda letter: _order(letter)[0]):
        every = list(alike)
        yield from (every[at : at + LETTERS] for at in range(0, len(every), LETTERS))


def _letters(text: str) -> set[str]:
    """Return the letters beyond ASCII that are in a text; marks with what they are on, whose font Qt asks first."""
    letters = {sign for sign in set(text) if not sign.isascii()}
    marks = {sign for sign in letters if category(sign).startswith("M")}
    base = ""
    for sign in text if marks else "":
        if sign in marks:
            letters.add(base + sign)
        else:
            base = sign
    return letters - marks


def _order(letter: str) -> tuple[int, str]:
    """Return a number that letters of one script share, and the letter. Unicode has scripts in pieces of sixteen."""
    code = ord(letter[-1])
    is_large = 0x3400 <= code < 0xA000 or 0xAC00 <= code < 0xD7B0 or code >= 0x20000  # Han and Hangul
    return -(code >> 12) if is_large else code >> 4, letter


def _draw(text: str, look: QFont) -> None:
    layout = QTextLayout(text, look)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    with QPainter(_paper()) as painter:
        layout.draw(painter, QPointF())


@cache
def _paper() -> QImage:
    """Return what is drawn on to no end but that Qt keeps the drawn letters."""
    paper = QImage(8, 8, QImage.Format.Format_RGB32)
    screen = QGuiApplication.primaryScreen()
    paper.setDevicePixelRatio(screen.devicePixelRatio() if screen else 1.0)
    return paper
