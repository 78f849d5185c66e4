"""`grep` and `glob`: lines in files, and files by name; what .gitignore excludes is left out."""

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
"""Lines or files that are returned. Whoever wants more is better served by a narrower question."""
SECONDS = 30
"""After which a search is given up; some 200,000 files take that long."""
Match = tuple[str, int, str]
"""Path, line number (0: the file itself), line."""


class _Found(msgspec.Struct, frozen=True):
    """What search_child.py prints."""

    matches: list[Match] = []
    is_cut: bool = False
    error: str = ""


Root = Annotated[str, field("Folder or file")]
S = TypeVar("S", bound=PathArguments)


class SearchTool(PathTool[S]):
    """A search below a folder."""

    async def answer(self, arguments: S, context: ToolContext) -> str:
        root = await asyncio.to_thread(self._checked_path, arguments, context)
        if not await asyncio.to_thread(root.exists):
            raise ToolFailed(f"There is no file or folder {one_line(arguments.path)}.")
        found = await self._search(arguments, root)
        matches = await asyncio.to_thread(self._shown, found.matches, root)
        return self._format(matches, found.is_cut) if matches else "[nothing found]"

    async def _search(self, arguments: S, root: Path) -> _Found:
        is_file = await asyncio.to_thread(root.is_file)
        request = msgspec.structs.asdict(arguments) | {"do": self.name, "root": str(root), "is_file": is_file}
        request["limit"] = MAX_MATCHES
        folder = root.parent if is_file else root
        with open_folder(folder) as handle:  # a child that has started stays in the folder that was opened
            here = path_of_handle(folder, handle)
            printed = await run_script("search_child", json.dumps(request), seconds=SECONDS, folder=here)
        if printed is None:
            raise ToolFailed(f"No end after {SECONDS} seconds: narrow the path, or make the pattern simpler.")
        found = msgspec.json.decode(printed, type=_Found)
        if found.error:
            raise ToolFailed(found.error)
        return found

    def _shown(self, found: list[Match], root: Path) -> list[Match]:
        """Return the matches that may be shown."""
        return found

    @abstractmethod
    def _format(self, found: list[Match], is_cut: bool) -> str: ...


class GrepArguments(PathArguments, frozen=True, kw_only=True):
    """The arguments of `grep`."""

    pattern: Annotated[str, field("Regular expression; (?i) ignores case", min_length=1)]
    path: Root = "."
    include: Annotated[str, field('Only these files, e.g. "*.{ts,tsx}" or "src/**/*.py"')] = ""


class GrepTool(SearchTool[GrepArguments]):
    """Finds lines."""

    name = "grep"
    description = "Search lines of files; .gitignore is respected."
    arguments = GrepArguments

    def _shown(self, found: list[Match], root: Path) -> list[Match]:
        """Leave out lines of secrets, unless the root is one, and lines of our own data."""
        data = os.path.realpath(self._policy.data)
        is_file, is_named = root.is_file(), is_secret(str(root))  # permission was given for it

        @cache
        def is_shown(path: str) -> bool:
            whole = root / path
            is_allowed = is_file or (is_named and not whole.is_relative_to(data))
            return is_allowed or not self._policy.is_private(whole)

        return [match for match in found if is_shown(match[0])]

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
    """Finds files."""

    name = "glob"
    description = "Find files by name; .gitignore is respected."
    arguments = GlobArguments

    def _format(self, found: list[Match], is_cut: bool) -> str:
        paths = [one_line(path) for path, _, _ in found]
        more = [f"[the first {pluralize(len(paths), 'file')}; narrow the pattern]"] if is_cut else []
        return "\n".join(paths + more)
