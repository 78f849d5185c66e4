"""Opens files and folders from the root downwards, a name at a time, and follows no link on the way.

A path is resolved before it is held against the rules. Whoever puts a link into it afterwards must not lead us
elsewhere, so each name is opened in the folder that was opened before it. Where the system has no such calls (Windows),
only the path as a whole is opened.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

CAN_WALK = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | _CLOEXEC
_PASSING = _FOLDER | getattr(os, "O_PATH", 0)
"""For a folder that may be entered, and need not be readable."""


@contextmanager
def opened_folder(path: Path, makes: bool = False, is_listed: bool = False) -> Generator[int | None]:
    """Open a folder, by its resolved path; None where the system cannot. makes: missing folders are made.

    is_listed: its entries will be read. Raises OSError, also for a link on the way.
    """
    if not CAN_WALK:
        if makes:
            path.mkdir(parents=True, exist_ok=True)
        yield None
        return
    handle = os.open(path.anchor, os.O_RDONLY | _FOLDER)
    try:
        for name in path.parts[1:]:
            handle, above = _entered(name, handle, makes, path), handle
            os.close(above)
        if is_listed:
            handle, above = os.open(".", os.O_RDONLY | _FOLDER, dir_fd=handle), handle
            os.close(above)
        yield handle
    finally:
        os.close(handle)


def open_walked(path: Path, flags: int) -> int:
    """Open a file by its resolved path. Raises OSError, also for a link on the way."""
    flags |= getattr(os, "O_NOFOLLOW", 0) | _CLOEXEC
    if path == path.parent:
        return os.open(path, flags)
    with opened_folder(path.parent) as folder:
        if folder is None:
            return os.open(path, flags)
        try:
            return os.open(path.name, flags, dir_fd=folder)
        except OSError as error:
            raise _about(error, path) from None


def folder_to_run_in(path: Path, handle: int | None) -> str:
    """Return the path by which a child process enters the folder that is open here, whatever has its name by then."""
    return f"/proc/self/fd/{handle}" if handle is not None and sys.platform == "linux" else str(path)


def _entered(name: str, above: int, makes: bool, path: Path) -> int:
    try:
        return _passed(name, above)
    except FileNotFoundError as error:
        if not makes:
            raise _about(error, path) from None
    except OSError as error:
        raise _about(error, path) from None
    try:
        os.mkdir(name, dir_fd=above)
    except FileExistsError:  # somebody else made it a moment ago
        pass
    except OSError as error:
        raise _about(error, path) from None
    return _passed(name, above)


def _passed(name: str, above: int) -> int:
    """The folder, opened as far as its rights allow. Not at once with O_PATH: what is mounted when it is needed
    (autofs) would not be."""
    try:
        return os.open(name, os.O_RDONLY | _FOLDER, dir_fd=above)
    except PermissionError:
        return os.open(name, _PASSING, dir_fd=above)


def _about(error: OSError, path: Path) -> OSError:
    """The error with the whole path, of which the system knows the last name alone."""
    number = error.errno or errno.EIO
    return OSError(number, os.strerror(number), str(path))
