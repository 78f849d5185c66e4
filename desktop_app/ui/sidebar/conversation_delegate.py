"""Painting and editing of the rows and headings of the conversation list."""

from __future__ import annotations

import math
import re
import time
from enum import Enum

from PySide6.QtCore import QAbstractItemModel, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.ui.live_turns import Activity
from desktop_app.ui.theme import STATUS_TINTS, Tint, theme
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.look import (
    BOLD,
    MEDIUM,
    NORMAL,
    Corner,
    colour,
    font,
    in_reading_order,
    paint_box,
    paint_focus,
    scale,
)
from desktop_app.ui.widgets.number_formats import format_number
from desktop_app.ui.widgets.row_list import LEFT, RIGHT, AnyIndex

from .arrangement import (
    AllProjectsRow,
    ArchivedHeading,
    Heading,
    ProjectHeading,
    ProjectsHeading,
    SidebarRow,
    details_of,
)
from .conversation_model import ACTIVITY_ROLE, ROW_ROLE, ConversationModel

START, INDENT = 10, 14  # pixels before a heading; additional ones before a row below a project
BUTTON, ARROW, DOT = 24, 4, 7  # pixels
ACTIVITY_TINT: dict[Activity, Tint] = {
    Activity.WAITS: "accent",
    Activity.WORKS: "ink_soft",
    Activity.FAILED: "critical",
    Activity.UNREAD: "accent",
}
BOTTOM_LEFT = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft


class HeadingButton(Enum):
    """Buttons at the end of a heading."""

    NEW = "+"
    MENU = "⋯"


def buttons_of(row: SidebarRow, box: QRectF) -> dict[HeadingButton, QRectF]:
    """Return the boxes of a row's buttons in a left-to-right layout. box: of the row."""
    buttons = {ProjectHeading: tuple(HeadingButton), ProjectsHeading: (HeadingButton.NEW,)}.get(type(row), ())
    side = scale(BUTTON)
    middle = box.bottom() - scale(11) if isinstance(row, ProjectsHeading) else box.center().y()
    left, top = box.right() - 4 - side * len(buttons), middle - side / 2
    return {button: QRectF(left + side * n, top, side, side) for n, button in enumerate(buttons)}


def paint_heading(
    painter: QPainter,
    box: QRectF,
    row: SidebarRow,
    activity: Activity | None,
    pointed: QPointF | None,
    *,
    is_near: bool,
) -> None:
    """Paint a row that is no conversation. pointed: the mouse position; None if outside. is_near: show its buttons."""
    match row:
        case ProjectHeading() | ArchivedHeading():
            _paint_fold(painter, box, row, activity, is_near=is_near and isinstance(row, ProjectHeading))
        case AllProjectsRow():
            line = box.adjusted(START + scale(INDENT), 0, -START, 0)
            draw_text(painter, in_reading_order(painter, box, line), row.title, font(13), "accent")
        case Heading() | ProjectsHeading():
            painter.setFont(font(11, BOLD))
            painter.setPen(colour("ink_faint"))
            line = in_reading_order(painter, box, box.adjusted(START, 0, -START, -scale(4)))
            painter.drawText(line, BOTTOM_LEFT, row.title)
        case _:
            return
    if is_near or isinstance(row, ProjectsHeading):  # which always shows its button
        _paint_buttons(painter, box, row, pointed)


def _paint_fold(
    painter: QPainter, box: QRectF, row: ProjectHeading | ArchivedHeading, activity: Activity | None, *, is_near: bool
) -> None:
    line = box.adjusted(START, 0, -START, 0)
    arrow = in_reading_order(painter, box, QRectF(line.left(), line.top(), scale(10), line.height()))
    _paint_arrow(painter, arrow.center(), is_folded=row.is_folded or not row.count)
    line.setLeft(line.left() + scale(INDENT))
    count = format_number(row.count) if row.count else ""
    end = scale(BUTTON) * 2 if is_near else QFontMetricsF(font(12)).horizontalAdvance(count)
    if activity is not None:
        end += scale(DOT) + 6
        dot = QRectF(line.right() - end, line.center().y() - scale(DOT) / 2, scale(DOT), scale(DOT))
        paint_activity(painter, in_reading_order(painter, box, dot), activity)
    if not is_near:
        painter.setFont(font(12))
        painter.setPen(colour("ink_faint"))
        painter.drawText(in_reading_order(painter, box, line), RIGHT, count)
    name = in_reading_order(painter, box, line.adjusted(0, 0, -end - 6, 0))
    draw_text(painter, name, row.title, font(13, MEDIUM), "ink_soft")


def _paint_arrow(painter: QPainter, centre: QPointF, *, is_folded: bool) -> None:
    """Paint an arrow that points down, or in the reading direction if folded."""
    size = scale(ARROW)
    angle = 0.0 if not is_folded else math.pi / 2 if _is_turned(painter) else -math.pi / 2
    corners = [(-size, -size / 2), (0.0, size / 2), (size, -size / 2)]
    cos, sin = math.cos(angle), math.sin(angle)
    painter.setPen(QPen(colour("ink_faint"), 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    points = [QPointF(centre.x() + x * cos - y * sin, centre.y() + x * sin + y * cos) for x, y in corners]
    painter.drawPolyline(QPolygonF(points))


def _paint_buttons(painter: QPainter, box: QRectF, row: SidebarRow, pointed: QPointF | None) -> None:
    for button, place in buttons_of(row, box).items():
        where = in_reading_order(painter, box, place)
        is_pointed = pointed is not None and where.contains(pointed)
        if is_pointed:
            paint_box(painter, where.adjusted(1, 1, -1, -1), colour("line"), None, Corner.ROW)
        painter.setFont(font(15, NORMAL))
        painter.setPen(colour("ink" if is_pointed else "ink_soft"))
        painter.drawText(where, Qt.AlignmentFlag.AlignCenter, button.value)


def paint_activity(painter: QPainter, dot: QRectF, activity: Activity) -> None:
    """Paint a ring for a conversation at work, and a filled dot for one that needs the user."""
    ink = colour(ACTIVITY_TINT[activity])
    painter.setPen(QPen(ink, 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush if activity is Activity.WORKS else ink)
    painter.drawEllipse(dot)


def draw_text(painter: QPainter, room: QRectF, text: str, look: QFont, tint: Tint) -> None:
    """Draw one line, elided at the end of `room`."""
    painter.setFont(look)
    painter.setPen(colour(tint))
    painter.drawText(room, LEFT, QFontMetricsF(look).elidedText(text, Qt.TextElideMode.ElideRight, room.width()))


def hint_of(button: HeadingButton, row: SidebarRow) -> str:
    """Return the tooltip of a heading's button."""
    if isinstance(row, ProjectsHeading):
        return tr("New project…")
    if button is HeadingButton.NEW:
        return tr("New conversation in {project}").format(project=row.title)
    return tr("Settings of {project}, rename, delete").format(project=row.title)


def _is_turned(painter: QPainter) -> bool:
    return painter.layoutDirection() == Qt.LayoutDirection.RightToLeft


ROW_HEIGHT, HEADING_HEIGHT, PIE = 58, 32, 16  # pixels
MAX_TITLE = 400  # characters that are measured
MARKED = re.compile(r"(.+) (\([^()]+\))")
"""A title such as "All the tides (copy)", whose end distinguishes it from another one."""


class ConversationDelegate(QStyledItemDelegate):
    """Paints a row: title, age and messages or its activity, and a pie of the context window's fill."""

    def __init__(self, conversations: ConversationModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._conversations = conversations
        self.shows_focus = False  # whether the current row has a focus ring
        self.marked = QPersistentModelIndex()  # the row whose menu is open, painted as if under the mouse
        self.target = QPersistentModelIndex()  # the heading of the project that conversations are dragged onto
        self.pointed: QPointF | None = None  # the mouse position; None if outside
        self._sizes, self._version = (QSize(), QSize()), -1  # of a row and a heading; the theme's version they are for

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        if self._version != theme.version:
            self._sizes = QSize(120, scale(ROW_HEIGHT)), QSize(120, scale(HEADING_HEIGHT))
            self._version = theme.version
        return self._sizes[self._conversations.is_heading(index.row())]  # cached: called for all rows at a key press

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row: SidebarRow = index.data(ROW_ROLE)
        box = QRectF(option.rect)  # type: ignore[attr-defined]
        state = option.state  # type: ignore[attr-defined]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_over = bool(state & QStyle.StateFlag.State_MouseOver) or self.marked == index
        has_ring = self.shows_focus and bool(state & QStyle.StateFlag.State_HasFocus)
        if not isinstance(row, Heading):
            inner = box.adjusted(1, 1, -1, -1)
            if self.target == index:
                paint_box(painter, inner, colour("accent_soft"), colour("accent"), Corner.CONTROL)
            elif state & QStyle.StateFlag.State_Selected:
                paint_box(painter, inner, colour("raised"), colour("line"), Corner.CONTROL)
            elif is_over:
                paint_box(painter, inner, colour("line_soft"), None, Corner.CONTROL)
            if has_ring:
                paint_focus(painter, inner, Corner.CONTROL)
        activity = index.data(ACTIVITY_ROLE)
        if isinstance(row, ConversationInfo):
            before = START + (scale(INDENT) if self._conversations.is_in_project(row) else 0)
            inner = in_reading_order(painter, box, box.adjusted(before, scale(8), -START, -scale(8)))
            self._paint_info(painter, inner, row, activity)
        else:
            paint_heading(painter, box, row, activity, self.pointed, is_near=is_over or has_ring)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> QWidget:
        editor = QLineEdit(parent)
        is_project = isinstance(index.data(ROW_ROLE), ProjectHeading)
        editor.setAccessibleName(tr("Name of the project") if is_project else tr("Title of the conversation"))
        return editor

    def setEditorData(self, editor: QWidget, index: AnyIndex) -> None:
        """Fill a new editor; typed text stays when the rows are repainted."""
        if isinstance(editor, QLineEdit) and not editor.text() and not editor.isModified():
            editor.setText(index.data(Qt.ItemDataRole.EditRole))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: AnyIndex) -> None:
        if isinstance(editor, QLineEdit):
            model.setData(index, editor.text())

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        is_heading = self._conversations.is_heading(index.row())
        below = 1 if is_heading else scale(20)
        editor.setGeometry(option.rect.adjusted(2, 1 if is_heading else 4, -2, -below))  # type: ignore[attr-defined]

    def _paint_info(self, painter: QPainter, room: QRectF, info: ConversationInfo, activity: Activity | None) -> None:
        half = room.height() / 2
        line = in_reading_order(painter, room, QRectF(room.left(), room.top(), room.width() - scale(PIE + 10), half))
        look = font(14, MEDIUM)
        title = cut_title(info.title, QFontMetricsF(look), line.width())
        draw_text(painter, line, title, look, "ink")
        below = line.translated(0, half)
        if activity is None:
            draw_text(painter, below, details_of(info, time.time()), font(12), "ink_faint")
        else:
            _draw_activity(painter, below, activity)
        pie = QRectF(room.right() - scale(PIE), room.center().y() - scale(PIE) / 2, scale(PIE), scale(PIE))
        share, status = self._conversations.fill_of(info)
        _draw_pie(painter, in_reading_order(painter, room, pie), share, colour(STATUS_TINTS[status]))


def cut_title(title: str, metrics: QFontMetricsF, width: float) -> str:
    """Return the title elided to `width` pixels. Brackets at its end are kept unless they take more than two thirds."""
    if len(title) > MAX_TITLE:
        title = f"{title[: MAX_TITLE // 2]}…{title[-MAX_TITLE // 2 :]}"
    marked = MARKED.fullmatch(title)
    taken = metrics.horizontalAdvance(f" {marked[2]}") if marked else 0.0
    if marked is None or taken > width * 2 / 3 or metrics.horizontalAdvance(title) <= width:
        return metrics.elidedText(title, Qt.TextElideMode.ElideRight, width)
    return f"{metrics.elidedText(marked[1], Qt.TextElideMode.ElideRight, width - taken)} {marked[2]}"


def _draw_activity(painter: QPainter, room: QRectF, activity: Activity) -> None:
    """Draw the dot and the text of an activity."""
    side = scale(DOT)
    dot = QRectF(room.left() + 1, room.center().y() - side / 2, side, side)
    paint_activity(painter, in_reading_order(painter, room, dot), activity)
    weight = NORMAL if activity is Activity.WORKS else MEDIUM
    words = in_reading_order(painter, room, room.adjusted(side + scale(6), 0, 0, 0))
    draw_text(painter, words, tr(activity.value), font(12, weight), ACTIVITY_TINT[activity])


def _draw_pie(painter: QPainter, box: QRectF, share: float, ink: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour("line" if theme.is_dark else "free"))
    painter.drawEllipse(box)
    painter.setBrush(ink)
    painter.drawPie(box, 90 * 16, -round(min(max(share, 0), 1) * 360 * 16))  # clockwise from the top, in 1/16 degrees
