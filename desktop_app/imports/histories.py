"""The histories that other programs keep on this machine, found by their folders. No file of them is read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from desktop_app.conversation.foreign import FoundHistory

from .formats import FORMATS


def find_histories() -> tuple[FoundHistory, ...]:
    """Return the histories of the user's home with any file, the one that was changed last first."""
    homes = {Path.home() / home: each.program for each in FORMATS for home in each.homes}
    found = (_history_in(folder, program) for folder, program in homes.items())
    return tuple(sorted((each for each in found if each.files), key=lambda each: -each.newest))


def _history_in(folder: Path, program: str) -> FoundHistory:
    files = [status for status in _statuses_in(folder) if stat.S_ISREG(status.st_mode)]
    newest = max((status.st_mtime for status in files), default=0.0)
    return FoundHistory(program, str(folder), len(files), sum(status.st_size for status in files), newest)


def _statuses_in(folder: Path) -> Iterator[os.stat_result]:
    """Return those of all files; folders that may not be read, and files that go meanwhile, are passed over."""
    for directory, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                yield Path(directory, name).stat()
