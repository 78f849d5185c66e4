"""The page of insights: figures in cards, the window over time, and tables."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import InsightsRead
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.accessibility import AccessibleLine, AccessibleLines, Role, WithRole
from desktop_app.ui.widgets.boxes import Card, Panel, SteadyColumn
from desktop_app.ui.widgets.buttons import Button, ButtonKind, LinkButton
from desktop_app.ui.widgets.inputs import Segmented
from desktop_app.ui.widgets.layouts import TileLayout, horizontal, vertical
from desktop_app.ui.widgets.look import BOLD, Corner, StyleAware, colour, font, in_reading_order, paint_box, scale
from desktop_app.ui.widgets.text_label import TextLabel

from .chart import WindowChart
from .figures import (
    MAX_DAYS,
    Figure,
    FigureRow,
    content_rows,
    day_rows,
    figures_of,
    model_rows,
    provider_rows,
    range_of,
)

ROW, GAP, SQUARE = 28, 16, 9  # pixels: a row's height, between two columns, a row's square
MIN_NAME = 64  # minimum width of a name in a narrow window, in pixels


class FigureTable(WithRole, StyleAware, QWidget):
    """A table that paints its rows; where space is short, names are elided, then columns are left out."""

    accessible_role = Role.List

    def __init__(self, headings: Sequence[str]) -> None:
        super().__init__()
        self.headings = tuple(headings)
        self.rows: list[FigureRow] = []
        self._accessible_lines = AccessibleLines(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_rows(self, rows: Sequence[FigureRow], headings: Sequence[str] = ()) -> None:
        """Replace the rows, and the headings if given."""
        self.rows = list(rows)
        self.headings = tuple(headings) or self.headings
        self.setAccessibleDescription("; ".join(self._spoken(row) for row in rows))
        self.updateGeometry()
        self.update()
        self._show_accessible_lines()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._show_accessible_lines()

    def sizeHint(self) -> QSize:
        return QSize(260, scale(ROW) * (len(self.rows) + 1))

    def minimumSizeHint(self) -> QSize:
        return QSize(160, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, height = QPainter(self), scale(ROW)
        edges = self._edges()
        self._paint_cells(painter, 0, self.headings, edges, "ink_faint")
        for number, row in enumerate(self.rows, 1):
            painter.setPen(QPen(colour("line_soft"), 1))
            painter.drawLine(QPointF(0, number * height + 0.5), QPointF(self.width(), number * height + 0.5))
            self._paint_name(painter, number * height, row, edges)
            self._paint_cells(painter, number * height, row.cells, edges, "ink")

    def _spoken(self, row: FigureRow) -> str:
        cells = ", ".join(f"{cell} {heading}" for cell, heading in zip(row.cells, self.headings, strict=False))
        return f"{row.name} {row.note}".strip() + f": {cells}"

    def _show_accessible_lines(self) -> None:
        height = scale(ROW)
        boxes = (QRect(0, (number + 1) * height, self.width(), height) for number in range(len(self.rows)))
        lines = zip(self.rows, boxes, strict=False)
        self._accessible_lines.show_lines(
            [AccessibleLine(f"{number}", self._spoken(row), box) for number, (row, box) in enumerate(lines)]
        )

    def _edges(self) -> list[float]:
        """Return the left edge of each column of numbers, then the right one of the last."""
        metrics, edges = QFontMetricsF(font(13)), [float(self.width())]
        for column in range(len(self.headings) - 1, -1, -1):
            texts = [self.headings[column], *(row.cells[column] for row in self.rows)]
            edges.append(edges[-1] - max(map(metrics.horizontalAdvance, texts)) - scale(GAP))
        return edges[::-1]

    def _paint_cells(self, painter: QPainter, y: float, cells: Sequence[str], edges: list[float], tint: str) -> None:
        painter.setFont(font(13))
        painter.setPen(colour("ink" if tint == "ink" else "ink_faint"))
        for cell, left, right in zip(cells, edges, edges[1:], strict=False):
            if left >= scale(MIN_NAME) - scale(GAP):  # otherwise there is no space for this column
                box = QRectF(left, y, right - left, scale(ROW))
                painter.drawText(
                    in_reading_order(painter, QRectF(self.rect()), box),
                    Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                    cell,
                )

    def _paint_name(self, painter: QPainter, y: float, row: FigureRow, edges: list[float]) -> None:
        left, side = 0.0, scale(SQUARE)
        if row.square is not None:
            square = QRectF(0, y + (scale(ROW) - side) / 2, side, side)
            square = in_reading_order(painter, QRectF(self.rect()), square)
            paint_box(painter, square, colour(row.square), None, Corner.MARK)
            left = side + 8.0
        look, metrics = font(13), QFontMetricsF(font(13))
        end = next((edge for edge in edges if edge >= scale(MIN_NAME) - scale(GAP)), float(self.width()))
        painter.setFont(look)
        for text, tint in ((row.name, colour("ink")), (row.note, colour("ink_faint"))):
            room = end - left
            if text and room > scale(16):
                text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
                painter.setPen(tint)
                box = in_reading_order(painter, QRectF(self.rect()), QRectF(left, y, room, scale(ROW)))
                painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
                left += metrics.horizontalAdvance(f"{text} ")


class TableCard(Card):
    """A table under its title; hidden while it is empty."""

    def __init__(self, title: str, headings: Sequence[str]) -> None:
        super().__init__()
        self.table = FigureTable(headings)
        self.table.setAccessibleName(title)
        self.note = TextLabel(size=12, tint="ink_faint", wraps=True)
        self.note.hide()
        self.column.addWidget(TextLabel(title, size=13, weight=BOLD))
        self.column.addWidget(self.table)
        self.column.addWidget(self.note)
        self.column.addStretch(1)

    def show_rows(self, rows: Sequence[FigureRow], headings: Sequence[str] = (), note: str = "") -> None:
        """Replace the rows. note: a line below them; "" for none."""
        self.table.show_rows(rows, headings)
        self.note.set_text(note)
        self.note.setVisible(bool(note))
        self.setVisible(bool(rows))


SCOPES = (
    ("one", translatable("This conversation")),
    ("project", translatable("Project")),
    ("all", translatable("Everything")),
)
CONTENTS = (translatable("tokens in"), translatable("share"), translatable("now"))
CHARACTERS = translatable("characters in")
USAGE = (
    translatable("requests"),
    translatable("read"),
    translatable("cached"),
    translatable("written"),
    translatable("cost"),
)
DAYS = (*USAGE[:2], *USAGE[3:], translatable("operations"), translatable("freed"), translatable("truncated"))
EMPTY = translatable(
    "No reply yet.\n\nOnce a model has answered, this page shows what filled the window, what was freed, and what that "
    "cost."
)
ESTIMATED = translatable("Estimated: no provider has reported tokens in this conversation.")
POINT_HINT = translatable("Point at the curve, or use the arrow keys, for the figures of a reply.")
TITLES = (
    translatable("Tokens freed"),
    translatable("Facts kept in context"),
    translatable("Average size"),
    translatable("Cost"),
    translatable("Read from the cache"),
    translatable("Time waited for room"),
)


class FigureCard(Card):
    """One large figure with its details."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.value = TextLabel(size=22, weight=BOLD)
        self.detail = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.column.setSpacing(2)
        self.column.addWidget(TextLabel(title, size=12, tint="ink_soft"))
        self.column.addWidget(self.value)
        self.column.addWidget(self.detail)
        self.column.addStretch(1)

    def show_figure(self, figure: Figure) -> None:
        self.value.set_text(figure.value)
        self.detail.set_text(figure.detail)
        self.setAccessibleName(f"{figure.title}: {figure.value}")
        self.setAccessibleDescription(figure.detail)


class InsightsPage(Panel):
    """Signals: scope_changed; export_requested; cancel_requested, while all conversations are read; closed."""

    scope_changed = Signal()
    export_requested = Signal()
    cancel_requested = Signal()
    closed = Signal()

    def __init__(self) -> None:
        super().__init__("paper")
        self.scope = Segmented([(scope, tr(label)) for scope, label in SCOPES])
        self.range = TextLabel(size=13, tint="ink_soft")
        self.export = Button(tr("Export CSV"))
        self.close_button = Button(tr("Close"), ButtonKind.QUIET)
        self.close_button.setToolTip(tr("Back to the conversation (Esc)"))
        self.status = TextLabel(size=13, tint="ink_soft", wraps=True)
        self.cancel = LinkButton(tr("Cancel"))
        self.empty = TextLabel(tr(EMPTY), size=14, tint="ink_soft", wraps=True)
        self.cards = [FigureCard(tr(title)) for title in TITLES]
        self.chart = WindowChart()
        self.pointed = TextLabel(tr(POINT_HINT), size=12, tint="ink_soft")
        self.source = TextLabel(tr(ESTIMATED), size=12, tint="ink_faint", wraps=True)
        self.contents = TableCard(tr("What filled it"), [tr(heading) for heading in CONTENTS])
        self.models = TableCard(tr("By model"), [tr(heading) for heading in USAGE])
        self.providers = TableCard(tr("By provider"), [tr(heading) for heading in USAGE])
        self.days = TableCard(tr("By day"), [tr(heading) for heading in DAYS])
        self._lay_out()
        self._connect()
        self.setAccessibleName(tr("Insights"))

    @property
    def is_one(self) -> bool:
        """Whether one conversation is shown."""
        return self.scope.value() == "one"

    def offer_project(self, is_offered: bool) -> None:
        """Offer the project as a scope; if it is not offered but chosen, choose the conversation instead."""
        self.scope.button("project").setVisible(is_offered)
        if not is_offered and self.scope.value() == "project":
            self.scope.choose("one")

    def show_reading(self) -> None:
        """Show that figures are being read; the current ones stay until then."""
        self.say(tr("Reading…") if self.is_one else tr("Reading all conversations…"))
        self.cancel.setVisible(not self.is_one)
        self.export.setEnabled(False)

    def say(self, text: str) -> None:
        """Show a line below the head; "" for none."""
        self.status.set_text(text)
        self.status.setVisible(bool(text))
        self.cancel.hide()

    def show_insights(self, read: InsightsRead) -> None:
        insights = read.insights
        is_empty = not (insights.days or insights.moments)
        self.say("")
        self.export.setEnabled(not is_empty)
        self.empty.setVisible(is_empty)
        self.content.setVisible(not is_empty)
        count = [] if self.is_one else [tr("%n conversations", "", insights.conversations)]
        self.range.set_text("" if is_empty else " · ".join((*count, range_of(insights))))
        if is_empty:
            return
        for card, figure in zip(self.cards, figures_of(read), strict=True):
            card.show_figure(figure)
        self.curve.setVisible(self.is_one)
        self.chart.show_insights(insights, read.gauge)
        self.source.setVisible(not any(moment.is_measured for moment in insights.moments))
        self._show_contents(read)
        self.servers.setVisible(bool(insights.usage))
        self.models.show_rows(model_rows(insights))
        self.providers.show_rows(provider_rows(insights))
        earlier = len(insights.days) - MAX_DAYS
        note = tr("%n earlier days in the CSV", "", earlier) if earlier > 0 else ""
        self.days.show_rows(day_rows(insights), note=note)

    def _show_contents(self, read: InsightsRead) -> None:
        headings = CONTENTS if read.insights.is_counted else (CHARACTERS, *CONTENTS[1:])
        texts = [tr(heading) for heading in headings[: None if read.gauge else -1]]
        note = tr("In characters: tokens are counted for one conversation at a time.")
        rows = content_rows(read.insights, read.gauge)
        self.contents.show_rows(rows, texts, "" if read.insights.is_counted else note)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def _lay_out(self) -> None:
        self.curve = Card()
        title = TextLabel(tr("The window over time"), size=13, weight=BOLD)
        self.curve.column.addWidget(title)
        self.curve.column.addWidget(self.pointed)
        self.curve.column.addWidget(self.chart)
        self.curve.column.addWidget(self.source)
        self.content = QWidget()
        cards = TileLayout(*self.cards, min_width=140)
        self.servers = QWidget()
        vertical(self.models, (self.providers, 1), holder=self.servers, spacing=12)
        tables = TileLayout(self.contents, self.servers, min_width=430)
        vertical(cards, self.curve, tables, self.days, holder=self.content, spacing=12, margins=(0, 0, 0, 18))
        heading = TextLabel(tr("Insights"), size=17, weight=BOLD)
        self.scope.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        actions = horizontal((heading, 1), self.export, self.close_button, spacing=8)
        below = horizontal(self.scope, (self.range, 1), spacing=14)
        status = horizontal((self.status, 1), self.cancel, spacing=12)
        head = vertical(actions, below, status, margins=(0, 0, 16, 0), spacing=10)
        self.area = SteadyColumn(spacing=10)
        self.area.add(self.empty)
        self.area.add(self.content)
        vertical(head, (self.area, 1), holder=self, spacing=12, margins=(28, 18, 12, 0))
        for widget in (self.status, self.cancel, self.empty, self.content):
            widget.hide()

    def _connect(self) -> None:
        self.scope.chosen.connect(lambda _: self.scope_changed.emit())
        self.export.clicked.connect(lambda _=False: self.export_requested.emit())
        self.cancel.clicked.connect(lambda _=False: self.cancel_requested.emit())
        self.close_button.clicked.connect(lambda _=False: self.closed.emit())
        self.chart.pointed.connect(lambda text: self.pointed.set_text(text or tr(POINT_HINT)))
