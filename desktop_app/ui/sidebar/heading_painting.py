"""How the headings of the list are painted, and where in them one can click."""

from __future__ import annotations

import math
from enum import Enum

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from desktop_app.ui.live_turns import Activity
from desktop_app.ui.theme import Tint
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.formats import format_number
from desktop_app.ui.widgets.look import BOLD, MEDIUM, NORMAL, Corner, colour, font, in_reading_order, paint_box, scale
from desktop_app.ui.widgets.row_list import LEFT, RIGHT

from .arrangement import AllProjectsRow, ArchivedHeading, Heading, ProjectHeading, ProjectsHeading, SidebarRow

START, INDENT = 10, 14  # pixels before a heading; more of them before what stands below a project
BUTTON, ARROW, DOT = 24, 4, 7  # pixels
ACTIVITY_TINT: dict[Activity, Tint] = {
    Activity.WAITS: "accent",
    Activity.WORKS: "ink_soft",
    Activity.FAILED: "critical",
    Activity.UNREAD: "accent",
}
BOTTOM_LEFT = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft


class HeadingButton(Enum):
    """What can be clicked at the end of a heading."""

    NEW = "+"
    MENU = "⋯"


def buttons_of(row: SidebarRow, box: QRectF) -> dict[HeadingButton, QRectF]:
    """Return the buttons of a row that fills the box, where reading goes from left to right."""
    shown = {ProjectHeading: tuple(HeadingButton), ProjectsHeading: (HeadingButton.NEW,)}.get(type(row), ())
    side = scale(BUTTON)
    middle = box.bottom() - scale(11) if isinstance(row, ProjectsHeading) else box.center().y()
    left, top = box.right() - 4 - side * len(shown), middle - side / 2
    return {button: QRectF(left + side * n, top, side, side) for n, button in enumerate(shown)}


def paint_heading(
    painter: QPainter,
    box: QRectF,
    row: SidebarRow,
    activity: Activity | None,
    pointed: QPointF | None,
    *,
    is_near: bool,
) -> None:
    """Paint a row that is no conversation. pointed: where in it the mouse is. is_near: show its buttons."""
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
    if is_near or isinstance(row, ProjectsHeading):  # the others have none
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
    """Paint an arrow that points down, or to where reading goes while nothing stands below it."""
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
    """Paint a ring for what goes on by itself, a full dot for what needs the user."""
    ink = colour(ACTIVITY_TINT[activity])
    painter.setPen(QPen(ink, 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush if activity is Activity.WORKS else ink)
    painter.drawEllipse(dot)


def draw_text(painter: QPainter, room: QRectF, text: str, shown: QFont, tint: Tint) -> None:
    """Draw one line, which ends in an ellipsis where the room ends."""
    painter.setFont(shown)
    painter.setPen(colour(tint))
    painter.drawText(room, LEFT, QFontMetricsF(shown).elidedText(text, Qt.TextElideMode.ElideRight, room.width()))


def hint_of(button: HeadingButton, row: SidebarRow) -> str:
    """Return what a button of a heading does."""
    if isinstance(row, ProjectsHeading):
        return tr("New project…")
    if button is HeadingButton.NEW:
        return tr("New conversation in {project}").format(project=row.title)
    return tr("Settings of {project}, rename, delete").format(project=row.title)


def _is_turned(painter: QPainter) -> bool:
    return painter.layoutDirection() == Qt.LayoutDirection.RightToLeft
