"""The list of queued messages above the composer, which wait for the end of the reply."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.conversation.message import MessageDraft
from desktop_app.conversation.unsent import QueuedMessage
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import ScrollColumn
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.layouts import discard, horizontal
from desktop_app.ui.widgets.look import CONTROL_HEIGHT, Corner, colour, scale
from desktop_app.ui.widgets.text_label import TextLabel

QUEUED, PAUSED = translatable("Queued"), translatable("Paused")
STEERING = translatable("Steers this turn")
ABOUT_STEERING = translatable("The model receives it with the next request of this turn, such as after a tool.")
ABOUT_QUEUED = translatable("It is sent when the reply is finished.")
ABOUT_PAUSED = translatable("It is not sent by itself after a stop, an error or a restart. Choose Send now.")
MAX_ROWS = 3
GAP = 6  # pixels
MAX_TEXT = 300  # characters of a message in its row


class QueuedRow(QWidget):
    """One message, with links to edit, send or remove it."""

    def __init__(self, message: QueuedMessage, queue: QueueList) -> None:
        super().__init__()
        self.message = message
        self.state = TextLabel(tr(QUEUED), size=13, tint="ink_soft")
        self.state.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.text = TextLabel(summary_of(message.draft), size=13)
        self.edit, self.send, self.steer = LinkButton(tr("Edit")), LinkButton(tr("Send now")), LinkButton(tr("Steer"))
        self.remove = LinkButton(tr("Remove"))
        self.edit.setToolTip(tr("Put it back into the composer (Up in an empty composer edits the last one)"))
        self.send.setToolTip(tr("Stop the reply, keep what has arrived, and send this"))
        self.steer.setToolTip(tr("Add it to the running turn, with the turn’s next request, without stopping it"))
        self.remove.setToolTip(tr("Do not send it"))
        for button, signal in (
            (self.edit, queue.edit_requested),
            (self.steer, queue.steer_requested),
            (self.send, queue.send_requested),
            (self.remove, queue.remove_requested),
        ):
            button.setAccessibleName(f"{button.text()}: {self.text.text()}")
            button.clicked.connect(lambda _=False, signal=signal: signal.emit(message.id))
        buttons = self.edit, self.steer, self.send, self.remove
        horizontal(self.state, (self.text, 1), *buttons, holder=self, spacing=12, margins=(14, 0, 14, 0))
        self.setFixedHeight(scale(CONTROL_HEIGHT))

    def show_state(self, is_paused: bool) -> None:
        """Show whether the message will be sent automatically."""
        steers = self.message.is_steering and not is_paused
        self.state.set_text(tr(PAUSED if is_paused else STEERING if steers else QUEUED))
        self.setToolTip(tr(ABOUT_PAUSED if is_paused else ABOUT_STEERING if steers else ABOUT_QUEUED))
        self.steer.setVisible(not (is_paused or steers or self.message.is_research))
        self.setAccessibleName(f"{self.state.text()}: {self.text.text()}")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour("line"), 1, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), Corner.CARD, Corner.CARD)


class QueueList(ScrollColumn):
    """A row for each message, the next one on top; it scrolls beyond MAX_ROWS. Signals: with the message's id."""

    edit_requested = Signal(str)
    send_requested = Signal(str)
    steer_requested = Signal(str)
    remove_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, spacing=GAP)
        self.rows: tuple[QueuedRow, ...] = ()
        self._is_paused = self._is_running = False
        self.setAccessibleName(tr("Queued messages"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.hide()

    def set_queue(self, queue: tuple[QueuedMessage, ...], is_paused: bool) -> None:
        """Show these messages; rows of messages that are shown already stay. is_paused: none is sent automatically."""
        self._is_paused = is_paused
        before = {row.message: row for row in self.rows}
        self.rows = tuple(before.pop(message, None) or QueuedRow(message, self) for message in queue)
        for row in before.values():
            discard(row)
        for index, row in enumerate(self.rows):
            self.column.insertWidget(index, row)
        self._show_state()
        self.setVisible(bool(queue))
        self.updateGeometry()

    def set_running(self, is_running: bool) -> None:
        """Show that no message is sent automatically while no turn is running."""
        self._is_running = is_running
        self._show_state()

    def sizeHint(self) -> QSize:
        rows = min(len(self.rows), MAX_ROWS)
        return QSize(super().sizeHint().width(), rows * scale(CONTROL_HEIGHT) + max(rows - 1, 0) * GAP)

    def _show_state(self) -> None:
        for row in self.rows:
            row.show_state(self._is_paused or not self._is_running)


def summary_of(draft: MessageDraft) -> str:
    """Return a draft as one line of text."""
    count = len(draft.attachments)
    text = " ".join(draft.text[: 2 * MAX_TEXT].split())[:MAX_TEXT]
    return " · ".join(filter(None, (text, tr("%n attachments", "", count) if count else "")))
