"""The spill store: the full texts of truncated outputs, in files named by their SHA-256."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import time
from collections.abc import Set as AbstractSet
from hashlib import sha256
from pathlib import Path

from desktop_app.chat.ports import WorldError
from desktop_app.conversation.events import Failure
from desktop_app.conversation.words import translatable
from desktop_app.paths import make_folder

from .change_files import replace_file

MIN_NAME = 12
"""Hexadecimal digits needed to name a spill; fewer could match several."""
_NAME = re.compile(rf"[0-9a-f]{{{MIN_NAME},64}}")
DAY = 86_400.0


def is_spill_name(text: str) -> bool:
    """Return whether a text may be the name of a spill, or the beginning of one."""
    return _NAME.fullmatch(text) is not None


class SpillFolder:
    """Implements the `Spills` port with files spills/ab/abcdef..., readable by the user only."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def keep(self, text: str) -> str:
        return await asyncio.to_thread(self._keep, text)

    async def read(self, name: str) -> str | None:
        """Return the text with a name, or with the only name that begins with it; None otherwise. Raises WorldError."""
        return await asyncio.to_thread(self._read, name)

    async def clean(self, still_used: AbstractSet[str], older_than_days: float) -> int:
        """Remove spills that are older and no longer used; return their number. Errors are ignored."""
        return await asyncio.to_thread(self._clean, still_used, older_than_days)

    def _keep(self, text: str) -> str:
        content = text.encode(errors="surrogatepass")
        name = sha256(content).hexdigest()
        path = self._folder / name[:2] / name
        try:
            if path.exists() and path.stat().st_size == len(content):
                os.utime(path)  # resets its age
            else:
                make_folder(path.parent)
                replace_file(Path(os.path.realpath(path)), content, mode=0o600)
        except OSError as error:
            raise WorldError(_failure(translatable("A long output could not be kept"), error)) from error
        return name

    def _read(self, name: str) -> str | None:
        if not is_spill_name(name):
            return None
        paths = [self._folder / name[:2] / name] if len(name) == 64 else list(self._folder.glob(f"{name[:2]}/{name}*"))
        try:
            return paths[0].read_bytes().decode(errors="surrogatepass") if len(paths) == 1 else None
        except FileNotFoundError:
            return None
        except (OSError, UnicodeError) as error:
            raise WorldError(_failure(translatable("A long output could not be read"), error)) from error

    def _clean(self, still_used: AbstractSet[str], older_than_days: float) -> int:
        oldest = time.time() - older_than_days * DAY
        removed = 0
        with contextlib.suppress(OSError):
            for path in self._folder.glob("*/*"):  # includes incomplete files of a killed engine
                with contextlib.suppress(OSError):
                    if path.name not in still_used and path.is_file() and path.stat().st_mtime < oldest:
                        path.unlink()
                        removed += 1
        return removed


def _failure(title: str, error: Exception) -> Failure:
    reason = error.strerror if isinstance(error, OSError) else None
    return Failure(
        "disk",
        title,
        reason or str(error),
        translatable("What was shown of it is kept."),
        translatable("Free some space, or check the data folder."),
    )
