"""Fonts for scripts: new letters of a text are looked up, shaped and drawn a few at a time, because that takes long.

Qt searches all installed fonts for the shaping rules of a script in one call, and again for each size and weight. A
placeholder font with a table for the script, but without letters, ends that search: each letter is then taken from a
font that contains it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby
from typing import NamedTuple
from unicodedata import category

from PySide6.QtCore import QByteArray, QPointF
from PySide6.QtGui import (
    QFont,
    QFontDatabase,
    QGuiApplication,
    QImage,
    QPainter,
    QRawFont,
    QTextBlock,
    QTextDocument,
    QTextLayout,
)

EM, ASCENT, DESCENT = 1000, 900, 200  # units
_LEFT, _RIGHT, _TOP, _LINE = 80, 920, 720, 50
_UNUSED = 0xFFFE  # a noncharacter in Unicode: a font must map at least one


def placeholder_font(family: str, script: str) -> bytes:
    """Return a font with that name, whose only glyph is the box for missing letters. script: its OpenType tag."""
    outline = _box()
    tables = {
        b"GSUB": _features(script.encode()),
        b"OS/2": _metrics(),
        b"cmap": _characters(),
        b"glyf": 2 * outline,
        b"head": struct.pack(
            ">2I2I2H2q4h2H3h", 0x10000, 0x10000, 0, 0x5F0F3CF5, 3, EM, 0, 0, _LEFT, 0, _RIGHT, _TOP, 0, 8, 2, 1, 0
        ),
        b"hhea": struct.pack(">I3hH11hH", 0x10000, ASCENT, -DESCENT, 0, EM, _LEFT, EM - _RIGHT, _RIGHT, 1, *[0] * 7, 1),
        b"hmtx": struct.pack(">Hhh", EM, _LEFT, _LEFT),
        b"loca": struct.pack(">3I", 0, len(outline), 2 * len(outline)),
        b"maxp": struct.pack(">I14H", 0x10000, 2, 8, 2, 0, 0, 1, *[0] * 8),
        b"name": _names(family),
        b"post": struct.pack(">2I2h5I", 0x30000, 0, -100, 50, 0, 0, 0, 0, 0),
    }
    return _file(tables)


def _box() -> bytes:
    """Return the outline of a rectangular frame."""
    left, right, top, bottom = _LEFT + _LINE, _RIGHT - _LINE, _TOP - _LINE, _LINE
    points = [(_LEFT, 0), (_LEFT, _TOP), (_RIGHT, _TOP), (_RIGHT, 0)]
    points += [(left, bottom), (right, bottom), (right, top), (left, top)]
    steps = [(x - a, y - b) for (x, y), (a, b) in zip(points, [(0, 0), *points], strict=False)]
    xs, ys = zip(*steps, strict=True)
    head = struct.pack(">5h2HH", 2, _LEFT, 0, _RIGHT, _TOP, 3, 7, 0)
    return head + b"\1" * 8 + struct.pack(">16h", *xs, *ys) + b"\0\0"


def _features(script: bytes) -> bytes:
    """Return a GSUB table that lists the script, but contains no rules for it."""
    scripts = struct.pack(">H4sHHHHHH", 1, script, 8, 4, 0, 0, 0xFFFF, 0)
    lists = 10 + len(scripts)
    return struct.pack(">I3H", 0x10000, 10, lists, lists + 2) + scripts + b"\0" * 4


def _characters() -> bytes:
    ends = struct.pack(">2HH2H", _UNUSED, 0xFFFF, 0, _UNUSED, 0xFFFF)
    segments = struct.pack(">7H", 4, 32, 0, 4, 4, 1, 0) + ends + struct.pack(">4H", (1 - _UNUSED) % 0x10000, 1, 0, 0)
    return struct.pack(">4HI", 0, 1, 3, 1, 12) + segments


def _metrics() -> bytes:
    widths = struct.pack(">HhHHH10hh", 4, EM, 400, 5, 0, *[0] * 10, 0)
    signs = b"\0" * 26 + struct.pack(">4s3H", b"    ", 0x40, _UNUSED, _UNUSED)
    return widths + signs + struct.pack(">3h2H2I2h3H", ASCENT, -DESCENT, 0, ASCENT, DESCENT, 0, 0, 500, 700, 0, 32, 0)


def _names(family: str) -> bytes:
    names = {1: family, 2: "Regular", 4: family, 6: family.replace(" ", "")}
    records, text = b"", b""
    for number, name in names.items():
        encoded = name.encode("utf-16-be")
        records += struct.pack(">6H", 3, 1, 0x409, number, len(encoded), len(text))
        text += encoded
    return struct.pack(">3H", 0, len(names), 6 + len(records)) + records + text


def _file(tables: dict[bytes, bytes]) -> bytes:
    at = 12 + 16 * len(tables)
    head, body = struct.pack(">I4H", 0x10000, len(tables), 128, 3, 16 * len(tables) - 128), b""
    for name, table in sorted(tables.items()):
        padded = table + b"\0" * (-len(table) % 4)
        total = sum(struct.unpack(f">{len(padded) // 4}I", padded)) % 2**32
        head += struct.pack(">4s3I", name, total, at + len(body), len(table))
        body += padded
    return head + body


_System = QFontDatabase.WritingSystem


class ShapedScript(NamedTuple):
    """A script. tags: the OpenType tags of its rules, the older one first. blocks: the first and last code points."""

    system: _System
    tags: tuple[str, ...]
    blocks: tuple[tuple[int, int], ...]

    @property
    def placeholder(self) -> str:
        """The family of its placeholder font."""
        return f"Palimpsest placeholder {self.tags[0].strip()}"


SCRIPTS = (  # the ones in Qt's scriptRequiresOpenType
    ShapedScript(_System.Syriac, ("syrc",), ((0x700, 0x74F), (0x860, 0x86F))),
    ShapedScript(_System.Thaana, ("thaa",), ((0x780, 0x7BF),)),
    ShapedScript(_System.Nko, ("nko ",), ((0x7C0, 0x7FF),)),
    ShapedScript(_System.Devanagari, ("deva", "dev2"), ((0x900, 0x97F), (0xA8E0, 0xA8FF))),
    ShapedScript(_System.Bengali, ("beng", "bng2"), ((0x980, 0x9FF),)),
    ShapedScript(_System.Gurmukhi, ("guru", "gur2"), ((0xA00, 0xA7F),)),
    ShapedScript(_System.Gujarati, ("gujr", "gjr2"), ((0xA80, 0xAFF),)),
    ShapedScript(_System.Oriya, ("orya", "ory2"), ((0xB00, 0xB7F),)),
    ShapedScript(_System.Tamil, ("taml", "tml2"), ((0xB80, 0xBFF),)),
    ShapedScript(_System.Telugu, ("telu", "tel2"), ((0xC00, 0xC7F),)),
    ShapedScript(_System.Kannada, ("knda", "knd2"), ((0xC80, 0xCFF),)),
    ShapedScript(_System.Malayalam, ("mlym", "mlm2"), ((0xD00, 0xD7F),)),
    ShapedScript(_System.Sinhala, ("sinh",), ((0xD80, 0xDFF),)),
    ShapedScript(_System.Khmer, ("khmr",), ((0x1780, 0x17FF), (0x19E0, 0x19FF))),
)


class ShapingRules:
    """Knows which scripts the installed fonts have rules for, as far as they have been examined."""

    def __init__(self) -> None:
        """Load the placeholder fonts. Do so early: Qt drops all loaded fonts whenever an application font is added."""
        self._tags: dict[str, frozenset[str]] = {}  # by family
        for script in SCRIPTS:
            content = placeholder_font(script.placeholder, script.tags[0])
            QFontDatabase.addApplicationFontFromData(QByteArray(content))

    def prepare(self, letter: str, family: str, may_go_on: Callable[[], bool]) -> bool:
        """Ensure that Qt finds a letter that the family lacks quickly; return False if there was no time for that.

        Once one script has no rules, the placeholders of all such scripts are substituted at once: after each change of
        the substitutes, Qt would search again for all letters that the family lacks.
        """
        script = script_of(ord(letter[-1]))
        if script is None or QFont.substitutes(family):
            return True
        has_rules = self._has_rules(script, may_go_on)
        if has_rules is False:
            placeholders = [other.placeholder for other in SCRIPTS if self._has_rules(other, may_go_on) is False]
            QFont.insertSubstitutions(family, placeholders)
        return has_rules is not None

    def _has_rules(self, script: ShapedScript, may_go_on: Callable[[], bool]) -> bool | None:
        """Return whether an installed font has rules for the script; None if there was no time to find out."""
        for family in (*QFontDatabase.families(script.system), *_families()):
            if family not in self._tags:
                if not may_go_on():
                    return None
                self._tags[family] = shaping_tags(family)
            if not self._tags[family].isdisjoint(script.tags):
                return True
        return False


@cache
def shaping_rules() -> ShapingRules:
    """Return the process's shaping rules."""
    return ShapingRules()


@cache
def _families() -> tuple[str, ...]:
    """Return the installed families. Qt takes long to list them."""
    ours = {script.placeholder for script in SCRIPTS}
    return tuple(family for family in QFontDatabase.families() if family not in ours)


def script_of(code: int) -> ShapedScript | None:
    """Return the script of a code point, if it is one of SCRIPTS."""
    return next((script for script in SCRIPTS if any(first <= code <= last for first, last in script.blocks)), None)


def shaping_tags(family: str) -> frozenset[str]:
    """Return the tags of the scripts that a font of the family has rules for."""
    look = QFont(family)
    look.setStyleStrategy(QFont.StyleStrategy.NoFontMerging)
    font = QRawFont.fromFont(look)
    if any(font.fontTable(table) for table in ("morx", "mort")):  # Apple's rules apply to all scripts in the font
        return frozenset(tag for script in SCRIPTS for tag in script.tags)
    rules = bytes(font.fontTable("GSUB").data())
    at = int.from_bytes(rules[4:6], "big")
    count = int.from_bytes(rules[at : at + 2], "big") if at else 0
    return frozenset(rules[n : n + 4].decode("latin-1") for n in range(at + 2, at + 2 + 6 * count, 6))


LETTERS = 16  # letters that are drawn at a time


class LoadedFonts(NamedTuple):
    """The letters that were drawn in a font. look: a reference to it, since Qt releases unused fonts."""

    look: QFont
    letters: set[str]


_known: dict[tuple[str, ...], LoadedFonts] = {}
"""By the font's key, its families and their substitutes."""


def load_document_fonts(document: QTextDocument, may_go_on: Callable[[], bool]) -> bool:
    """Load the fonts for a document's layout, including bold ones and others, which are separate fonts for Qt.

    Return False if there was no time for all of them.
    """
    if document.toPlainText().isascii():
        return True
    texts: dict[str, tuple[QFont, list[str]]] = {}
    block = document.begin()
    while block.isValid():
        for look, text in _fragments(block, document.defaultFont()):
            texts.setdefault(look.key(), (look, []))[1].append(text)
        block = block.next()
    return all(load_fonts("\n".join(pieces), look, may_go_on) for look, pieces in texts.values())


def _fragments(block: QTextBlock, default: QFont) -> Iterator[tuple[QFont, str]]:
    """Yield each fragment's font and text.

    A text that begins with characters of no script is preceded by the letter before it, from whose font Qt takes them.
    """
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
    """Load the fonts for a text in a look; return False if there was no time for all of them."""
    known = _loaded(look)
    for letters in _alike(_letters(text) - known.letters):
        if not may_go_on() or not shaping_rules().prepare(letters[0], look.family(), may_go_on):
            return False
        if known is not _loaded(look):
            return load_fonts(text, look, may_go_on)  # the substitutes have changed: Qt looks up all letters again
        _draw("".join(letters), known.look)
        known.letters.update(letters)
    return True


def _loaded(look: QFont) -> LoadedFonts:
    key = look.key(), *look.families(), *QFont.substitutes(look.family())  # a font's key contains only one family
    if key not in _known:
        bare = QFont(look)  # a setter that changes a property drops the engines that were found for the font
        bare.setUnderline(not look.underline())
        bare.setUnderline(look.underline())
        _known[key] = LoadedFonts(bare, set())
    return _known[key]


def _alike(letters: set[str]) -> Iterator[list[str]]:
    """Yield a few letters of one script at a time."""
    for _, alike in groupby(sorted(letters, key=_order), lambda letter: _order(letter)[0]):
        members = list(alike)
        yield from (members[at : at + LETTERS] for at in range(0, len(members), LETTERS))


def _letters(text: str) -> set[str]:
    """Return the non-ASCII letters of a text; combining marks with their base, whose font Qt tries first."""
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
    """Return a sort key: a number shared by letters of one script, and the letter.

    Unicode allocates scripts in columns of sixteen code points.
    """
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
    """Return an image to draw on, only to make Qt load the letters."""
    paper = QImage(8, 8, QImage.Format.Format_RGB32)
    screen = QGuiApplication.primaryScreen()
    paper.setDevicePixelRatio(screen.devicePixelRatio() if screen else 1.0)
    return paper
