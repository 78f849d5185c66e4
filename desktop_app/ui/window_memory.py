"""How the window was left: its size, what is shown beside the chat, the open conversation."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from desktop_app.paths import replace_private_file

Value = str | int | bool


class WindowMemory:
    """Values by their names, of a file that is read once.

    They are written on a thread of their own: on a slow disk that takes seconds, and the window would stand still. Not
    with QSettings, which lets no other thread of Python go on meanwhile.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._values = _read(file)
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="window memory")

    def text(self, name: str) -> str:
        """Return a value as text; "" if there is none."""
        return str(self._values.get(name, ""))

    def is_set(self, name: str, default: bool) -> bool:
        """Return a value that says yes or no."""
        return self._values.get(name, default) is True

    def number(self, name: str) -> int:
        """Return a whole number; 0 if there is none."""
        found = self._values.get(name, 0)
        return found if isinstance(found, int) else 0

    def set(self, name: str, value: Value) -> None:
        """Remember a value, which `save` writes."""
        self._values[name] = value

    def save(self) -> None:
        """Write all values soon. The program does not end before that; a failure to write them is of no consequence."""
        self._writer.submit(_write, self._file, msgspec.json.encode(self._values))

    def wait(self) -> None:
        """Wait until all is written."""
        self._writer.submit(lambda: None).result()


def _read(file: Path) -> dict[str, Value]:
    """Return nothing of a file that cannot be read: the window is then as at its first start."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, Value])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


def _write(file: Path, content: bytes) -> None:
    if file.parent.is_dir():  # a data folder that was moved away is not begun anew
        with contextlib.suppress(OSError):
            replace_private_file(file, content)
