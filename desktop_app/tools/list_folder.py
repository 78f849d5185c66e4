"""`list`: what is in a folder."""

from __future__ import annotations

import asyncio
import heapq
import os
from pathlib import Path
from typing import Annotated

from desktop_app.conversation.tools import RequiredPermission, ToolContext

from .opening import opened_folder
from .places import PathPolicy, resolved, told
from .tool import Arguments, Tool, ToolFailed, about

LISTED_MOST = 500
"""Entries that are told; a folder with more is better searched with glob."""


class ListArguments(Arguments, frozen=True):
    """Which folder."""

    path: Annotated[str, about("Folder")] = "."


class ListTool(Tool[ListArguments]):
    """Lists one folder: folders first, then files with their sizes."""

    name = "list"
    description = "List a folder: subfolders, then files with sizes in bytes."
    arguments = ListArguments

    def __init__(self, borders: PathPolicy) -> None:
        self._borders = borders

    async def needs(self, arguments: ListArguments, place: ToolContext) -> tuple[RequiredPermission, ...]:
        """Nothing within the working folder."""
        folder = await asyncio.to_thread(resolved, arguments.path or ".", place)
        return await asyncio.to_thread(self._borders.reading, self.name, folder, place)

    async def answer(self, arguments: ListArguments, place: ToolContext) -> str:
        """An entry a line."""
        folder = await asyncio.to_thread(resolved, arguments.path or ".", place)
        return await asyncio.to_thread(self._listed, folder, place)

    def _listed(self, folder: Path, place: ToolContext) -> str:
        self._borders.reading_checked(self.name, folder, place)
        return _listed(folder, told(folder, place))


def _listed(folder: Path, name: str) -> str:
    try:
        with opened_folder(folder, is_listed=True) as handle:
            lines, count = _lines(folder, handle)
    except FileNotFoundError:
        raise ToolFailed(f"There is no folder {name}.") from None
    except NotADirectoryError:
        raise ToolFailed(f"{name} is a file: use read.") from None
    if count > LISTED_MOST:
        lines.append(f"[… {count - LISTED_MOST:,} more of {count:,}: narrow it with glob]")
    return "\n".join(lines) or f"[{name} is empty]"


def _lines(folder: Path, handle: int | None) -> tuple[list[str], int]:
    """The first entries in words, and how many there are. handle: of the open folder, where the system has such."""
    count = 0
    kept: list[tuple[bool, str, os.DirEntry[str]]] = []
    with os.scandir(folder if handle is None else handle) as entries:
        for entry in entries:  # all are counted, the first are kept: a folder may hold millions
            count += 1
            kept.append((not _is_folder(entry), entry.name, entry))
            if len(kept) > 20 * LISTED_MOST:
                kept = heapq.nsmallest(LISTED_MOST, kept)
        first = sorted(kept, key=lambda one: one[:2])[:LISTED_MOST]
        return [_line(entry, handle) for _, _, entry in first], count


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _line(entry: os.DirEntry[str], handle: int | None) -> str:
    name = entry.name.encode(errors="replace").decode()
    try:
        link = f" -> {os.readlink(entry.path, dir_fd=handle)}" if entry.is_symlink() else ""
        if entry.is_dir():
            return f"{name}/{link}"
        return f"{name}{link}  {entry.stat().st_size:,}"
    except OSError:
        return f"{name}  [broken link]" if entry.is_symlink() else name
