"""What several commands share: options, errors on the terminal, tables."""

from __future__ import annotations

import argparse
import json
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from desktop_app.conversation.events import Failure
from desktop_app.paths import data_folder

from .terminal import show, show_error

BAD_INPUT = 2
WORLD_ERROR = 1
"""Exit codes: what was given is wrong; the disk or the archive did not do what was asked."""


def add_data_dir(parser: argparse.ArgumentParser) -> None:
    """`--data-dir D`. It may stand before the command too; a default here would overwrite that one."""
    parser.add_argument(
        "--data-dir",
        metavar="D",
        default=argparse.SUPPRESS,
        help="the data folder (else PALIMPSEST_DATA_DIR, else the system's place for it)",
    )


def data_of(args: argparse.Namespace) -> Path:
    """The data folder that was chosen."""
    return data_folder(getattr(args, "data_dir", None))


def add_json(parser: argparse.ArgumentParser) -> None:
    """`--json`."""
    parser.add_argument("--json", action="store_true", help="print one JSON object, for programs")


def print_json(value: Any) -> None:
    """One JSON object on standard output."""
    show(json.dumps(value, indent=2))  # in ASCII, so that no terminal's encoding can break it


def print_failure(failure: Failure) -> None:
    """What happened, what was kept, what to do, on standard error."""
    show_error(f"palimpsest: {failure.title}")
    for line in (failure.detail, failure.kept, failure.advice):
        if line:
            show_error(f"  {line}")


def exit_code(failure: Failure) -> int:
    """What is not there was asked for wrongly; everything else is the world's fault."""
    return BAD_INPUT if failure.kind == "not_found" else WORLD_ERROR


def table(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> str:
    """The rows with their columns lined up; those in `right` to the right, for numbers."""
    widths = [max(map(columns_of, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(_padded(cell, widths[number], number in right) for number, cell in enumerate(row)).rstrip()
        for row in rows
    )


def shortened(text: str, columns: int) -> str:
    """The text, cut to that many columns of a terminal."""
    if columns_of(text) <= columns:
        return text
    while columns_of(text) >= columns:
        text = text[:-1]
    return text + "…"


def columns_of(text: str) -> int:
    """Columns that the text takes on a terminal: Chinese, Japanese and Korean characters take two."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def _padded(cell: str, width: int, is_right: bool) -> str:
    padding = " " * (width - columns_of(cell))
    return padding + cell if is_right else cell + padding
