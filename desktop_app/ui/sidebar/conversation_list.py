"""The list of conversations: a model, how a line is painted, and the list itself."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QContextMenuEvent, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLineEdit,
    QListView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.ui.theme import STATUS_WORDS, theme
from desktop_app.ui.widgets.look import BOLD, MEDIUM, RESTYLING, colour, font, paint_box, scaled
from desktop_app.ui.widgets.words import percent

from .groups import Group, Line, details, grouped

AnyIndex = QModelIndex | QPersistentModelIndex
LINE_ROLE = Qt.ItemDataRole.UserRole
AGES_PAUSE = 30_000  # milliseconds between two looks at the clock
ROW_HEIGHT, GROUP_HEIGHT = 58, 32
PIE = 16


class ConversationModel(QAbstractListModel):
    """Groups and conversations. Signal: renamed(id, title), when the user has written another title."""

    renamed = Signal(str, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._conversations: tuple[ConversationInfo, ...] = ()
        self._lines: list[Line] = []

    @property
    def conversations(self) -> tuple[ConversationInfo, ...]:
        """All of them, newest first."""
        return tuple(line for line in self._lines if isinstance(line, ConversationInfo))

    def show_conversations(self, conversations: Sequence[ConversationInfo]) -> None:
        """Another list; rows that only changed their figures stay where they are."""
        self._conversations = tuple(conversations)
        new = grouped(self._conversations, time.time())
        if [_name(line) for line in new] == [_name(line) for line in self._lines]:
            self._lines = new
            self.tell_ages()
            return
        self.beginResetModel()
        self._lines = new
        self.endResetModel()

    def tell_ages(self) -> None:
        """The clock has moved on."""
        if self._lines:
            self.dataChanged.emit(self.index(0), self.index(len(self._lines) - 1))

    def row_of(self, conversation: str) -> int:
        """The row of that id; -1 if it is not listed."""
        return next((n for n, line in enumerate(self._lines) if _name(line) == conversation), -1)

    def line(self, row: int) -> Line:
        """What stands in that row."""
        return self._lines[row]

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        """Groups and conversations."""
        return 0 if parent.isValid() else len(self._lines)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Groups are only read; conversations can be chosen and renamed."""
        if not index.isValid() or isinstance(self._lines[index.row()], Group):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The line, and what it says."""
        if not index.isValid():
            return None
        line = self._lines[index.row()]
        if role == LINE_ROLE:
            return line
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return line.title
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return line.title if isinstance(line, Group) else _spoken(line)
        return None

    def setData(self, index: AnyIndex, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Takes a new title as a wish; the list changes when it is stored."""
        line = self._lines[index.row()]
        title = str(value).strip()
        if role != Qt.ItemDataRole.EditRole or isinstance(line, Group) or not title or title == line.title:
            return False
        self.renamed.emit(line.id, title)
        return True


def _name(line: Line) -> str:
    return f"group {line.title}" if isinstance(line, Group) else line.id


def _spoken(info: ConversationInfo) -> str:
    full = f"{percent(info.share)} of the window used, {STATUS_WORDS[info.status]}"
    return f"{info.title}\n{details(info, time.time())} · {full}"


class ConversationDelegate(QStyledItemDelegate):
    """Paints a line: title, age and messages, and a small pie of how full the window is."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Groups are lower."""
        is_group = isinstance(index.data(LINE_ROLE), Group)
        return QSize(120, scaled(GROUP_HEIGHT if is_group else ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paints the line."""
        line: Line = index.data(LINE_ROLE)
        box = QRectF(option.rect)  # type: ignore[attr-defined]
        state = option.state  # type: ignore[attr-defined]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(line, Group):
            painter.setFont(font(11, BOLD))
            painter.setPen(colour("ink_faint"))
            painter.drawText(box.adjusted(10, 0, 0, -scaled(4)), _BOTTOM_LEFT, line.title)
        else:
            self._paint_ground(painter, box.adjusted(1, 1, -1, -1), state)
            self._paint_info(painter, box.adjusted(10, scaled(8), -10, -scaled(8)), line)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> QWidget:
        """A line edit for the title."""
        editor = QLineEdit(parent)
        editor.setAccessibleName("Title of the conversation")
        return editor

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: AnyIndex) -> None:
        """The title that was written."""
        if isinstance(editor, QLineEdit):
            model.setData(index, editor.text())

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Over the title."""
        editor.setGeometry(option.rect.adjusted(2, 4, -2, -scaled(20)))  # type: ignore[attr-defined]

    def _paint_ground(self, painter: QPainter, box: QRectF, state: QStyle.StateFlag) -> None:
        if state & QStyle.StateFlag.State_Selected:
            paint_box(painter, box, colour("raised"), colour("line"), 8)
        elif state & QStyle.StateFlag.State_MouseOver:
            paint_box(painter, box, colour("line_soft"), None, 8)

    def _paint_info(self, painter: QPainter, room: QRectF, info: ConversationInfo) -> None:
        half = room.height() / 2
        words = QRectF(room.left(), room.top(), room.width() - scaled(PIE + 10), half)
        look = font(14, MEDIUM)
        painter.setFont(look)
        painter.setPen(colour("ink"))
        title = QFontMetricsF(look).elidedText(info.title, Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, _LEFT, title)
        painter.setFont(font(12))
        painter.setPen(colour("ink_faint"))
        painter.drawText(words.translated(0, half), _LEFT, details(info, time.time()))
        pie = QRectF(room.right() - scaled(PIE), room.center().y() - scaled(PIE) / 2, scaled(PIE), scaled(PIE))
        paint_pie(painter, pie, info.share, QColor(theme.palette.status(info.status)))


_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_BOTTOM_LEFT = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft


def paint_pie(painter: QPainter, box: QRectF, share: float, ink: QColor) -> None:
    """How full, clockwise from the top."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour("free" if not theme.palette.is_dark else "line"))
    painter.drawEllipse(box)
    painter.setBrush(ink)
    painter.drawPie(box, 90 * 16, -round(min(max(share, 0), 1) * 360 * 16))


class ConversationList(QListView):
    """Signals: conversation_chosen(id), delete_requested(id)."""

    conversation_chosen = Signal(str)
    delete_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.conversations = ConversationModel(self)
        self._open = ""
        self.setModel(self.conversations)
        self.setItemDelegate(ConversationDelegate(self))
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

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click opens."""
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose(self.indexAt(event.position().toPoint()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens, Delete deletes, F2 is Qt's."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
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
        menu.popup(where)

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
