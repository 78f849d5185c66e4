"""How the window was left: its size, what is shown beside the chat, the open conversation."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from PySide6.QtCore import QSettings


class WindowMemory:
    """Values by their names, of a file that is read once.

    They are written on a thread of their own: on a slow disk that takes seconds, and the window would stand still.
    """

    def __init__(self, file: Path) -> None:
        self._file = str(file)
        stored = QSettings(self._file, QSettings.Format.IniFormat)
        self._values: dict[str, object] = {key: stored.value(key) for key in stored.allKeys()}
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="window memory")

    def value(self, name: str) -> object:
        """Return a value as it was set or, from the file, as text; None if there is none."""
        return self._values.get(name)

    def text(self, name: str) -> str:
        """Return a value as text; "" if there is none."""
        return str(self._values.get(name, ""))

    def is_set(self, name: str, default: bool) -> bool:
        """Return a value that says yes or no."""
        return self._values.get(name, default) in (True, "true")

    def number(self, name: str) -> int:
        """Return a whole number; 0 if there is none."""
        text = self.text(name)
        return int(text) if text.isdecimal() else 0

    def set(self, name: str, value: object) -> None:
        """Remember a value, which `save` writes."""
        self._values[name] = value

    def save(self) -> None:
        """Write all values soon. The program does not end before that; a failure to write them is of no consequence."""
        self._writer.submit(_write, self._file, dict(self._values))

    def wait(self) -> None:
        """Wait until all is written."""
        self._writer.submit(lambda: None).result()


def _write(file: str, values: dict[str, object]) -> None:
    stored = QSettings(file, QSettings.Format.IniFormat)
    for name, value in values.items():
        stored.setValue(name, value)
    stored.sync()
