"""Text on a terminal. Models, pages and files write what they like: none of it may act on the terminal."""

from __future__ import annotations

import logging
import sys
from typing import TextIO

_PICTURES = {code: 0x2400 + code for code in range(32)} | {127: 0x2421}
_C1 = dict.fromkeys(range(128, 160), 0xFFFD)  # they have no pictures; 0x9B alone begins an escape sequence
_SHOWN = _PICTURES | _C1 | {ord("\n"): "\n", ord("\t"): "\t", ord("\r"): None}


def printable(text: str) -> str:
    """Return the text with its control characters made visible: U+001B becomes ␛. Tabs and line feeds stay, carriage
    returns go, since they would write over what stands in the line."""
    return text.translate(_SHOWN)


def show(text: str = "", end: str = "\n", file: TextIO | None = None) -> None:
    """Print the text at once, on standard output unless `file` says otherwise."""
    print(printable(text), end=end, file=file, flush=True)


def show_error(text: str) -> None:
    """Print the text on standard error."""
    show(text, file=sys.stderr)


class PrintableFormatter(logging.Formatter):
    """Formats a record, with its traceback, as `printable` text."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))
