"""The file dialog: the system's own, or Qt's in our theme."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QDir, QRectF, QSize
from PySide6.QtGui import QIcon, QPainter, QPixmap, QShowEvent
from PySide6.QtWidgets import QFileDialog, QToolButton, QWidget

from .look import colour, scale

WIDTH, HEIGHT = 760, 480  # pixels
ARROWS = ("backButton", "forwardButton", "toParentButton")
"""Buttons of Qt's dialog whose icons are black even in the dark theme."""


class FileDialog(QFileDialog):
    """Qt's dialog, opened with `open`, never with exec(). The application's style sheet contains its rules."""

    def __init__(self, parent: QWidget, title: str, folder: str = "", kinds: str = "") -> None:
        """kinds: Qt's name filters, such as "Tables (*.csv)"."""
        super().__init__(parent, title, folder, kinds)
        self.resize(QSize(scale(WIDTH), scale(HEIGHT)).boundedTo(self.screen().availableSize()))

    def showEvent(self, event: QShowEvent) -> None:
        for name in ARROWS:
            if (button := self.findChild(QToolButton, name)) is not None:  # None in the system's own dialog
                button.setIcon(_in_ink(button))
        super().showEvent(event)


def ask_for_folder(parent: QWidget, title: str, folder: str, use: Callable[[str], object]) -> None:
    """Let the user choose a folder, and call `use` with it. folder: where to begin; "" for the home folder."""
    dialog = FileDialog(parent, title, folder or str(Path.home()))
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.fileSelected.connect(use)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def ask_for_file(parent: QWidget, title: str, use: Callable[[str], object]) -> None:
    """Let the user choose a file, and call `use` with it. Hidden folders, where programs keep settings, are shown."""
    dialog = FileDialog(parent, title, str(Path.home()))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setFilter(dialog.filter() | QDir.Filter.Hidden)
    dialog.fileSelected.connect(use)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def _in_ink(button: QToolButton) -> QIcon:
    """Return a button's icon in the text colour."""
    icon = QIcon()
    for mode in (QIcon.Mode.Normal, QIcon.Mode.Disabled):
        picture: QPixmap = button.icon().pixmap(button.iconSize(), button.devicePixelRatioF(), mode)
        painter = QPainter(picture)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        ink = colour("ink") if mode is QIcon.Mode.Normal else colour("ink_faint", 0.5)
        painter.fillRect(QRectF(picture.rect()), ink)
        painter.end()
        icon.addPixmap(picture, mode)
    return icon
