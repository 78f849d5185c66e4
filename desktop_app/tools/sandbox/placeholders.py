"""Placeholder files and open handles for the sandbox, so that no link can lead bubblewrap elsewhere.

A file name that git would read or run is occupied while a sandbox can write the repository, because a file that does
not exist cannot be protected. Folders that are mounted in writable ones are opened first, and bubblewrap gets the
handles: given a name, it would follow a link that another program in a sandbox has just created.
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
    """The `commondir` files of one engine, each of which refers its repository to itself.

    Other engines may need the same files: each engine locks the files that it needs, and the last one removes them.
    """

    def __init__(self) -> None:
        self._kept: dict[str, int] = {}
        self._making = threading.Lock()

    def keep(self, repository: str) -> None:
        """Create the file unless the repository has a real one, or is not writable."""
        path = os.path.join(repository, COMMON)
        with self._making, contextlib.suppress(OSError):
            if path in self._kept and not _is_there(path, self._kept[path]):
                os.close(self._kept.pop(path))
            if path not in self._kept and (handle := _taken(path)) is not None:
                self._kept[path] = handle

    def close(self) -> None:
        """Remove the files that no other engine needs."""
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
    """Return a locked handle of the file, created if necessary; None if it has other content. Raises OSError."""
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
    """Create the file atomically, because git rejects a repository in which it is empty."""
    unfinished = f"{path}.{os.getpid()}"
    with open(unfinished, "x", encoding="ascii") as file:
        file.write(TO_ITSELF)
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
"""The lowest handle number; shells use the numbers up to 9 themselves."""
SPARE = 1_024
"""Handles that are left for other uses."""
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


def open_handles(paths: Sequence[str]) -> dict[str, int]:
    """Return a handle for each path that exists and contains no links. Raises OSError."""
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
    """Close all handles."""
    for handle in handles.values():
        os.close(handle)


def _allow(count: int) -> None:
    """Raise this process's limit of open files if necessary and possible. count: the handles to be opened."""
    import resource

    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + SPARE if most == resource.RLIM_INFINITY else min(count + SPARE, most)
    if count * 2 > now != resource.RLIM_INFINITY and wanted > now:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
