"""`grep` and `glob`: find lines in files, and files by name, without files that .gitignore excludes."""

from __future__ import annotations

import asyncio
import json
import os
from abc import abstractmethod
from functools import cache
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from desktop_app.conversation.tools import ToolContext
from desktop_app.conversation.words import pluralize
from desktop_app.permissions.secret_paths import is_secret

from .child_process import run_script
from .path_policy import PathArguments, PathTool, one_line, open_folder, path_of_handle
from .tool import ToolFailed, field

MAX_MATCHES = 1_000
"""Lines or files that are returned. With more matches, a narrower search is more useful."""
SECONDS = 30
"""Timeout of a search; about 200,000 files take that long."""
Match = tuple[str, int, str]
"""Path, line number (0: the file itself), line."""


class _Found(msgspec.Struct, frozen=True):
    """The output of search_child.py."""

    matches: list[Match] = []
    is_cut: bool = False
    error: str = ""


Root = Annotated[str, field("Folder or file")]
S = TypeVar("S", bound=PathArguments)


class SearchTool(PathTool[S]):
    """A search in a folder or a file."""

    async def answer(self, arguments: S, context: ToolContext) -> str:
        root = await asyncio.to_thread(self._checked_path, arguments, context)
        if not await asyncio.to_thread(root.exists):
            raise ToolFailed(f"There is no file or folder {one_line(arguments.path)}.")
        found = await self._search(arguments, root)
        matches = await asyncio.to_thread(self._visible, found.matches, root)
        return self._format(matches, found.is_cut) if matches else "[nothing found]"

    async def _search(self, arguments: S, root: Path) -> _Found:
        is_file = await asyncio.to_thread(root.is_file)
        request = msgspec.structs.asdict(arguments) | {"do": self.name, "root": str(root), "is_file": is_file}
        request["limit"] = MAX_MATCHES
        folder = root.parent if is_file else root
        with open_folder(folder) as handle:  # the child stays in the folder that was opened, even if it is replaced
            here = path_of_handle(folder, handle)
            printed = await run_script("search_child", json.dumps(request), seconds=SECONDS, folder=here)
        if printed is None:
            raise ToolFailed(f"No end after {SECONDS} seconds: narrow the path, or make the pattern simpler.")
        found = msgspec.json.decode(printed, type=_Found)
        if found.error:
            raise ToolFailed(found.error)
        return found

    def _visible(self, found: list[Match], root: Path) -> list[Match]:
        """Return the matches that the model may see."""
        return found

    @abstractmethod
    def _format(self, found: list[Match], is_cut: bool) -> str: ...


class GrepArguments(PathArguments, frozen=True, kw_only=True):
    """The arguments of `grep`."""

    pattern: Annotated[str, field("Regular expression; (?i) ignores case", min_length=1)]
    path: Root = "."
    include: Annotated[str, field('Only these files, e.g. "*.{ts,tsx}" or "src/**/*.py"')] = ""


class GrepTool(SearchTool[GrepArguments]):
    """Finds lines by a regular expression."""

    name = "grep"
    description = "Search lines of files; .gitignore is respected."
    arguments = GrepArguments

    def _visible(self, found: list[Match], root: Path) -> list[Match]:
        """Return the matches without lines of secrets, unless the root is one, and of Palimpsest's own data."""
        data = os.path.realpath(self._policy.data)
        is_file, is_named = root.is_file(), is_secret(str(root))  # such a root has a permission of its own

        @cache
        def is_visible(path: str) -> bool:
            file = root / path
            is_allowed = is_file or (is_named and not file.is_relative_to(data))
            return is_allowed or not self._policy.is_private(file)

        return [match for match in found if is_visible(match[0])]

    def _format(self, found: list[Match], is_cut: bool) -> str:
        lines: list[str] = []
        last = ""
        for path, number, line in found:
            if path != last:
                lines += [*([""] if last else []), one_line(path)]
                last = path
            lines.append(f"{number}: {line}")
        count = pluralize(len(found), "line")
        files = pluralize(len({path for path, _, _ in found}), "file")
        end = f"[the first {count}; narrow the pattern, path or include]" if is_cut else f"[{count} in {files}]"
        return "\n".join([*lines, end])


class GlobArguments(PathArguments, frozen=True, kw_only=True):
    """The arguments of `glob`."""

    pattern: Annotated[str, field('"*.py" fits names in all folders, "src/**/*.py" paths', min_length=1)]
    path: Root = "."


class GlobTool(SearchTool[GlobArguments]):
    """Finds files by name."""

    name = "glob"
    description = "Find files by name; .gitignore is respected."
    arguments = GlobArguments

    def _format(self, found: list[Match], is_cut: bool) -> str:
        paths = [one_line(path) for path, _, _ in found]
        more = [f"[the first {pluralize(len(paths), 'file')}; narrow the pattern]"] if is_cut else []
        return "\n".join(paths + more)
