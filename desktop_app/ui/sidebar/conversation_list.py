"""The list of conversations: what the mouse, the keyboard and its menu do."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QKeyEvent, QMouseEvent, QPalette
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QMenu, QWidget

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.ui.widgets.look import RESTYLING

from .conversation_line import ConversationDelegate
from .conversation_model import LINE_ROLE, ConversationModel

AGES_PAUSE = 30_000  # milliseconds between two looks at the clock


class ConversationList(QListView):
    """Signals: conversation_chosen(id), delete_requested(id)."""

    conversation_chosen = Signal(str)
    delete_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.conversations = ConversationModel(self)
        self._open = ""
        self.setModel(self.conversations)
        self._delegate = ConversationDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setAccessibleName("Conversations")
        self.conversations.modelReset.connect(self._show_open)
        self._ages = QTimer(self, interval=AGES_PAUSE)
        self._ages.timeout.connect(self.conversations.tell_ages)
        self._ages.start()
        self._dress()

    def show_open(self, conversation: str) -> None:
        """Marks the conversation that is open; "" for none."""
        self._open = conversation
        self._show_open()

    def rename(self) -> None:
        """Lets the user change the title of the current conversation, in its place."""
        if self.currentIndex().isValid():
            self.edit(self.currentIndex())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The right button opens a menu, and chooses nothing."""
        if event.button() == Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click opens."""
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose(self.indexAt(event.position().toPoint()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens, Delete deletes, F2 is Qt's."""
        if self.state() == QAbstractItemView.State.EditingState:
            event.accept()  # what the field of the title passed on: its Enter stores the title, and opens nothing
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.currentIndex())
        elif event.key() == Qt.Key.Key_Delete and self.currentIndex().isValid():
            self._delete(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Rename and delete."""
        is_keyboard = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if is_keyboard else self.indexAt(event.pos())
        if index.isValid() and isinstance(index.data(LINE_ROLE), ConversationInfo):
            self._open_menu(index, event.globalPos())

    def changeEvent(self, event: QEvent) -> None:
        """Follows the theme and the font scale."""
        super().changeEvent(event)
        if event.type() in RESTYLING:
            self._dress()
            self.scheduleDelayedItemsLayout()

    def _open_menu(self, index: QModelIndex, where: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Open", lambda: self._choose(index))
        menu.addAction("Rename", lambda: self.edit(index))
        menu.addSeparator()
        menu.addAction("Delete", lambda: self._delete(index))
        menu.aboutToHide.connect(lambda: self._mark(QModelIndex()))
        self._mark(index)
        menu.popup(where)

    def _mark(self, index: QModelIndex) -> None:
        self._delegate.marked = QPersistentModelIndex(index)
        self.viewport().update()

    def _choose(self, index: QModelIndex) -> None:
        line = index.data(LINE_ROLE) if index.isValid() else None
        if isinstance(line, ConversationInfo):
            self.conversation_chosen.emit(line.id)

    def _delete(self, index: QModelIndex) -> None:
        line = index.data(LINE_ROLE)
        if isinstance(line, ConversationInfo):
            self.delete_requested.emit(line.id)

    def _show_open(self) -> None:
        row = self.conversations.row_of(self._open)
        if row >= 0:
            self.setCurrentIndex(self.conversations.index(row))
        else:
            self.clearSelection()

    def _dress(self) -> None:
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Base, QColor(0, 0, 0, 0))
        if palette != self.palette():
            self.setPalette(palette)
