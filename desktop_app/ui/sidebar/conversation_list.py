"""The list of conversations: how its rows are painted, and what the mouse, the keyboard and its menu do."""

from __future__ import annotations

import time

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
    SignalInstance,
)
from PySide6.QtGui import QColor, QContextMenuEvent, QFont, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.ui.live_turns import Activity
from desktop_app.ui.theme import STATUS_TINTS, theme
from desktop_app.ui.widgets.look import BOLD, MEDIUM, NORMAL, Tint, colour, font, paint_box, scale
from desktop_app.ui.widgets.row_list import ENTER, LEFT, AnyIndex, TransparentList

from .conversation_model import ACTIVITY_ROLE, ROW_ROLE, ConversationModel, Heading, SidebarRow, details_of

REFRESH_PAUSE = 30_000  # milliseconds between two updates of the ages
ROW_HEIGHT, HEADING_HEIGHT, PIE, DOT = 58, 32, 16, 7  # pixels
ACTIVITY_TINT: dict[Activity, Tint] = {
    Activity.WAITS: "accent",
    Activity.WORKS: "ink_soft",
    Activity.FAILED: "critical",
}
BOTTOM_LEFT = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft


class ConversationDelegate(QStyledItemDelegate):
    """Paints a row: title, age and messages or what goes on there, and a pie of how full the context window is."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.marked = QPersistentModelIndex()  # the row whose menu is open; it looks as if the mouse were on it

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        is_heading = isinstance(index.data(ROW_ROLE), Heading)
        return QSize(120, scale(HEADING_HEIGHT if is_heading else ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row: SidebarRow = index.data(ROW_ROLE)
        box = QRectF(option.rect)  # type: ignore[attr-defined]
        state = option.state  # type: ignore[attr-defined]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(row, Heading):
            painter.setFont(font(11, BOLD))
            painter.setPen(colour("ink_faint"))
            painter.drawText(box.adjusted(10, 0, 0, -scale(4)), BOTTOM_LEFT, row.title)
        else:
            if state & QStyle.StateFlag.State_Selected:
                paint_box(painter, box.adjusted(1, 1, -1, -1), colour("raised"), colour("line"), 8)
            elif state & QStyle.StateFlag.State_MouseOver or self.marked == index:
                paint_box(painter, box.adjusted(1, 1, -1, -1), colour("line_soft"), None, 8)
            self._paint_info(painter, box.adjusted(10, scale(8), -10, -scale(8)), row, index.data(ACTIVITY_ROLE))
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> QWidget:
        editor = QLineEdit(parent)
        editor.setAccessibleName("Title of the conversation")
        return editor

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: AnyIndex) -> None:
        if isinstance(editor, QLineEdit):
            model.setData(index, editor.text())

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        editor.setGeometry(option.rect.adjusted(2, 4, -2, -scale(20)))  # type: ignore[attr-defined]

    def _paint_info(self, painter: QPainter, room: QRectF, info: ConversationInfo, activity: Activity | None) -> None:
        half = room.height() / 2
        line = QRectF(room.left(), room.top(), room.width() - scale(PIE + 10), half)
        _draw_text(painter, line, info.title, font(14, MEDIUM), colour("ink"))
        below = line.translated(0, half)
        if activity is None:
            _draw_text(painter, below, details_of(info, time.time()), font(12), colour("ink_faint"))
        else:
            _draw_activity(painter, below, activity)
        pie = QRectF(room.right() - scale(PIE), room.center().y() - scale(PIE) / 2, scale(PIE), scale(PIE))
        _draw_pie(painter, pie, info.share, colour(STATUS_TINTS[info.status]))


class ConversationList(TransparentList):
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
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setAccessibleName("Conversations")
        self.conversations.modelReset.connect(self._select_open)
        self._refresh = QTimer(self, interval=REFRESH_PAUSE)
        self._refresh.timeout.connect(self.conversations.refresh)
        self._refresh.start()

    def show_open(self, conversation: str) -> None:
        """Select the conversation that is open; "" for none."""
        self._open = conversation
        self._select_open()

    def rename(self) -> None:
        """Let the user edit the title of the current conversation in its row."""
        if self.currentIndex().isValid():
            self.edit(self.currentIndex())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:  # the right one opens a menu, and selects nothing
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._emit(self.conversation_chosen, self.indexAt(event.position().toPoint()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.state() == QAbstractItemView.State.EditingState:
            event.accept()  # what the title's editor passed on: its Enter stores the title, and opens nothing
        elif event.key() in ENTER:
            self._emit(self.conversation_chosen, self.currentIndex())
        elif event.key() == Qt.Key.Key_Delete and self.currentIndex().isValid():
            self._emit(self.delete_requested, self.currentIndex())
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        is_keyboard = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if is_keyboard else self.indexAt(event.pos())
        if index.isValid() and isinstance(index.data(ROW_ROLE), ConversationInfo):
            self._open_menu(index, event.globalPos())

    def _open_menu(self, index: QModelIndex, position: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Open", lambda: self._emit(self.conversation_chosen, index))
        menu.addAction("Rename", lambda: self.edit(index))
        menu.addSeparator()
        menu.addAction("Delete", lambda: self._emit(self.delete_requested, index))
        menu.aboutToHide.connect(lambda: self._mark(QModelIndex()))
        self._mark(index)
        menu.popup(position)

    def _mark(self, index: QModelIndex) -> None:
        self._delegate.marked = QPersistentModelIndex(index)
        self.viewport().update()

    def _emit(self, signal: SignalInstance, index: QModelIndex) -> None:
        row = index.data(ROW_ROLE) if index.isValid() else None
        if isinstance(row, ConversationInfo):
            signal.emit(row.id)

    def _select_open(self) -> None:
        row = self.conversations.row_of(self._open)
        if row >= 0:
            self.setCurrentIndex(self.conversations.index(row))
        else:
            self.clearSelection()


def _draw_activity(painter: QPainter, room: QRectF, activity: Activity) -> None:
    """Draw a dot and a word: a ring for what goes on by itself, a full dot for what needs the user."""
    ink, side = colour(ACTIVITY_TINT[activity]), scale(DOT)
    dot = QRectF(room.left() + 1, room.center().y() - side / 2, side, side)
    painter.setPen(QPen(ink, 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush if activity is Activity.WORKS else ink)
    painter.drawEllipse(dot)
    weight = NORMAL if activity is Activity.WORKS else MEDIUM
    _draw_text(painter, room.adjusted(side + scale(6), 0, 0, 0), activity.value, font(12, weight), ink)


def _draw_text(painter: QPainter, room: QRectF, text: str, shown: QFont, ink: QColor) -> None:
    painter.setFont(shown)
    painter.setPen(ink)
    painter.drawText(room, LEFT, QFontMetricsF(shown).elidedText(text, Qt.TextElideMode.ElideRight, room.width()))


def _draw_pie(painter: QPainter, box: QRectF, share: float, ink: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour("line" if theme.is_dark else "free"))
    painter.drawEllipse(box)
    painter.setBrush(ink)
    painter.drawPie(box, 90 * 16, -round(min(max(share, 0), 1) * 360 * 16))  # clockwise from the top, in 1/16 degrees
