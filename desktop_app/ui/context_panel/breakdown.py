"""What fills the context window, as a table that adds up, and what the conversation has cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.conversation.gauge import Gauge, Provenance, Segment
from desktop_app.conversation.message import Totals, Usage
from desktop_app.ui.theme import SEGMENT_NAMES
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.bars import basis_sentence
from desktop_app.ui.widgets.boxes import Card, ScrollColumn
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.formats import format_dollars, format_number, format_percent, percentages
from desktop_app.ui.widgets.layouts import vertical
from desktop_app.ui.widgets.look import BOLD, MEDIUM, NORMAL, StyleAware, Tint, colour, font, paint_box, scale
from desktop_app.ui.widgets.text_label import Run, TextLabel, fill_runs

from .largest import LargestParts
from .requests import PanelRequests
from .versions import VersionsCard


def format_spent(spent: Usage) -> str:
    """Return such as "12 requests · 120,300 tokens in, 80 % cached · 4,000 out · $0.12"."""
    cached = spent.cached_tokens / spent.prompt_tokens if spent.prompt_tokens else 0
    read = tr("{tokens} tokens in, {share} cached") if cached else tr("{tokens} tokens in")
    words = [
        tr("%n requests", "", spent.requests),
        read.format(tokens=format_number(spent.prompt_tokens), share=format_percent(cached)),
        tr("{tokens} out").format(tokens=format_number(spent.reply_tokens)),
    ]
    return " · ".join([*words, *([format_dollars(spent.dollars)] if spent.dollars is not None else [])])


class TotalsCard(Card):
    """What was spent; hidden until a provider has reported something or an operation has freed something."""

    def __init__(self) -> None:
        super().__init__()
        self.replies = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.upkeep_title = TextLabel(
            tr("For summaries, memory, titles and images"), size=12, weight=MEDIUM, wraps=True
        )
        self.upkeep = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.freed = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.column.addWidget(TextLabel(tr("Used so far"), size=13, weight=BOLD))
        for label in (self.replies, self.upkeep_title, self.upkeep, self.freed):
            self.column.addWidget(label)
        self.setAccessibleName(tr("Used so far"))
        self.set_totals(Totals())

    def set_totals(self, totals: Totals) -> None:
        self.replies.set_text(format_spent(totals.replies))
        self.upkeep.set_text(format_spent(totals.auxiliary))
        for label in (self.upkeep_title, self.upkeep):
            label.setVisible(totals.auxiliary.requests > 0)
        freed = Run(format_number(totals.tokens_freed), "ink", BOLD)
        self.freed.set_runs(
            fill_runs(tr("{tokens} tokens freed by %n operations", "", totals.operations), tokens=freed)
        )
        self.freed.setVisible(totals.operations > 0)
        self.setVisible(bool(totals.replies.requests or totals.auxiliary.requests or totals.operations))
        shown = (label.text() for label in (self.replies, self.upkeep, self.freed) if not label.isHidden())
        self.setAccessibleDescription(". ".join(shown))


MOVES = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
ROW, SQUARE, SHARE = 30, 10, 52  # pixels: a row's height, its square, the column of shares


@dataclass(frozen=True)
class TableLine:
    """A line of the table. share: percent of the window; None without one."""

    name: str
    tokens: int
    share: int | None
    square: Tint | Segment | None = None
    tint: Tint = "ink"
    is_sum: bool = False


def lines_of(gauge: Gauge, has_unused: bool = False) -> list[TableLine]:
    """Return the segments and their sum, then the reserve and what is free, which add up to the window.

    Without a window, the shares are of the request. has_unused: also the segments of which there is nothing.
    """
    used = [segment for segment in Segment if gauge.segments.get(segment, 0)]
    free = gauge.usable - gauge.total
    rest = [gauge.reserve, max(free, 0)] if gauge.is_window_known else []
    shares = percentages([*(gauge.segments[segment] for segment in used), *rest])
    lines = [
        TableLine(tr(SEGMENT_NAMES[segment]), gauge.segments[segment], share, segment)
        for segment, share in zip(used, shares, strict=False)
    ]
    request = TableLine(tr("In the request"), gauge.total, sum(shares[: len(used)]), is_sum=True)
    if has_unused:
        unused = [segment for segment in Segment if segment not in used]
        lines += [TableLine(tr(SEGMENT_NAMES[segment]), 0, 0, segment, "ink_faint") for segment in unused]
    if not gauge.is_window_known:
        return [*lines, request]
    lines += [request, TableLine(tr("Reserved for the reply"), gauge.reserve, shares[-2], "hatch")]
    if free >= 0:
        lines.append(TableLine(tr("Free"), free, shares[-1], "free"))
    else:
        lines.append(TableLine(tr("Over the limit"), free, None, "critical", "critical"))
    lines.append(TableLine(tr("Window"), gauge.window, 100, is_sum=True))
    # The shares of an overfull window do not add up.
    return lines if free >= 0 else [replace(line, share=None) for line in lines]


class BreakdownTable(StyleAware, QWidget):
    """The table: square, name, tokens and share.

    Signal: segment_chosen(Segment), by a click on its row, or with the arrow keys and Enter.
    """

    segment_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines: list[TableLine] = []
        self.current = -1  # the line under the mouse, or that the keyboard is on
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setToolTip(tr("Click a category to see its parts in the X-ray"))
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
        return [line.square for line in self.lines if isinstance(line.square, Segment)]

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
                    paint_box(painter, room.adjusted(-4, 2, 4, -2), colour("line_soft"), None, 6)
                self._paint_line(painter, room, line)

    def _paint_line(self, painter: QPainter, room: QRectF, line: TableLine) -> None:
        if line.is_sum:
            painter.setPen(QPen(colour("line"), 1))
            painter.drawLine(QPointF(room.left(), room.top() + 0.5), QPointF(room.right(), room.top() + 0.5))
        side = scale(SQUARE)
        if line.square is not None:
            square = QRectF(room.left(), room.center().y() - side / 2, side, side)
            opacity = 0.35 if line.tint == "ink_faint" else 1.0
            paint_box(painter, square, colour(line.square, opacity), None, 2.5)
        shown = font(13, BOLD if line.is_sum else NORMAL)
        painter.setFont(shown)
        left = room.left() + (0 if line.is_sum else side + 9)
        numbers = room.right() - scale(SHARE)
        tokens = format_number(line.tokens)
        name_room = numbers - QFontMetricsF(shown).horizontalAdvance(tokens) - 10 - left
        name = QFontMetricsF(shown).elidedText(line.name, Qt.TextElideMode.ElideRight, name_room)
        painter.setPen(colour(line.tint))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(left, room.top(), name_room, room.height()), middle, name)
        right = middle | Qt.AlignmentFlag.AlignRight
        painter.drawText(QRectF(left, room.top(), numbers - left, room.height()), right, tokens)
        painter.setFont(font(13))
        painter.setPen(colour("ink_faint" if line.tint != "critical" else "critical"))
        share = "" if line.share is None else f"{line.share} %" if line.share or not line.tokens else "< 1 %"
        painter.drawText(room, right, share)


class Breakdown(QWidget):
    """The first tab: the table, where its numbers come from, and the totals."""

    def __init__(self, requests: PanelRequests) -> None:
        super().__init__()
        scroll = ScrollColumn(self)
        self.table = BreakdownTable()
        self.note = TextLabel(tr("Counting…"), size=12, tint="ink_faint", wraps=True)
        self.unused = LinkButton("", size=12)
        self.unused.setCheckable(True)
        self._gauge: Gauge | None = None
        self.largest = LargestParts(requests)
        for part in (self.table, self.unused, self.note):
            scroll.add(part)
        self.table.segment_chosen.connect(requests.segment_requested)
        self.unused.toggled.connect(lambda _: self.set_gauge(self._gauge))
        self.own_window = LinkButton(tr("Use the full window"))
        self.own_window.clicked.connect(requests.own_window_requested)
        self.own_window.hide()
        scroll.add(self.own_window)
        scroll.add(self.largest)
        self.versions = VersionsCard(requests)
        scroll.add(self.versions)
        self.totals = TotalsCard()
        scroll.add(self.totals)
        self.insights = LinkButton(tr("Insights…"))
        self.insights.setToolTip(tr("What this conversation took over its life (Ctrl+I)"))
        self.insights.clicked.connect(requests.insights_requested)
        scroll.add(self.insights)
        scroll.column.setContentsMargins(0, 0, 12, 0)
        vertical(scroll, holder=self)

    def set_gauge(self, gauge: Gauge | None) -> None:
        """Show a gauge; None while the tokens are being counted."""
        self._gauge = gauge
        self.table.set_lines(lines_of(gauge, self.unused.isChecked()) if gauge else [])
        self._name_unused(gauge)
        self.own_window.setVisible(gauge is not None and bool(gauge.stated_window))
        if gauge is None:
            self.note.set_text(tr("Counting…"))
            return
        self.note.set_text(" ".join((basis_sentence(gauge), *_about_window(gauge))))

    def _name_unused(self, gauge: Gauge | None) -> None:
        """Name the link that unfolds the categories of which nothing is sent."""
        count = sum(not gauge.segments.get(segment, 0) for segment in Segment) if gauge else 0
        hidden = tr("Show %n empty categories", "", count)
        self.unused.setText(tr("Hide empty categories") if self.unused.isChecked() else hidden)
        self.unused.setVisible(count > 0)
        self.unused.updateGeometry()


def _about_window(gauge: Gauge) -> Iterator[str]:
    """Yield what is known of the window, and what the percentages are of, in sentences."""
    if not gauge.is_window_known:
        yield tr("The model’s window is not known yet: shares are of the request.")
        return
    if gauge.window_provenance is Provenance.ASSUMED:
        yield tr("The size of the context window is assumed: the server did not report it.")
    elif gauge.stated_window:
        learned = tr("The size of the context window was learned from the server; the model is said to take {tokens}.")
        yield learned.format(tokens=format_number(gauge.stated_window))
    yield tr("Percentages are of the whole context window.")
