"""Shared parts of the commands: options, and the output of results, errors and tables on the terminal.

Models, pages and files may contain escape sequences: none of them may act on the terminal.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import sys
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from desktop_app.chat.ports import WorldError
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.conversation.events import Failure
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message
from desktop_app.conversation.openai_chat import BadChat, Json, read_objects_and_messages
from desktop_app.models import builtin
from desktop_app.models.dialect_fields import dialect_fields
from desktop_app.models.tokens.tokenizers import tokenizer_for
from desktop_app.paths import data_folder

if TYPE_CHECKING:
    from desktop_app.settings import ServerKind

_PICTURES = {code: 0x2400 + code for code in range(32)} | {127: 0x2421}
_C1 = dict.fromkeys(range(128, 160), 0xFFFD)  # Unicode has no pictures of these; 0x9B alone begins an escape sequence
_PRINTABLE = _PICTURES | _C1 | {ord("\n"): "\n", ord("\t"): "\t", ord("\r"): None}


def printable(text: str) -> str:
    """Return the text with its control characters made visible: U+001B becomes ␛.

    Tabs and line feeds stay; carriage returns are removed, since they would let text overwrite the line.
    """
    return text.translate(_PRINTABLE)


def show(text: str = "", end: str = "\n", file: TextIO | None = None) -> None:
    """Print the text and flush it, on standard output unless `file` is given."""
    print(printable(text), end=end, file=file, flush=True)


def show_error(text: str) -> None:
    """Print the text on standard error."""
    show(text, file=sys.stderr)


class PrintableFormatter(logging.Formatter):
    """Formats a record, with its traceback, as `printable` text."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))


BAD_INPUT = 2
WORLD_ERROR = 1
"""Exit codes: an argument or a file is wrong; the disk, the archive or a server failed."""


class BadInput(WorldError):
    """A file or an argument that cannot be used."""

    def __init__(self, title: str, detail: str = "", advice: str = "") -> None:
        super().__init__(Failure("bad_input", title, detail, advice=advice))


def run_command(run: Callable[[argparse.Namespace], int], arguments: argparse.Namespace) -> int:
    """Run a command and return its exit code; if it fails, print the failure."""
    try:
        return run(arguments)
    except WorldError as error:
        print_failure(error.failure)
        return BAD_INPUT if isinstance(error, BadInput) or error.failure.kind == "not_found" else WORLD_ERROR


def add_data_dir(parser: argparse.ArgumentParser) -> None:
    """Add `--data-dir`, without a default: it would overwrite the option's value if that is before the command."""
    parser.add_argument(
        "--data-dir",
        metavar="D",
        default=argparse.SUPPRESS,
        help="the data folder (default: PALIMPSEST_DATA_DIR, else the system's data folder)",
    )


def data_of(arguments: argparse.Namespace) -> Path:
    """Return the chosen data folder."""
    return data_folder(getattr(arguments, "data_dir", None))


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help="print one JSON object, for programs")


def add_data_and_json(parser: argparse.ArgumentParser) -> None:
    """Add `--data-dir` and `--json`."""
    add_data_dir(parser)
    add_json(parser)


DEFAULT_MODEL = "gpt-4o"
"""Its tokenizer is o200k."""
_TOKENS = re.compile(r"\s*(\d[\d_,' ]*(?:\.\d+)?)\s*([kKmM]?)\s*(?:tokens?)?\s*")


def add_chat_file(parser: argparse.ArgumentParser, *, needs_window: bool = False) -> None:
    """Add a conversation's file, the window that it has to fit into, and the model that counts its tokens."""
    parser.add_argument("file", help="JSON Lines of OpenAI chat messages")
    help_of_window = 'the window in tokens, such as 8192, "128K" or "1M"'
    parser.add_argument("--window", type=tokens_argument, required=needs_window, help=help_of_window)
    parser.add_argument("--model", help="count as this model does (default: o200k)")


def tokens_argument(text: str) -> int:
    """Convert 8192, "128,000", "200K" or "1M" to a number of tokens, for argparse. K is 1,000, as vendors use it."""
    match = _TOKENS.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(f"“{text}” is not a number of tokens. Write it like 8192, 200K or 1M.")
    number = float(re.sub(r"[_,' ]", "", match[1]))
    tokens = round(number * {"": 1, "k": 1_000, "m": 1_000_000}[match[2].lower()])
    if tokens < 1:
        raise argparse.ArgumentTypeError("The number of tokens must be at least 1.")
    return tokens


def positive(text: str) -> int:
    """Convert a positive number, for argparse."""
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("it must be at least 1")
    return number


def max_output_of(model: str | None) -> int:
    """Return the longest reply of that model, for the reserve; 0 if it is not known here."""
    return builtin.MAX_OUTPUT if model == builtin.MODEL_ID else 0


def counts_of(model: str) -> TokenCounts:
    """Return counts for requests in that model's dialect, by its tokenizer and template."""
    kind: ServerKind = "gemini" if model.startswith(("gemini/", "google/")) else "openai_compatible"
    info = ModelInfo(model, model, 0, 0, supports_vision=True, **dialect_fields(kind, model))
    return TokenCounts(tokenizer_for(model), info.dialect)


def read_chat(file: str) -> tuple[list[Json], list[Message]]:
    """Return the file's objects and messages; each message's id is its index. Raises BadInput, naming the line."""
    try:
        content = Path(file).read_bytes()
        return read_objects_and_messages(content, str)
    except BadChat as error:
        advice = "Each line must be one OpenAI chat message as a JSON object."
        raise BadInput(f"{file} is not a chat", str(error), advice) from error
    except OSError as error:
        raise BadInput(f"{file} cannot be read", error.strerror or str(error)) from error


def print_json(value: Any) -> None:
    """Print a JSON object, in ASCII so that no terminal's encoding can break it."""
    show(json.dumps(value, indent=2))


def print_failure(failure: Failure) -> None:
    """Print on standard error what happened, what was kept and what to do."""
    show_error(f"palimpsest: {failure.title}")
    for line in (failure.detail, failure.kept, failure.advice):
        if line:
            show_error(f"  {line}")


def table(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> str:
    """Return the rows with aligned columns. right: indexes of right-aligned columns, for numbers."""
    widths = [max(map(columns_of, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(_pad(cell, widths[number], number in right) for number, cell in enumerate(row)).rstrip()
        for row in rows
    )


def cut_to_width(text: str, columns: int) -> str:
    """Return the text, cut to that width in columns of a terminal."""
    if columns_of(text) <= columns:
        return text
    while columns_of(text) >= columns:
        text = text[:-1]
    return text + "…"


def columns_of(text: str) -> int:
    """Return the columns that the text takes on a terminal: Chinese, Japanese and Korean characters take two."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def _pad(cell: str, width: int, is_right: bool) -> str:
    padding = " " * (width - columns_of(cell))
    return padding + cell if is_right else cell + padding
