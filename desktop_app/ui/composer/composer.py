"""The composer: the draft, its attachments, commands and tokens, and the button that sends or stops."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.conversation.message import Attachment, MessageDraft
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import Send, StartResearch
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import ScrollColumn
from desktop_app.ui.widgets.buttons import Button, ButtonKind
from desktop_app.ui.widgets.layouts import STRETCH, UNBOUNDED, horizontal, vertical
from desktop_app.ui.widgets.look import CONTROL_HEIGHT, Corner, StyleAware, colour, paint_box, scale
from desktop_app.ui.widgets.text_label import TextLabel

from .attachments import AttachmentBar
from .draft_field import DraftField
from .path_completer import PathCompleter

RESEARCH = "/research"
_RESEARCH = re.compile(rf"\s*{RESEARCH}(?:\s+(.*))?\Z", re.DOTALL)
COMMAND = re.compile(r"!(\S[^\n]*)\s*\Z")
RUN_HINT = translatable("Enter runs this command and attaches its output")
HINT = translatable("{command} QUESTION searches the web and answers with sources")
MISSING = translatable("Type a question after {command}")
NO_FILES = translatable("{command} takes no attachments")


def request_of(
    conversation: str,
    text: str,
    attachments: tuple[Attachment, ...] = (),
    is_now: bool = False,
    is_draft: bool = False,
    is_steering: bool = False,
) -> Send | StartResearch:
    """Return the request that sends a text. Text that only looks like a command, such as a path, is a message.

    is_now: also stop the reply. is_draft: also empty the stored draft. is_steering: add it to the running turn.
    """
    found = _RESEARCH.match(text)
    if found and (found[1] or "").strip():
        return StartResearch(conversation, found[1].strip(), is_now, is_draft)
    return Send(conversation, text, attachments, is_now, is_draft, is_steering)


def hint_of(text: str) -> str:
    """Return a hint for a draft that begins like a command; "" for others."""
    if COMMAND.match(text):
        return tr(RUN_HINT)
    first = text.lstrip()
    if not first.startswith("/") or "\n" in first:
        return ""
    word = first.split(" ", 1)[0]
    is_question = len(first) > len(RESEARCH) and first.startswith(f"{RESEARCH} ")
    return tr(HINT).format(command=RESEARCH) if RESEARCH.startswith(word) and not is_question else ""


def _quoted(text: str) -> str:
    """Return a text as a Markdown quote."""
    return "\n".join(f"> {line}".rstrip() for line in text.strip("\n").split("\n"))


def refusal_of(draft: MessageDraft) -> str:
    """Return why a draft cannot be sent; "" if it can."""
    found = _RESEARCH.match(draft.text)
    if found is None or ((found[1] or "").strip() and not draft.attachments):
        return ""
    return tr(NO_FILES if draft.attachments else MISSING).format(command=RESEARCH)


PLACEHOLDER = translatable("Message… (Enter sends, Shift+Enter for a new line)")
SHORT_PLACEHOLDER = translatable("Message…")
SEND, STOP = translatable("Send ⏎"), translatable("Stop")
ATTACH = translatable("+ Attach")
TOOLS, NO_TOOLS = translatable("Tools"), translatable("No tools")
MIN_LINES, MAX_LINES = 2, 10
OTHER_HEIGHT, LOW_OTHER_HEIGHT = 450, 260  # pixels of the window's height for everything else
NARROW = 520  # pixels of width below which the composer in a low window has no Tools button
CHIP_ROWS_HEIGHT = 3 * CONTROL_HEIGHT + 12  # pixels of height of the attachments, beyond which they scroll
MARGIN = 3  # pixels above and below the lines
MARGINS, LOW_MARGINS = (12, 10, 10, 10), (6, 5, 5, 5)  # pixels around the content
DRAFT_PAUSE = 80  # milliseconds between two `draft_changed`
HINT_TIME = 4_000  # milliseconds that a hint stays
QUEUE_HINT = translatable("Enter queues · Ctrl+Enter sends now · Ctrl+Shift+Enter steers")
READING_HINT = translatable("Wait until the files are read")


class Composer(StyleAware, QWidget):
    """The field for a message, with its buttons. It grows with the number of lines, then scrolls.

    The draft remains after `send_requested`: call `clear` once the message is stored.
    """

    send_requested = Signal(str, tuple)  # the text, and the attachments
    send_now_requested = Signal(str, tuple)  # the same, and the reply is to be stopped
    steer_requested = Signal(str, tuple)  # the same, and it is to enter the running turn
    stop_requested = Signal()
    draft_changed = Signal(object)  # a MessageDraft
    tools_requested = Signal()
    attach_requested = Signal()
    command_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_running = False
        self._tokens = 0
        self._refusal = ""
        self._is_low = False
        self.field = DraftField()
        self.field.setAccessibleName(tr("Message"))
        self.note = TextLabel(size=12, tint="ink_faint")
        self.button = Button(tr(SEND), ButtonKind.PRIMARY)
        self.paths = PathCompleter(self.field)
        chips = QWidget()
        self.attachments = AttachmentBar(chips)
        self.chips = ScrollColumn(spacing=0)
        self.chips.add(chips)
        self.attach = Button(tr(ATTACH), ButtonKind.QUIET)
        self.attach.setToolTip(tr("Attach images, text, PDF, Word or spreadsheets (Ctrl+Shift+A)"))
        self.attach.setAccessibleName(tr("Attach"))
        self.tools = Button(tr(TOOLS), ButtonKind.QUIET)
        self._pause = QTimer(self, interval=DRAFT_PAUSE, singleShot=True)
        self._hint_time = QTimer(self, interval=HINT_TIME, singleShot=True)
        self._bottom = horizontal(self.attach, self.tools, STRETCH, self.note, self.button, spacing=10)
        self._column = vertical(self.chips, self.field, self._bottom, holder=self, spacing=6, margins=MARGINS)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusProxy(self.field)
        self._connect()
        self._show_chips()
        self._update_note()
        self._fit()

    @property
    def draft_tokens(self) -> int:
        """The token count of the draft when it was last counted."""
        return self._tokens

    def set_low(self, is_low: bool) -> None:
        """Use a single row, with the buttons next to the draft, for a low window."""
        if self._is_low == is_low:
            return
        self._is_low = is_low
        stretch = self._bottom.takeAt(2)
        if is_low:
            self._bottom.insertWidget(2, self.field, 1)
        else:
            self._column.insertWidget(1, self.field)
            self._bottom.insertStretch(2)
        del stretch
        self._column.setContentsMargins(*(LOW_MARGINS if is_low else MARGINS))
        self.attach.setText("+" if is_low else tr(ATTACH))
        self._fit()

    def set_running(self, is_running: bool) -> None:
        """Let the button stop the reply while one is being written."""
        self._is_running = is_running
        self._hint_time.stop()
        self.button.setText(tr(STOP if is_running else SEND))
        self.button.set_kind(ButtonKind.PLAIN if is_running else ButtonKind.PRIMARY)
        self.button.updateGeometry()
        self._update_note()

    def show_tools(self, can_call: bool, failing: Sequence[str] = ()) -> None:
        """Show whether the model that answers can call tools. failing: the MCP servers that do not answer."""
        mark = "" if not failing or not can_call else "  ⚠"
        self.tools.setText(tr(TOOLS if can_call else NO_TOOLS) + mark)
        about = tr("Which tools the model may call") if can_call else tr("This model cannot call tools")
        if mark:
            about = tr("MCP servers that do not answer: {servers}").format(servers=", ".join(failing))
        self.tools.setToolTip(about)
        self.tools.setAccessibleDescription(about)
        self.tools.updateGeometry()

    def set_draft_tokens(self, tokens: int) -> None:
        """Show how many tokens the draft would add to the request."""
        self._tokens = tokens
        self._update_note()

    def take_focus(self) -> None:
        self.field.setFocus()

    def clear(self) -> None:
        """Empty the draft; Ctrl+Z brings its text back."""
        self.set_draft(MessageDraft())

    def forget_edits(self) -> None:
        """Clear the undo history: it is from another conversation."""
        self.field.document().clearUndoRedoStacks()

    def text(self) -> str:
        return self.field.written()

    def draft(self) -> MessageDraft:
        return MessageDraft(self.text(), self.attachments.attachments)

    def set_draft(self, draft: MessageDraft) -> None:
        """Replace the text and the attachments."""
        self.set_text(draft.text)
        self.attachments.set_attachments(draft.attachments)

    def set_text(self, text: str) -> None:
        """Replace the text, and put the cursor at its end."""
        self.field.remove_text()
        if text:
            self.field.insert_text(text)

    def quote(self, text: str) -> None:
        """Insert a text as a quote below the line of the cursor, and let the user write below it."""
        cursor = self.field.textCursor()
        cursor.movePosition(cursor.MoveOperation.EndOfBlock)
        self.field.setTextCursor(cursor)
        gap = "" if not self.field.toPlainText().strip() else "\n" if not cursor.block().text().strip() else "\n\n"
        self.field.insert_text(f"{gap}{_quoted(text)}\n\n")
        self.take_focus()

    def sizeHint(self) -> QSize:
        return QSize(720, super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        border = colour("accent" if self.field.hasFocus() else "line")
        paint_box(QPainter(self), QRectF(self.rect()), colour("raised"), border, Corner.MESSAGE)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.window().installEventFilter(self)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def refresh_style(self) -> None:
        QTimer.singleShot(0, self, self._fit)  # once the field has its new font

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is not self.field:  # the window
            if event.type() == QEvent.Type.Resize:
                self._fit()
        elif event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        return super().eventFilter(watched, event)

    def _connect(self) -> None:
        self.field.send_requested.connect(partial(self._send, self.send_requested))
        self.field.send_now_requested.connect(partial(self._send, self.send_now_requested))
        self.field.steer_requested.connect(partial(self._send, self.steer_requested))
        self.field.textChanged.connect(self._change)
        self.field.installEventFilter(self)
        self.button.clicked.connect(self._press)
        self.field.attachments_wanted.connect(self.attachments.focus_last)
        self.attachments.changed.connect(self._show_chips)
        self.attachments.changed.connect(self._change)
        self.attachments.left.connect(self.take_focus)
        self.attach.clicked.connect(lambda _=False: self.attach_requested.emit())
        self.tools.clicked.connect(lambda _=False: self.tools_requested.emit())
        self._pause.timeout.connect(lambda: self.draft_changed.emit(self.draft()))
        self._hint_time.timeout.connect(self._update_note)

    def _press(self) -> None:
        if self._is_running:
            self.stop_requested.emit()
        else:
            self._send(self.send_requested)
        self.take_focus()

    def _send(self, signal: SignalInstance) -> None:
        """Emit the draft with the signal, or run it if it is a command; show a note if it cannot be sent."""
        draft = self.draft()
        if not draft.text.strip() and not self.attachments.chips:
            return
        if found := COMMAND.match(draft.text):
            self.set_text("")
            self.command_requested.emit(found[1])
            return
        self._refusal = refusal_of(draft) or (tr(READING_HINT) if self.attachments.is_reading else "")
        if self._refusal:
            self._hint_time.start()
            self._update_note()
        else:
            signal.emit(draft.text, draft.attachments)

    def _change(self) -> None:
        self._fit()
        self._update_note()
        if not self._pause.isActive() and not self.field.is_inserting:
            self._pause.start()

    def _show_chips(self) -> None:
        """Show the chips, if there are any, up to three rows at a time."""
        self.chips.setMaximumHeight(scale(CHIP_ROWS_HEIGHT))
        self.chips.setVisible(bool(self.attachments.chips))

    def _update_note(self) -> None:
        """Show the draft's token count, a hint, or why it was not sent."""
        is_empty = self.field.document().isEmpty() and not self.attachments.chips
        if self._hint_time.isActive():
            self.note.set_text(self._refusal)
        else:
            cost = "" if is_empty or not self._tokens else tr("draft %n tokens", "", self._tokens)
            waiting = tr(QUEUE_HINT) if self._is_running and not is_empty else ""
            self.note.set_text(hint_of(self.field.first_line()) or waiting or cost)
        self.button.setEnabled(self._is_running or not is_empty)
        self.button.setToolTip(tr("Stop the reply (Escape)") if self._is_running else tr("Send the message (Enter)"))

    def _max_lines(self) -> int:
        """Return the height limit in lines, which is smaller in a low window to leave space for the other widgets."""
        if self.isWindow():
            return MAX_LINES
        available = self.window().height() - scale(LOW_OTHER_HEIGHT if self._is_low else OTHER_HEIGHT)
        return max(min(available // self.field.fontMetrics().lineSpacing(), MAX_LINES), MIN_LINES)

    def _fit(self) -> None:
        """Make the field as high as its lines. The placeholder is kept to one line."""
        self.tools.setVisible(not self._is_low or self.width() >= scale(NARROW))
        self.note.setMaximumWidth(self.width() // 3 if self._is_low else UNBOUNDED)
        placeholder = tr(PLACEHOLDER)
        is_wide = self.field.fontMetrics().horizontalAdvance(placeholder) < self.field.width() - 2 * MARGIN
        self.field.setPlaceholderText(placeholder if is_wide else tr(SHORT_PLACEHOLDER))
        limit = self._max_lines()
        lines = self.field.lines(limit)
        height = lines * self.field.fontMetrics().lineSpacing() + 2 * MARGIN
        scrolls = Qt.ScrollBarPolicy.ScrollBarAsNeeded if lines == limit else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.field.setVerticalScrollBarPolicy(scrolls)
        if self.field.height() != height:
            self.field.setFixedHeight(height)
        if lines < limit:
            self.field.verticalScrollBar().setValue(0)
