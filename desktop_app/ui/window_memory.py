"""The stored state of the window: its size, which panes are open, the open conversation."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ParamSpec

import msgspec

from desktop_app.paths import replace_private_file

P = ParamSpec("P")
Value = str | int | bool


class WindowMemory:
    """Values by name, from a file that is read once.

    They are written in a separate thread: on a slow disk that takes seconds, and the window would freeze. QSettings is
    no alternative, because it blocks all other Python threads while it writes.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._values = _read(file)
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="window memory")

    def text(self, name: str) -> str:
        """Return a value as text; "" if there is none."""
        return str(self._values.get(name, ""))

    def is_set(self, name: str, default: bool) -> bool:
        """Return a boolean value."""
        return self._values.get(name, default) is True

    def number(self, name: str) -> int:
        """Return a value as an integer; 0 if there is none."""
        found = self._values.get(name, 0)
        return found if isinstance(found, int) else 0

    def set(self, name: str, value: Value) -> None:
        """Set a value, to be written by `save`."""
        self._values[name] = value

    def save(self) -> None:
        """Write all values soon. The program does not exit before that; a failure to write them is ignored."""
        self._writer.submit(_write, self._file, msgspec.json.encode(self._values))

    def later(self, work: Callable[P, object], *arguments: P.args, **named: P.kwargs) -> None:
        """Do work with files on the same thread, after what is to be written so far. Errors of the disk are ignored."""

        def do() -> None:
            with contextlib.suppress(OSError):
                work(*arguments, **named)

        self._writer.submit(do)

    def wait(self) -> None:
        """Wait until all values are written."""
        self._writer.submit(lambda: None).result()


def _read(file: Path) -> dict[str, Value]:
    """Return the values of a file; none if it cannot be read, as at the first start."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, Value])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


def _write(file: Path, content: bytes) -> None:
    if file.parent.is_dir():  # a data folder that was moved away is not created again
        with contextlib.suppress(OSError):
            replace_private_file(file, content)
