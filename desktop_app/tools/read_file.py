"""`read`: lines of a file, or of the whole text of an output that was truncated."""

from __future__ import annotations

import asyncio
import difflib
import os
from io import BytesIO
from pathlib import Path
from typing import Annotated

from desktop_app.chat.ports import Spills
from desktop_app.conversation.tools import RequiredPermission, ToolContext
from desktop_app.conversation.words import pluralize

from .path_policy import PathArguments, PathPolicy, PathTool, display_path, resolve_path
from .safe_open import open_folder
from .spill import is_spill_name
from .text_files import bom_of, read_content
from .tool import ToolFailed, field

MAX_FILE = 50_000_000
"""Bytes. Reading the lines of a larger file takes seconds; grep finds the place faster."""
MAX_LINES = 1_900
MAX_BYTES = 48_000
MAX_LINE = 1_900
"""Slightly below the limits of a result (features T1), so that a file needs no spill: it can be read on."""


class ReadArguments(PathArguments, frozen=True):
    """The arguments of `read`."""

    path: Annotated[str, field("File, or the name of a kept output", min_length=1)]
    offset: Annotated[int, field("First line", ge=1)] = 1
    limit: Annotated[int, field("Lines", ge=1)] = MAX_LINES


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
        return window_of(content, name, arguments.offset, arguments.limit)

    async def _read_spill(self, arguments: ReadArguments) -> str:
        text = await self._spills.read(arguments.path)
        if text is None:
            raise ToolFailed(f"There is neither a file nor a kept output named {arguments.path}.")
        content, name = text.encode(errors="replace"), f"The output {arguments.path[:12]}"
        return await asyncio.to_thread(window_of, content, name, arguments.offset, arguments.limit)


def window_of(content: bytes, name: str, offset: int, limit: int) -> str:
    """Return numbered lines of a text from `offset` on (counted from 1), and how to read on.

    A line ends at a line feed alone. Raises ToolFailed if there are fewer lines than `offset`.
    """
    bom, encoding = bom_of(content)
    content = content[len(bom) :]
    notes: list[str] = []
    if encoding.startswith(("utf-16", "utf-32")):
        content = content.decode(encoding, errors="replace").encode()
        notes = [f"the file is {encoding}"]
    wanted = range(offset, offset + min(limit, MAX_LINES))
    kept: list[str] = []
    room, count = MAX_BYTES, 0
    for count, raw in enumerate(BytesIO(content), 1):  # to the end, since all are counted
        if count in wanted and room > 0:
            try:
                line = raw.decode()
            except UnicodeDecodeError:
                line = raw.decode("cp1252", errors="replace")
                notes = ["not UTF-8: read as Windows-1252"]
            line = line.removesuffix("\n").removesuffix("\r")
            numbered = f"{count}\t{_shorten(line)}"
            room -= len(numbered.encode()) + 1
            kept += [numbered] if room >= 0 else []
    if not count:
        return f"[{name} is empty]"
    if not kept:
        raise ToolFailed(f"{name} has {pluralize(count, 'line')}: there is no line {offset:,}.")
    last = offset + len(kept) - 1
    if len(kept) < count:
        more = f"; read on with offset {last + 1}" if last < count else ""
        notes.insert(0, f"lines {offset:,} to {last:,} of {count:,}{more}")
    return "\n".join([*kept, *(f"[{note}]" for note in notes)])


def _shorten(line: str) -> str:
    return line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}... (line truncated: {len(line):,} characters)"


def _is_spill(path: str, context: ToolContext) -> bool:
    return is_spill_name(path) and not resolve_path(path, context).exists()


def _suggest_names(path: Path) -> str:
    """Name files beside it with a similar name."""
    try:
        with open_folder(path.parent, is_listed=True) as folder:
            names = os.listdir(path.parent if folder is None else folder)[:5_000]
    except OSError:
        return f" Nor is there a folder {path.parent}." if not path.parent.exists() else ""
    close = difflib.get_close_matches(path.name, names, n=3)
    return f" Did you mean {', '.join(close)}?" if close else ""
