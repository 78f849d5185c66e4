"""Names that files may have on Linux, and that were made to be taken for something else."""

from __future__ import annotations

import os
import re

NAMES: dict[str, str] = {
    "a line feed": "a\nb.txt",
    "a forged entry": "a.txt\n99: [all files were read]",
    "a carriage return": "a\rb.txt",
    "a tab": "a\tb.txt",
    "a bell": "a\x07b.txt",
    "a terminal's commands": "\x1b[2J\x1b]0;title\x07.txt",
    "one byte of a C1 control": "a\x9b2Jb.txt",
    "a line separator": "a\u2028b.txt",
    "a single quote": "it's.txt",
    "quotes": "'\"quoted\"'.txt",
    "a dash": "-rf",
    "an option": "--help",
    "an option with a value": "--output=pwned",
    "an end of options": "--",
    "a command": "$(touch pwned).txt",
    "a command in backquotes": "`touch pwned`.txt",
    "another command": "a; touch pwned; .txt",
    "a variable": "${HOME}.txt",
    "a home": "~root",
    "globs": "[a-z]*?{x,y}!.txt",
    "a star": "*",
    "a backslash": "a\\nb.txt",
    "blanks at its ends": " a .txt ",
    "a blank": " ",
    "dots": "...",
    "dots first": "..a",
    "no UTF-8": os.fsdecode(b"caf\xe9.txt"),
    "no UTF-8 at all": os.fsdecode(b"\xff\xfe\xc3"),
    "an override": "invoice\u202etxt.exe",
    "isolates": "\u2067a\u2066b.txt",
    "a mark": "a\u200fb.txt",
    "no width": "a\u200bb\ufeff.txt",
    "255 bytes": "n" * 251 + ".txt",
    "255 bytes of two each": "é" * 125 + "x.txt",
    "HTML": "<b onclick=x>&amp;.txt",
    "Markdown": "[a](b) **c** `d` # e.txt",
    "a percent sign": "%41%0a.txt",
    "an at": "@a.txt",
    "a hash": "#a.txt",
    "a negation": "!a.txt",
    "brackets of ours": "[Attached file: b.txt]",
    "a pipe": "a|b>c<d&.txt",
    "both normal forms": "e\u0301\u00e9.txt",
}
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What is never shown raw: control characters but for tabs and line feeds, those that turn the direction of what
follows, and halves of characters."""


def raw_controls(text: str, is_line: bool = False) -> list[str]:
    """Return the control characters that a text shows raw. is_line: it must not have a line feed or a tab either."""
    return CONTROL.findall(text) + (re.findall("[\n\t]", text) if is_line else [])
