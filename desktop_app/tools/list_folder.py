"""`list`: the entries of a folder."""

from __future__ import annotations

import asyncio
import heapq
import os
from pathlib import Path
from typing import Annotated

from desktop_app.conversation.tools import ToolContext

from .path_policy import PathArguments, PathTool, display_path
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
    count = 0
    kept: list[tuple[bool, str, os.DirEntry[str]]] = []
    with os.scandir(path if handle is None else handle) as entries:
        for entry in entries:  # all are counted, but few kept: a folder may hold millions
            count += 1
            kept.append((not _is_folder(entry), entry.name, entry))
            if len(kept) > 20 * MAX_LISTED:
                kept = heapq.nsmallest(MAX_LISTED, kept)
        first = sorted(kept, key=lambda one: one[:2])[:MAX_LISTED]
        return [_line_of(entry, handle) for _, _, entry in first], count


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _line_of(entry: os.DirEntry[str], handle: int | None) -> str:
    name = entry.name.encode(errors="replace").decode()
    try:
        link = f" -> {os.readlink(entry.path, dir_fd=handle)}" if entry.is_symlink() else ""
        if entry.is_dir():
            return f"{name}/{link}"
        return f"{name}{link}  {entry.stat().st_size:,}"
    except OSError:
        return f"{name}  [broken link]" if entry.is_symlink() else name
