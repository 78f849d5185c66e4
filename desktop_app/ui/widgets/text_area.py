"""A field for plain text of several lines, without a frame."""

from __future__ import annotations

import sys

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPalette, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from .look import TRANSPARENT, StyleAware, colour, font, recolour


def is_command(event: QKeyEvent) -> bool:
    """Return whether a key was pressed with Alt, and Alt made no other character of it, as it does on a Mac."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier
    has_alt = modifiers == Qt.KeyboardModifier.AltModifier
    return has_alt and event.key() <= sys.maxunicode and event.text().upper() == chr(event.key())


def is_typed(event: QKeyEvent) -> bool:
    """Return whether a key writes a visible character, other than as a shortcut."""
    text = event.text()
    commands = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.MetaModifier
    return text.isprintable() and bool(text.strip()) and not event.modifiers() & commands and not is_command(event)


class TextArea(StyleAware, QPlainTextEdit):
    """Takes plain text only. Its parent paints the box around it."""

    def __init__(self, *, size: float = 14, is_mono: bool = False, rows: int = 0) -> None:
        """rows: lines that it is high; 0 for a height that the layout chooses."""
        super().__init__()
        self._size, self._is_mono, self._rows = size, is_mono, rows
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(2)  # room for the cursor: without it Qt scrolls sideways by its width
        self.refresh_style()

    def lines(self, limit: int) -> int:
        """Return the number of laid-out lines, counted up to `limit`."""
        count = 0
        block = self.document().firstBlock()
        height = self.fontMetrics().lineSpacing()
        while block.isValid() and count < limit:
            count += max(round(self.blockBoundingRect(block).height() / height), 1)
            block = block.next()
        return min(max(count, 1), limit)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Type nothing for Alt with a letter: it is a command, also when nobody handles it."""
        if is_command(event):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if source.hasText():
            self.insertPlainText(source.text())

    def refresh_style(self) -> None:
        wanted = font(self._size, is_mono=self._is_mono)
        if self.font() != wanted:
            self.setFont(wanted)
        if self._rows:
            self.setFixedHeight(self._rows * QFontMetrics(wanted).lineSpacing() + 8)
        roles = QPalette.ColorRole
        colours = {
            roles.Base: TRANSPARENT,
            roles.Text: colour("ink"),
            roles.PlaceholderText: colour("ink_faint"),
            roles.Highlight: colour("accent"),
            roles.HighlightedText: colour("accent_ink"),
        }
        recolour(self, colours)
