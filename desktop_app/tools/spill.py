"""Where the whole text of truncated outputs lies: files named by their SHA-256, each written once."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import tempfile
import time
from collections.abc import Set as AbstractSet
from hashlib import sha256
from pathlib import Path

from desktop_app.chat.ports import WorldError
from desktop_app.conversation.events import Failure

LEAST_NAME = 12
"""Hexadecimal digits that name a spill; fewer might name several."""
_NAME = re.compile(rf"[0-9a-f]{{{LEAST_NAME},64}}")
DAY = 86_400.0


def is_spill_name(text: str) -> bool:
    """Whether it may be the name of a spill, or its beginning."""
    return _NAME.fullmatch(text) is not None


class SpillFolder:
    """Fits the `Spills` port, on a folder: spills/ab/abcdef..., readable by the user alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def keep(self, text: str) -> str:
        """Stores the text once, and returns its name. Raises WorldError."""
        return await asyncio.to_thread(self._keep, text)

    async def read(self, name: str) -> str | None:
        """The text of that name, or of the one name that begins so; None if there is none. Raises WorldError."""
        return await asyncio.to_thread(self._read, name)

    async def clean(self, still_used: AbstractSet[str], older_than_days: float) -> int:
        """Removes what is older and not used any more; returns how many. What cannot be removed stays."""
        return await asyncio.to_thread(self._clean, still_used, older_than_days)

    def _keep(self, text: str) -> str:
        content = text.encode(errors="surrogatepass")
        name = sha256(content).hexdigest()
        path = self._folder / name[:2] / name
        try:
            if path.exists() and path.stat().st_size == len(content):
                os.utime(path)  # its age begins anew
            else:
                _write_once(path, content)
        except OSError as error:
            raise WorldError(_failure("A long output could not be kept", error)) from error
        return name

    def _read(self, name: str) -> str | None:
        if not is_spill_name(name):
            return None
        try:
            path = self._path(name)
            return path.read_bytes().decode(errors="surrogatepass") if path else None
        except FileNotFoundError:
            return None
        except (OSError, UnicodeError) as error:
            raise WorldError(_failure("A long output could not be read", error)) from error

    def _path(self, name: str) -> Path | None:
        path = self._folder / name[:2] / name
        if len(name) == 64:
            return path
        found = [file for file in self._files(name[:2]) if file.name.startswith(name)]
        return found[0] if len(found) == 1 else None

    def _files(self, begin: str = "") -> list[Path]:
        """Spills whose names begin with these two digits; or all, with what was left half written."""
        return [file for file in self._folder.glob(f"{begin or '*'}/*") if file.is_file()]

    def _clean(self, still_used: AbstractSet[str], older_than_days: float) -> int:
        before = time.time() - older_than_days * DAY
        removed = 0
        with contextlib.suppress(OSError):
            for file in self._files():
                with contextlib.suppress(OSError):
                    if file.name not in still_used and file.stat().st_mtime < before:
                        file.unlink()
                        removed += 1
        return removed


def _write_once(path: Path, content: bytes) -> None:
    """A new file with that content, or none. Its mode lets the user alone read it, as mkstemp makes it (0600)."""
    for folder in (path.parent.parent, path.parent):  # one by one: the mode is of the last alone
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=".", suffix=".new", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _failure(title: str, error: Exception) -> Failure:
    reason = error.strerror if isinstance(error, OSError) else None
    return Failure(
        "disk",
        title,
        reason or str(error),
        "What was shown of it is kept.",
        "Free some space, or check the data folder.",
    )
