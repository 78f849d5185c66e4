"""`list`: the entries of a folder; and the completion of file names below a folder, which respects .gitignore."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import json
import os
import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import msgspec

from desktop_app.conversation.tools import ToolContext

from .child_process import run_script
from .path_policy import PathArguments, PathTool, display_path, one_line, open_folder
from .tool import ToolFailed, field

MAX_LISTED = 500
"""Entries that are listed; a folder with more is better searched with glob."""


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
    """Return a line for each of the first entries, and the total. handle: the open folder; None to use `path`."""
    numbers = itertools.count()
    with os.scandir(path if handle is None else handle) as entries:
        counted = (entry for entry, _ in zip(entries, numbers, strict=False))
        # Only the first ones are kept in memory: a folder may have millions.
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


MAX_FILES = 100_000
SECONDS = 30.0
"""Timeout of one listing; 35,000 files take about one second."""
FRESH_SECONDS = 5.0
"""Seconds for which a listing is reused."""


class _Listed(msgspec.Struct, frozen=True):
    matches: list[tuple[str, int, str]] = []


class FileNames:
    """Completes file names, with a cache of the last folder's listing."""

    def __init__(self) -> None:
        self._folder = ""
        self._paths: tuple[str, ...] = ()
        self._listed_at = 0.0
        self._lock = asyncio.Lock()

    async def matching(self, folder: str, query: str, limit: int) -> tuple[str, ...]:
        """Return matching paths relative to the folder, best first. Raises OSError if it cannot be entered.

        A cached folder is listed again only for an empty query, with which a completion begins, so that typing does not
        wait for it.
        """
        async with self._lock:
            is_old = time.monotonic() - self._listed_at > FRESH_SECONDS
            if folder != self._folder or (is_old and not query):
                await self._list(folder)
        return await asyncio.to_thread(best_paths, self._paths, query, limit)

    async def _list(self, folder: str) -> None:
        request = {"do": "glob", "root": folder, "is_file": False, "pattern": "*", "limit": MAX_FILES}
        printed = await run_script("search_child", json.dumps(request), seconds=SECONDS, folder=folder)
        found = await asyncio.to_thread(msgspec.json.decode, printed or b"{}", type=_Listed)
        self._paths = tuple(path for path, _, _ in found.matches)
        self._folder, self._listed_at = folder, time.monotonic()


def best_paths(paths: Iterable[str], query: str, limit: int) -> tuple[str, ...]:
    """Return the paths that contain all characters of the query in order, ignoring case.

    Paths whose name begins with the query come first, then those whose name contains it, then those whose path contains
    it, then the others; of these groups, shorter paths come first.
    """
    wanted = query.lower()
    letters = re.compile(".*?".join(map(re.escape, wanted)), re.DOTALL)
    ranked = ((_rank(path.lower(), wanted), len(path), path) for path in paths if letters.search(path.lower()))
    return tuple(path for _, _, path in heapq.nsmallest(limit, ranked))


def _rank(path: str, query: str) -> int:
    name = path.rpartition("/")[2]
    return 0 if name.startswith(query) else 1 if query in name else 2 if query in path else 3
