"""Opens files and folders from the root downwards, one name at a time, without following links.

A path is resolved before it is checked against the rules. To keep a link that is put into it afterwards from leading
elsewhere, each name is opened relative to the folder that was opened before it. Where the system has no such calls
(Windows), the path is opened as a whole.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

CAN_WALK = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | _CLOEXEC


@contextmanager
def open_folder(path: Path, create: bool = False, is_listed: bool = False) -> Generator[int | None]:
    """Open a folder by its resolved path; None where the system cannot.

    create: make missing folders. is_listed: its entries will be read. Raises OSError, also for a link on the way.
    """
    if not CAN_WALK:
        if create:
            path.mkdir(parents=True, exist_ok=True)
        yield None
        return
    handle = os.open(path.anchor, os.O_RDONLY | _FOLDER)
    try:
        for name in path.parts[1:]:
            handle, parent = _enter(name, handle, create, path), handle
            os.close(parent)
        if is_listed:
            handle, parent = os.open(".", os.O_RDONLY | _FOLDER, dir_fd=handle), handle
            os.close(parent)
        yield handle
    finally:
        os.close(handle)


def open_file(path: Path, flags: int) -> int:
    """Open a file by its resolved path. Raises OSError, also for a link on the way."""
    flags |= getattr(os, "O_NOFOLLOW", 0) | _CLOEXEC
    if path == path.parent:
        return os.open(path, flags)
    with open_folder(path.parent) as folder:
        if folder is None:
            return os.open(path, flags)
        try:
            return os.open(path.name, flags, dir_fd=folder)
        except OSError as error:
            raise _with_path(error, path) from None


def path_of_handle(path: Path, handle: int | None) -> str:
    """Return a path by which a child process enters the open folder, whatever has its name by then."""
    return f"/proc/self/fd/{handle}" if handle is not None and sys.platform == "linux" else str(path)


def _enter(name: str, parent: int, create: bool, path: Path) -> int:
    try:
        try:
            return _open_entry(name, parent)
        except FileNotFoundError:
            if not create:
                raise
        with suppress(FileExistsError):  # somebody else made it a moment ago
            os.mkdir(name, dir_fd=parent)
        return _open_entry(name, parent)
    except OSError as error:
        raise _with_path(error, path) from None


def _open_entry(name: str, parent: int) -> int:
    """Open a folder as far as its rights allow. Not with O_PATH at first: autofs would not mount what is there."""
    try:
        return os.open(name, os.O_RDONLY | _FOLDER, dir_fd=parent)
    except PermissionError:
        return os.open(name, _FOLDER | getattr(os, "O_PATH", 0), dir_fd=parent)


def _with_path(error: OSError, path: Path) -> OSError:
    """Return the error with the whole path, of which the system knows the last name alone."""
    number = error.errno or errno.EIO
    return OSError(number, os.strerror(number), str(path))
