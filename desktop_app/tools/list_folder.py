"""`list`: the entries of a folder."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import os
from pathlib import Path
from typing import Annotated

from desktop_app.conversation.tools import ToolContext

from .path_policy import PathArguments, PathTool, display_path, one_line
from .safe_open import open_folder
from .tool import ToolFailed, field

MAX_LISTED = 500
"""Entries; a folder with more is better searched with glob."""


class ListArguments(PathArguments, frozen=True):
    """The arguments of `list`."""

    path: Annotated[str, field("Folder")] = "."


class ListTool(PathTool[ListArguments]):
    """Lists one folder: folders first, then files with their sizes."""

    name = "list"
    description = "List a folder: subfolders, then files with sizes in bytes."
    arguments = ListArguments

    async def answer(self, arguments: ListArguments, context: ToolContext) -> str:
        return await asyncio.to_thread(self._list, arguments, context)

    def _list(self, arguments: ListArguments, context: ToolContext) -> str:
        path = self._checked_path(arguments, context)
        name = display_path(path, context)
        try:
            with open_folder(path, is_listed=True) as handle:
                lines, count = _first_entries(path, handle)
        except FileNotFoundError:
            raise ToolFailed(f"There is no folder {name}.") from None
        except NotADirectoryError:
            raise ToolFailed(f"{name} is a file: use read.") from None
        if count > MAX_LISTED:
            lines.append(f"[… {count - MAX_LISTED:,} more of {count:,}: narrow it with glob]")
        return "\n".join(lines) or f"[{name} is empty]"


def _first_entries(path: Path, handle: int | None) -> tuple[list[str], int]:
    """Return a line for each of the first entries, and how many there are. handle: the open folder, if there is one."""
    numbers = itertools.count()
    with os.scandir(path if handle is None else handle) as entries:
        counted = (entry for entry, _ in zip(entries, numbers, strict=False))
        # Few are kept: a folder may hold millions.
        first = heapq.nsmallest(MAX_LISTED, counted, key=lambda entry: (not _is_folder(entry), entry.name))
        return [_line_of(entry, handle) for entry in first], next(numbers)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _line_of(entry: os.DirEntry[str], handle: int | None) -> str:
    name = one_line(entry.name)
    try:
        link = f" -> {one_line(os.readlink(entry.path, dir_fd=handle))}" if entry.is_symlink() else ""
        if entry.is_dir():
            return f"{name}/{link}"
        return f"{name}{link}  {entry.stat().st_size:,}"
    except OSError:
        return f"{name}  [broken link]" if entry.is_symlink() else name
