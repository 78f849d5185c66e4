"""Fonts of scripts that were not shown yet: to find them takes long, so that is done script by script."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QFont, QFontMetricsF

MAX_SAMPLE = 8  # letters of a script
_known: set[tuple[str, int]] = set()


def load_fonts(text: str, look: QFont, may_go_on: Callable[[], bool]) -> bool:
    """Load the fonts of the scripts of a text; return False if there was no time for all."""
    if text.isascii():
        return True
    family = look.family()
    samples: dict[tuple[str, int], str] = {}
    for sign in sorted(set(text)):
        script = family, _script_of(ord(sign))
        if not sign.isascii() and script not in _known and len(samples.get(script, "")) < MAX_SAMPLE:
            samples[script] = samples.get(script, "") + sign
    for script, sample in samples.items():
        if not may_go_on():
            return False
        QFontMetricsF(look).horizontalAdvance(sample)
        _known.add(script)
    return True


def _script_of(code: int) -> int:
    """Return a number that is the same for letters of one script: of a block of Unicode, large ones in pieces."""
    is_large = 0x3000 <= code < 0xA000 or code >= 0xAC00
    return -(code >> 12) if is_large else code >> 6
