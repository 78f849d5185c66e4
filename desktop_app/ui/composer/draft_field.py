"""The draft's text field: plain text, fast even with a megabyte in one line."""

from __future__ import annotations

import platform
from collections.abc import Callable

from PySide6.QtCore import QMimeData, Qt, QUrl, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
)

from desktop_app.ui.widgets.buttons import ENTER
from desktop_app.ui.widgets.long_text import LongTextField, is_typed

STEERING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


class DraftField(LongTextField):
    """A text field in which Enter sends, Shift+Enter starts a line, and Escape stops.

    Signals: files_given(list of paths) and image_given(QImage), when these are pasted or dropped; attachments_wanted,
    on Backspace in an empty draft.
    """

    send_requested = Signal()
    send_now_requested = Signal()
    steer_requested = Signal()
    queued_wanted = Signal()  # on Up in an empty draft
    escape_pressed = Signal()
    files_given = Signal(list)
    image_given = Signal(object)
    attachments_wanted = Signal()
    focus_lost = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.key_filter: Callable[[QKeyEvent], bool] = lambda _: False
        """Called first for each key; returns whether it has handled it."""

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return has_attachments(source) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if files := given_files(source):
            self.files_given.emit(files)
        elif has_attachments(source):
            self.image_given.emit(source.imageData())
        elif source.hasText() and not self.is_inserting:
            self.textCursor().removeSelectedText()
            self.insert_text(source.text())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        super().dragEnterEvent(event)
        self._copy_of_others(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)
        self._copy_of_others(event)  # on X11 the source program gets the last answer before the drop

    def dropEvent(self, event: QDropEvent) -> None:
        super().dropEvent(event)
        self._copy_of_others(event)

    def _copy_of_others(self, event: QDropEvent) -> None:
        """Accept a drag from elsewhere as a copy; only text that is dragged within the field is moved."""
        if event.isAccepted() and event.source() not in (self, self.viewport()):
            take_copy(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.hold_key(event) or self.key_filter(event):
            event.accept()
        elif event.key() in ENTER and not self.is_composing:
            if event.modifiers() & STEERING == STEERING:
                self.steer_requested.emit()
            elif event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier):
                self._start_line()
            elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.send_now_requested.emit()
            else:
                self.send_requested.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escape_pressed.emit()
            event.ignore()  # so that the window can close what covers the conversation
        elif event.key() == Qt.Key.Key_Up and self.document().isEmpty():
            self.queued_wanted.emit()
        elif event.key() == Qt.Key.Key_Backspace and self.document().isEmpty():
            self.attachments_wanted.emit()
        else:
            super().keyPressEvent(event)

    def takes(self, event: QKeyEvent) -> bool:
        """Return whether a key that no widget has handled belongs in the draft: a character, or the paste shortcut."""
        return is_typed(event) or event.matches(QKeySequence.StandardKey.Paste)

    def take_typed(self, event: QKeyEvent) -> None:
        """Handle such a key, and take the focus; a field that is hidden by a card is still written to."""
        if self.isVisible():
            self.setFocus()
        self.keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Let Tab choose from a list over the draft; without one it moves the focus."""
        tab = QKeyEvent(QKeyEvent.Type.KeyPress, Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier)
        return (forward and self.key_filter(tab)) or super().focusNextPrevChild(forward)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_lost.emit()

    def _start_line(self) -> None:
        self.insert_text("\n")


def given_files(source: QMimeData) -> list[str]:
    """Return the paths of pasted or dropped files, on another host as `//host/path`. The files are not accessed."""
    files: list[str] = []
    for url in map(QUrl, filter(QUrl.isLocalFile, source.urls())):
        if url.host() in ("localhost", platform.node().lower()):
            url.setHost("")
        files.append(url.toLocalFile())
    return files


def has_attachments(source: QMimeData) -> bool:
    """Return whether files or an image are pasted or dropped; an image with text, as from a spreadsheet, is none."""
    return bool(given_files(source)) or (source.hasImage() and not source.hasText())


def take_copy(event: QDropEvent) -> None:
    """Accept a drop as a copy, whatever action was proposed: after a move the source program may delete its data."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()
