"""`grep` and `glob`: lines in files, and files by name; what .gitignore excludes is left out."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import time
from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from desktop_app.conversation.plurals import pluralize
from desktop_app.conversation.tools import ToolContext
from desktop_app.permissions.secret_paths import is_secret

from . import search_child
from .child_process import ChildProcess
from .path_policy import PathArguments, PathTool
from .safe_open import open_folder, path_of_handle
from .search_child import MAX_LINE, SKIPPED, matches
from .text_files import bom_of, open_regular
from .tool import ToolFailed, field

MAX_MATCHES = 1_000
"""Lines or files that are returned. Whoever wants more is better served by a narrower question."""
SECONDS = 30
"""After which a search is given up; some 100,000 files take that long without ripgrep."""
RIPGREP_OPTIONS = (
    *("--no-config", "--no-messages", "--line-number", "--no-heading", "--with-filename", "--color=never", "--null"),
    *("--hidden", "--no-require-git", "--no-ignore-dot", "--no-ignore-global", "--no-ignore-exclude"),
    *("--sort=path", f"--max-columns={MAX_LINE * 4}", "--max-columns-preview", "--crlf"),
    *(part for name in SKIPPED for part in ("--glob", f"!{name}")),
)
Match = tuple[str, int, str]
"""Path, line number (0: the file itself), line."""
IsShown = Callable[[str], bool]


class FileSearchArguments(PathArguments, frozen=True, kw_only=True):
    """What grep and glob have in common."""

    pattern: Annotated[str, field("Pattern", min_length=1)]
    path: Annotated[str, field("Folder or file")] = "."


S = TypeVar("S", bound=FileSearchArguments)


class SearchTool(PathTool[S]):
    """A search below a folder."""

    async def answer(self, arguments: S, context: ToolContext) -> str:
        root = await asyncio.to_thread(self._checked_path, arguments, context)
        if not await asyncio.to_thread(root.exists):
            raise ToolFailed(f"There is no file or folder {arguments.path}.")
        try:
            async with asyncio.timeout(SECONDS):
                found, is_cut = await self._search(arguments, root)
        except TimeoutError:
            raise ToolFailed(f"No end after {SECONDS} seconds: narrow the path, or make the pattern simpler.") from None
        return self._format(found, is_cut) if found else "[nothing found]"

    @abstractmethod
    async def _search(self, arguments: S, root: Path) -> tuple[list[Match], bool]:
        """Return the matches, and whether there are more."""

    @abstractmethod
    def _format(self, found: list[Match], is_cut: bool) -> str: ...

    def _shown_below(self, root: Path) -> IsShown:
        """Return whether lines of a file are shown: not those of secrets, unless the root is one, and none of ours."""
        data = os.path.realpath(self._policy.data)
        is_named = is_secret(str(root))  # permission was given for it
        known: dict[str, bool] = {}

        def is_shown(path: str) -> bool:
            if path not in known:
                whole = root / path
                is_data = whole.is_relative_to(data)
                known[path] = root.is_file() or (is_named and not is_data) or not self._policy.is_private(whole)
            return known[path]

        return is_shown


class GrepArguments(FileSearchArguments, frozen=True, kw_only=True):
    """The arguments of `grep`."""

    pattern: Annotated[str, field("Regular expression; (?i) ignores case", min_length=1)]
    include: Annotated[str, field('Only these files, e.g. "*.{ts,tsx}" or "src/**/*.py"')] = ""


class GrepTool(SearchTool[GrepArguments]):
    """Finds lines, with ripgrep where it is installed."""

    name = "grep"
    description = "Search lines of files; .gitignore is respected."
    arguments = GrepArguments

    async def _search(self, arguments: GrepArguments, root: Path) -> tuple[list[Match], bool]:
        is_shown = self._shown_below(root)
        ripgrep = await asyncio.to_thread(shutil.which, "rg")
        found = await _search_with_ripgrep(ripgrep, arguments, root, is_shown) if ripgrep else None
        return found or await _search_in_child("grep", arguments, root, is_shown, arguments.include)

    def _format(self, found: list[Match], is_cut: bool) -> str:
        lines: list[str] = []
        last = ""
        for path, number, line in found:
            if path != last:
                lines += [*([""] if last else []), path]
                last = path
            lines.append(f"{number}: {line}")
        count = pluralize(len(found), "line")
        files = pluralize(len({path for path, _, _ in found}), "file")
        end = f"[the first {count}; narrow the pattern, path or include]" if is_cut else f"[{count} in {files}]"
        return "\n".join([*lines, end])


class GlobArguments(FileSearchArguments, frozen=True, kw_only=True):
    """The arguments of `glob`."""

    pattern: Annotated[str, field('"*.py" fits names in all folders, "src/**/*.py" paths', min_length=1)]


class GlobTool(SearchTool[GlobArguments]):
    """Finds files."""

    name = "glob"
    description = "Find files by name; .gitignore is respected."
    arguments = GlobArguments

    async def _search(self, arguments: GlobArguments, root: Path) -> tuple[list[Match], bool]:
        return await _search_in_child("glob", arguments, root, lambda _: True)

    def _format(self, found: list[Match], is_cut: bool) -> str:
        paths = [path for path, _, _ in found]
        more = [f"[the first {pluralize(len(paths), 'file')}; narrow the pattern]"] if is_cut else []
        return "\n".join(paths + more)


async def _search_in_child(
    operation: str, arguments: FileSearchArguments, root: Path, is_shown: IsShown, include: str = ""
) -> tuple[list[Match], bool]:
    """Search with our own code. Raises ToolFailed for an invalid pattern."""
    request = {
        **{"do": operation, "root": str(root), "pattern": arguments.pattern, "include": include},
        **{"limit": MAX_MATCHES, "seconds": SECONDS + 5, "is_file": await asyncio.to_thread(root.is_file)},
    }
    argv = (sys.executable, "-I", "-S", search_child.__file__, json.dumps(request))
    found: list[Match] = []
    async with aclosing(_read_lines(argv, root)) as lines:
        async for line in lines:
            match msgspec.json.decode(line):
                case [str(path), int(number), str(text)] if is_shown(path):
                    found.append((path, number, text))
                case [str(path)]:
                    found.append((path, 0, ""))
                case {"error": error}:
                    raise ToolFailed(str(error))
                case {"is_cut": is_cut}:
                    return found, bool(is_cut)
                case _:
                    pass
    raise ToolFailed("The search ended before its end.")


async def _search_with_ripgrep(
    ripgrep: str, arguments: GrepArguments, root: Path, is_shown: IsShown
) -> tuple[list[Match], bool] | None:
    """Search with ripgrep; None where it does not take the pattern, whose syntax differs from Python's."""
    argv = (ripgrep, *await asyncio.to_thread(_ripgrep_options, arguments, root))
    found: list[Match] = []
    path, lines_of_path = "", list[str]()
    try:
        async with aclosing(_read_lines(argv, root)) as lines:
            async for line in lines:
                name, _, rest = line.decode(errors="replace").partition("\0")
                number, _, text = rest.partition(":")
                text = text.removesuffix("\r")[:MAX_LINE]
                if name != path:
                    path = name
                    relative = path.removeprefix("./")
                    is_wanted = is_shown(relative) and (not arguments.include or matches(relative, arguments.include))
                    lines_of_path = await asyncio.to_thread(_lines_of, root, relative) if is_wanted else []
                if number.isdigit() and _has_line(lines_of_path, int(number), text):
                    if len(found) == MAX_MATCHES:
                        return found, True
                    found.append((path.removeprefix("./"), int(number), text))
    except _ChildFailed as error:
        return None if error.code not in (0, 1) and not found else (found, False)
    return found, False


def _ripgrep_options(arguments: GrepArguments, root: Path) -> list[str]:
    options = list(RIPGREP_OPTIONS)
    if arguments.include and not set(arguments.include) & set("/{"):
        options += ["--type-add", f"wanted:{arguments.include}", "--type", "wanted"]
    if search_child.ignored_above(str(root)) is None:
        options.append("--no-ignore-parent")
    return [*options, "--regexp", arguments.pattern, "--", root.name if root.is_file() else "./"]


def _lines_of(root: Path, path: str) -> list[str]:
    """Read the lines of a file of which ripgrep reports some; none if there is a link on the way.

    Ripgrep opens files by their paths, and may have followed a link that was put there meanwhile.
    """
    try:
        with open_regular(root if root.is_file() else root / path, search_child.MAX_FILE, "") as file:
            content = file.read()
    except (OSError, ToolFailed):
        return []
    bom, encoding = bom_of(content[:4])
    return content[len(bom) :].decode(encoding or "utf-8", errors="replace").split("\n")


def _has_line(lines: list[str], number: int, text: str) -> bool:
    return number <= len(lines) and lines[number - 1].removesuffix("\r")[:MAX_LINE] == text


class _ChildFailed(Exception):
    """A child ended with an exit code other than 0."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


async def _read_lines(argv: tuple[str, ...], root: Path) -> AsyncGenerator[bytes, None]:
    """Run a child beside or in the root, and yield the lines that it prints. Raises _ChildFailed and OSError."""
    folder = root.parent if await asyncio.to_thread(root.is_file) else root
    try:
        with open_folder(folder) as handle:  # a child that has started stays in the folder that was opened
            child = await ChildProcess.start(argv, path_of_handle(folder, handle), with_errors=False)
    except ValueError:
        raise ToolFailed("The pattern holds a character that cannot be passed on (NUL, or half of one).") from None
    try:
        rest = b""
        last_pause = time.monotonic()
        while chunk := await child.output.read(65_536):
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                yield line
                if time.monotonic() - last_pause > 0.01:
                    await asyncio.sleep(0)
                    last_pause = time.monotonic()
        if code := await child.wait():
            raise _ChildFailed(code)
    finally:
        await child.end()
