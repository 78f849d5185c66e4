"""The field of the draft: plain text, quick also with a megabyte in one line."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QTextBlock, QTextBlockFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QWidget

from desktop_app.ui.widgets.text_area import TextArea

PIECE = 2_000
"""Characters of one laid-out paragraph. Qt lays a paragraph out anew at each key: a megabyte in one took 0.8 s a key
with spaces in it and 50 s without."""

IS_CONTINUED = int(QTextFormat.Property.UserProperty) + 1
"""A property of a text block that goes on with the paragraph before it: there is no newline between the two."""

ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


def pieces_of(text: str) -> Iterator[tuple[str, bool]]:
    """Stretches of text of which no line is longer than PIECE; with each, whether it goes on with the one before."""
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
    """Enter asks to send, Shift+Enter starts a line, Escape asks to stop."""

    send_requested = Signal()
    escape_pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._is_composing = False
        self._has_pieces = False

    def draft(self) -> str:
        """The whole text."""
        if self._has_pieces:
            return self._text_between(0, self.document().characterCount() - 1)
        # Not toPlainText: it turns no-break spaces into spaces.
        return self.document().toRawText().replace("\u2029", "\n").replace("\u2028", "\n")

    def insert_draft(self, text: str) -> None:
        """Inserts a text at the cursor, in one step of the undo history."""
        cursor = self.textCursor()
        cursor.beginEditBlock()
        for number, (piece, is_continued) in enumerate(pieces_of(text)):
            self._has_pieces |= is_continued
            first, newline, rest = piece.partition("\n")
            if number:
                cursor.insertBlock(_block_format(is_continued))
            cursor.insertText(first)
            if newline:  # a block of its own first: new lines take over the format of the block they are made in
                cursor.insertBlock(_block_format(is_continued=False))
                cursor.insertText(rest)
        cursor.endEditBlock()
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Takes the text of what is pasted, never its formatting."""
        if source.hasText():
            cursor = self.textCursor()
            cursor.removeSelectedText()
            self.setTextCursor(cursor)
            self.insert_draft(source.text())

    def createMimeDataFromSelection(self) -> QMimeData:
        """What is copied has the newlines that were written, and no others."""
        cursor = self.textCursor()
        copied = QMimeData()
        copied.setText(self._text_between(cursor.selectionStart(), cursor.selectionEnd()))
        return copied

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter sends, but never while an input method is composing a word."""
        if event.key() in ENTER and not self._is_composing:
            if event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier):
                self._start_line()
            else:
                self.send_requested.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escape_pressed.emit()
            event.ignore()  # what lies over the conversation closes
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Knows whether a word is being composed."""
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


def _utf16_slice(text: str, start: int, end: int) -> str:
    """A slice by Qt's positions, which count UTF-16 units: a character beyond the basic plane is two."""
    if text.isascii() or (start <= 0 and end >= 2 * len(text)):
        return text[start:end]
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le", "replace")


def _block_format(is_continued: bool) -> QTextBlockFormat:
    made = QTextBlockFormat()
    if is_continued:
        made.setProperty(IS_CONTINUED, True)
    return made


def all_of(field: DraftField) -> QTextCursor:
    """A cursor that has the whole draft selected."""
    cursor = QTextCursor(field.document())
    cursor.select(QTextCursor.SelectionType.Document)
    return cursor
