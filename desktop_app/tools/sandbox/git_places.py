"""What git runs, or takes its settings from, in a repository that is there: it cannot be written in the sandbox."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

SETTINGS = ("config", "config.worktree")
STORES = ("objects", "refs")
"""Without one of these folders a repository is none, and git takes the folder around it, or one above, for another."""
COMMON = "commondir"
"""The file by which git finds the settings elsewhere. A repository that has none is given one that leads to itself."""
TO_ITSELF = "./\n"
"""With a slash, since libgit2 takes "." for the folder in which its own process works, and finds no repository."""
MAX_FOLDERS = 5_000
MAX_READ = 200_000
"""Bytes of a file of settings."""
MAX_INCLUDED = 20
_SECTION = re.compile(r'\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_SETTING = re.compile(r"([\w-]+)\s*=\s*(.*)")
_INCLUDE = re.compile(r"include(if\..*)?\.path")
_FOLDER = "core.hookspath"
_PROGRAM = re.compile(
    r"core\.(fsmonitor|sshcommand|editor|pager|askpass|gitproxy)|sequence\.editor|interactive\.difffilter"
    r"|(filter|diff|difftool|merge|mergetool|gpg|credential|pager)\..*",
)
"""Settings whose values are command lines."""


def guarded_in_repository(path: str) -> Iterator[str]:
    """Yield what is to be read only, of a `.git` that is a folder, beside the working tree in which it lies.

    Folders of hooks are made if there are none, as git does: what is not there cannot be guarded.
    """
    tree = os.path.dirname(path)
    for place, own_tree in ((path, tree), *_submodules(path)):
        if is_repository(place):
            _make_folder(os.path.join(place, "hooks"))
        if "worktreeconfig" in _read(os.path.join(place, "config")).lower():
            for one in (place, *_worktrees(place)):
                _make_file(os.path.join(one, "config.worktree"))
        yield from (os.path.join(place, name) for name in ("hooks", *SETTINGS, COMMON))
        yield from (os.path.join(one, name) for one in _worktrees(place) for name in (COMMON, "config.worktree"))
        if own_tree:
            yield from ([os.path.join(own_tree, ".git")] if own_tree != tree else [])
            yield from _named_in_settings(place, own_tree)


def repositories(path: str) -> Iterator[str]:
    """Yield a `.git` folder and those of its submodules, as far as they are repositories."""
    yield from (place for place, _ in ((path, ""), *_submodules(path)) if is_repository(place))


def is_repository(place: str) -> bool:
    """Return whether git would take a folder for a repository."""
    return os.path.isfile(os.path.join(place, "HEAD")) and all(
        os.path.isdir(os.path.join(place, name)) for name in STORES
    )


def _submodules(path: str) -> Iterator[tuple[str, str]]:
    """Yield the repositories of submodules, which git names by their paths, and of theirs; with their working trees, or
    "" for those that have none."""
    for count, (folder, inside, files) in enumerate(os.walk(os.path.join(path, "modules"))):
        if count > MAX_FOLDERS:
            return
        if "HEAD" in files:
            trees = (value for key, value in settings_of(os.path.join(folder, "config")) if key == "core.worktree")
            yield folder, next((os.path.normpath(os.path.join(folder, tree)) for tree in trees), "")
            inside[:] = [name for name in inside if name == "modules"]


def _named_in_settings(place: str, tree: str) -> Iterator[str]:
    """Yield what settings name in the working tree: further settings, the folder of hooks, programs."""
    own = (os.path.join(place, name) for name in SETTINGS)
    of_user = ("/etc/gitconfig", str(Path.home() / ".gitconfig"), str(Path.home() / ".config/git/config"))
    for key, value, file in _all_settings([*of_user, *own]):
        if _INCLUDE.fullmatch(key):
            yield _path_of(value, os.path.dirname(file))
        elif key == _FOLDER:
            yield (folder := _path_of(value, tree))
            if os.path.realpath(folder).startswith(os.path.realpath(tree) + "/"):
                _make_folder(folder)
        elif _PROGRAM.fullmatch(key):
            yield from filter(os.path.isfile, (_path_of(word, tree) for word in re.split(r"[\s'\"!;&|=]+", value)))


def _all_settings(files: list[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the settings of files, and of those that they include, with the file of each."""
    seen: set[str] = set()
    while files and len(seen) < MAX_INCLUDED:
        if (file := files.pop()) in seen:
            continue
        seen.add(file)
        for key, value in settings_of(file):
            yield key, value, file
            if _INCLUDE.fullmatch(key):
                files.append(_path_of(value, os.path.dirname(file)))


def settings_of(file: str) -> Iterator[tuple[str, str]]:
    """Yield the settings of a file, their names as in `core.hookspath`."""
    section = ""
    for line in _read(file).splitlines():
        rest = line.strip()
        if found := _SECTION.match(rest):
            section = ".".join(filter(None, (found[1].lower(), found[2])))
            rest = rest[found.end() :].strip()
        if found := _SETTING.match(rest):
            value = re.split(r"\s[#;]", found[2])[0].strip().replace('\\"', "'").replace('"', "")
            yield f"{section}.{found[1].lower()}", value.replace("\\\\", "\\")


def _path_of(value: str, folder: str) -> str:
    return os.path.normpath(os.path.join(folder, os.path.expanduser(value)))


def _read(file: str) -> str:
    try:
        with open(file, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as opened:
            is_file = stat.S_ISREG(os.fstat(opened.fileno()).st_mode)  # not a pipe, whose end may never come
            return os.fsdecode(opened.read(MAX_READ)) if is_file else ""
    except (OSError, ValueError):
        return ""


def _worktrees(place: str) -> list[str]:
    """Return what a repository holds of further working trees."""
    folder = os.path.join(place, "worktrees")
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder)[:MAX_FOLDERS]]
    except OSError:
        return []


def _make_folder(path: str) -> None:
    try:
        os.mkdir(path)
    except OSError:  # it is there; or a folder that cannot be written: then nothing can be put there
        return


def _make_file(path: str) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
    except OSError:  # as above
        return
