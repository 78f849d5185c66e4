"""A chart of the window's fill at each reply, with the operations that made room. Arrow keys read each point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.insights import Insights, OperationMoment
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.accessibility import AccessibleLine, AccessibleLines, Role, WithRole
from desktop_app.ui.widgets.look import TRANSPARENT, Corner, StyleAware, Tint, colour, font, mix, paint_focus, scale
from desktop_app.ui.widgets.number_formats import format_moment, format_number, format_percent, format_wait

from .figures import clock_of, format_amount

DAY = 86_400.0  # seconds


@dataclass(frozen=True)
class ChartPoint:
    """A reply, or an operation that took the request from `before` to `tokens`."""

    at: float
    before: int
    tokens: int
    is_measured: bool = False
    operation: OperationMoment | None = None


def points_of(insights: Insights) -> list[ChartPoint]:
    """Return replies and operations in chronological order."""
    replies = [ChartPoint(reply.at, reply.tokens, reply.tokens, reply.is_measured) for reply in insights.moments]
    operations = [
        ChartPoint(done.at, done.tokens_before, done.tokens_after, operation=done) for done in insights.operations
    ]
    return sorted([*replies, *operations], key=lambda point: point.at)


def describe_point(point: ChartPoint, usable: int) -> str:
    """Return the description of a point, such as "Tue 18 Nov, 14:02 · 42,310 tokens, 66 % · measured"."""
    words = [clock_of(point.at)] if point.at else []
    if (done := point.operation) is None:
        tokens = tr("{tokens} tokens, {share}") if usable else tr("{tokens} tokens")
        share = format_percent(point.tokens / usable) if usable else ""
        source = tr("measured") if point.is_measured else tr("estimated")
        return " · ".join([*words, tokens.format(tokens=format_number(point.tokens), share=share), source])
    if done.kind == "failed":
        size = tr("{tokens} tokens").format(tokens=format_number(point.before))
        return " · ".join([*words, tr("No room could be made"), size])
    name = tr("Older messages summarized") if done.kind == "compaction" else tr("Results shortened")
    change = tr("{before} → {after} tokens")
    words += [name, change.format(before=format_number(point.before), after=format_number(point.tokens))]
    words += [format_wait(done.seconds)] if done.seconds else []
    return " · ".join([*words, *([tr("undone")] if done.is_undone else [])])


def time_labels(points: Sequence[ChartPoint], most: int) -> Iterator[tuple[int, str]]:
    """Yield at most `most` indexes of points with distinct time labels: days, or times if all are within a day."""
    is_long = points[-1].at - points[0].at > DAY
    form = tr("d MMM", "a time, as QLocale reads it") if is_long else "HH:mm"
    before = ""
    for number in range(most):
        index = number * (len(points) - 1) // max(most - 1, 1)

        label = format_moment(points[index].at, form)
        if points[index].at and label != before:
            yield index, label
            before = label


HEIGHT = 220  # pixels
HEAD = 1.06  # the top of the scale, times the highest value
LABEL_HEIGHT = 18  # pixels of the label of a line
MAX_LINES, LINE_BOX = 100, 12  # points that screen readers find as lines; pixels of the box of one
TICK = 110  # pixels between two time labels
MARKS: dict[str, Tint] = {"compaction": "warning", "prune": "ok", "failed": "critical"}


@dataclass(frozen=True)
class ChartLine:
    """A line behind the curve. y: in pixels. label: "" where it would cover another one."""

    y: float
    label: str
    tint: Tint


class WindowChart(WithRole, StyleAware, QWidget):
    """Signal: pointed(text), the description of the point under the mouse or the keyboard; "" for none."""

    accessible_role = Role.Chart
    pointed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.points: list[ChartPoint] = []
        self._accessible_lines = AccessibleLines(self)
        self._gauge: Gauge | None = None
        self._chosen = -1
        self._picture: QPixmap | None = None
        self._positions: list[QPointF] = []
        self._highest = 1.0  # the tokens at the top of the scale
        self._telling = QTimer(self, singleShot=True, interval=0)  # updates the lines once for several changes
        self._telling.timeout.connect(self._show_accessible_lines)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("The window over time"))

    def show_insights(self, insights: Insights, gauge: Gauge | None) -> None:
        self.points, self._gauge = points_of(insights), gauge
        self._highest = max([self.usable, 1, *(max(point.before, point.tokens) for point in self.points)]) * HEAD
        self._forget_picture()
        self._choose(-1)
        self._telling.start()

    def _show_accessible_lines(self) -> None:
        """Let a screen reader find the newest points as lines of text."""
        first = max(len(self.points) - MAX_LINES, 0)
        lines: list[AccessibleLine] = []
        for number, point in enumerate(self.points[first:], first):
            box = QRectF(-LINE_BOX / 2, -LINE_BOX / 2, LINE_BOX, LINE_BOX)
            box = box.translated(self.positions[number]).toAlignedRect()
            lines.append(AccessibleLine(f"{number}", describe_point(point, self.usable), box))
        self._accessible_lines.show_lines(lines)

    @property
    def usable(self) -> int:
        """The usable window, in tokens; 0 while unknown."""
        return self._gauge.usable if self._gauge and self._gauge.is_window_known else 0

    def sizeHint(self) -> QSize:
        return QSize(480, scale(HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, scale(HEIGHT))

    @property
    def positions(self) -> list[QPointF]:
        """The positions at which the points are painted."""
        if len(self._positions) != len(self.points):
            box, last = self._box(), max(len(self.points) - 1, 1)
            start, step = box.left(), box.width() / last
            if self.isRightToLeft():
                start, step = box.right(), -step
            heights = self._heights_of([point.tokens for point in self.points])
            self._positions = [QPointF(start + step * number, y) for number, y in enumerate(heights)]
        return self._positions

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        box = self._box()
        share = (event.position().x() - box.left()) / max(box.width(), 1)
        share = 1 - share if self.isRightToLeft() else share
        self._choose(min(max(round(share * (len(self.points) - 1)), 0), len(self.points) - 1))

    def leaveEvent(self, event: QEvent) -> None:
        self._choose(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last, chosen = len(self.points) - 1, self._chosen
        operations = [index for index, point in enumerate(self.points) if point.operation]
        back, on = Qt.Key.Key_Left, Qt.Key.Key_Right
        back, on = (on, back) if self.isRightToLeft() else (back, on)
        targets = {
            back: chosen - 1 if chosen >= 0 else last,
            on: chosen + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
            Qt.Key.Key_PageUp: max((i for i in operations if i < chosen), default=chosen),
            Qt.Key.Key_PageDown: min((i for i in operations if i > chosen), default=chosen),
        }
        target = targets.get(Qt.Key(event.key()))
        if target is None or not self.points:
            super().keyPressEvent(event)
        else:
            self._choose(min(max(target, 0), last))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._forget_picture()
        self._telling.start()

    def refresh_style(self) -> None:
        self._forget_picture()
        super().refresh_style()

    def _forget_picture(self) -> None:
        self._picture, self._positions = None, []

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._picture is None or self._picture.devicePixelRatio() != self.devicePixelRatio():
            self._picture = self._draw()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawPixmap(0, 0, self._picture)
        if self._chosen >= 0:
            self._paint_chosen(painter, self._box())
        if self.hasFocus():
            paint_focus(painter, QRectF(self.rect()), Corner.ROW)

    def _draw(self) -> QPixmap:
        """Return the chart without a chosen point. It is cached, since drawing thousands of points takes a while."""
        picture = QPixmap(self.size() * self.devicePixelRatio())
        picture.setDevicePixelRatio(self.devicePixelRatio())
        picture.fill(TRANSPARENT)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font(11))
        box = self._box()
        if self.points:
            self._paint_times(painter, box)
            self._paint_area(painter, box)
        for line in self.lines():
            self._paint_line(painter, box, line)
        self._paint_marks(painter)
        painter.end()
        return picture

    def _choose(self, index: int) -> None:
        self._chosen = index
        text = describe_point(self.points[index], self.usable) if 0 <= index < len(self.points) else ""
        self.setAccessibleDescription(text or self._describe())
        self.pointed.emit(text)
        self.update()

    def _describe(self) -> str:
        if not self.points:
            return tr("No reply yet")
        steps = [point.operation for point in self.points if point.operation is not None]
        highest = max(max(point.before, point.tokens) for point in self.points)
        newest = describe_point(self.points[-1], self.usable)
        text = tr("{replies}, {operations}, at most {tokens} tokens. Newest: {newest}. Arrow keys read each point.")
        return text.format(
            replies=tr("%n replies", "", len(self.points) - len(steps)),
            operations=tr("%n operations", "", len({step.operation for step in steps})),
            tokens=format_number(highest),
            newest=newest,
        )

    def _box(self) -> QRectF:
        start, bottom, end = scale(46), scale(24), scale(12)
        width = max(self.width() - start - end, 1)
        return QRectF(end if self.isRightToLeft() else start, scale(6), width, self.height() - bottom - scale(6))

    def _heights_of(self, several: Sequence[float]) -> list[float]:
        """Return the y of each number of tokens."""
        box = self._box()
        bottom, pixels = box.bottom(), box.height() / self._highest
        return [bottom - pixels * tokens for tokens in several]

    def lines(self) -> list[ChartLine]:
        """Return the lines behind the curve, the most important first, without labels that would cover another."""
        lines: list[ChartLine] = []
        for tokens, label, tint in self._limits():
            (y,) = self._heights_of([tokens])
            is_free = all(abs(y - line.y) >= scale(LABEL_HEIGHT) for line in lines if line.label)
            lines.append(ChartLine(y, label if is_free else "", tint))
        return lines

    def _limits(self) -> Iterator[tuple[float, str, Tint]]:
        """Yield heights in tokens with their labels and colours, the most important ones first."""
        top = self._highest / HEAD
        if self._gauge is not None and self.usable:
            warning, _, critical, _ = self._gauge.thresholds
            yield critical * self.usable, format_percent(critical), "critical"
            yield warning * self.usable, format_percent(warning), "warning"
        if self._gauge is None or not self.usable or top > self.usable:
            yield top, format_amount(round(top)), "line_soft"
        yield 0, "0", "line"

    def _paint_line(self, painter: QPainter, box: QRectF, line: ChartLine) -> None:
        y, label = line.y, line.label
        is_limit = line.tint in ("warning", "critical")
        painter.setPen(QPen(colour(line.tint, 0.7), 1.2, Qt.PenStyle.DotLine if is_limit else Qt.PenStyle.SolidLine))
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
        painter.setPen(colour("ink_faint"))
        room = QRectF(0, y - scale(9), scale(46 - 8), scale(LABEL_HEIGHT))
        side = Qt.AlignmentFlag.AlignRight
        if self.isRightToLeft():
            room.moveRight(self.width())
            side = Qt.AlignmentFlag.AlignLeft
        painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, label)

    def _paint_times(self, painter: QPainter, box: QRectF) -> None:
        painter.setPen(colour("ink_faint"))
        metrics = QFontMetricsF(font(11))
        for index, label in time_labels(self.points, max(int(box.width() / scale(TICK)), 1)):
            width = metrics.horizontalAdvance(label)
            x = min(max(self.positions[index].x() - width / 2, box.left()), box.right() - width)
            painter.drawText(QPointF(x, box.bottom() + scale(18)), label)

    def _paint_area(self, painter: QPainter, box: QRectF) -> None:
        """Paint the area piece by piece: one polygon with a thousand corners takes fifty times as long."""
        line: list[QPointF] = []
        before = self._heights_of([point.before for point in self.points])
        for point, at, y in zip(self.points, self.positions, before, strict=True):
            line += [QPointF(at.x(), y), at] if point.before != point.tokens else [at]
        bottom = box.bottom()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # otherwise seams would be visible
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour("accent_soft"))
        for one, other in pairwise(line):
            if one.x() != other.x():
                feet = QPointF(other.x(), bottom), QPointF(one.x(), bottom)
                painter.drawConvexPolygon([one, other, *feet])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour("accent"), 1.5))
        painter.drawLines([QLineF(one, other) for one, other in pairwise(line)])

    def _paint_marks(self, painter: QPainter) -> None:
        for at, point in zip(self.positions, self.points, strict=True):
            if (done := point.operation) is None:
                continue
            (y,) = self._heights_of([point.before])
            radius = scale(9 if done.kind == "compaction" else 6) / 2
            tint = MARKS.get(done.kind, "ok")
            ground = colour("raised") if done.is_undone else colour(tint)
            painter.setPen(QPen(mix(tint, "raised", 0.9), 1.2))
            painter.setBrush(ground)
            painter.drawEllipse(QPointF(at.x(), y), radius, radius)

    def _paint_chosen(self, painter: QPainter, box: QRectF) -> None:
        at = self.positions[self._chosen]
        painter.setPen(QPen(colour("ink_soft"), 1))
        painter.drawLine(QPointF(at.x(), box.top()), QPointF(at.x(), box.bottom()))
        painter.setBrush(colour("accent"))
        painter.drawEllipse(at, 3.5, 3.5)
