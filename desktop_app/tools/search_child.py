"""Searches files in a child process, run as a script, because a regular expression can take for ever.

It imports little more than the standard library. Its argument is a request as JSON: {"do": "grep" or "glob", "root":
folder or file, "is_file", "pattern", "include", "limit"}. It prints {"matches": [[path, line number, line], ...],
"is_cut": bool} or {"error": text}. Paths are relative to the root, and a match of "glob" has the line number 0.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from desktop_app.own_processes import given_arguments
from desktop_app.tools.text_encodings import decode_lines, other_encoding

SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules"})
MAX_LINE = 400
"""Characters of a line that are returned."""
MAX_FILE = 50_000_000
"""Bytes of a file that are searched."""
MAX_ALTERNATIVES = 200
Match = tuple[str, int, str]
_LOOKS_AROUND = re.compile(r"\(\?[=!<]|\\[AZ]")


def matches(path: str, pattern: str) -> bool:
    """Return whether a path (with "/") matches a glob, in which ** is any number of folders.

    A glob without a slash is matched against the last component.
    """
    return any(_matches(path, glob) for glob in _alternatives(pattern))


def _matches(path: str, pattern: str) -> bool:
    if "/" not in pattern.rstrip("/"):
        return fnmatchcase(path.rsplit("/", 1)[-1], pattern)
    return _segments_match(tuple(path.split("/")), tuple(pattern.lstrip("/").removeprefix("./").split("/")))


def _segments_match(names: tuple[str, ...], globs: tuple[str, ...]) -> bool:
    """Match from the end with dynamic programming, in time proportional to the product of the lengths."""
    results = [False] * len(names) + [True]
    for glob in reversed(globs):
        before = results
        results = [False] * (len(names) + 1)
        if glob == "**":
            results[len(names)] = before[len(names)]
        for n in range(len(names) - 1, -1, -1):
            if glob == "**":
                results[n] = before[n] or results[n + 1]
            else:
                results[n] = before[n + 1] and fnmatchcase(names[n], glob)
    return results[0]


@lru_cache(1_024)
def _alternatives(pattern: str) -> tuple[str, ...]:
    """Return the globs that a pattern with {a,b} expands to, at most MAX_ALTERNATIVES; further braces stay literal."""
    globs = [pattern]
    while found := re.search(r"\{([^{}]*,[^{}]*)\}", globs[0]):
        parts = found[1].split(",")
        if len(globs) * len(parts) > MAX_ALTERNATIVES:
            break
        globs = [glob.replace(found[0], part, 1) for glob in globs for part in parts]
    return tuple(globs)


class IgnoreRules:
    """The rules in the .gitignore files of a folder and its parents."""

    def __init__(self, above: IgnoreRules | None, folder: str) -> None:
        self._above = above if above is None or above._rules else above._above  # most folders have no such file
        self._folder = folder
        self._rules = list(_read_rules(os.path.join(folder, ".gitignore")))

    def ignore(self, path: str, is_folder: bool) -> bool:
        """Return whether a file or folder is excluded: the last matching rule in the nearest .gitignore counts."""
        relative = os.path.relpath(path, self._folder).replace(os.sep, "/") if self._rules else ""
        for pattern, is_negated, is_for_folders in reversed(self._rules):
            if (is_folder or not is_for_folders) and _matches(relative, pattern):
                return not is_negated
        return self._above.ignore(path, is_folder) if self._above else False


def _read_rules(file: str) -> Iterator[tuple[str, bool, bool]]:
    """Yield (glob, whether it is negated, whether it is for folders only) for each line of a .gitignore."""
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            lines = opened.read(1_000_000).splitlines()
    except OSError:
        return
    for line in lines:
        line = line if line.endswith("\\ ") else line.rstrip(" ")
        if not line or line.startswith("#"):
            continue
        is_negated = line.startswith("!")
        pattern = line[is_negated:]
        is_for_folders = pattern.endswith("/")
        pattern = re.sub(r"\\(.)", _escape, pattern.rstrip("/"))
        if pattern.endswith("/**"):
            pattern += "/*"
        if pattern:
            yield pattern, is_negated, is_for_folders


def _escape(found: re.Match[str]) -> str:
    return found[1] if found[1] == "!" else f"[{found[1]}]"  # [!] would not be closed


def ignored_above(root: str) -> IgnoreRules | None:
    """Return the rules of the parent folders up to the root of the repository; None if there is no repository."""
    chain: list[str] = []
    folder = root
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        chain.append(above)
        folder = above
    rules: IgnoreRules | None = None
    for folder in reversed(chain):
        rules = IgnoreRules(rules, folder)
    return rules


class FoundFile(NamedTuple):
    """A file: its path, and the open folder that contains it; None if the system can only open paths."""

    path: str
    folder: int | None

    def read(self) -> bytes:
        """Return the first MAX_FILE bytes; b"" for a file that is not regular. Raises OSError, also for a link."""
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        name = self.path if self.folder is None else os.path.basename(self.path)
        with os.fdopen(os.open(name, flags, dir_fd=self.folder), "rb") as file:
            return file.read(MAX_FILE) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else b""


def open_below(name: str, folder: int | None) -> int | None:
    """Open a folder in an open one; return None if the system can only open paths. Raises OSError, also for a link."""
    if os.open not in os.supports_dir_fd:
        return None
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)


def files_below(path: str, above: IgnoreRules | None, folder: int | None) -> Iterator[FoundFile]:
    """Yield all regular files in the order of their paths. Links are not followed, because they may lead elsewhere."""
    rules = IgnoreRules(above, path)
    try:
        with os.scandir(path if folder is None else folder) as entries:
            found = sorted((e.name, e.is_dir(follow_symlinks=False), e.is_file(follow_symlinks=False)) for e in entries)
    except OSError:
        return
    for name, is_folder, is_file in found:
        below = os.path.join(path, name)
        if not (is_folder or is_file) or name in SKIPPED or rules.ignore(below, is_folder):
            continue
        if is_file:
            yield FoundFile(below, folder)
            continue
        try:
            inner = open_below(name, folder)
        except OSError:
            continue
        try:
            yield from files_below(below, rules, inner)
        finally:
            if inner is not None:
                os.close(inner)


def matching_lines(file: FoundFile, regex: re.Pattern[str], is_prefiltered: bool) -> Iterator[tuple[int, str]]:
    """Yield the matching lines with their numbers, counted from 1; nothing for a binary or unreadable file."""
    try:
        content = file.read()
    except OSError:
        return
    if b"\0" in content[:8_192]:
        return
    text = _decoded(content, regex, is_prefiltered).replace("\r\n", "\n")
    if is_prefiltered and not regex.search(text):
        return
    for number, line in enumerate(text.split("\n"), 1):
        if regex.search(line):
            yield number, line


def _decoded(content: bytes, regex: re.Pattern[str], is_prefiltered: bool) -> str:
    """Return the text as `read` shows it. Its encoding is recognized only where that matters, since it takes time."""
    text = content.decode("utf-8", errors="replace")
    if "\ufffd" not in text or (is_prefiltered and regex.pattern.isascii() and not regex.search(text)):
        return text
    other = other_encoding(content)
    return text if other is None else decode_lines(content, other)[0]


def grep(request: dict[str, Any]) -> Iterator[Match]:
    """Yield matches of a regular expression. Raises re.error."""
    regex = re.compile(request["pattern"], re.MULTILINE)
    # A single search in the entire text rules out most files, unless the pattern depends on the surrounding text.
    is_prefiltered = not _LOOKS_AROUND.search(request["pattern"])
    for path, file in _files(request):
        if not request["include"] or matches(path, request["include"]):
            for number, line in matching_lines(file, regex, is_prefiltered):
                yield path, number, line[:MAX_LINE]


def glob(request: dict[str, Any]) -> Iterator[Match]:
    """Yield files whose paths match a glob."""
    return ((path, 0, "") for path, _ in _files(request) if matches(path, request["pattern"]))


def _files(request: dict[str, Any]) -> Iterator[tuple[str, FoundFile]]:
    """Yield files with their paths relative to the root; only the root itself if it is a file.

    The process was started in the root or, for a file, in its folder, so that a replacement of it is not searched.
    """
    root = request["root"]
    try:
        here = open_below(".", None)
    except OSError:  # the folder may be entered, but not read
        return
    if request["is_file"]:
        yield _text_of(os.path.basename(root)), FoundFile(root, here)
        return
    for file in files_below(root, ignored_above(root), here):
        yield _text_of(os.path.relpath(file.path, root).replace(os.sep, "/")), file


def _text_of(name: str) -> str:
    """Return a name with U+FFFD for bytes that are not UTF-8: the parent process rejects lone surrogates."""
    return name.encode(errors="surrogateescape").decode(errors="replace")


def main() -> None:
    """Run the request."""
    request = json.loads(given_arguments()[0])
    sys.setrecursionlimit(10_000)
    try:
        found = list(islice({"grep": grep, "glob": glob}[request["do"]](request), request["limit"] + 1))
        answer: dict[str, Any] = {"matches": found[: request["limit"]], "is_cut": len(found) > request["limit"]}
    except (re.error, OverflowError, RecursionError) as error:
        answer = {"error": f"The pattern is no regular expression: {error}"}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
