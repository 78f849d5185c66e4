"""The field of the draft: plain text, fast even with a megabyte in one line."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterator

from PySide6.QtCore import QMimeData, Qt, QUrl, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QInputMethodEvent,
    QKeyEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextFormat,
)

from desktop_app.ui.widgets.buttons import ENTER
from desktop_app.ui.widgets.text_area import TextArea, is_typed

PIECE = 2_000
"""Characters of one text block. Qt lays a block out again at each key: a megabyte in one took 0.8 s a key with spaces,
and 50 s without."""

IS_CONTINUED = int(QTextFormat.Property.UserProperty) + 1
"""A property of a text block without a newline between it and the block before."""


def pieces_of(text: str) -> Iterator[tuple[str, bool]]:
    """Yield pieces of text without a line longer than PIECE, and whether each continues the line before."""
    ordinary: list[str] = []
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if len(line) <= PIECE:
            ordinary.append(line)
            continue
        if ordinary:
            yield "\n".join(ordinary), False
            ordinary = []
        for start in range(0, len(line), PIECE):
            yield line[start : start + PIECE], start > 0
    if ordinary:
        yield "\n".join(ordinary), False


class DraftField(TextArea):
    """Enter sends, Shift+Enter starts a line, Escape stops.

    Signals: files_given(list of paths) and image_given(QImage), when these are pasted or dropped; attachments_wanted,
    at Backspace in an empty draft.
    """

    send_requested = Signal()
    send_now_requested = Signal()
    queued_wanted = Signal()  # Up where nothing is written
    escape_pressed = Signal()
    files_given = Signal(list)
    image_given = Signal(object)
    attachments_wanted = Signal()
    focus_lost = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._is_composing = False
        self._has_pieces = False
        self.key_filter: Callable[[QKeyEvent], bool] = lambda _: False
        """Gets each key first, and returns whether it was meant for it."""

    def draft(self) -> str:
        if self._has_pieces:
            return self._text_between(0, self.document().characterCount() - 1)
        # Not toPlainText: it turns no-break spaces into spaces.
        return self.document().toRawText().replace("\u2029", "\n").replace("\u2028", "\n")

    def text_before_cursor(self) -> str:
        """Return the text between the beginning of the line and the cursor."""
        cursor = self.textCursor()
        return _utf16_slice(cursor.block().text(), 0, cursor.positionInBlock())

    def insert_draft(self, text: str) -> None:
        """Insert a text at the cursor, in one step of the undo history."""
        cursor = self.textCursor()
        cursor.beginEditBlock()
        for number, (piece, is_continued) in enumerate(pieces_of(text)):
            self._has_pieces |= is_continued
            first, newline, rest = piece.partition("\n")
            if number:
                cursor.insertBlock(_block_format(is_continued))
            cursor.insertText(first)
            if newline:  # in a block of its own, since new lines copy the format of the block that they are made in
                cursor.insertBlock(_block_format(is_continued=False))
                cursor.insertText(rest)
        cursor.endEditBlock()
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return has_attachments(source) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if files := local_files(source):
            self.files_given.emit(files)
        elif has_attachments(source):
            self.image_given.emit(source.imageData())
        elif source.hasText():
            cursor = self.textCursor()
            cursor.removeSelectedText()
            self.setTextCursor(cursor)
            self.insert_draft(source.text())

    def createMimeDataFromSelection(self) -> QMimeData:
        cursor = self.textCursor()
        copied = QMimeData()
        copied.setText(self._text_between(cursor.selectionStart(), cursor.selectionEnd()))
        return copied

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.key_filter(event):
            event.accept()
        elif event.key() in ENTER and not self._is_composing:
            if event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier):
                self._start_line()
            elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.send_now_requested.emit()
            else:
                self.send_requested.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escape_pressed.emit()
            event.ignore()  # what lies over the conversation closes
        elif event.key() == Qt.Key.Key_Up and self.document().isEmpty():
            self.queued_wanted.emit()
        elif event.key() == Qt.Key.Key_Backspace and self.document().isEmpty():
            self.attachments_wanted.emit()
        else:
            super().keyPressEvent(event)

    def take_typed(self, event: QKeyEvent) -> bool:
        """Take the keyboard and a character that was typed where nothing takes it; return False for other keys."""
        if not self.isVisible() or not is_typed(event):
            return False
        self.setFocus()
        self.keyPressEvent(event)
        return True

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Let Tab choose from a list over the draft; elsewhere it moves the focus."""
        tab = QKeyEvent(QKeyEvent.Type.KeyPress, Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier)
        return (forward and self.key_filter(tab)) or super().focusNextPrevChild(forward)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_lost.emit()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def _start_line(self) -> None:
        cursor = self.textCursor()
        cursor.insertBlock(_block_format(is_continued=False))
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def _text_between(self, start: int, end: int) -> str:
        parts: list[str] = []
        block: QTextBlock = self.document().findBlock(start)
        while block.isValid() and block.position() <= end:
            if parts and not block.blockFormat().boolProperty(IS_CONTINUED):
                parts.append("\n")
            first = max(start - block.position(), 0)
            parts.append(_utf16_slice(block.text(), first, end - block.position()))
            block = block.next()
        return "".join(parts)


def local_files(source: QMimeData) -> list[str]:
    """Return the files of this machine that are pasted or dropped; on Windows also those of another host, since network
    drives are named so there."""
    files: list[str] = []
    for url in map(QUrl, filter(QUrl.isLocalFile, source.urls())):
        if url.host() in ("localhost", platform.node().lower()):
            url.setHost("")
        if not url.host() or sys.platform == "win32":
            files.append(url.toLocalFile())
    return files


def has_attachments(source: QMimeData) -> bool:
    """Return whether files are pasted or dropped, or an image that is no picture of a text, as spreadsheets give it."""
    return bool(local_files(source)) or (source.hasImage() and not source.hasText())


def _utf16_slice(text: str, start: int, end: int) -> str:
    """Slice a text by Qt's positions, which count UTF-16 units."""
    if text.isascii() or (start <= 0 and end >= 2 * len(text)):
        return text[start:end]
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le", "replace")


def _block_format(is_continued: bool) -> QTextBlockFormat:
    made = QTextBlockFormat()
    if is_continued:
        made.setProperty(IS_CONTINUED, True)
    return made


def cursor_on_all(field: DraftField) -> QTextCursor:
    """Return a cursor that has the whole draft selected."""
    cursor = QTextCursor(field.document())
    cursor.select(QTextCursor.SelectionType.Document)
    return cursor
