"""Notices that another process, or the user's editor, has changed the file of the settings."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

SETTLED = 300  # milliseconds after the last change: an editor may write in steps


class SettingsWatch(QObject):
    """Signal: changed, once what was written has settled; also after changes of our own.

    The folder is watched as well, since a file that is replaced is another one to the system.
    """

    changed = Signal()

    def __init__(self, file: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._file = file
        self._seen = self._state()
        self._watcher = QFileSystemWatcher(self)
        self._timer = QTimer(self, singleShot=True, interval=SETTLED)
        self._timer.timeout.connect(self._look)
        self._watcher.fileChanged.connect(lambda _: self._timer.start())
        self._watcher.directoryChanged.connect(lambda _: self._timer.start())
        self._watch()

    def _watch(self) -> None:
        wanted = {str(path) for path in (self._file, self._file.parent) if path.exists()}
        watched = {*self._watcher.files(), *self._watcher.directories()}
        if new := wanted - watched:
            self._watcher.addPaths(sorted(new))

    def _look(self) -> None:
        self._watch()
        before, self._seen = self._seen, self._state()
        if self._seen and self._seen != before:
            self.changed.emit()

    def _state(self) -> tuple[int, int, int] | None:
        try:
            told = self._file.stat()
        except OSError:
            return None
        return told.st_ino, told.st_mtime_ns, told.st_size
