"""Completes the names of files below a working folder; what .gitignore excludes is left out."""

from __future__ import annotations

import asyncio
import heapq
import json
import re
import time
from collections.abc import Iterable

import msgspec

from .child_process import run_script

MAX_FILES = 100_000
SECONDS = 30.0
"""For one listing; 35,000 files take about one."""
FRESH_SECONDS = 5.0
"""For which a listing is used again."""


class _Listed(msgspec.Struct, frozen=True):
    matches: list[tuple[str, int, str]] = []


class FileNames:
    """Keeps the listing of the folder that was asked about last."""

    def __init__(self) -> None:
        self._folder = ""
        self._paths: tuple[str, ...] = ()
        self._listed_at = 0.0
        self._lock = asyncio.Lock()

    async def matching(self, folder: str, query: str, limit: int) -> tuple[str, ...]:
        """Return paths relative to the folder, those that fit best first. Raises OSError if it cannot be entered.

        The folder is listed anew only for an empty query, with which a completion begins: keys do not wait for it.
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
    """Return the paths with all characters of the query in their order: first those whose name begins with it, then
    those whose name, and those whose path contains it; among these the shorter ones. Case is ignored."""
    wanted = query.lower()
    letters = re.compile(".*?".join(map(re.escape, wanted)), re.DOTALL)
    ranked = ((_rank(path.lower(), wanted), len(path), path) for path in paths if letters.search(path.lower()))
    return tuple(path for _, _, path in heapq.nsmallest(limit, ranked))


def _rank(path: str, query: str) -> int:
    name = path.rpartition("/")[2]
    return 0 if name.startswith(query) else 1 if query in name else 2 if query in path else 3
