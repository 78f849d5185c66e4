"""The home folder of a program that keeps files: its own, with links to what the user's home holds.

The program can change the folder while it is furnished, so each step is taken from an open folder and follows no link.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from desktop_app.permissions.secret_paths import is_secret

LINKED = {
    "": "",
    ".cache": "XDG_CACHE_HOME",
    ".config": "XDG_CONFIG_HOME",
    ".local": "",
    ".local/share": "XDG_DATA_HOME",
    ".local/state": "XDG_STATE_HOME",
}
"""Folders that programs add their own to, with the variables that may name another place for them. What they hold is
linked, each entry by itself, so that the program can add entries and reads the user's."""
WITHOUT_OWN_SANDBOX = {"PLAYWRIGHT_MCP_SANDBOX": "false", "PUPPETEER_DANGEROUS_NO_SANDBOX": "true"}
"""Variables for servers that drive a browser: its own sandbox cannot be set up inside of this one."""
MAX_LINKS = 2_000
"""Entries of one folder that are linked."""
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


def furnish_home(own: Path, environment: Mapping[str, str]) -> None:
    """Link what the user's home holds into the program's own, and remove the links to what is gone. Raises OSError."""
    home = Path(environment.get("HOME") or Path.home())
    for part, variable in LINKED.items():
        with _opened(own, part) as folder:
            _link_entries(environment.get(variable) or str(home / part), part, folder)


def home_environment(environment: Mapping[str, str], own: str) -> dict[str, str]:
    """Return the environment for a program whose home folder is `own`."""
    places = {variable for variable in LINKED.values() if variable}
    kept = {name: value for name, value in environment.items() if name not in places}
    return kept | WITHOUT_OWN_SANDBOX | {"HOME": own}


@contextmanager
def _opened(own: Path, part: str) -> Generator[int]:
    folder = os.open(own, _FOLDER)
    try:
        for name in filter(None, part.split("/")):
            inner = _open_or_make(name, folder)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def _open_or_make(name: str, within: int) -> int:
    """Open a folder in an open one; what is not a folder there is replaced by one."""
    with suppress(OSError):
        return os.open(name, _FOLDER, dir_fd=within)
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=within)
    os.mkdir(name, 0o700, dir_fd=within)
    return os.open(name, _FOLDER, dir_fd=within)


def _link_entries(source: str, part: str, folder: int) -> None:
    with suppress(OSError):
        for name in os.listdir(folder):
            with suppress(OSError):  # not a link
                target = os.readlink(name, dir_fd=folder)
                if os.path.dirname(target) == source and not os.path.lexists(target):
                    os.unlink(name, dir_fd=folder)
        for name in sorted(os.listdir(source))[:MAX_LINKS]:
            target = os.path.join(source, name)
            if "/".join(filter(None, (part, name))) not in LINKED and not _is_for_it_alone(part, target):
                with suppress(FileExistsError):
                    os.symlink(target, name, dir_fd=folder)


def _is_for_it_alone(part: str, target: str) -> bool:
    """Return whether the program should have an entry of its own instead of a link to one that it cannot write: keys,
    and the profiles that servers keep among the caches, which they also made when another program started them."""
    return is_secret(target) or (part == ".cache" and "mcp" in os.path.basename(target).lower())
