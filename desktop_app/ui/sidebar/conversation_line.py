"""How a line of the list is painted: title, age and messages or what goes on there, and how full the window is."""

from __future__ import annotations

import time

from PySide6.QtCore import QAbstractItemModel, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.ui.live_turns import Activity
from desktop_app.ui.theme import theme
from desktop_app.ui.widgets.look import BOLD, MEDIUM, NORMAL, Tint, colour, font, paint_box, scaled

from .conversation_model import DOING_ROLE, LINE_ROLE, AnyIndex
from .groups import Heading, SidebarRow, details_of

ROW_HEIGHT, GROUP_HEIGHT = 58, 32
PIE, DOT = 16, 7  # pixels across
ACTIVITY_TINT: dict[Activity, Tint] = {
    Activity.WAITS: "accent",
    Activity.WORKS: "ink_soft",
    Activity.FAILED: "critical",
}
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_BOTTOM_LEFT = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft


class ConversationDelegate(QStyledItemDelegate):
    """Paints a line: title, age and messages, and a small pie of how full the window is.

    marked: the line whose menu is open; it looks as if the mouse were on it.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.marked = QPersistentModelIndex()

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Groups are lower."""
        is_group = isinstance(index.data(LINE_ROLE), Heading)
        return QSize(120, scaled(GROUP_HEIGHT if is_group else ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paints the line."""
        line: SidebarRow = index.data(LINE_ROLE)
        box = QRectF(option.rect)  # type: ignore[attr-defined]
        state = option.state  # type: ignore[attr-defined]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(line, Heading):
            painter.setFont(font(11, BOLD))
            painter.setPen(colour("ink_faint"))
            painter.drawText(box.adjusted(10, 0, 0, -scaled(4)), _BOTTOM_LEFT, line.title)
        else:
            is_near = bool(state & QStyle.StateFlag.State_MouseOver) or self.marked == index
            self._paint_ground(painter, box.adjusted(1, 1, -1, -1), state, is_near)
            self._paint_info(painter, box.adjusted(10, scaled(8), -10, -scaled(8)), line, index.data(DOING_ROLE))
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

    def _paint_ground(self, painter: QPainter, box: QRectF, state: QStyle.StateFlag, is_near: bool) -> None:
        if state & QStyle.StateFlag.State_Selected:
            paint_box(painter, box, colour("raised"), colour("line"), 8)
        elif is_near:
            paint_box(painter, box, colour("line_soft"), None, 8)

    def _paint_info(self, painter: QPainter, room: QRectF, info: ConversationInfo, activity: Activity | None) -> None:
        half = room.height() / 2
        words = QRectF(room.left(), room.top(), room.width() - scaled(PIE + 10), half)
        _paint_line(painter, words, info.title, font(14, MEDIUM), colour("ink"))
        below = words.translated(0, half)
        if activity is None:
            _paint_line(painter, below, details_of(info, time.time()), font(12), colour("ink_faint"))
        else:
            _paint_doing(painter, below, activity)
        pie = QRectF(room.right() - scaled(PIE), room.center().y() - scaled(PIE) / 2, scaled(PIE), scaled(PIE))
        paint_pie(painter, pie, info.share, QColor(theme.palette.status(info.status)))


def _paint_doing(painter: QPainter, room: QRectF, activity: Activity) -> None:
    """A dot and a word: a ring for what goes on by itself, a full one for what wants somebody to look."""
    ink, side = colour(ACTIVITY_TINT[activity]), scaled(DOT)
    dot = QRectF(room.left() + 1, room.center().y() - side / 2, side, side)
    painter.setPen(QPen(ink, 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush if activity is Activity.WORKS else ink)
    painter.drawEllipse(dot)
    weight = NORMAL if activity is Activity.WORKS else MEDIUM
    _paint_line(painter, room.adjusted(side + scaled(6), 0, 0, 0), activity.value, font(12, weight), ink)


def _paint_line(painter: QPainter, room: QRectF, text: str, look: QFont, ink: QColor) -> None:
    painter.setFont(look)
    painter.setPen(ink)
    painter.drawText(room, _LEFT, QFontMetricsF(look).elidedText(text, Qt.TextElideMode.ElideRight, room.width()))


def paint_pie(painter: QPainter, box: QRectF, share: float, ink: QColor) -> None:
    """How full, clockwise from the top."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour("free" if not theme.palette.is_dark else "line"))
    painter.drawEllipse(box)
    painter.setBrush(ink)
    painter.drawPie(box, 90 * 16, -round(min(max(share, 0), 1) * 360 * 16))
