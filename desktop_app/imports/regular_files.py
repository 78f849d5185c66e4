"""Opens files that somebody named, which may be none: a pipe is waited for, and a device may never end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import IO

from desktop_app.conversation.words import translatable


def open_file(path: Path) -> IO[bytes]:
    """Open a file at once; raises OSError for what is none."""
    return open(path, "rb", opener=_opened)


def _opened(path: str, flags: int) -> int:
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    raise OSError(errno.EINVAL, translatable("it is neither a file nor a folder"))
