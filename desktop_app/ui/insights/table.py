"""A table of figures: a name in each row, and columns of numbers."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.ui.widgets.accessibility import Role, WithRole
from desktop_app.ui.widgets.accessible_lines import AccessibleLine, AccessibleLines
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.look import BOLD, Corner, StyleAware, colour, font, in_reading_order, paint_box, scale
from desktop_app.ui.widgets.text_label import TextLabel

from .figures import FigureRow

ROW, GAP, SQUARE = 28, 16, 9  # pixels: a row's height, between two columns, a row's square
MIN_NAME = 64  # pixels of a name that are left in a narrow window


class FigureTable(WithRole, StyleAware, QWidget):
    """Paints the rows; the name gives way where there is little room."""

    accessible_role = Role.List

    def __init__(self, headings: Sequence[str]) -> None:
        super().__init__()
        self.headings = tuple(headings)
        self.rows: list[FigureRow] = []
        self._accessible_lines = AccessibleLines(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_rows(self, rows: Sequence[FigureRow], headings: Sequence[str] = ()) -> None:
        """Show other rows, and other headings if there are any."""
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
            if left >= scale(MIN_NAME) - scale(GAP):  # else there is no room for this column
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
        shown, metrics = font(13), QFontMetricsF(font(13))
        end = next((edge for edge in edges if edge >= scale(MIN_NAME) - scale(GAP)), float(self.width()))
        painter.setFont(shown)
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
        """Show other rows. note: a line below them."""
        self.table.show_rows(rows, headings)
        self.note.set_text(note)
        self.note.setVisible(bool(note))
        self.setVisible(bool(rows))
