"""A plain, multi-line field for text, without a frame of its own."""

from __future__ import annotations

import sys

from PySide6.QtCore import QEvent, QMimeData, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPalette, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from .look import RESTYLING, colour, font


def is_command(event: QKeyEvent) -> bool:
    """Return whether a key was pressed with Alt, and Alt made no other character of it, as it does on a Mac."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier
    has_alt = modifiers == Qt.KeyboardModifier.AltModifier
    return has_alt and event.key() <= sys.maxunicode and event.text().upper() == chr(event.key())


class TextArea(QPlainTextEdit):
    """Takes plain text only. Whoever holds it paints the box around it."""

    def __init__(self, *, size: float = 14, is_mono: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._size, self._is_mono = size, is_mono
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(2)  # room for the cursor: without it Qt scrolls sideways by its width
        self._dress()

    def lines(self, most: int) -> int:
        """Laid-out lines, counted no further than `most`."""
        counted = 0
        block = self.document().firstBlock()
        height = self.fontMetrics().lineSpacing()
        while block.isValid() and counted < most:
            counted += max(round(self.blockBoundingRect(block).height() / height), 1)
            block = block.next()
        return min(max(counted, 1), most)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leaves Alt with a letter to others: it is a command, and types nothing when nobody takes it."""
        if is_command(event):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Takes the text of what is pasted, never its formatting."""
        if source.hasText():
            self.insertPlainText(source.text())

    def changeEvent(self, event: QEvent) -> None:
        """Follows the theme and the font scale."""
        super().changeEvent(event)
        if event.type() in RESTYLING:
            self._dress()

    def _dress(self) -> None:
        wanted = font(self._size, is_mono=self._is_mono)
        if self.font() != wanted:
            self.setFont(wanted)
        palette = QPalette(self.palette())
        roles = QPalette.ColorRole
        palette.setColor(roles.Base, QColor(0, 0, 0, 0))
        palette.setColor(roles.Text, colour("ink"))
        palette.setColor(roles.PlaceholderText, colour("ink_faint"))
        palette.setColor(roles.Highlight, colour("accent"))
        palette.setColor(roles.HighlightedText, colour("accent_ink"))
        if palette != self.palette():
            self.setPalette(palette)
