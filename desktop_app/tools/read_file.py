"""`read`: lines of a file, or of the whole text of an output that was truncated."""

from __future__ import annotations

import asyncio
import difflib
import os
from pathlib import Path
from typing import Annotated

from desktop_app.chat.ports import Spills
from desktop_app.conversation.tools import RequiredPermission, ToolContext

from .line_window import MAX_LINES, window_of_file, window_of_text
from .path_policy import PathArguments, PathPolicy, PathTool, display_path, resolve_path
from .safe_open import open_folder
from .spill import is_spill_name
from .text_files import SNIFFED, open_regular, refuse_binary
from .tool import ToolFailed, field

MAX_FILE = 50_000_000
"""Bytes. Reading the lines of a larger file takes seconds; grep finds the place faster."""


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
            with open_regular(path, MAX_FILE, "Find the place with grep, or read a part with bash (sed -n).") as file:
                start = file.read(SNIFFED)
                refuse_binary(path, start, os.fstat(file.fileno()).st_size)
                return window_of_file(file, start, arguments.offset, arguments.limit, MAX_FILE).text(name)
        except IsADirectoryError:
            raise ToolFailed(f"{name} is a folder: use list.") from None
        except FileNotFoundError:
            raise ToolFailed(f"There is no file {name}.{_suggest_names(path)}") from None

    async def _read_spill(self, arguments: ReadArguments) -> str:
        text = await self._spills.read(arguments.path)
        if text is None:
            raise ToolFailed(f"There is neither a file nor a kept output named {arguments.path}.")
        window = await asyncio.to_thread(window_of_text, text, arguments.offset, arguments.limit)
        return window.text(f"The output {arguments.path[:12]}")


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
