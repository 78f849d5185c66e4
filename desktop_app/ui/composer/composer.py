"""The composer: the draft, its tokens, and the one button that sends or stops."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.ui.widgets.buttons import Button, ButtonKind
from desktop_app.ui.widgets.formats import pluralize
from desktop_app.ui.widgets.look import RESTYLING, colour, paint_box, scaled
from desktop_app.ui.widgets.text_label import TextLabel

from .draft_field import DraftField, all_of
from .slash import hint_of, refusal_of

PLACEHOLDER, PLACEHOLDER_SHORT = "Message… (Enter sends, Shift+Enter for a new line)", "Message…"
SEND, STOP = "Send ⏎", "Stop"
TOOLS, NO_TOOLS = "Tools", "No tools"
MAX_LINES = 10
ELSE = 450  # pixels of the window's height that belong to everything else
MARGIN = 3  # pixels above and below the lines
DRAFT_PAUSE = 80  # milliseconds between two `draft_changed`
HINT_TIME = 4_000  # milliseconds that a hint stays
WAIT_HINT = "Stop the reply to send now"


class Composer(QWidget):
    """Where a message is written. It grows from one line to ten, then scrolls. It does not clear itself: who
    sends, clears, once the message is stored."""

    send_requested = Signal(str)
    stop_requested = Signal()
    escape_pressed = Signal()
    draft_changed = Signal(str)
    tools_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_running = False
        self._tokens = 0
        self._why_not = ""
        self.field = DraftField(self)
        self.field.setAccessibleName("Message")
        self.note = TextLabel(size=12, tint="ink_faint", parent=self)
        self.button = Button(SEND, ButtonKind.PRIMARY, self)
        self.tools = Button(TOOLS, ButtonKind.QUIET, self)
        self._pause = QTimer(self, interval=DRAFT_PAUSE, singleShot=True)
        self._hint_time = QTimer(self, interval=HINT_TIME, singleShot=True)
        self._lay_out()
        self._connect()
        self._tell()
        self._fit()

    def set_running(self, is_running: bool) -> None:
        """Whether a reply is being written: the button then stops it."""
        self._is_running = is_running
        self._hint_time.stop()
        self.button.setText(STOP if is_running else SEND)
        self.button.set_kind(ButtonKind.PLAIN if is_running else ButtonKind.PRIMARY)
        self.button.updateGeometry()
        self._tell()

    def show_tools(self, can_call: bool) -> None:
        """Whether the model that answers can call tools."""
        self.tools.setText(TOOLS if can_call else NO_TOOLS)
        about = "Which tools the model may call" if can_call else "This model cannot call tools"
        self.tools.setToolTip(about)
        self.tools.setAccessibleDescription(about)
        self.tools.updateGeometry()

    @property
    def draft_tokens(self) -> int:
        """What the draft was last pluralize as."""
        return self._tokens

    def set_draft_tokens(self, tokens: int) -> None:
        """Tokens that the draft would add to the request."""
        self._tokens = tokens
        self._tell()

    def take_focus(self) -> None:
        """Puts the cursor into the draft."""
        self.field.setFocus()

    def clear(self) -> None:
        """Empties the draft; Ctrl+Z brings it back."""
        self.set_text("")

    def text(self) -> str:
        """The draft as it was written."""
        return self.field.draft()

    def set_text(self, text: str) -> None:
        """Another draft, the cursor at its end."""
        cursor = all_of(self.field)
        cursor.removeSelectedText()
        self.field.setTextCursor(cursor)
        if text:
            self.field.insert_draft(text)

    def sizeHint(self) -> QSize:
        """The mockups' column."""
        return QSize(720, super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the box; its border tells that one can type here."""
        border = colour("accent") if self.field.hasFocus() else colour("line")
        paint_box(QPainter(self), QRectF(self.rect()), colour("raised"), border, 12)

    def showEvent(self, event: QShowEvent) -> None:
        """From now on it follows its window."""
        super().showEvent(event)
        self.window().installEventFilter(self)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width may need other lines."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Another font scale needs another height."""
        super().changeEvent(event)
        if event.type() in RESTYLING:
            QTimer.singleShot(0, self, self._fit)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Repaints the border when the focus comes or goes, and follows the height of the window."""
        if watched is not self.field:
            if event.type() == QEvent.Type.Resize:
                self._fit()
        elif event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        return super().eventFilter(watched, event)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(self.tools)
        row.addStretch(1)
        row.addWidget(self.note)
        row.addWidget(self.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 10, 10)
        column.setSpacing(6)
        column.addWidget(self.field)
        column.addLayout(row)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusProxy(self.field)

    def _connect(self) -> None:
        self.field.send_requested.connect(self._send)
        self.field.escape_pressed.connect(self.escape_pressed)
        self.field.textChanged.connect(self._change)
        self.field.installEventFilter(self)
        self.button.clicked.connect(self._press)
        self.tools.clicked.connect(lambda _=False: self.tools_requested.emit())
        self._pause.timeout.connect(self._emit_draft)
        self._hint_time.timeout.connect(self._tell)

    def _press(self) -> None:
        if self._is_running:
            self._stop()
        else:
            self._send()
        self.take_focus()

    def _send(self) -> None:
        text = self.text()
        if not text.strip():
            return
        self._why_not = refusal_of(text) or (WAIT_HINT if self._is_running else "")
        if self._why_not:
            self._hint_time.start()
            self._tell()
            return
        self.send_requested.emit(text)

    def _stop(self) -> None:
        if self._is_running:
            self.stop_requested.emit()

    def _change(self) -> None:
        self._fit()
        self._tell()
        if not self._pause.isActive():
            self._pause.start()

    def _emit_draft(self) -> None:
        self.draft_changed.emit(self.text())

    def _is_empty(self) -> bool:
        return self.field.document().isEmpty()

    def _tell(self) -> None:
        """Says what the draft costs, or why Enter did nothing."""
        if self._hint_time.isActive():
            self.note.set_text(self._why_not)
        else:
            told = "" if self._is_empty() or not self._tokens else f"draft {pluralize(self._tokens, 'token')}"
            self.note.set_text(hint_of(self.field.document().firstBlock().text()) or told)
        self.button.setEnabled(self._is_running or not self._is_empty())
        self.button.setToolTip("Stop the reply (Escape)" if self._is_running else "Send the message (Enter)")

    def _most_lines(self) -> int:
        """Ten, fewer in a low window: what stands above and below keeps its place."""
        if self.isWindow():
            return MAX_LINES
        room = self.window().height() - scaled(ELSE)
        return max(min(room // self.field.fontMetrics().lineSpacing(), MAX_LINES), 2)

    def _fit(self) -> None:
        """As high as its lines, up to ten; what stands in the empty field is one line."""
        is_wide = self.field.fontMetrics().horizontalAdvance(PLACEHOLDER) < self.field.width() - 2 * MARGIN
        self.field.setPlaceholderText(PLACEHOLDER if is_wide else PLACEHOLDER_SHORT)
        most = self._most_lines()
        lines = self.field.lines(most)
        height = lines * self.field.fontMetrics().lineSpacing() + 2 * MARGIN
        scrolls = Qt.ScrollBarPolicy.ScrollBarAsNeeded if lines == most else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.field.setVerticalScrollBarPolicy(scrolls)
        if self.field.height() != height:
            self.field.setFixedHeight(height)
        if lines < most:
            self.field.verticalScrollBar().setValue(0)
