"""Fields and windows for plain text that stay fast with megabytes of text, in one line or in a million.

A long line is split into several of Qt's text blocks. A long text is inserted a few milliseconds at a time, with many
lines in a block: a new width, a new line or a cut takes Qt longer with every block, 2 seconds with 2.5 million.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Callable
from math import inf
from time import monotonic

from PySide6.QtCore import QMimeData, QRegularExpression, Qt, QTimer
from PySide6.QtGui import (
    QFontMetrics,
    QInputMethodEvent,
    QKeyEvent,
    QPalette,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QTextOption,
)
from PySide6.QtWidgets import QDialog, QFrame, QPlainTextEdit, QWidget

from desktop_app.ui.translation import tr

from .layouts import vertical
from .look import TRANSPARENT, StyleAware, colour, font, recolour, scale
from .number_formats import escape_name
from .text_label import has_wide_letters, units, utf16_head, wide_families, without


def is_command(event: QKeyEvent) -> bool:
    """Return whether a key was pressed with Alt without producing another character, as Alt does on a Mac."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier
    has_alt = modifiers == Qt.KeyboardModifier.AltModifier
    return has_alt and event.key() <= sys.maxunicode and event.text().upper() == chr(event.key())


def is_typed(event: QKeyEvent) -> bool:
    """Return whether a key writes a visible character, and is no shortcut."""
    text = event.text()
    commands = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.MetaModifier
    return text.isprintable() and bool(text.strip()) and not event.modifiers() & commands and not is_command(event)


class TextArea(StyleAware, QPlainTextEdit):
    """A plain-text field without a frame; its parent paints the box around it."""

    def __init__(self, *, size: float = 14, is_mono: bool = False, rows: int = 0) -> None:
        """rows: the height in lines; 0 for the height that the layout chooses."""
        super().__init__()
        self._size, self._is_mono, self._rows = size, is_mono, rows
        self._placeholder, self.is_composing = "", False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(2)  # space for the cursor, without which Qt scrolls sideways by its width
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
        """Ignore Alt with a letter: it is a command, even if nothing handles it."""
        if is_command(event):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def setPlaceholderText(self, placeholderText: str) -> None:
        """Set the placeholder; it is hidden while an input method composes, which Qt would paint over it."""
        self._placeholder = placeholderText
        super().setPlaceholderText("" if self.is_composing else placeholderText)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self.is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)
        self.setPlaceholderText(self._placeholder)

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


PIECE = 2_000
"""Characters of one text block. Qt lays a block out again at each key press: with a megabyte in one block, that took
0.8 s with spaces in it, and 50 s without."""
PIECE_LINES = 200
DENSE = 2.2  # UTF-8 bytes a character on average, from which a text is slow to lay out: each letter may be a word
DENSE_PIECE = 500  # characters of one text block of such a text
NEAR = 100  # characters at the end of a piece in which a word boundary is looked for
AT_ONCE, AT_ONCE_LINES = 1_000_000, 5_000  # characters and lines that are inserted in one step, which can be undone
LONGER = 8  # the factor by which a text may grow when it is made readable, see `escape_invisible`
SLICE = 0.008  # seconds of inserting in one pass of the event loop

IS_CONTINUED = int(QTextFormat.Property.UserProperty) + 1
"""A property of a text block that continues the line of the block before it."""

LINE_END = "\u2028"  # ends a line within a block
_LINE_ENDS = ("\r\n", "\r", LINE_END, "\u2029")
_NO_CHARACTERS = ("\ufdd0", "\ufdd1")  # Qt ends a block at them

_VISIBLE = QRegularExpression(r"\S")


def end_of_piece(text: str, start: int) -> tuple[int, bool]:
    """Return the end of the piece of text that begins at `start`, and whether its last line continues in the next.

    A piece consists of complete lines, as many as fit, or of a part of one long line.
    """
    end, most = start - 1, min(start + PIECE, len(text))
    room = min(start + DENSE_PIECE, most) if _is_dense(text[start:most]) else most
    for _ in range(PIECE_LINES):
        found = text.find("\n", end + 1, (most if end < start else room) + 1)
        if found < 0:
            break
        end = found
    else:
        return end, False
    if room == len(text) or (most == len(text) and end < start):
        return most, False
    if end >= start:
        return end, False
    space = text.rfind(" ", max(room - NEAR, start), room) + 1
    return space or room, True


def _is_dense(text: str) -> bool:
    return not text.isascii() and len(text.encode("utf-8", "surrogatepass")) > DENSE * len(text)


def is_long(text: str) -> bool:
    """Return whether inserting a text at once would block the window."""
    return len(text) > AT_ONCE or text.count("\n") > AT_ONCE_LINES


class LongTextField(TextArea):
    """A text field that returns its text exactly as it was set, however it is split into blocks."""

    def __init__(
        self, *, size: float = 14, is_mono: bool = False, rows: int = 0, as_shown: Callable[[str], str] = str
    ) -> None:
        """as_shown: applied to each piece of a text before it is inserted."""
        super().__init__(size=size, is_mono=is_mono, rows=rows)
        self._as_shown = as_shown
        self._written: str | None = None  # the text as read last, since reading megabytes takes long; None if outdated
        self._joints: list[int] = []  # positions of block ends that are not line ends
        self._rest, self._at = "", 0  # the text being inserted, and the index of what is not inserted yet
        self._place = QTextCursor(self.document())  # the position to insert at
        self._goes_on = False  # whether the next block continues the line
        self._is_inserting = False
        self._is_open = False  # whether the field may be edited once everything is inserted
        self._is_all = False  # whether the inserted text is the field's only text
        self._held: list[QKeyEvent] = []  # keys pressed in the meantime
        self._inserting = QTimer(self, singleShot=True, interval=0)
        self._inserting.timeout.connect(self._insert_slice)
        self.document().contentsChange.connect(self._move_joints)

    @property
    def is_inserting(self) -> bool:
        """Whether a part of the text is not inserted yet. Keys pressed in the meantime are handled afterwards."""
        return self._is_inserting

    def written(self) -> str:
        """Return the text, including what is not inserted yet."""
        if not self._is_inserting:
            self._written = self._text_between(0, self._end) if self._written is None else self._written
            return self._written
        place = self._place.position()
        newline = "" if self._goes_on else "\n"
        rest = newline + self._as_shown(self._rest[self._at :])
        return f"{self._text_between(0, place)}{rest}{self._text_between(place, self._end)}"

    def cursor_of(self, text: str, start: int, end: int) -> QTextCursor:
        """Return a cursor that selects text[start:end]. text: what `written` returns."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._position_of(units(text, start)))
        cursor.setPosition(self._position_of(units(text, end)), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _position_of(self, units: int) -> int:
        """Return the document position after that many UTF-16 units of the text."""
        low, high = 0, len(self._joints)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self._joints[middle] - middle <= units else (low, middle)
        return units + low

    def is_blank(self) -> bool:
        """Return whether the field contains only white space."""
        found = self.document().find(_VISIBLE)
        return found.isNull() and not self._is_inserting

    def show_text(self, text: str) -> None:
        """Replace the text, and scroll to its beginning. This cannot be undone."""
        self.stop_inserting()
        self.clear()
        self._begin_inserting(text)
        is_complete = self._insert(0)
        self.moveCursor(QTextCursor.MoveOperation.Start)  # now: later, moving from the end would lay out everything
        self._go_on_inserting(is_complete)
        self.document().clearUndoRedoStacks()

    def insert_text(self, text: str) -> None:
        """Insert a text at the cursor, as one step of the undo history.

        A long text is inserted gradually, and clears the undo history.
        """
        self.stop_inserting()
        self._begin_inserting(text)
        self._go_on_inserting(self._insert(0 if self._is_inserting else inf))
        if not self._is_inserting:
            self.setTextCursor(self._place)
            self.ensureCursorVisible()

    def _begin_inserting(self, text: str) -> None:
        for end in (*_LINE_ENDS, *_NO_CHARACTERS) if self._as_shown is str else _NO_CHARACTERS:
            text = text.replace(end, "\n")
        self._is_all = self.document().isEmpty()
        self._place, self._rest, self._at = self.textCursor(), text, 0
        if is_long(text) or (self._as_shown is not str and LONGER * len(text) > AT_ONCE):
            self.document().setUndoRedoEnabled(False)
            self._is_inserting, self._is_open = True, not self.isReadOnly()
            self.setReadOnly(True)

    def _go_on_inserting(self, is_complete: bool) -> None:
        if self._is_inserting:
            self._inserting.start()
            return
        if not is_complete:
            self._insert(inf)
        self._note_whole()
        self._rest = ""

    def _note_whole(self) -> None:
        """Remember a text that was inserted into an empty field as the field's text."""
        if self._is_all and self._as_shown is str:
            self._written = self._rest

    def remove_text(self) -> None:
        """Remove the text, as one step of the undo history."""
        self.stop_inserting()
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.removeSelectedText()
        self.setTextCursor(cursor)

    def stop_inserting(self) -> None:
        """Drop what is not inserted yet, and the keys pressed in the meantime."""
        self._inserting.stop()
        self._held.clear()
        if self._is_inserting:
            self._end_inserting()

    def hold_key(self, event: QKeyEvent) -> bool:
        """Queue a key press while a text is being inserted; return whether it was queued."""
        if self._is_inserting and self._is_open and event.key() != Qt.Key.Key_Escape:
            self._held.append(QKeyEvent(event.type(), event.key(), event.modifiers(), event.text()))
            return True
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.hold_key(event):
            super().keyPressEvent(event)

    def setReadOnly(self, ro: bool) -> None:
        """Keep the caret in a text that is only read: with it the keyboard selects, and a screen reader reads."""
        super().setReadOnly(ro)
        if ro:
            self.setTextInteractionFlags(self.textInteractionFlags() | Qt.TextInteractionFlag.TextSelectableByKeyboard)

    def createMimeDataFromSelection(self) -> QMimeData:
        cursor, copied = self.textCursor(), QMimeData()
        begin, end = cursor.selectionStart(), cursor.selectionEnd()
        copied.setText(self.written() if self._is_all_selected() else self._text_between(begin, end))
        return copied

    def _is_all_selected(self) -> bool:
        cursor = self.textCursor()
        return cursor.selectionStart() == 0 and cursor.selectionEnd() == self._end

    def first_line(self) -> str:
        """Return the first line, or the beginning of a long one."""
        return self.document().firstBlock().text().partition(LINE_END)[0]

    def text_before_cursor(self) -> str:
        """Return the text between the beginning of the line and the cursor."""
        cursor = self.textCursor()
        return utf16_head(cursor.block().text(), cursor.positionInBlock()).rpartition(LINE_END)[2]

    @property
    def _end(self) -> int:
        return self.document().characterCount() - 1

    def _insert_slice(self) -> None:
        if self._insert(monotonic() + SLICE):
            self._note_whole()
            self._end_inserting()
        else:
            self._inserting.start()

    def _end_inserting(self) -> None:
        self._rest, self._is_inserting = "", False
        self.document().setUndoRedoEnabled(True)
        self.setReadOnly(not self._is_open)
        self.textChanged.emit()
        held, self._held = self._held, []
        for event in held:
            self.keyPressEvent(event)

    def _insert(self, deadline: float) -> bool:
        """Insert pieces until the deadline, at least one; return whether the text is complete.

        deadline: a time of `monotonic`, in seconds.
        """
        place = self._place
        place.beginEditBlock()
        while True:
            end, goes_on = end_of_piece(self._rest, self._at)
            if self._at:
                place.insertBlock(_block_format(self._goes_on))
            piece = self._as_shown(self._rest[self._at : end])
            look = self._format_of(piece)
            first, newline, rest = (piece.replace("\n", LINE_END) if self._is_inserting else piece).partition("\n")
            place.insertText(first, look)
            if newline:  # in a block of its own, since a new line copies the format of the block that it is inserted in
                place.insertBlock(_block_format(is_continued=False))
                place.insertText(rest, look)
            is_complete = end == len(self._rest)
            self._at, self._goes_on = end + (not goes_on), goes_on
            if is_complete or monotonic() >= deadline:
                break
        place.endEditBlock()
        return is_complete

    def _format_of(self, piece: str) -> QTextCharFormat:
        look = QTextCharFormat()
        if has_wide_letters(piece):
            look.setFontFamilies(wide_families(self.font().family()))
        return look

    def _move_joints(self, position: int, removed: int, added: int) -> None:
        """Update the joints after a change of the document, including undo and redo."""
        self._written = None
        block = self.document().findBlock(position)
        first, joints = block.position() - 1, self._joints
        before = joints[: bisect_left(joints, first)]
        after = [joint + added - removed for joint in joints[bisect_left(joints, position + removed) :]]
        within: list[int] = []
        known: dict[int, bool] = {}  # by format index, since reading a format takes longer than everything else here
        while block.isValid() and (start := block.position()) <= position + added:
            if (number := block.blockFormatIndex()) not in known:
                known[number] = block.blockFormat().boolProperty(IS_CONTINUED)
            if known[number] and start:
                within.append(start - 1)
            block = block.next()
        self._joints = [*before, *within, *(joint for joint in after if joint < self._end)]

    def _text_between(self, start: int, end: int) -> str:
        # Not toPlainText, which turns no-break spaces into spaces.
        raw = self.document().toRawText()
        if len(raw) == self._end:  # no character takes two UTF-16 units
            found = without(raw, start, end, self._joints)
        else:
            halves = raw.encode("utf-16-le", "surrogatepass")
            doubled = [2 * joint for joint in self._joints]
            found = without(halves, 2 * start, 2 * end, doubled, 2).decode("utf-16-le", "surrogatepass")
        return found.replace("\u2029", "\n").replace(LINE_END, "\n")


def _block_format(is_continued: bool) -> QTextBlockFormat:
    look = QTextBlockFormat()
    if is_continued:
        look.setProperty(IS_CONTINUED, True)
    return look


class TextReader(QDialog):
    """A window with a text that can be selected and copied. Escape closes it."""

    def __init__(
        self, title: str, text: str, parent: QWidget, *, is_mono: bool = False, as_shown: Callable[[str], str] = str
    ) -> None:
        """as_shown: applied to each piece of the text, to make it readable."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("{title} · %n characters", "", len(text)).format(title=escape_name(title)))
        self.text = LongTextField(size=13, is_mono=is_mono, as_shown=as_shown)
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("The message's text"))
        self.text.show_text(text)
        recolour(self, {QPalette.ColorRole.Window: colour("paper")})
        vertical(self.text, holder=self, margins=(12, 12, 0, 12))
        self.resize(scale(760), scale(620))
