"""Signs that nobody sees, made visible: they change the order in which others are shown, or hide between them."""

from __future__ import annotations

import re
import unicodedata

_BLANK = "\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5"
"""Letters and marks, as Unicode has it, of which nothing is drawn."""
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xa0\xad\u0600-\u0605\u061c\u06dd\u070f\u180b-\u180f\u1680\u2000-\u200f\u2028-\u202f"
    f"\u205f-\u206f\u3000\ufe00-\ufe0f\ufeff\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff{_BLANK}]"
)
"""Controls of order and of width, blanks that are none for a shell, variants, tags, halves of characters."""


def escape_invisible(text: str) -> str:
    """Return the text with each such sign as ‹U+202E›; blanks, tabs and ends of lines stay as they are."""
    return _UNSEEN.sub(lambda found: f"‹U+{ord(found[0]):04X}›", text)


def invisible_names(*texts: str) -> str:
    """Return the names of such signs in the texts, each once; "" if there are none."""
    found = dict.fromkeys(sign for text in texts for sign in _UNSEEN.findall(text))
    return ", ".join(unicodedata.name(sign, f"U+{ord(sign):04X}").lower() for sign in found)
