"""Scripts that Qt draws only with a font that has shaping rules for them, and what becomes of them where none has.

Qt looks for the rules in one installed font after the other, all in one call, and anew for each size and weight. A
placeholder that has the rules of a script, but no letters, ends that search: each letter is then taken from whatever
font has it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QFont, QFontDatabase, QRawFont

from .placeholder_font import placeholder_font

_System = QFontDatabase.WritingSystem


class ShapedScript(NamedTuple):
    """A script. tags: of its rules in a font, the older first. blocks: its first and last letters."""

    system: _System
    tags: tuple[str, ...]
    blocks: tuple[tuple[int, int], ...]

    @property
    def placeholder(self) -> str:
        """The family of the font that has its rules, and no letters."""
        return f"Palimpsest placeholder {self.tags[0].strip()}"


SCRIPTS = (  # those that Qt's scriptRequiresOpenType names
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
    """Which scripts the installed fonts have rules for, as far as that was asked."""

    def __init__(self) -> None:
        """Load the placeholders. Qt forgets all loaded fonts whenever it gets one of these: do it early."""
        self._tags: dict[str, frozenset[str]] = {}  # by family
        for script in SCRIPTS:
            content = placeholder_font(script.placeholder, script.tags[0])
            QFontDatabase.addApplicationFontFromData(QByteArray(content))

    def prepare(self, letter: str, family: str, may_go_on: Callable[[], bool]) -> bool:
        """Let a letter that the family lacks be found before long; return False if there was no time for that.

        Once a script has no rules, the placeholders of all such scripts are used: with each further one Qt would search
        anew for all that the family lacks.
        """
        script = script_of(ord(letter[-1]))
        if script is None or QFont.substitutes(family):
            return True
        has_rules = self._has_rules(script, may_go_on)
        if has_rules is False:
            lacking = [one.placeholder for one in SCRIPTS if self._has_rules(one, may_go_on) is False]
            QFont.insertSubstitutions(family, lacking)
        return has_rules is not None

    def _has_rules(self, script: ShapedScript, may_go_on: Callable[[], bool]) -> bool | None:
        """Return whether a font has rules for the script; None if there was no time to look."""
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
    """Return the one of this window."""
    return ShapingRules()


@cache
def _families() -> tuple[str, ...]:
    """Return the families that are not ours. Qt takes long to list them."""
    ours = {script.placeholder for script in SCRIPTS}
    return tuple(family for family in QFontDatabase.families() if family not in ours)


def script_of(code: int) -> ShapedScript | None:
    """Return the script of a letter, if it is one of those."""
    return next((one for one in SCRIPTS if any(first <= code <= last for first, last in one.blocks)), None)


def shaping_tags(family: str) -> frozenset[str]:
    """Return the tags of the scripts that a font of the family has rules for."""
    look = QFont(family)
    look.setStyleStrategy(QFont.StyleStrategy.NoFontMerging)
    font = QRawFont.fromFont(look)
    if any(font.fontTable(table) for table in ("morx", "mort")):  # Apple's rules are for whatever is in the font
        return frozenset(tag for script in SCRIPTS for tag in script.tags)
    rules = bytes(font.fontTable("GSUB").data())
    at = int.from_bytes(rules[4:6], "big")
    count = int.from_bytes(rules[at : at + 2], "big") if at else 0
    return frozenset(rules[n : n + 4].decode("latin-1") for n in range(at + 2, at + 2 + 6 * count, 6))
