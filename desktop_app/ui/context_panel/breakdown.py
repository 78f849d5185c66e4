"""What fills the context window: a table that adds up."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from desktop_app.conversation.gauge import Gauge, Provenance, Segment
from desktop_app.ui.theme import SEGMENT_NAMES
from desktop_app.ui.widgets.boxes import ScrollColumn
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.formats import format_number, percentages
from desktop_app.ui.widgets.look import BOLD, NORMAL, RESTYLING, Tint, colour, font, paint_box, scaled
from desktop_app.ui.widgets.text_label import TextLabel

from .totals_card import TotalsCard

ROW, SQUARE, SHARE = 30, 10, 52  # pixels: a row's height, its square, the column of shares

BASIS_SENTENCES = {
    Provenance.MEASURED: "Measured: the provider reported this total for the last request.",
    Provenance.ESTIMATED: "Estimated: counted locally{by} for the request as it would be sent.",
    Provenance.ASSUMED: "Assumed: there is no tokenizer for this model, so this is a cautious guess.",
}


@dataclass(frozen=True)
class Line:
    """A line of the table. share: percent of the window; None where there is none to tell."""

    name: str
    tokens: int
    share: int | None
    square: Tint | Segment | None = None
    tint: Tint = "ink"
    is_sum: bool = False


def lines_of(gauge: Gauge) -> list[Line]:
    """Segments, then their sum; with the reserve and what is free they make the window."""
    used = [segment for segment in Segment if gauge.segments.get(segment, 0)]
    unused = [segment for segment in Segment if segment not in used]
    if not gauge.is_window_known:
        return _lines_without_window(gauge, used)
    free = gauge.usable - gauge.total
    tokens = [gauge.segments[segment] for segment in used]
    shares = percentages([*tokens, gauge.reserve, max(free, 0)])
    request = sum(shares[: len(used)])
    lines = [Line(SEGMENT_NAMES[s], t, share, s) for s, t, share in zip(used, tokens, shares, strict=False)]
    lines += [Line(SEGMENT_NAMES[segment], 0, 0, segment, "ink_faint") for segment in unused]
    lines.append(Line("In the request", gauge.total, request, is_sum=True))
    lines.append(Line("Reserved for the reply", gauge.reserve, shares[-2], "hatch"))
    if free >= 0:
        lines.append(Line("Free", free, shares[-1], "free"))
    else:
        lines.append(Line("Over the limit", free, None, "critical", "critical"))
    lines.append(Line("Window", gauge.window, 100, is_sum=True))
    return lines if free >= 0 else [_without_share(line) for line in lines]


def _lines_without_window(gauge: Gauge, used: list[Segment]) -> list[Line]:
    """Segments and their sum, with shares of the request."""
    shares = percentages([gauge.segments[segment] for segment in used])
    lines = [Line(SEGMENT_NAMES[s], gauge.segments[s], share, s) for s, share in zip(used, shares, strict=True)]
    return [*lines, Line("In the request", gauge.total, 100 if gauge.total else 0, is_sum=True)]


def _without_share(line: Line) -> Line:
    """Shares of a window that is overfull would not add up."""
    return Line(line.name, line.tokens, None, line.square, line.tint, line.is_sum)


class BreakdownTable(QWidget):
    """Paints the lines: square, name, tokens, share."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines: list[Line] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_lines(self, lines: list[Line]) -> None:
        """Shows these lines."""
        is_other_height = len(lines) != len(self.lines)
        self.lines = lines
        self.setAccessibleName("What fills the context window")
        self.setAccessibleDescription("; ".join(f"{line.name}: {format_number(line.tokens)} tokens" for line in lines))
        if is_other_height:
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """A row a line."""
        return QSize(260, len(self.lines) * scaled(ROW))

    def minimumSizeHint(self) -> QSize:
        """All rows."""
        return QSize(180, self.sizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        """Another font scale needs another room."""
        super().changeEvent(event)
        if event.type() in RESTYLING:
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the lines that are in sight."""
        painter = QPainter(self)
        height = scaled(ROW)
        for number, line in enumerate(self.lines):
            room = QRectF(0, number * height, self.width(), height)
            if room.toRect().intersects(event.rect()):
                self._paint_line(painter, room, line)

    def _paint_line(self, painter: QPainter, room: QRectF, line: Line) -> None:
        if line.is_sum:
            painter.setPen(QPen(colour("line"), 1))
            painter.drawLine(QPointF(room.left(), room.top() + 0.5), QPointF(room.right(), room.top() + 0.5))
        side = scaled(SQUARE)
        if line.square is not None:
            square = QRectF(room.left(), room.center().y() - side / 2, side, side)
            opacity = 0.35 if line.tint == "ink_faint" else 1.0
            paint_box(painter, square, colour(line.square, opacity), None, 2.5)
        shown = font(13, BOLD if line.is_sum else NORMAL)
        painter.setFont(shown)
        left = room.left() + (0 if line.is_sum else side + 9)
        numbers = room.right() - scaled(SHARE)
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
    """The first tab: the table, and where its numbers come from. own_window_requested: what was learned of the window
    is to be forgotten."""

    own_window_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        scroll = ScrollColumn(self)
        self.table = BreakdownTable()
        self.note = TextLabel("Counting…", size=12, tint="ink_faint", wraps=True)
        scroll.add(self.table)
        scroll.add(self.note)
        self.own_window = LinkButton("Use the full window")
        self.own_window.clicked.connect(self.own_window_requested)
        self.own_window.hide()
        scroll.add(self.own_window)
        self.totals = TotalsCard()
        scroll.add(self.totals)
        scroll.column.setContentsMargins(0, 0, 12, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(scroll)

    def set_gauge(self, gauge: Gauge | None) -> None:
        """Shows a gauge; None while the tokens are being counted."""
        self.table.set_lines(lines_of(gauge) if gauge else [])
        self.own_window.setVisible(gauge is not None and bool(gauge.stated_window))
        if gauge is None:
            self.note.set_text("Counting…")
            return
        by = f" by {gauge.tokenizer}" if gauge.tokenizer else ""
        note = BASIS_SENTENCES[gauge.provenance].format(by=by)
        if not gauge.is_window_known:
            self.note.set_text(f"{note} The model’s window is not known yet: shares are of the request.")
            return
        if gauge.window_provenance is Provenance.ASSUMED:
            note += " The size of the context window is assumed: the server did not report it."
        elif gauge.stated_window:
            stated = format_number(gauge.stated_window)
            note += f" The size of the context window was learned from the server; the model is said to take {stated}."
        self.note.set_text(f"{note} Percentages are of the whole context window.")
