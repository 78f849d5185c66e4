"""`grep` and `glob`: what stands in files, and which files there are; what .gitignore leaves out is left out."""

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
from desktop_app.conversation.tools import RequiredPermission, ToolContext
from desktop_app.permissions.secret_paths import is_secret

from . import search_child
from .child_process import ChildProcess
from .opening import folder_to_run_in, opened_folder
from .places import PathPolicy, resolved
from .search_child import LINE_MOST, SKIPPED, fits
from .text_files import bom_of, open_regular
from .tool import Arguments, Tool, ToolFailed, about

FOUND_MOST = 1_000
"""Lines or files that are told. Whoever wants more is better served by a narrower question."""
SECONDS = 30
"""After which a search is given up; some 100,000 files take that long without ripgrep."""
Find = tuple[str, int, str]
"""Path, line number (0: the file itself), line."""


class Search(Arguments, frozen=True):
    """What grep and glob have in common."""

    pattern: Annotated[str, about("Pattern", min_length=1)]
    path: Annotated[str, about("Folder or file")] = "."


S = TypeVar("S", bound=Search)


class SearchTool(Tool[S]):
    """A search below a folder."""

    def __init__(self, borders: PathPolicy) -> None:
        self._borders = borders

    async def needs(self, arguments: S, place: ToolContext) -> tuple[RequiredPermission, ...]:
        """Nothing within the working folder."""
        root = await asyncio.to_thread(resolved, arguments.path or ".", place)
        return await asyncio.to_thread(self._borders.reading, self.name, root, place)

    async def answer(self, arguments: S, place: ToolContext) -> str:
        """What was found."""
        root = await asyncio.to_thread(resolved, arguments.path or ".", place)
        await asyncio.to_thread(self._borders.reading_checked, self.name, root, place)
        if not await asyncio.to_thread(root.exists):
            raise ToolFailed(f"There is no file or folder {arguments.path}.")
        try:
            async with asyncio.timeout(SECONDS):
                finds, is_cut = await self._found(arguments, root)
        except TimeoutError:
            raise ToolFailed(f"No end after {SECONDS} seconds: narrow the path, or make the pattern simpler.") from None
        if not finds:
            return "[nothing found]"
        return self._told(finds, is_cut)

    @abstractmethod
    async def _found(self, arguments: S, root: Path) -> tuple[list[Find], bool]:
        """What there is, and whether there is more."""

    @abstractmethod
    def _told(self, finds: list[Find], is_cut: bool) -> str:
        """It in words."""

    def _is_shown(self, root: Path) -> Callable[[str], bool]:
        """Whether lines of that file are shown: secrets are read by name only, and our own data not at all."""
        own = os.path.realpath(self._borders.data)
        is_named = is_secret(str(root))  # that was asked for
        known: dict[str, bool] = {}

        def is_shown(path: str) -> bool:
            if path not in known:
                whole = root / path
                is_own = whole.is_relative_to(own)
                known[path] = root.is_file() or (is_named and not is_own) or not self._borders.is_private(whole)
            return known[path]

        return is_shown


class GrepArguments(Search, frozen=True):
    """What to look for, where, and in which files."""

    pattern: Annotated[str, about("Regular expression; (?i) ignores case", min_length=1)]
    include: Annotated[str, about('Only these files, e.g. "*.{ts,tsx}" or "src/**/*.py"')] = ""


class GrepTool(SearchTool[GrepArguments]):
    """Finds lines."""

    name = "grep"
    description = "Search lines of files; .gitignore is respected."
    arguments = GrepArguments

    async def _found(self, arguments: GrepArguments, root: Path) -> tuple[list[Find], bool]:
        ripgrep = await asyncio.to_thread(shutil.which, "rg")
        if ripgrep:
            found = await _by_ripgrep(ripgrep, arguments, root, self._is_shown(root))
            if found is not None:
                return found
        return await _by_child("grep", arguments, root, self._is_shown(root), arguments.include)

    def _told(self, finds: list[Find], is_cut: bool) -> str:
        lines: list[str] = []
        last = ""
        for path, number, line in finds:
            if path != last:
                lines += [*([""] if last else []), path]
                last = path
            lines.append(f"{number}: {line}")
        files = len({path for path, _, _ in finds})
        if is_cut:
            return "\n".join(
                [*lines, f"[the first {pluralize(len(finds), 'line')}; narrow the pattern, path or include]"]
            )
        return "\n".join([*lines, f"[{pluralize(len(finds), 'line')} in {pluralize(files, 'file')}]"])


class GlobArguments(Search, frozen=True):
    """Which files, and where."""

    pattern: Annotated[str, about('"*.py" fits names in all folders, "src/**/*.py" paths', min_length=1)]


class GlobTool(SearchTool[GlobArguments]):
    """Finds files."""

    name = "glob"
    description = "Find files by name; .gitignore is respected."
    arguments = GlobArguments

    async def _found(self, arguments: GlobArguments, root: Path) -> tuple[list[Find], bool]:
        return await _by_child("glob", arguments, root, lambda _: True)

    def _told(self, finds: list[Find], is_cut: bool) -> str:
        paths = [path for path, _, _ in finds]
        return "\n".join(
            [*paths, f"[the first {pluralize(len(paths), 'file')}; narrow the pattern]"] if is_cut else paths
        )


async def _by_child(
    what: str, arguments: Search, root: Path, is_shown: Callable[[str], bool], include: str = ""
) -> tuple[list[Find], bool]:
    """Searches with our own code. Raises ToolFailed for what is no pattern."""
    asked = {"do": what, "root": str(root), "pattern": arguments.pattern, "include": include}
    is_file = await asyncio.to_thread(root.is_file)
    request = json.dumps({**asked, "most": FOUND_MOST, "seconds": SECONDS + 5, "is_file": is_file})
    argv = (sys.executable, "-I", "-S", search_child.__file__, request)
    finds: list[Find] = []
    async with aclosing(_lines(argv, root)) as lines:
        async for line in lines:
            match msgspec.json.decode(line):
                case [str(path), int(number), str(text)] if is_shown(path):
                    finds.append((path, number, text))
                case [str(path)]:
                    finds.append((path, 0, ""))
                case {"error": error}:
                    raise ToolFailed(str(error))
                case {"is_cut": is_cut}:
                    return finds, bool(is_cut)
                case _:
                    pass
    raise ToolFailed("The search ended before its end.")


async def _by_ripgrep(
    ripgrep: str, arguments: GrepArguments, root: Path, is_shown: Callable[[str], bool]
) -> tuple[list[Find], bool] | None:
    """Searches with ripgrep; None where it does not take the pattern, whose manners differ from Python's."""
    asked = [
        "--no-config",
        "--no-messages",
        "--line-number",
        "--no-heading",
        "--with-filename",
        "--color=never",
        "--null",
    ]
    asked += ["--hidden", "--no-require-git", "--no-ignore-dot", "--no-ignore-global", "--no-ignore-exclude"]
    asked += ["--sort=path", f"--max-columns={LINE_MOST * 4}", "--max-columns-preview", "--crlf"]
    asked += [part for name in SKIPPED for part in ("--glob", f"!{name}")]
    if arguments.include and not set(arguments.include) & set("/{"):
        asked += ["--type-add", f"wanted:{arguments.include}", "--type", "wanted"]
    if await asyncio.to_thread(search_child.ignored_above, str(root)) is None:
        asked.append("--no-ignore-parent")  # no folder above has a say
    is_file = await asyncio.to_thread(root.is_file)
    argv = (ripgrep, *asked, "--regexp", arguments.pattern, "--", root.name if is_file else "./")
    finds: list[Find] = []
    is_known: dict[str, bool] = {}
    texts: dict[str, list[str]] = {}
    try:
        async with aclosing(_lines(argv, root)) as lines:
            async for line in lines:
                path, _, rest = line.decode(errors="replace").partition("\0")
                number, _, text = rest.partition(":")
                path = path.removeprefix("./")
                if path not in is_known:
                    is_known[path] = is_shown(path) and (not arguments.include or fits(path, arguments.include))
                if is_known[path] and number.isdigit():
                    if path not in texts:
                        texts.clear()
                        texts[path] = await asyncio.to_thread(_lines_of, root, path)
                    if not _has_line(texts[path], int(number), text):
                        continue
                    if len(finds) == FOUND_MOST:
                        return finds, True
                    finds.append((path, int(number), text.removesuffix("\r")[:LINE_MOST]))
    except _Ended as ended:
        return None if ended.code not in (0, 1) and not finds else (finds, False)
    return finds, False


def _lines_of(root: Path, path: str) -> list[str]:
    """The lines of a file of which ripgrep tells some; none if there is a link on the way. It opens files by their
    paths, and may have followed one that was put there meanwhile."""
    try:
        with open_regular(root if root.is_file() else root / path, search_child.FILE_MOST, "") as file:
            content = file.read()
    except (OSError, ToolFailed):
        return []
    bom, encoding = bom_of(content[:4])
    return content[len(bom) :].decode(encoding or "utf-8", errors="replace").split("\n")


def _has_line(lines: list[str], number: int, text: str) -> bool:
    return number <= len(lines) and lines[number - 1][:LINE_MOST] == text.removesuffix("\r")[:LINE_MOST]


class _Ended(Exception):
    """A child ended with an exit code other than 0."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


async def _lines(argv: tuple[str, ...], root: Path) -> AsyncGenerator[bytes, None]:
    """The lines that a child prints. Raises _Ended, and OSError. Closing it ends the child."""
    folder = root.parent if await asyncio.to_thread(root.is_file) else root
    try:
        with opened_folder(folder) as handle:  # a child that has begun stays in the folder that was opened
            child = await ChildProcess.start(argv, folder_to_run_in(folder, handle), is_error_shown=False)
    except ValueError:
        raise ToolFailed("The pattern holds a character that cannot be passed on (NUL, or half of one).") from None
    try:
        rest = b""
        breath = time.monotonic()
        while chunk := await child.output.read(65_536):
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                yield line
                if time.monotonic() - breath > 0.01:
                    await asyncio.sleep(0)
                    breath = time.monotonic()
        while child.exit_code is None:
            await asyncio.sleep(0.002)
        if child.exit_code:
            raise _Ended(child.exit_code)
    finally:
        await child.end()
