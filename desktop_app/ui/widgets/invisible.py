"""Invisible characters made visible: they change the order in which others are shown, or hide between them."""

from __future__ import annotations

import re
import unicodedata

_BLANK = "\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5"  # letters and marks for Unicode, of which nothing is drawn
_INVISIBLE = re.compile(
    # Controls of direction and width, spaces that a shell does not split at, variants, tags, surrogates.
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xa0\xad\u0600-\u0605\u061c\u06dd\u070f\u180b-\u180f\u1680\u2000-\u200f\u2028-\u202f"
    f"\u205f-\u206f\u3000\ufe00-\ufe0f\ufeff\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff{_BLANK}]"
)


_DECEIVING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What makes the name of a file look like another one, or like two."""


_OBEYED, _ALSO_OBEYED = bytes((*range(0x09), 0x0B, *range(0x0D, 0x20), 0x7F)), re.compile("[\x80-\x9f]")
"""What a terminal obeys when it is pasted, and nobody sees: Enter, the end of a paste, its title, keys of the shell."""
_BEGINS_ONE = b"\xc2"
_LINE_END = b"\xff"  # stands for CR LF; no byte of UTF-8


def without_commands(text: str) -> str:
    """Return the text without control characters that a terminal obeys. Tabs, line ends and form feeds stay."""
    # As bytes: a pattern takes 130 ms for 5 MB of them.
    told, kept = text.encode("utf-8", "surrogatepass"), text
    if len(told.translate(None, _OBEYED)) < len(told):
        told = told.replace(b"\r\n", _LINE_END).translate(None, _OBEYED)
        kept = told.replace(_LINE_END, b"\r\n").decode("utf-8", "surrogatepass")
    return _ALSO_OBEYED.sub("", kept) if _BEGINS_ONE in told else kept


def escape_name(name: str) -> str:
    """Return the name of a file on one line, and read as it is spelled: a line feed as ‹U+000A›, an override as
    ‹U+202E›. Other invisible characters stay: joined emoji have them, and names that systems give to screenshots."""
    return _DECEIVING.sub(lambda found: f"‹U+{ord(found[0]):04X}›", name)


_ASCII_INVISIBLE = bytes((*range(0x09), *range(0x0B, 0x20), 0x7F))


def _is_plain(text: str) -> bool:
    """Return whether nothing of it is invisible, as of most long texts: the pattern takes ten times as long."""
    return text.isascii() and len(text.encode().translate(None, _ASCII_INVISIBLE)) == len(text)


def escape_invisible(text: str) -> str:
    """Return the text with each invisible character as ‹U+202E›; spaces, tabs and newlines stay."""
    if _is_plain(text):
        return text
    return _INVISIBLE.sub(lambda found: f"‹U+{ord(found[0]):04X}›", text)


def invisible_names(*texts: str) -> str:
    """Return the names of the invisible characters in the texts, each once; "" if there are none."""
    found = dict.fromkeys(sign for text in texts if not _is_plain(text) for sign in _INVISIBLE.findall(text))
    return ", ".join(unicodedata.name(sign, f"U+{ord(sign):04X}").lower() for sign in found)
