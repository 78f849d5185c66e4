"""The list of conversations: what the mouse, the keyboard and its menu do."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QWidget

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.buttons import KEYBOARD
from desktop_app.ui.widgets.look import colour, font
from desktop_app.ui.widgets.row_list import ENTER, TransparentList

from .arrangement import Arrangement
from .conversation_delegate import ConversationDelegate
from .conversation_model import ROW_ROLE, ConversationModel

REFRESH_PAUSE = 30_000  # milliseconds between two updates of the ages
TOP = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
ADDING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


class ConversationList(TransparentList):
    """Signals, with tuples of ids: conversation_chosen(id), duplicate_requested(id), delete_requested(ids),
    pin_requested(ids, is_pinned), put_away_requested(ids, is_put_away), section_requested(ids).
    """

    conversation_chosen = Signal(str)
    duplicate_requested = Signal(str)
    delete_requested = Signal(tuple)
    pin_requested = Signal(tuple, bool)
    put_away_requested = Signal(tuple, bool)
    section_requested = Signal(tuple)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.conversations = ConversationModel(self)
        self._open = ""
        self._kept: tuple[str, ...] = ()
        self.setModel(self.conversations)
        self._delegate = ConversationDelegate(self.conversations, self)
        self.setItemDelegate(self._delegate)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setAccessibleName(tr("Conversations"))
        self.conversations.modelAboutToBeReset.connect(self._keep_selection)
        self.conversations.modelReset.connect(self._select_again)
        self._refresh = QTimer(self, interval=REFRESH_PAUSE)
        self._refresh.timeout.connect(self.conversations.refresh)
        self._refresh.start()

    def show_open(self, conversation: str) -> None:
        """Select the conversation that is open; "" for none."""
        self._open = conversation
        self.conversations.reveal(conversation)
        self._select_open()

    def arrange(self, arrangement: Arrangement) -> None:
        """List other conversations, or in another order."""
        self.conversations.arrange(arrangement)

    def chosen(self) -> tuple[str, ...]:
        """Return the ids of the selected conversations, in their order."""
        return tuple(info.id for index in sorted(self.selectedIndexes()) if (info := self._info_at(index)) is not None)

    def choose_first(self) -> None:
        """Move the keyboard to the first conversation."""
        first = next((n for n in range(self.conversations.rowCount()) if not self.conversations.is_heading(n)), -1)
        self.setCurrentIndex(self.conversations.index(first))

    def open_current(self) -> None:
        """Open the conversation that the keyboard is on."""
        self._choose(self.currentIndex())

    def rename(self) -> None:
        """Let the user edit the title of the current conversation in its row."""
        if self.currentIndex().isValid():
            self.edit(self.currentIndex())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.conversations.rowCount() and self.conversations.arrangement.query.strip():
            painter = QPainter(self.viewport())
            painter.setFont(font(13))
            painter.setPen(colour("ink_faint"))
            painter.drawText(self.viewport().rect().adjusted(10, 12, -10, 0), TOP, tr("No title has these words."))

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._delegate.shows_focus = event.reason() in KEYBOARD
        super().focusInEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._delegate.shows_focus = False
        if event.button() == Qt.MouseButton.LeftButton:  # the right one opens a menu, and selects nothing
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not event.modifiers() & ADDING:
            self._choose(self.indexAt(event.position().toPoint()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._delegate.shows_focus = True
        if self.state() == QAbstractItemView.State.EditingState:
            event.accept()  # what the title's editor passed on: its Enter stores the title, and opens nothing
        elif event.key() in ENTER:
            self._choose(self.currentIndex())
        elif event.key() == Qt.Key.Key_Delete and self.chosen():
            self.delete_requested.emit(self.chosen())
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        is_keyboard = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if is_keyboard else self.indexAt(event.pos())
        if self._info_at(index) is not None:
            where = self.visualRect(index).center() if is_keyboard else event.pos()
            self._open_menu(index, self.viewport().mapToGlobal(where))

    def _open_menu(self, index: QModelIndex, position: QPoint) -> None:
        """Open the menu of all selected conversations, or of one that is not among them."""
        info = self._info_at(index)
        if info is None:
            return
        ids = self.chosen() if info.id in self.chosen() else (info.id,)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if len(ids) == 1:
            menu.addAction(tr("Open"), lambda: self._choose(index))
            menu.addAction(tr("Rename"), lambda: self.edit(index))
            copy = menu.addAction(tr("Duplicate"), lambda: self.duplicate_requested.emit(info.id))
            copy.setEnabled(info.messages > 0)
            menu.addSeparator()
        pin, away = not info.is_pinned, not info.is_put_away
        menu.addAction(tr("Pin") if pin else tr("Unpin"), lambda: self.pin_requested.emit(ids, pin))
        menu.addAction(tr("Move to section…"), lambda: self.section_requested.emit(ids))
        menu.addAction(
            tr("Put away", "a command") if away else tr("Take back"), lambda: self.put_away_requested.emit(ids, away)
        )
        menu.addSeparator()
        menu.addAction(tr("Delete"), lambda: self.delete_requested.emit(ids))
        menu.aboutToHide.connect(lambda: self._mark(QModelIndex()))
        self._mark(index)
        menu.popup(position)

    def _mark(self, index: QModelIndex) -> None:
        self._delegate.marked = QPersistentModelIndex(index)
        self.viewport().update()

    def _choose(self, index: QModelIndex) -> None:
        info = self._info_at(index)
        if info is not None:
            self.conversation_chosen.emit(info.id)

    def _info_at(self, index: QModelIndex) -> ConversationInfo | None:
        row = index.data(ROW_ROLE) if index.isValid() else None
        return row if isinstance(row, ConversationInfo) else None

    def _select_open(self) -> None:
        index = self.conversations.index_of(self._open)
        if index.isValid():
            self.setCurrentIndex(index)
        else:
            self.clearSelection()

    def _keep_selection(self) -> None:
        self._kept = self.chosen()

    def _select_again(self) -> None:
        """Select what was selected before the list changed, if that was several; else the open conversation."""
        kept = [index for name in self._kept if (index := self.conversations.index_of(name)).isValid()]
        if len(self._kept) < 2 or not kept:
            self._select_open()
            return
        self.selectionModel().setCurrentIndex(kept[0], QItemSelectionModel.SelectionFlag.NoUpdate)
        for index in kept:
            self.selectionModel().select(index, QItemSelectionModel.SelectionFlag.Select)
