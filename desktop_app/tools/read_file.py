"""`read`: lines of a file, or of the full text of a truncated output."""

from __future__ import annotations

import asyncio
import difflib
import os
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Annotated

from desktop_app.chat.ports import Spills
from desktop_app.context.text_cuts import head_of
from desktop_app.conversation.tools import RequiredPermission, ToolContext
from desktop_app.conversation.words import pluralize

from .change_files import read_content
from .path_policy import PathArguments, PathPolicy, PathTool, display_path, one_line, open_folder, resolve_path
from .spill import is_spill_name
from .text_encodings import NAMES, OtherEncoding, bom_of, decode_line, other_encoding
from .tool import ToolFailed, field

MAX_FILE = 50_000_000
"""Bytes. Reading the lines of a larger file takes seconds; grep finds the place faster."""
MAX_LINES = 1_900
MAX_BYTES = 48_000
MAX_LINE = 1_900
"""Characters. Like the two limits above, slightly below the limits of a result (features T1), so that a file never
needs a spill."""


class ReadArguments(PathArguments, frozen=True):
    """The arguments of `read`."""

    path: Annotated[str, field("File, or the name of a kept output", min_length=1)]
    offset: Annotated[int, field("First line", ge=1)] = 1
    limit: Annotated[int, field("Lines", ge=1)] = MAX_LINES
    character: Annotated[int, field("Read on in line offset from this character", ge=0)] = 0


class ReadTool(PathTool[ReadArguments]):
    """Reads files and spills; spills require no permission."""

    name = "read"
    description = f"Read a text file, {MAX_LINES:,} numbered lines or 48 KB at most; read on with offset."
    arguments = ReadArguments

    def __init__(self, policy: PathPolicy, spills: Spills) -> None:
        super().__init__(policy)
        self._spills = spills

    def _needs(self, path: str, context: ToolContext) -> tuple[RequiredPermission, ...]:
        return () if _is_spill(path, context) else super()._needs(path, context)

    async def answer(self, arguments: ReadArguments, context: ToolContext) -> str:
        if await asyncio.to_thread(_is_spill, arguments.path, context):
            return await self._read_spill(arguments)
        return await asyncio.to_thread(self._read, arguments, context)

    def _read(self, arguments: ReadArguments, context: ToolContext) -> str:
        path = self._checked_path(arguments, context)
        name = display_path(path, context)
        try:
            content = read_content(path, MAX_FILE, "Find the place with grep, or read a part with bash (sed -n).")
        except IsADirectoryError:
            raise ToolFailed(f"{name} is a folder: use list.") from None
        except FileNotFoundError:
            raise ToolFailed(f"There is no file {name}.{_suggest_names(path)}") from None
        return _selected(content, name, arguments)

    async def _read_spill(self, arguments: ReadArguments) -> str:
        text = await self._spills.read(arguments.path)
        if text is None:
            raise ToolFailed(f"There is neither a file nor a kept output named {arguments.path}.")
        content, name = text.encode(errors="replace"), f"The output {arguments.path[:12]}"
        return await asyncio.to_thread(_selected, content, name, arguments)


def _selected(content: bytes, name: str, arguments: ReadArguments) -> str:
    if arguments.character:
        return line_from(content, name, arguments.offset, arguments.character)
    return window_of(content, name, arguments.offset, arguments.limit)


def window_of(content: bytes, name: str, offset: int, limit: int) -> str:
    """Return numbered lines of a text from `offset` (counted from 1), and a note on how to continue.

    Only line feeds end lines. Raises ToolFailed if there are fewer lines than `offset`.
    """
    content, notes = _as_lines(content)
    other = other_encoding(content)
    wanted = range(offset, offset + min(limit, MAX_LINES))
    kept: list[str] = []
    left, count = MAX_BYTES, 0
    for count, raw in enumerate(BytesIO(content), 1):  # to the end, because all lines are counted
        if count in wanted and left > 0:
            line, wrong = _line_of(raw, other)
            notes += [note for note in wrong if note not in notes]
            numbered = f"{count}\t{_shorten(line)}"
            left -= len(numbered.encode()) + 1
            kept += [numbered] if left >= 0 else []
    if not count:
        return f"[{name} is empty]"
    if not kept:
        raise _no_line(name, count, offset)
    last = offset + len(kept) - 1
    if len(kept) < count:
        more = f"; read on with offset {last + 1}" if last < count else ""
        notes.insert(0, f"lines {offset:,} to {last:,} of {count:,}{more}")
    return "\n".join([*kept, *(f"[{note}]" for note in notes)])


def line_from(content: bytes, name: str, number: int, character: int) -> str:
    """Return a line of a text from a character (both counted from 1) in numbered pieces, and a note on how to continue.

    Raises ToolFailed if there is no such line or character.
    """
    content, notes = _as_lines(content)
    raw = next(islice(BytesIO(content), number - 1, None), None)
    if raw is None:
        raise _no_line(name, sum(1 for _ in BytesIO(content)), number)
    line, wrong = _line_of(raw, other_encoding(content))
    if character > len(line):
        raise ToolFailed(f"Line {number:,} has {pluralize(len(line), 'character')}: none is number {character:,}.")
    pieces: list[str] = []
    left, at = MAX_BYTES, character - 1
    while at < len(line):
        piece = head_of(line[at : at + 2 * MAX_LINE], MAX_LINE)
        numbered = f"{at + 1}\t{piece}"
        left -= len(numbered.encode()) + 1
        if left < 0:
            break
        pieces.append(numbered)
        at += len(piece)
    more = f"read on with character {at + 1}" if at < len(line) else f"the next line: offset {number + 1}"
    position = (
        f"line {number:,}, characters {character:,} to {at:,} of {len(line):,}, in pieces that are no lines; {more}"
    )
    return "\n".join([*pieces, *(f"[{note}]" for note in (*(wrong or notes), position))])


def _as_lines(content: bytes) -> tuple[bytes, list[str]]:
    """Return the content without its byte order mark, in an encoding with single-byte line feeds, and notes on it."""
    bom, encoding = bom_of(content)
    content = content[len(bom) :]
    if not encoding.startswith(("utf-16", "utf-32")):
        return content, []
    return content.decode(encoding, errors="replace").encode(), [f"the file is {encoding}"]


def _line_of(raw: bytes, other: OtherEncoding | None) -> tuple[str, list[str]]:
    """Return the decoded line without its line end, and notes on its encoding."""
    parts = [*decode_line(raw, other)]
    notes = [
        f"not UTF-8: read as {NAMES[name]}" for name in dict.fromkeys(name for _, name in parts) if name != "utf-8"
    ]
    line = "".join(text for text, _ in parts)
    return line.removesuffix("\n").removesuffix("\r"), notes


def _no_line(name: str, lines: int, number: int) -> ToolFailed:
    return ToolFailed(f"{name} has {pluralize(lines, 'line')}: there is no line {number:,}.")


def _shorten(line: str) -> str:
    if len(line) <= MAX_LINE:
        return line
    head = head_of(line, MAX_LINE)
    return f"{head}... (line truncated: {len(line):,} characters; go on at character {len(head) + 1})"


def _is_spill(path: str, context: ToolContext) -> bool:
    return is_spill_name(path) and not resolve_path(path, context).exists()


def _suggest_names(path: Path) -> str:
    """Return a sentence that names similar files in the same folder; "" if there are none."""
    try:
        with open_folder(path.parent, is_listed=True) as folder:
            names = os.listdir(path.parent if folder is None else folder)[:5_000]
    except OSError:
        return f" Nor is there a folder {one_line(str(path.parent))}." if not path.parent.exists() else ""
    close = difflib.get_close_matches(path.name, names, n=3)
    return f" Did you mean {', '.join(map(one_line, close))}?" if close else ""
