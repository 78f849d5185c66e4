"""Fields and windows for plain text that stay fast with megabytes in them, in one line or in a million.

A long line takes several blocks of Qt. A long text is inserted some milliseconds at a time, with many lines in one
block: another width, a new line or a cut takes Qt the longer the more blocks there are, 2 seconds with 2.5 million.
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
from .text_label import has_wide_letters, units, utf16_slice, wide_families, without


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


PIECE = 2_000
"""Characters of one text block. Qt lays a block out again at each key: a megabyte in one took 0.8 s a key with spaces,
and 50 s without."""
PIECE_LINES = 200
DENSE, DENSE_PIECE = 2.2, 500  # bytes a character on average: letters that take long, each of which may be a word
NEAR = 100  # characters before the end of a piece in which it may end with a word
AT_ONCE, AT_ONCE_LINES = 1_000_000, 5_000  # characters and lines that are inserted in one step, which can be undone
LONGER = 8  # times: what is made readable, see `escape_invisible`
SLICE = 0.008  # seconds of inserting in one pass of the event loop

IS_CONTINUED = int(QTextFormat.Property.UserProperty) + 1
"""A property of a text block without a newline between it and the block before."""

LINE_END = "\u2028"  # of a line within a block
_LINE_ENDS = ("\r\n", "\r", LINE_END, "\u2029")
_NO_CHARACTERS = ("\ufdd0", "\ufdd1")  # Qt ends a block at them

_VISIBLE = QRegularExpression(r"\S")


def end_of_piece(text: str, start: int) -> tuple[int, bool]:
    """Return where the piece of text that begins there ends, and whether its last line goes on in the next one.

    A piece has whole lines as far as they are not too many, else a part of one line.
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
    """Return whether inserting a text would hold the window."""
    return len(text) > AT_ONCE or text.count("\n") > AT_ONCE_LINES


class LongTextField(TextArea):
    """Knows its text as it was given, however it stands in blocks."""

    def __init__(
        self, *, size: float = 14, is_mono: bool = False, rows: int = 0, as_shown: Callable[[str], str] = str
    ) -> None:
        """as_shown: applied to each piece of a text before it is inserted."""
        super().__init__(size=size, is_mono=is_mono, rows=rows)
        self._as_shown = as_shown
        self._written: str | None = None  # the whole text, once it was asked for: to read megabytes takes long
        self._joints: list[int] = []  # positions of ends of blocks that end no line
        self._rest, self._at = "", 0  # what is being inserted, and how far that is
        self._place = QTextCursor(self.document())  # where
        self._goes_on = False  # whether the next block continues the line
        self._is_inserting = self._is_open = self._is_all = False  # open: it may be edited once all is there
        self._held: list[QKeyEvent] = []  # keys
        self._inserting = QTimer(self, singleShot=True, interval=0)
        self._inserting.timeout.connect(self._insert_slice)
        self.document().contentsChange.connect(self._move_joints)

    @property
    def is_inserting(self) -> bool:
        """Whether there is more of the text than is shown yet. What is typed meanwhile is typed afterwards."""
        return self._is_inserting

    def written(self) -> str:
        """Return the whole text."""
        if not self._is_inserting:
            self._written = self._text_between(0, self._end) if self._written is None else self._written
            return self._written
        place = self._place.position()
        newline = "" if self._goes_on else "\n"
        rest = newline + self._as_shown(self._rest[self._at :])
        return f"{self._text_between(0, place)}{rest}{self._text_between(place, self._end)}"

    def cursor_of(self, text: str, start: int, end: int) -> QTextCursor:
        """Return a cursor that selects a part of the text, which is whole."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._position_of(units(text, start)))
        cursor.setPosition(self._position_of(units(text, end)), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _position_of(self, units: int) -> int:
        """Return where in the document so many units of the text have been written."""
        low, high = 0, len(self._joints)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self._joints[middle] - middle <= units else (low, middle)
        return units + low

    def is_blank(self) -> bool:
        """Return whether there is nothing but space in it."""
        found = self.document().find(_VISIBLE)
        return found.isNull() and not self._is_inserting

    def show_text(self, text: str) -> None:
        """Show another text, from its beginning. That cannot be undone."""
        self.stop_inserting()
        self.clear()
        self._begin_inserting(text)
        is_whole = self._insert(0)
        self.moveCursor(QTextCursor.MoveOperation.Start)  # now: from the end of all, it would lay out all
        self._go_on_inserting(is_whole)
        self.document().clearUndoRedoStacks()

    def insert_text(self, text: str) -> None:
        """Insert a text at the cursor: in one step of the undo history, or by and by if it is long. Nothing before that
        can be undone."""
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

    def _go_on_inserting(self, is_whole: bool) -> None:
        if self._is_inserting:
            self._inserting.start()
            return
        if not is_whole:
            self._insert(inf)
        self._note_whole()
        self._rest = ""

    def _note_whole(self) -> None:
        """Remember what was inserted where nothing was: it is all that is written."""
        if self._is_all and self._as_shown is str:
            self._written = self._rest

    def remove_text(self) -> None:
        """Remove all, in one step of the undo history."""
        self.stop_inserting()
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.removeSelectedText()
        self.setTextCursor(cursor)

    def stop_inserting(self) -> None:
        """Forget what is not inserted yet."""
        self._inserting.stop()
        self._held.clear()
        if self._is_inserting:
            self._end_inserting()

    def hold_key(self, event: QKeyEvent) -> bool:
        """Keep a key for when all is inserted; return whether that is so."""
        if self._is_inserting and self._is_open and event.key() != Qt.Key.Key_Escape:
            self._held.append(QKeyEvent(event.type(), event.key(), event.modifiers(), event.text()))
            return True
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.hold_key(event):
            super().keyPressEvent(event)

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
        return utf16_slice(cursor.block().text(), 0, cursor.positionInBlock()).rpartition(LINE_END)[2]

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
        """Insert a piece, and more until the deadline, by `monotonic`; return whether that is all."""
        place = self._place
        place.beginEditBlock()
        while True:
            end, goes_on = end_of_piece(self._rest, self._at)
            if self._at:
                place.insertBlock(_block_format(self._goes_on))
            piece = self._as_shown(self._rest[self._at : end])
            shown = self._format_of(piece)
            first, newline, rest = (piece.replace("\n", LINE_END) if self._is_inserting else piece).partition("\n")
            place.insertText(first, shown)
            if newline:  # in a block of its own, since new lines copy the format of the block that they are made in
                place.insertBlock(_block_format(is_continued=False))
                place.insertText(rest, shown)
            is_whole = end == len(self._rest)
            self._at, self._goes_on = end + (not goes_on), goes_on
            if is_whole or monotonic() >= deadline:
                break
        place.endEditBlock()
        return is_whole

    def _format_of(self, piece: str) -> QTextCharFormat:
        made = QTextCharFormat()
        if has_wide_letters(piece):
            made.setFontFamilies(wide_families(self.font().family()))
        return made

    def _move_joints(self, position: int, removed: int, added: int) -> None:
        """Keep the joints where they are after a change of the document, such as an undone one, too."""
        self._written = None
        block = self.document().findBlock(position)
        first, joints = block.position() - 1, self._joints
        before = joints[: bisect_left(joints, first)]
        after = [joint + added - removed for joint in joints[bisect_left(joints, position + removed) :]]
        within: list[int] = []
        known: dict[int, bool] = {}  # by the number of a format: reading one takes longer than all the rest
        while block.isValid() and (start := block.position()) <= position + added:
            if (number := block.blockFormatIndex()) not in known:
                known[number] = block.blockFormat().boolProperty(IS_CONTINUED)
            if known[number] and start:
                within.append(start - 1)
            block = block.next()
        self._joints = [*before, *within, *(joint for joint in after if joint < self._end)]

    def _text_between(self, start: int, end: int) -> str:
        # Not toPlainText: it turns no-break spaces into spaces.
        raw = self.document().toRawText()
        if len(raw) == self._end:  # no character counts twice for Qt
            found = without(raw, start, end, self._joints)
        else:
            halves = raw.encode("utf-16-le", "surrogatepass")
            doubled = [2 * joint for joint in self._joints]
            found = without(halves, 2 * start, 2 * end, doubled, 2).decode("utf-16-le", "surrogatepass")
        return found.replace("\u2029", "\n").replace(LINE_END, "\n")


def _block_format(is_continued: bool) -> QTextBlockFormat:
    made = QTextBlockFormat()
    if is_continued:
        made.setProperty(IS_CONTINUED, True)
    return made


class TextReader(QDialog):
    """Shows a text that can be selected and copied; Escape closes it."""

    def __init__(
        self, title: str, text: str, parent: QWidget, *, is_mono: bool = False, as_shown: Callable[[str], str] = str
    ) -> None:
        """as_shown: makes each piece of the text readable."""
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
