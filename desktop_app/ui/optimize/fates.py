"""What goes and what stays, a line each; the lines that name messages unfold."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.conversation.gauge import Segment
from desktop_app.engine.protocol import Plan, PlanItem
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.ink import InkLabel, Run
from desktop_app.ui.widgets.look import colour, paint_box, scaled
from desktop_app.ui.widgets.row_list import Row, RowList
from desktop_app.ui.widgets.words import counted, first_line, thousands

ROW, MOST_ROWS = 28, 6  # pixels of an unfolded row; rows that show without scrolling


class Square(QWidget):
    """The colour of a segment."""

    def __init__(self, segment: Segment) -> None:
        super().__init__()
        self._segment = segment
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Small."""
        return QSize(scaled(9), scaled(9))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints it."""
        paint_box(QPainter(self), QRectF(self.rect()), colour(self._segment), None, 2)


class Fate(QWidget):
    """One line: what, how many tokens, and the messages that it means."""

    def __init__(self, segment: Segment, text: str, figure: str, items: Sequence[PlanItem] = ()) -> None:
        super().__init__()
        self._items = items
        self.list: RowList | None = None
        self.show_items = LinkButton("show", parent=self)
        self.show_items.setAccessibleName(f"show: {text}")
        self.label = InkLabel(text, size=13)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addStrut(scaled(23))
        line.addWidget(Square(segment))
        line.addWidget(self.label)
        line.addWidget(self.show_items)
        self.show_items.setVisible(self.has_items)
        line.addStretch(1)
        amount = InkLabel(figure, size=13, tint="ink_soft")
        amount.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)  # a number is never cut
        line.addWidget(amount)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._column.addLayout(line)
        self.show_items.clicked.connect(self.toggle)

    @property
    def has_items(self) -> bool:
        """Whether there is something to unfold."""
        return bool(self._items)

    def toggle(self) -> None:
        """Unfolds the messages, or folds them."""
        if self.list is None:
            self.list = RowList(has_body=False)
            self.list.setAccessibleName(self.label.text())
            self.list.rows.replace([_row(item) for item in self._items])
            self.list.setFixedHeight(min(len(self._items), MOST_ROWS) * scaled(ROW) + 2)
            self._column.addWidget(self.list)
            self.list.show()
        else:
            self.list.setVisible(self.list.isHidden())
        self.show_items.setText("show" if self.list.isHidden() else "hide")


def _row(item: PlanItem) -> Row:
    after = f" → {thousands(item.tokens_after)}" if item.tokens_after else ""
    body = (Run(first_line(item.text)),)
    return Row(item.message_id, item.speaker, f"{thousands(item.tokens_before)}{after}", body)


class Fates(QWidget):
    """The lines of a plan."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fates: list[Fate] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(5)

    def set_plan(self, plan: Plan) -> None:
        """Shows a plan's lines; what was unfolded stays so."""
        unfolded = {place for place, fate in enumerate(self.fates) if fate.list and not fate.list.isHidden()}
        for fate in self.fates:
            self._column.removeWidget(fate)
            fate.hide()
            fate.deleteLater()
        self.fates = _fates_of(plan)
        for place, fate in enumerate(self.fates):
            self._column.addWidget(fate)
            if place in unfolded and fate.has_items:
                fate.toggle()


def _fates_of(plan: Plan) -> list[Fate]:
    fates: list[Fate] = []
    if plan.pruned:
        text = f"{counted(len(plan.pruned), 'old tool result')} pruned"
        fates.append(Fate(Segment.RESULTS, text, thousands(-plan.tokens_freed_by_prune), plan.pruned))
    if plan.archived:
        text = f"{counted(len(plan.archived), 'message')} archived behind a summary"
        fates.append(Fate(Segment.SUMMARY, text, thousands(-plan.tokens_freed_by_compaction), plan.archived))
    if plan.kept:
        stays = "message stays as it is" if plan.kept == 1 else f"{thousands(plan.kept)} messages stay as they are"
        fates.append(Fate(Segment.USER, f"The last {stays}", "kept"))
    kept = [counted(plan.pins, "pin")] if plan.pins else []
    kept += [counted(plan.rules, "rule")] if plan.rules else []
    if kept:
        stay = "stays" if plan.pins + plan.rules == 1 else "stay"
        fates.append(Fate(Segment.PINNED, f"{' and '.join(kept)} {stay} word for word", "kept"))
    return fates
