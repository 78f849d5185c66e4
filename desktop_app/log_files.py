"""The log of the window, the engine and `palimpsest chat`: one file that all append to, and three older ones."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import QueueHandler, QueueListener
from pathlib import Path
from queue import Queue

from desktop_app.paths import log_file, make_private_file, make_private_folder

LEVEL_VARIABLE = "PALIMPSEST_LOG_LEVEL"
"""Environment variable for the level: "DEBUG", "INFO", "WARNING" or "ERROR"; INFO if it is not set."""
MAX_BYTES = 1_048_576
KEPT = 3
"""Number of older files, of which palimpsest.log.1 is the newest."""
FORMAT = "%(asctime)s %(name)s %(levelname)s %(message)s"


class RotatedLog(logging.FileHandler):
    """Begins a new file when the old one has MAX_BYTES, or another process has begun one. Only the user can read it.

    If two processes begin one at the same moment, a short file is left, and nothing is lost.
    """

    def __init__(self, path: Path) -> None:
        """Open the log file. Raises OSError."""
        make_private_file(path)
        self._path = path
        super().__init__(path, encoding="utf-8", errors="backslashreplace")

    def emit(self, record: logging.LogRecord) -> None:
        with contextlib.suppress(OSError):  # then it continues in the open file
            if not self._is_current():
                self._reopen()
            if self._path.stat().st_size >= MAX_BYTES:
                self._rotate()
        super().emit(record)

    def _is_current(self) -> bool:
        try:
            return self.stream is not None and os.path.samestat(self._path.stat(), os.fstat(self.stream.fileno()))
        except FileNotFoundError:
            return False

    def _rotate(self) -> None:
        for number in range(KEPT, 0, -1):
            older = self._path.with_name(f"{self._path.name}.{number}")
            newer = self._path.with_name(f"{self._path.name}.{number - 1}") if number > 1 else self._path
            with contextlib.suppress(FileNotFoundError):
                newer.replace(older)
        self._reopen()

    def _reopen(self) -> None:
        make_private_file(self._path)
        before, self.stream = self.stream, self._open()
        if before is not None:
            before.close()


class LogThread(QueueHandler):
    """Writes the log on a thread: on a slow disk a line can take seconds, for which no event loop may wait."""

    def __init__(self, target: logging.Handler) -> None:
        self._records: Queue[logging.LogRecord] = Queue()
        super().__init__(self._records)
        self._target = target
        self._listener: QueueListener | None = QueueListener(self._records, target)
        self._listener.start()

    def flush(self) -> None:
        """Wait until everything that was logged before is written."""
        if self._listener is not None:
            self._records.join()

    def close(self) -> None:
        """Write what is left, and end the thread; later records are dropped."""
        if self._listener is not None:
            self._listener.stop()
            self._listener = None
            self._target.close()
        super().close()


@contextmanager
def log_beside(data: Path) -> Iterator[None]:
    """Also log to the file of that data folder, while a command shows warnings on the terminal.

    If the file cannot be written, the command runs without it.
    """
    path, root, own = log_file(data), logging.getLogger(), logging.getLogger("desktop_app")
    try:
        make_private_folder(data)
        target = LogThread(RotatedLog(path))
    except OSError as error:
        sys.stderr.write(f"The log file {path} cannot be written ({error.strerror}).\n")
        yield
        return
    target.setFormatter(logging.Formatter(FORMAT))
    before = own.level
    for existing in root.handlers:
        existing.setLevel(max(existing.level, logging.WARNING))
    root.addHandler(target)
    own.setLevel(_wanted_level())
    try:
        yield
    finally:
        own.setLevel(before)
        root.removeHandler(target)
        target.close()


def _wanted_level() -> int:
    level = logging.getLevelNamesMapping().get(os.environ.get(LEVEL_VARIABLE, "").upper())
    return level or logging.INFO


def start_log(data: Path) -> Path | None:
    """Log to the file of that data folder and return its path; log to the terminal and return None if that fails.

    Of libraries only warnings are logged: their other messages may contain what was sent.
    """
    path = log_file(data)
    target: logging.Handler = logging.StreamHandler()
    try:
        make_private_folder(data)
        target = LogThread(RotatedLog(path))
    except OSError as error:
        sys.stderr.write(f"The log file {path} cannot be written ({error.strerror}).\n")
    logging.raiseExceptions = False  # a full disk is reported where something has to be stored
    logging.basicConfig(level=logging.WARNING, handlers=[target], format=FORMAT, force=True)
    logging.getLogger("desktop_app").setLevel(_wanted_level())
    return path if isinstance(target, LogThread) else None
