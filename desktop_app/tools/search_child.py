"""Searches files in a process of its own, run as a script: a regular expression can take for ever, and a process can
be stopped. It knows nothing of the rest, and needs nothing but Python.

Its one argument is a request as JSON: {"do": "grep" or "glob", "root": folder or file, "pattern", "include", "most",
"seconds", "is_file"}. It prints a JSON line for each find, [path, line number, line] or [path], with paths relative to
the root, in the order of paths, and at last {"is_cut": bool} or {"error": text}.
"""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules"})
LINE_MOST = 400
"""Characters of a line that are told."""
FILE_MOST = 50_000_000
"""Bytes of a file that is looked into."""
ALTERNATIVES_MOST = 200
_LOOKS_AROUND = re.compile(r"\(\?[=!<]|\\[AZ]")


def fits(path: str, pattern: str) -> bool:
    """Whether a path (with "/") fits a glob: ** stands for any folders; without a slash, it is about the name alone."""
    return any(_fits(path, one) for one in _alternatives(pattern))


def _fits(path: str, pattern: str) -> bool:
    if "/" not in pattern.rstrip("/"):
        return fnmatchcase(path.rsplit("/", 1)[-1], pattern)
    return _segments_fit(tuple(path.split("/")), tuple(pattern.lstrip("/").removeprefix("./").split("/")))


def _segments_fit(names: tuple[str, ...], globs: tuple[str, ...]) -> bool:
    """Tried from the end, with what is known of each pair: never slower than their product."""
    fitting = [False] * len(names) + [True]
    for glob in reversed(globs):
        before = fitting
        fitting = [False] * (len(names) + 1)
        if glob == "**":
            fitting[len(names)] = before[len(names)]
        for n in range(len(names) - 1, -1, -1):
            if glob == "**":
                fitting[n] = before[n] or fitting[n + 1]
            else:
                fitting[n] = before[n + 1] and fnmatchcase(names[n], glob)
    return fitting[0]


@lru_cache(1_024)
def _alternatives(pattern: str) -> tuple[str, ...]:
    """The globs that a pattern with {a,b} stands for; with very many of them, braces stay as they are."""
    globs = [pattern]
    while found := re.search(r"\{([^{}]*,[^{}]*)\}", globs[0]):
        parts = found[1].split(",")
        if len(globs) * len(parts) > ALTERNATIVES_MOST:
            break
        globs = [glob.replace(found[0], part, 1) for glob in globs for part in parts]
    return tuple(globs)


class Ignored:
    """What the .gitignore files of a folder and those above it leave out."""

    def __init__(self, above: Ignored | None, folder: str) -> None:
        self._above = above
        self._folder = folder
        self._rules = list(_rules(os.path.join(folder, ".gitignore")))

    def has(self, path: str, is_folder: bool) -> bool:
        """Whether that file or folder is left out; of several rules the last one counts, the nearest file first."""
        relative = os.path.relpath(path, self._folder).replace(os.sep, "/")
        for pattern, is_taken_back, is_for_folders in reversed(self._rules):
            if (is_folder or not is_for_folders) and _fits(relative, pattern):
                return not is_taken_back
        return self._above.has(path, is_folder) if self._above else False


def _rules(file: str) -> Iterator[tuple[str, bool, bool]]:
    """(glob, whether it takes something back, whether it is for folders only) for each line of a .gitignore."""
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            lines = opened.read(1_000_000).splitlines()
    except OSError:
        return
    for line in lines:
        line = line if line.endswith("\\ ") else line.rstrip(" ")
        if not line or line.startswith("#"):
            continue
        is_taken_back = line.startswith("!")
        pattern = line[is_taken_back:]
        is_for_folders = pattern.endswith("/")
        pattern = re.sub(r"\\(.)", r"[\1]", pattern.rstrip("/"))
        if pattern.endswith("/**"):
            pattern += "/*"
        if pattern:
            yield pattern, is_taken_back, is_for_folders


def ignored_above(root: str) -> Ignored | None:
    """What the folders above leave out, up to the one that is under version control."""
    chain: list[str] = []
    folder = root
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return None  # under no version control: those above have no say
        chain.append(above)
        folder = above
    ignored: Ignored | None = None
    for folder in reversed(chain):
        ignored = Ignored(ignored, folder)
    return ignored


class Found:
    """A plain file: its path, and its name in the folder that is open; None: where the system opens paths only."""

    def __init__(self, path: str, folder: int | None) -> None:
        self.path = path
        self._folder = folder

    def content(self) -> bytes:
        """Returns what is in it; of a link nothing, nor of what is no plain file."""
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        name = self.path if self._folder is None else os.path.basename(self.path)
        with os.fdopen(os.open(name, flags, dir_fd=self._folder), "rb") as opened:
            return opened.read(FILE_MOST) if stat.S_ISREG(os.fstat(opened.fileno()).st_mode) else b""


def opened_below(name: str, folder: int | None) -> int | None:
    """A folder in another one that is open, which is no link; None where the system opens paths only."""
    if os.open not in os.supports_dir_fd:
        return None
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)


def files_below(path: str, above: Ignored | None, folder: int | None) -> Iterator[Found]:
    """All plain files, in the order of their paths. Links are not followed: they may lead out of the folder. path: of
    the folder; folder: the same, opened."""
    ignored = Ignored(above, path)
    try:
        with os.scandir(path if folder is None else folder) as entries:
            kept = [
                (entry.name, entry.is_dir(follow_symlinks=False), entry.is_file(follow_symlinks=False))
                for entry in entries
            ]
    except OSError:
        return
    for name, is_folder, is_file in sorted(kept):
        below = os.path.join(path, name)
        if not (is_folder or is_file) or name in SKIPPED or ignored.has(below, is_folder):
            continue
        if is_file:
            yield Found(below, folder)
            continue
        try:
            inner = opened_below(name, folder)
        except OSError:
            continue
        try:
            yield from files_below(below, ignored, inner)
        finally:
            if inner is not None:
                os.close(inner)


def lines_found(file: Found, regex: re.Pattern[str], is_filtered: bool) -> Iterator[tuple[int, str]]:
    """The lines of a file in which the pattern is found, with their numbers from 1. Binary files have none."""
    try:
        content = file.content()
    except OSError:
        return
    if b"\0" in content[:8_192]:
        return
    text = content.decode("utf-8", errors="replace").replace("\r\n", "\n")
    if is_filtered and not regex.search(text):
        return
    for number, line in enumerate(text.split("\n"), 1):
        if regex.search(line):
            yield number, line


def grep(request: dict[str, Any]) -> Iterator[list[Any]]:
    """Finds of a regular expression. Raises re.error."""
    regex = re.compile(request["pattern"], re.MULTILINE)
    # A line is found in the whole text too, but for what looks at the text around: one search leaves most files out.
    is_filtered = not _LOOKS_AROUND.search(request["pattern"])
    for relative, file in _files(request):
        if not request["include"] or fits(relative, request["include"]):
            for number, line in lines_found(file, regex, is_filtered):
                yield [relative, number, line[:LINE_MOST]]


def glob(request: dict[str, Any]) -> Iterator[list[Any]]:
    """Files whose paths fit a glob."""
    for relative, _ in _files(request):
        if fits(relative, request["pattern"]):
            yield [relative]


def _files(request: dict[str, Any]) -> Iterator[tuple[str, Found]]:
    """Paths relative to the root, and whole; a root that is a file has itself alone. The process was started in the
    root, or beside it, so that nothing that was put in its place since is searched."""
    root = request["root"]
    try:
        here = opened_below(".", None)
    except OSError:  # it may be entered, and not be read
        return
    if request["is_file"]:
        yield os.path.basename(root), Found(root, here)
        return
    for file in files_below(root, ignored_above(root), here):
        relative = os.path.relpath(file.path, root).replace(os.sep, "/")
        yield relative.encode(errors="surrogateescape").decode(errors="replace"), file


def main() -> None:
    """Does what the request says."""
    request = json.loads(sys.argv[1])
    if hasattr(signal, "alarm"):
        signal.alarm(request["seconds"])  # ends the process, whatever it is busy with
    sys.setrecursionlimit(10_000)
    end: dict[str, Any] = {"is_cut": False}
    try:
        for count, find in enumerate({"grep": grep, "glob": glob}[request["do"]](request)):
            if count == request["most"]:
                end = {"is_cut": True}
                break
            print(json.dumps(find))
    except (re.error, OverflowError, RecursionError) as error:
        end = {"error": f"The pattern is no regular expression: {error}"}
    print(json.dumps(end), flush=True)


if __name__ == "__main__":
    main()
