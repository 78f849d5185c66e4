"""Opens what bubblewrap mounts within writable folders: by a name it would follow a link that another program in the
sandbox puts there meanwhile, out of the folder. It compares what is mounted with what was opened."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from desktop_app.tools.safe_open import open_file

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
