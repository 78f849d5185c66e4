"""`read`: some lines of a file, or of the whole text of an output that was truncated."""

from __future__ import annotations

import asyncio
import difflib
import os
from pathlib import Path
from typing import Annotated

from desktop_app.chat.ports import Spills
from desktop_app.conversation.tools import RequiredPermission, ToolContext

from .line_window import LINES_MOST, beginning, window_of_file, window_of_text
from .opening import opened_folder
from .places import PathPolicy, resolved, told
from .spill import is_spill_name
from .text_files import open_regular, refuse_binary
from .tool import Arguments, Tool, ToolFailed, about

FILE_MOST = 50_000_000
"""Bytes. Reading the lines of a larger file takes seconds; grep finds the place faster."""


class ReadArguments(Arguments, frozen=True):
    """What to read, from which line on, and how many."""

    path: Annotated[str, about("File, or the name of a kept output", min_length=1)]
    offset: Annotated[int, about("First line", ge=1)] = 1
    limit: Annotated[int, about("Lines", ge=1)] = LINES_MOST


class ReadTool(Tool[ReadArguments]):
    """Reads files and spills."""

    name = "read"
    description = f"Read a text file, {LINES_MOST:,} numbered lines or 48 KB at most; read on with offset."
    arguments = ReadArguments

    def __init__(self, borders: PathPolicy, spills: Spills) -> None:
        self._borders = borders
        self._spills = spills

    async def needs(self, arguments: ReadArguments, place: ToolContext) -> tuple[RequiredPermission, ...]:
        """Nothing for spills, and within the working folder."""
        return await asyncio.to_thread(self._needs, arguments.path, place)

    def _needs(self, path: str, place: ToolContext) -> tuple[RequiredPermission, ...]:
        file = resolved(path, place)
        if is_spill_name(path) and not file.exists():
            return ()
        return self._borders.reading(self.name, file, place)

    async def answer(self, arguments: ReadArguments, place: ToolContext) -> str:
        """The lines, numbered."""
        file = await asyncio.to_thread(resolved, arguments.path, place)
        if is_spill_name(arguments.path) and not await asyncio.to_thread(file.exists):
            return await self._spill(arguments)
        return await asyncio.to_thread(self._read, file, arguments, place)

    def _read(self, file: Path, arguments: ReadArguments, place: ToolContext) -> str:
        self._borders.reading_checked(self.name, file, place)
        return _read(file, told(file, place), arguments)

    async def _spill(self, arguments: ReadArguments) -> str:
        text = await self._spills.read(arguments.path)
        if text is None:
            raise ToolFailed(f"There is neither a file nor a kept output named {arguments.path}.")
        window = await asyncio.to_thread(window_of_text, text, arguments.offset, arguments.limit)
        return window.text(f"The output {arguments.path[:12]}")


def _read(file: Path, name: str, arguments: ReadArguments) -> str:
    try:
        with open_regular(file, FILE_MOST, "Find the place with grep, or read a part with bash (sed -n).") as opened:
            begin = beginning(opened)
            refuse_binary(file, begin, os.fstat(opened.fileno()).st_size)
            return window_of_file(opened, begin, arguments.offset, arguments.limit, FILE_MOST).text(name)
    except IsADirectoryError:
        raise ToolFailed(f"{name} is a folder: use list.") from None
    except FileNotFoundError:
        raise ToolFailed(f"There is no file {name}.{_similar(file)}") from None


def _similar(file: Path) -> str:
    """Files beside it with a similar name: a letter is soon wrong."""
    try:
        with opened_folder(file.parent, is_listed=True) as folder:
            names = os.listdir(file.parent if folder is None else folder)[:5_000]
    except OSError:
        return f" Nor is there a folder {file.parent}." if not file.parent.exists() else ""
    close = difflib.get_close_matches(file.name, names, n=3)
    return f" Did you mean {', '.join(close)}?" if close else ""
