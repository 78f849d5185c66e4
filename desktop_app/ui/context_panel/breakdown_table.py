"""The table of what fills the context window: it adds up to the window, its shares to what a request may take."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.conversation.gauge import Gauge, Segment
from desktop_app.ui.theme import SEGMENT_NAMES
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.accessibility import Role, WithRole
from desktop_app.ui.widgets.accessible_lines import AccessibleLine, AccessibleLines
from desktop_app.ui.widgets.bars import DRAFT_BLEND
from desktop_app.ui.widgets.formats import format_number, isolate, percent_of, percentages
from desktop_app.ui.widgets.look import (
    BOLD,
    NORMAL,
    Corner,
    StyleAware,
    Tint,
    colour,
    font,
    in_reading_order,
    mix,
    paint_box,
    scale,
)

MOVES = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
ROW, SQUARE, SHARE = 30, 10, 52  # pixels: a row's height, its square, the column of shares


@dataclass(frozen=True)
class TableLine:
    """A line of the table. share: percent of the usable window; None without one."""

    name: str
    tokens: int
    share: int | None
    square: Tint | Segment | None = None
    tint: Tint = "ink"
    is_sum: bool = False
    is_draft: bool = False

    @property
    def segment(self) -> Segment | None:
        """Whose parts a click shows; None for a line of which nothing is in the request."""
        return self.square if isinstance(self.square, Segment) and not self.is_draft else None

    @property
    def share_words(self) -> str:
        if self.share is None:
            return ""
        return isolate(tr("{number} %").format(number=self.share) if self.share or not self.tokens else tr("< 1 %"))


def lines_of(gauge: Gauge, has_unused: bool = False, draft: int = 0) -> list[TableLine]:
    """Return the segments, the draft and their sum, then what is free and the reserve, which add up to the window.

    Shares are of the usable window, as in the gauge; without a window, of the request. has_unused: also the segments
    of which there is nothing.
    """
    used = [segment for segment in Segment if gauge.segments.get(segment, 0)]
    total = gauge.total + draft
    free = gauge.usable - total
    whole = percent_of(total, gauge.usable) if gauge.is_window_known else 100
    counts = [*(gauge.segments[segment] for segment in used), *([draft] if draft else [])]
    shares = percentages(counts, whole)
    lines = [
        TableLine(tr(SEGMENT_NAMES[segment]), gauge.segments[segment], share, segment)
        for segment, share in zip(used, shares, strict=False)
    ]
    if has_unused:
        unused = [segment for segment in Segment if segment not in used]
        lines += [TableLine(tr(SEGMENT_NAMES[segment]), 0, 0, segment, "ink_faint") for segment in unused]
    if draft:
        lines.append(TableLine(tr("Your draft"), draft, shares[-1], Segment.USER, is_draft=True))
    lines.append(TableLine(tr("In the request"), total, whole, is_sum=True))
    if not gauge.is_window_known:
        return lines
    if free >= 0:
        lines.append(TableLine(tr("Free"), free, 100 - whole, "free"))
    else:
        lines.append(TableLine(tr("Over the limit"), free, None, "critical", "critical"))
    lines.append(TableLine(tr("Reserved for the reply"), gauge.reserve, None, "hatch"))
    return [*lines, TableLine(tr("Window"), gauge.window, None, is_sum=True)]


class BreakdownTable(WithRole, StyleAware, QWidget):
    """The table: square, name, tokens and share.

    Signal: segment_chosen(Segment), by a click on its row, or with the arrow keys and Enter.
    """

    accessible_role = Role.List
    segment_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines: list[TableLine] = []
        self._accessible_lines = AccessibleLines(self)
        self.current = -1  # the line under the mouse, or that the keyboard is on
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setToolTip(tr("Click a category to see its parts in the request"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_lines(self, lines: list[TableLine]) -> None:
        is_other_height = len(lines) != len(self.lines)
        self.lines = lines
        self.setAccessibleName(tr("What fills the context window"))
        spoken = tr("{category}: {tokens} tokens")
        self.setAccessibleDescription(
            "; ".join(spoken.format(category=line.name, tokens=format_number(line.tokens)) for line in lines)
        )
        if is_other_height:
            self.updateGeometry()
        self.update()
        self._show_accessible_lines()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._show_accessible_lines()

    def _show_accessible_lines(self) -> None:
        """Let a screen reader find each line, and press those that a click chooses."""
        spoken, height = tr("{category}: {tokens} tokens"), scale(ROW)
        lines: list[AccessibleLine] = []
        for number, line in enumerate(self.lines):
            text = spoken.format(category=line.name, tokens=format_number(line.tokens))
            text = ", ".join(filter(None, (text, line.share_words)))
            press = partial(self.segment_chosen.emit, line.segment) if line.segment is not None else None
            lines.append(AccessibleLine(line.name, text, QRect(0, number * height, self.width(), height), press))
        self._accessible_lines.show_lines(lines)

    def sizeHint(self) -> QSize:
        return QSize(260, len(self.lines) * scale(ROW))

    def minimumSizeHint(self) -> QSize:
        return QSize(180, self.sizeHint().height())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._go_to(int(event.position().y()) // scale(ROW))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._go_to(int(event.position().y()) // scale(ROW))
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose()

    def leaveEvent(self, event: QEvent) -> None:
        self._go_to(-1)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._go_to(max(self.current, 0))  # where the keyboard is can be seen

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._go_to(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in MOVES:
            self._go_to(min(max(self.current + MOVES[Qt.Key(event.key())], 0), len(self._segments()) - 1))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._choose()
        else:
            super().keyPressEvent(event)

    def _segments(self) -> list[Segment]:
        """Return the segments of the lines, which come first."""
        return [line.segment for line in self.lines if line.segment is not None]

    def _go_to(self, number: int) -> None:
        self.current = number if 0 <= number < len(self._segments()) else -1
        self.setCursor(Qt.CursorShape.PointingHandCursor if self.current >= 0 else Qt.CursorShape.ArrowCursor)
        self.update()

    def _choose(self) -> None:
        if self.current >= 0:
            self.segment_chosen.emit(self._segments()[self.current])

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        height = scale(ROW)
        for number, line in enumerate(self.lines):
            room = QRectF(0, number * height, self.width(), height)
            if room.toRect().intersects(event.rect()):
                if number == self.current:
                    paint_box(painter, room.adjusted(-4, 2, 4, -2), colour("line_soft"), None, Corner.ROW)
                self._paint_line(painter, room, line)

    def _paint_line(self, painter: QPainter, room: QRectF, line: TableLine) -> None:
        if line.is_sum:
            painter.setPen(QPen(colour("line"), 1))
            painter.drawLine(QPointF(room.left(), room.top() + 0.5), QPointF(room.right(), room.top() + 0.5))
        side = scale(SQUARE)
        if line.square is not None:
            square = in_reading_order(painter, room, QRectF(room.left(), room.center().y() - side / 2, side, side))
            opacity = 0.35 if line.tint == "ink_faint" else 1.0
            fill = mix(line.square, "raised", DRAFT_BLEND) if line.is_draft else colour(line.square, opacity)
            paint_box(painter, square, fill, None, Corner.MARK)
        shown = font(13, BOLD if line.is_sum else NORMAL)
        painter.setFont(shown)
        left = room.left() + (0 if line.is_sum else side + 9)
        has_shares = any(other.share is not None for other in self.lines)
        numbers = room.right() - (scale(SHARE) if has_shares else 0)
        tokens = format_number(line.tokens)
        name_room = numbers - QFontMetricsF(shown).horizontalAdvance(tokens) - 10 - left
        name = QFontMetricsF(shown).elidedText(line.name, Qt.TextElideMode.ElideRight, name_room)
        painter.setPen(colour(line.tint))
        middle = Qt.AlignmentFlag.AlignVCenter
        box = in_reading_order(painter, room, QRectF(left, room.top(), name_room, room.height()))
        painter.drawText(box, middle | Qt.AlignmentFlag.AlignLeft, name)
        right = middle | Qt.AlignmentFlag.AlignRight
        box = in_reading_order(painter, room, QRectF(left, room.top(), numbers - left, room.height()))
        painter.drawText(box, right, tokens)
        painter.setFont(font(13))
        painter.setPen(colour("ink_faint" if line.tint != "critical" else "critical"))
        painter.drawText(room, right, line.share_words)
