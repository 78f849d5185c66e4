"""Hold names and folders for the sandbox, so that no link can lead bubblewrap elsewhere.

A name that git would run or read is kept taken as long as a sandbox may write the repository, because a file that does
not exist cannot be protected. Folders that are mounted within writable ones are opened first and compared with what was
mounted: by name, bubblewrap would follow a link that another program in a sandbox has just created.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from desktop_app.tools.path_policy import open_file

from .confinement import COMMON, TO_ITSELF


class Placeholders:
    """The `commondir` files of one engine, each leading its repository to itself.

    Other engines may need the same ones: each holds a lock on what it needs, and the last one removes it.
    """

    def __init__(self) -> None:
        self._kept: dict[str, int] = {}
        self._making = threading.Lock()

    def keep(self, repository: str) -> None:
        """Make the file, unless the repository has one of its own, or cannot be written."""
        path = os.path.join(repository, COMMON)
        with self._making, contextlib.suppress(OSError):
            if path in self._kept and not _is_there(path, self._kept[path]):
                os.close(self._kept.pop(path))
            if path not in self._kept and (handle := _taken(path)) is not None:
                self._kept[path] = handle

    def close(self) -> None:
        """Remove the files that nobody else needs."""
        import fcntl  # not on Windows

        with self._making:
            for path, handle in self._kept.items():
                with contextlib.suppress(OSError):
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    if _is_there(path, handle):
                        os.unlink(path)
                os.close(handle)
            self._kept.clear()


def _taken(path: str) -> int | None:
    """Return a locked handle of the file, made if there was none; None if it is another one. Raises OSError."""
    import fcntl

    if not os.path.lexists(path):
        _make(path)
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        if _is_there(path, handle) and os.read(handle, len(TO_ITSELF) + 1).decode(errors="replace") == TO_ITSELF:
            return handle
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


def _make(path: str) -> None:
    """Make it whole: git refuses a repository in which it is empty."""
    unfinished = f"{path}.{os.getpid()}"
    with open(unfinished, "x", encoding="ascii") as made:
        made.write(TO_ITSELF)
    try:
        os.link(unfinished, path)
    finally:
        os.unlink(unfinished)


def _is_there(path: str, handle: int) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.fstat(handle))
    except FileNotFoundError:
        return False


FIRST = 20
"""The lowest number: shells use those up to 9 for themselves."""
SPARE = 1_024
"""Handles that everything else may need."""
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


def open_handles(paths: Sequence[str]) -> dict[str, int]:
    """Return a handle for each file and folder that is there, and that no link leads to. Raises OSError."""
    import fcntl  # not on Windows

    _allow(len(paths))
    handles: dict[str, int] = {}
    try:
        for path in paths:
            try:
                handle = open_file(Path(path), os.O_PATH)
            except OSError as error:
                if error.errno in _GONE:
                    continue
                raise
            try:
                if not stat.S_ISLNK(os.fstat(handle).st_mode):
                    handles[path] = fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, FIRST)
            finally:
                os.close(handle)
    except BaseException:
        close_handles(handles)
        raise
    return handles


def close_handles(handles: Mapping[str, int]) -> None:
    """Close them."""
    for handle in handles.values():
        os.close(handle)


def _allow(count: int) -> None:
    """Let this process open that many files more, where the system lets it."""
    import resource

    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + SPARE if most == resource.RLIM_INFINITY else min(count + SPARE, most)
    if count * 2 > now != resource.RLIM_INFINITY and wanted > now:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
