"""Which files and folders of this machine are hidden in the sandbox, and which cannot be written."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from desktop_app.permissions.secret_paths import ENDINGS, FOLDERS, is_secret
from desktop_app.tools.path_policy import STARTS_PROGRAMS

from .confinement import is_within
from .git_places import guarded_in_repository, repositories

SYSTEM_SECRETS = (
    *("/var/lib/AccountsService", "/var/spool/cron", "/var/mail", "/etc/NetworkManager/system-connections"),
    "/var/lib/NetworkManager",
    *(f"/{name}" for name in FOLDERS if name.startswith(("etc/", "var/"))),
)
SYSTEM_FOLDERS = (
    "/etc",
    "/etc/ssh",
    "/etc/dropbear",
    "/etc/ppp",
    "/etc/security",
    "/etc/wpa_supplicant",
    "/var/backups",
)
"""In which root finds files with secrets, among others. What everyone may read there, such as pip.conf, is none."""
GIT = ".git"
VERSION_CONTROL = {
    GIT: (),
    ".hg": ("hgrc",),
    ".svn": (),
    ".jj": ("repo/config.toml",),
}
"""Of these folders, whose other files change with each commit, what starts programs; of git's git_places.py knows."""
MAX_NAMES = 5_000
"""Of one folder that is looked through."""
SOCKETS = Path("/proc/net/unix")
_SOCKET = re.compile(r"^\S+: \S+ \S+ \S+ \S+ \S+ +\d+ (/.*)$", re.MULTILINE)


def home_folders() -> tuple[str, ...]:
    """Return the home folder, and those of others, which only root can read."""
    homes = [str(Path.home()), "/root", *(entry.path for entry in _entries("/home"))]
    return tuple(dict.fromkeys(os.path.realpath(home) for home in homes if os.access(home, os.R_OK | os.X_OK)))


def secret_places(homes: Iterable[str], ours: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the folders and the files that are hidden: by the names that permissions/secret_paths.py lists, in each
    home, its hidden folders and those where programs keep settings; those of the system; sockets.

    ours: the data folder and the file of keys.
    """
    found = {*ours, *SYSTEM_SECRETS, *sockets()}
    for folder in SYSTEM_FOLDERS:
        found.update(entry.path for entry in _entries(folder) if is_secret(entry.path) and not _is_for_all(entry))
    for home in homes:
        for folder in _folders_looked_through(home):
            found.update(entry.path for entry in _entries(folder) if is_secret(entry.path))
    folders: set[str] = set()
    files: set[str] = set()
    for path in map(os.path.realpath, found):
        if os.path.isdir(path):
            folders.add(path)
        elif os.path.exists(path):
            files.add(path)
    return tuple(sorted(folders)), tuple(sorted(files))


def sockets() -> Iterator[str]:
    """Yield the files of sockets that are open on this machine: whoever can reach one can talk to its program."""
    try:
        yield from _SOCKET.findall(SOCKETS.read_text(errors="surrogateescape"))
    except OSError:  # another system
        return


def guarded_places(folder: str) -> Iterator[str]:
    """Yield what starts programs later on, in a writable folder and in the folders directly in it."""
    for place in _projects(folder):
        for entry in _entries(place):
            if entry.name.lower() in STARTS_PROGRAMS and not entry.is_symlink():
                yield from (path for path in _guarded_in(entry.path) if _is_inside(path, folder))


def repositories_in(folder: str) -> Iterator[str]:
    """Yield the repositories of git that are guarded there."""
    for place in _projects(folder):
        path = os.path.join(place, GIT)
        if os.path.isdir(path) and not os.path.islink(path):
            yield from repositories(path)


def _projects(folder: str) -> Iterator[str]:
    yield folder
    inside = (entry.path for entry in _entries(folder) if entry.is_dir(follow_symlinks=False))
    yield from (path for path in inside if os.path.lexists(os.path.join(path, GIT)))


def _is_inside(path: str, folder: str) -> bool:
    """Return whether it is in the folder, below it, and no link leads to it."""
    return path != folder and is_within(path, folder) and os.path.realpath(path) == path


def name_servers() -> str:
    """Return the file that lists them, if it lies where the sandbox has a folder of its own; else ""."""
    real = os.path.realpath("/etc/resolv.conf")
    return real if is_within(real, "/run") and os.path.isfile(real) else ""


def _guarded_in(path: str) -> Iterator[str]:
    parts = VERSION_CONTROL.get(os.path.basename(path).lower())
    if parts is None or not os.path.isdir(path):  # all of it; .git is a file where a repository has several folders
        yield path
        return
    names = (os.path.join(path, part) for part in parts)
    named = guarded_in_repository(path) if os.path.basename(path).lower() == GIT else names
    yield from filter(os.path.lexists, named)


def _folders_looked_through(home: str) -> Iterator[str]:
    """Yield the home, its hidden folders, those of ~/.config, and those of which the list of secrets speaks."""
    yield home
    hidden = (entry.path for entry in _entries(home) if entry.name.startswith(".") and _is_folder(entry))
    settings = (entry.path for entry in _entries(os.path.join(home, ".config")) if _is_folder(entry))
    listed = {os.path.dirname(name) for name in (*FOLDERS, *ENDINGS)} - {""}
    yield from dict.fromkeys((*hidden, *settings, *sorted(os.path.join(home, name) for name in listed)))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_for_all(entry: os.DirEntry[str]) -> bool:
    try:
        return bool(entry.stat().st_mode & stat.S_IROTH)
    except OSError:
        return False


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """Return what is in a folder; nothing of one that is not there or may not be read."""
    try:
        with os.scandir(folder) as entries:
            return [entry for entry, _ in zip(entries, range(MAX_NAMES), strict=False)]
    except OSError:
        return []
