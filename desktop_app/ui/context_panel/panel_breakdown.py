"""The breakdown of the context window: a table that adds up to it, the largest parts, and the conversation's costs.

Shares are relative to the usable window. Each large part has links that help to make it smaller.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.conversation.gauge import Gauge, PartKind, Provenance, Segment, SentPart
from desktop_app.conversation.message import Totals, Usage
from desktop_app.ui.request_view.part_rows import KINDS, PartAction, actions_of, title_of
from desktop_app.ui.theme import SEGMENT_NAMES
from desktop_app.ui.transcript.row_text import clock_time
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.accessibility import AccessibleLine, AccessibleLines, Role, WithRole
from desktop_app.ui.widgets.bars import DRAFT_BLEND, basis_sentence
from desktop_app.ui.widgets.boxes import Card, ScrollColumn, Swatch, keep_focus_in
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.layouts import STRETCH, discard, horizontal, set_margins, vertical
from desktop_app.ui.widgets.look import (
    BOLD,
    MEDIUM,
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
from desktop_app.ui.widgets.number_formats import (
    first_line,
    first_line_of_markdown,
    format_dollars,
    format_number,
    format_percent,
    isolate,
    percent_of,
    percentages,
)
from desktop_app.ui.widgets.text_label import Run, TextLabel, fill_runs

from .history import VersionsCard
from .requests import PanelRequests

MOVES = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
ROW, SQUARE, SHARE = 30, 10, 52  # pixels: a row's height, its square, the column of shares


@dataclass(frozen=True)
class TableLine:
    """A line of the table. share: percent of the usable window; None for a line without a share."""

    name: str
    tokens: int
    share: int | None
    square: Tint | Segment | None = None
    tint: Tint = "ink"
    is_sum: bool = False
    is_draft: bool = False

    @property
    def segment(self) -> Segment | None:
        """The segment whose parts a click shows; None for a line that is no segment of the request."""
        return self.square if isinstance(self.square, Segment) and not self.is_draft else None

    @property
    def share_words(self) -> str:
        if self.share is None:
            return ""
        return isolate(tr("{number} %").format(number=self.share) if self.share or not self.tokens else tr("< 1 %"))


def lines_of(gauge: Gauge, has_unused: bool = False, draft: int = 0) -> list[TableLine]:
    """Return the segments, the draft and their sum, then the free tokens and the reserve, which add up to the window.

    Shares are relative to the usable window, as in the gauge; if the window is not known, to the request. has_unused:
    include the empty segments.
    """
    used = [segment for segment in Segment if gauge.segments.get(segment, 0)]
    total = gauge.total + draft
    free = gauge.usable - total
    used_share = percent_of(total, gauge.usable) if gauge.is_window_known else 100
    counts = [*(gauge.segments[segment] for segment in used), *([draft] if draft else [])]
    shares = percentages(counts, used_share)
    lines = [
        TableLine(tr(SEGMENT_NAMES[segment]), gauge.segments[segment], share, segment)
        for segment, share in zip(used, shares, strict=False)
    ]
    if has_unused:
        unused = [segment for segment in Segment if segment not in used]
        lines += [TableLine(tr(SEGMENT_NAMES[segment]), 0, 0, segment, "ink_faint") for segment in unused]
    if draft:
        lines.append(TableLine(tr("Your draft"), draft, shares[-1], Segment.USER, is_draft=True))
    lines.append(TableLine(tr("In the request"), total, used_share, is_sum=True))
    if not gauge.is_window_known:
        return lines
    if free >= 0:
        lines.append(TableLine(tr("Free"), free, 100 - used_share, "free"))
    else:
        lines.append(TableLine(tr("Over the limit"), free, None, "critical", "critical"))
    lines.append(TableLine(tr("Reserved for the reply"), gauge.reserve, None, "hatch"))
    if not gauge.spare:
        return [*lines, TableLine(tr("Window"), gauge.window, None, is_sum=True)]
    lines.append(TableLine(tr("Window limit"), gauge.window, None, is_sum=True))
    return [*lines, TableLine(tr("Window"), gauge.whole_window, None, is_sum=True)]


class BreakdownTable(WithRole, StyleAware, QWidget):
    """The table, with a square, name, tokens and share in each line.

    Signal: segment_chosen(Segment), on a click on its line, or on Enter.
    """

    accessible_role = Role.List
    segment_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines: list[TableLine] = []
        self._accessible_lines = AccessibleLines(self)
        self.current = -1  # the line under the mouse, or selected by the arrow keys; -1 for none
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
        """Let a screen reader find each line, and press the ones that can be clicked."""
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
        self._go_to(max(self.current, 0))  # make the keyboard focus visible

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
        """Return the segments, whose lines are the first ones."""
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
            box = QRectF(0, number * height, self.width(), height)
            if box.toRect().intersects(event.rect()):
                if number == self.current:
                    paint_box(painter, box.adjusted(-4, 2, 4, -2), colour("line_soft"), None, Corner.ROW)
                self._paint_line(painter, box, line)

    def _paint_line(self, painter: QPainter, row: QRectF, line: TableLine) -> None:
        if line.is_sum:
            painter.setPen(QPen(colour("line"), 1))
            painter.drawLine(QPointF(row.left(), row.top() + 0.5), QPointF(row.right(), row.top() + 0.5))
        side = scale(SQUARE)
        if line.square is not None:
            square = in_reading_order(painter, row, QRectF(row.left(), row.center().y() - side / 2, side, side))
            opacity = 0.35 if line.tint == "ink_faint" else 1.0
            fill = mix(line.square, "raised", DRAFT_BLEND) if line.is_draft else colour(line.square, opacity)
            paint_box(painter, square, fill, None, Corner.MARK)
        text_font = font(13, BOLD if line.is_sum else NORMAL)
        painter.setFont(text_font)
        left = row.left() + (0 if line.is_sum else side + 9)
        has_shares = any(other.share is not None for other in self.lines)
        numbers = row.right() - (scale(SHARE) if has_shares else 0)
        tokens = format_number(line.tokens)
        name_width = numbers - QFontMetricsF(text_font).horizontalAdvance(tokens) - 10 - left
        name = QFontMetricsF(text_font).elidedText(line.name, Qt.TextElideMode.ElideRight, name_width)
        painter.setPen(colour(line.tint))
        middle = Qt.AlignmentFlag.AlignVCenter
        text_box = in_reading_order(painter, row, QRectF(left, row.top(), name_width, row.height()))
        painter.drawText(text_box, middle | Qt.AlignmentFlag.AlignLeft, name)
        right = middle | Qt.AlignmentFlag.AlignRight
        text_box = in_reading_order(painter, row, QRectF(left, row.top(), numbers - left, row.height()))
        painter.drawText(text_box, right, tokens)
        painter.setFont(font(13))
        painter.setPen(colour("ink_faint" if line.tint != "critical" else "critical"))
        painter.drawText(row, right, line.share_words)


def name_of(part: SentPart, now: float) -> str:
    """Return a name such as "Tool · bash cargo tree, 09:58"; for a message its role and its beginning."""
    title = title_of(part)
    if part.kind is PartKind.MESSAGE and part.role != "tool":
        begin = first_line_of_markdown if part.role == "assistant" else first_line
        return f"{tr(SEGMENT_NAMES[part.segment])} · {begin(part.text, 60)}"
    if part.segment is Segment.SUMMARY:
        title = tr(SEGMENT_NAMES[part.segment])
    elif part.kind is PartKind.RECALLED:
        title = f"{tr(SEGMENT_NAMES[part.segment])} · {tr(KINDS[part.kind])}"
    return f"{title}, {clock_time(part.at, now)}" if part.at else title


class LargePart(QWidget):
    """A large part of the request: its name and tokens, and links below."""

    def __init__(self, part: SentPart, requests: PanelRequests) -> None:
        super().__init__()
        self.name = TextLabel(name_of(part, time.time()), size=13)
        tokens = TextLabel(format_number(part.tokens), size=13, weight=BOLD)
        head = horizontal(Swatch(part.segment), (self.name, 1), tokens, spacing=8)
        self.links = {action: LinkButton(tr(action.value), size=12) for action in _offered(part)}
        for action, button in self.links.items():
            button.setAccessibleDescription(self.name.text())
            button.clicked.connect(lambda _=False, action=action: requests.part_requested.emit(action, part))
        links = horizontal(*self.links.values(), STRETCH, spacing=14, margins=(17, 0, 0, 0))
        vertical(head, links, holder=self, spacing=2)


class LargestParts(Card):
    """A card with the largest parts of the request; hidden until they are known."""

    def __init__(self, requests: PanelRequests) -> None:
        super().__init__()
        self._requests = requests
        self._parts: tuple[SentPart, ...] = ()
        self.parts: list[LargePart] = []
        self.setAccessibleName(tr("Largest in the request"))
        self.column.addWidget(TextLabel(tr("Largest in the request"), size=13, weight=BOLD))
        self.hide()

    def set_parts(self, parts: Sequence[SentPart]) -> None:
        shown_parts = tuple(part for part in parts if part.kind is not PartKind.FRAME and part.tokens)
        if shown_parts == self._parts:
            return
        self._parts = shown_parts
        with keep_focus_in(self):
            for old in self.parts:
                discard(old)
            self.parts = [LargePart(part, self._requests) for part in shown_parts]
            for new in self.parts:
                self.column.addWidget(new)
        self.setVisible(bool(shown_parts))


def _offered(part: SentPart) -> list[PartAction]:
    return [action for action in actions_of(part) if action is not PartAction.OPEN]


def format_spent(spent: Usage) -> str:
    """Return the usage in one line: "12 requests · 120,300 tokens in, 80 % cached · 4,000 out · $0.12"."""
    if not spent.prompt_tokens and not spent.reply_tokens:
        return tr("%n requests, of which no tokens were reported", "", spent.requests)
    cached = spent.cached_tokens / spent.prompt_tokens if spent.prompt_tokens else 0
    read = tr("{tokens} tokens in, {share} cached") if cached else tr("{tokens} tokens in")
    words = [
        tr("%n requests", "", spent.requests),
        read.format(tokens=format_number(spent.prompt_tokens), share=format_percent(cached)),
        tr("{tokens} out").format(tokens=format_number(spent.reply_tokens)),
    ]
    return " · ".join([*words, *([format_dollars(spent.dollars)] if spent.dollars is not None else [])])


def about_cache(gauge: Gauge) -> Iterator[str]:
    """Yield a sentence about the part of the request that the provider has cached."""
    if gauge.cached and gauge.cached_until:
        words = tr("{tokens} tokens of it are in the provider’s cache until {time}.")
        time_ = clock_time(gauge.cached_until, time.time())
        yield words.format(tokens=format_number(gauge.cached), time=time_)
    elif gauge.cached:
        words = tr("The server has {tokens} tokens of it in its cache.")
        yield words.format(tokens=format_number(gauge.cached))


class TotalsCard(Card):
    """The tokens and dollars used; hidden until a provider has reported usage or there was an operation."""

    def __init__(self) -> None:
        super().__init__()
        self.replies = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.auxiliary_title = TextLabel(
            tr("For summaries, memory, titles and images"), size=12, weight=MEDIUM, wraps=True
        )
        self.auxiliary = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.freed = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.column.addWidget(TextLabel(tr("Used so far"), size=13, weight=BOLD))
        for label in (self.replies, self.auxiliary_title, self.auxiliary, self.freed):
            self.column.addWidget(label)
        self.setAccessibleName(tr("Used so far"))
        self.set_totals(Totals())

    def set_totals(self, totals: Totals) -> None:
        self.replies.set_text(format_spent(totals.replies))
        self.replies.setVisible(totals.replies.requests > 0)
        self.auxiliary.set_text(format_spent(totals.auxiliary))
        for label in (self.auxiliary_title, self.auxiliary):
            label.setVisible(totals.auxiliary.requests > 0)
        freed = Run(format_number(totals.tokens_freed), "ink", BOLD)
        self.freed.set_runs(
            fill_runs(tr("{tokens} tokens freed by %n operations", "", totals.operations), tokens=freed)
        )
        self.freed.setVisible(totals.operations > 0)
        self.setVisible(bool(totals.replies.requests or totals.auxiliary.requests or totals.operations))
        texts = (label.text() for label in (self.replies, self.auxiliary, self.freed) if not label.isHidden())
        self.setAccessibleDescription(". ".join(texts))


class Breakdown(QWidget):
    """The first tab: the table, the provenance of its numbers, the largest parts, and the totals."""

    def __init__(self, requests: PanelRequests) -> None:
        super().__init__()
        scroll = ScrollColumn(self)
        self.table = BreakdownTable()
        self.note = TextLabel(tr("Counting…"), size=12, tint="ink_faint", wraps=True)
        self.unused = LinkButton("", size=12)
        self.unused.setCheckable(True)
        self._gauge: Gauge | None = None
        self._draft = 0
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
        self.insights.setToolTip(tr("What this conversation has used so far (Ctrl+I)"))
        self.insights.clicked.connect(requests.insights_requested)
        scroll.add(self.insights)
        set_margins(scroll.column, 0, 0, 12, 0)
        vertical(scroll, holder=self)

    def set_gauge(self, gauge: Gauge | None) -> None:
        """Show a gauge; None while the tokens are being counted."""
        self._gauge = gauge
        self.table.set_lines(lines_of(gauge, self.unused.isChecked(), self._draft) if gauge else [])
        self._name_unused(gauge)
        self.own_window.setVisible(gauge is not None and bool(gauge.stated_window))
        if gauge is None:
            self.note.set_text(tr("Counting…"))
            return
        self.note.set_text(" ".join((basis_sentence(gauge), *_about_window(gauge), *about_cache(gauge))))

    def refuse(self) -> None:
        """Show that nothing is counted, until there is a gauge again."""
        self.set_gauge(None)
        self.note.set_text(tr("Not counted"))

    def set_draft_tokens(self, tokens: int) -> None:
        """Show a draft as a part of the request, as the gauge does."""
        if tokens != self._draft:
            self._draft = tokens
            self.set_gauge(self._gauge)

    def _name_unused(self, gauge: Gauge | None) -> None:
        """Set the text of the link that shows or hides the empty categories."""
        count = sum(not gauge.segments.get(segment, 0) for segment in Segment) if gauge else 0
        hidden = tr("Show %n empty categories", "", count)
        self.unused.setText(tr("Hide empty categories") if self.unused.isChecked() else hidden)
        self.unused.setVisible(count > 0)
        self.unused.updateGeometry()


def _about_window(gauge: Gauge) -> Iterator[str]:
    """Yield sentences about the source of the window's size and the base of the percentages."""
    if not gauge.is_window_known:
        yield tr("The model’s window is not known yet: shares are of the request.")
        return
    if gauge.window_provenance is Provenance.ASSUMED:
        yield tr("The size of the context window is assumed: the server did not report it.")
    elif gauge.stated_window:
        learned = tr(
            "The size of the context window was learned from the server; the catalogue says {tokens} for this model."
        )
        yield learned.format(tokens=format_number(gauge.stated_window))
    if gauge.spare:
        yield tr(
            "Room is made as if the model’s window ended at the limit of {part} tokens. A request that needs more is "
            "still sent."
        ).format(part=format_number(gauge.window))
        yield tr("Percentages are of the limit without what is reserved for the reply.")
        return
    yield tr("Percentages are of what a request may take: the window without what is reserved for the reply.")
