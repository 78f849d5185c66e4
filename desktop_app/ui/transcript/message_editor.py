"""Edit a sent message in place, read its full text in a window, and save its code to a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from desktop_app.conversation.message import Attachment, Message
from desktop_app.conversation.words import translatable
from desktop_app.ui.composer.draft_field import DraftField
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.buttons import Button, ButtonKind
from desktop_app.ui.widgets.file_dialog import FileDialog
from desktop_app.ui.widgets.layouts import horizontal, vertical
from desktop_app.ui.widgets.long_text import TextReader
from desktop_app.ui.widgets.look import Corner, StyleAware, colour, paint_box
from desktop_app.ui.widgets.number_formats import escape_name, readable_text, speaker_of
from desktop_app.ui.widgets.text_label import TextLabel

MIN_LINES, MAX_LINES = 2, 16
KEPT = translatable("The version that was sent is kept, with all that followed it.")


class MessageEditor(StyleAware, QWidget):
    """Edits a message. Enter or Ctrl+Enter sends it again, Cancel discards the edit, Escape keeps it for later.

    Signals: resend_requested(message id, text); ended(whether it had the focus), once it is hidden; left_changed, after
    it was left with a changed text; edits_changed, when the edits to be stored have changed; resized, when it needs
    another height.
    """

    resend_requested = Signal(str, str)
    left_changed = Signal()
    edits_changed = Signal()
    ended = Signal(bool)
    resized = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.message_id = self._sent = ""
        self._left: dict[str, str] = {}  # edits that were left without being cancelled, by message id
        self.field = DraftField()
        self.field.setAccessibleName(tr("Edited message"))
        self.note = TextLabel(size=12, tint="ink_faint", wraps=True)
        self.cancel = Button(tr("Cancel"), ButtonKind.QUIET)
        self.send = Button(tr("Send again"), ButtonKind.PRIMARY)
        self.send.setToolTip(tr("Sends the edited message (Ctrl+Enter)"))
        bottom = horizontal((self.note, 1), self.cancel, self.send, spacing=10)
        vertical(self.field, bottom, holder=self, spacing=6, margins=(14, 10, 10, 10))
        self.field.installEventFilter(self)
        self.field.send_requested.connect(self._resend)
        self.field.send_now_requested.connect(self._resend)
        self.field.textChanged.connect(self._fit)
        self.field.textChanged.connect(self.edits_changed)
        self.send.clicked.connect(self._resend)
        self.cancel.clicked.connect(lambda _=False: self.end())
        self.hide()

    def edit(self, message: Message) -> None:
        """Edit a message, continuing with an edit that was left."""
        if self.message_id != message.id:
            self.leave()
            self.message_id, self._sent = message.id, message.text
            files = [escape_name(part.name) for part in message.parts if isinstance(part, Attachment)]
            again = [tr("Sent again with {files}.").format(files=", ".join(files))] if files else []
            self.note.set_text(" ".join([*again, tr(KEPT)]))
            self.field.remove_text()
            self.show()  # before inserting: a field without a width would wrap after each word
            self.field.insert_text(self._left.pop(message.id, message.text))
        self.show()
        self._fit()
        self.field.setFocus()

    def end(self) -> None:
        """Discard the edit and hide."""
        had_focus, self.message_id = self.isAncestorOf(QApplication.focusWidget() or self.window()), ""
        self.hide()
        self.ended.emit(had_focus)
        self.edits_changed.emit()

    def leave(self) -> None:
        """Hide, but keep the edit for the next time that this message is edited."""
        if not self.message_id:
            return
        message_id, written, is_changed = self.message_id, self.field.written(), self.field.written() != self._sent
        self._left.pop(message_id, None)
        self.end()
        if is_changed:
            self._left[message_id] = written
            self.edits_changed.emit()
            self.left_changed.emit()

    def edits(self) -> dict[str, str]:
        """Return the unsent edits of the open conversation's messages by id, the latest last."""
        written = self.field.written() if self.message_id else ""
        current = {self.message_id: written} if self.message_id and written != self._sent else {}
        return {key: text for key, text in self._left.items() if key != self.message_id} | current

    def set_edits(self, edits: dict[str, str]) -> None:
        """Replace the edits by the stored ones of the conversation that is open now."""
        self.leave()
        self._left = dict(edits)

    def newest_left(self) -> str:
        """Return the id of the message whose edit was left last; "" for none."""
        return next(reversed(self._left), "")

    def note_sent(self, message_id: str) -> None:
        """Forget the edit of a message that was sent again."""
        self._left.pop(message_id, None)
        if message_id == self.message_id:
            self.end()
        self.edits_changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle Escape before the window does, which would stop a reply."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.leave()
                return True
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_box(QPainter(self), QRectF(self.rect()), colour("raised"), colour("accent"), Corner.MESSAGE)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def refresh_style(self) -> None:
        self.update()

    def _resend(self) -> None:
        if not self.field.is_blank():
            self.resend_requested.emit(self.message_id, self.field.written())

    def _fit(self) -> None:
        """Make the field as high as its lines, up to a limit."""
        self.send.setEnabled(not self.field.is_blank())
        lines = max(self.field.lines(MAX_LINES), MIN_LINES)
        height = lines * self.field.fontMetrics().lineSpacing() + 6
        if self.field.height() != height:
            self.field.setFixedHeight(height)
        self.resized.emit()


class MessageReader(TextReader):
    """A window with the full text of a message."""

    def __init__(self, message: Message, parent: QWidget) -> None:
        text = readable_text(message)
        super().__init__(speaker_of(message), text, parent, is_mono=message.tool_result is not None)


SUFFIXES = {
    "bash": "sh", "c": "c", "c++": "cpp", "cpp": "cpp", "csharp": "cs", "css": "css", "diff": "diff", "go": "go",
    "html": "html", "java": "java", "javascript": "js", "js": "js", "json": "json", "kotlin": "kt", "markdown": "md",
    "python": "py", "py": "py", "ruby": "rb", "rust": "rs", "sh": "sh", "shell": "sh", "sql": "sql", "swift": "swift",
    "toml": "toml", "ts": "ts", "typescript": "ts", "xml": "xml", "yaml": "yaml", "yml": "yml",
}  # fmt: skip


def choose_code_file(parent: QWidget, block: str, notify: Callable[[str], None]) -> None:
    """Ask for a file and write code to it.

    block: the language in the first line, the code in the others. notify: called with a text about the outcome.
    """
    language, _, code = block.partition("\n")
    dialog = FileDialog(parent, tr("Save the code"), str(Path.home()))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.selectFile(f"code.{SUFFIXES.get(language.lower(), 'txt')}")
    dialog.fileSelected.connect(lambda path: notify(save_code(Path(path), code)))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def save_code(path: Path, code: str) -> str:
    """Write the code, and return a text about the outcome."""
    try:
        path.write_text(code + "\n", encoding="utf-8", errors="replace", newline="\n")
    except OSError as error:
        words = tr("{file} was not saved ({reason}); choose another folder, or copy the code")
        return words.format(file=path.name, reason=error.strerror)
    return tr("Saved to {file}").format(file=path.name)
