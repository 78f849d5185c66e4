"""Now and after: two bars on one scale, the window."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QWidget

from desktop_app.conversation.gauge import Gauge
from desktop_app.ui.widgets.bars import SegmentBar, segment_parts
from desktop_app.ui.widgets.formats import format_number
from desktop_app.ui.widgets.look import BOLD, scaled
from desktop_app.ui.widgets.text_label import Run, TextLabel


class Comparison(QWidget):
    """The request as it is, and as it would be."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        self.bars: list[SegmentBar] = []
        self.figures: list[TextLabel] = []
        for line, name in enumerate(("Now", "After")):
            bar, figure = SegmentBar(14), TextLabel(size=13, tint="ink_soft")
            bar.setAccessibleName(name)
            grid.addWidget(TextLabel(name, size=13), line, 0)
            grid.addWidget(bar, line, 1)
            grid.addWidget(figure, line, 2)
            self.bars.append(bar)
            self.figures.append(figure)
        grid.setColumnMinimumWidth(2, scaled(236))  # of the longest words, so that the bars keep their length

    def compare(self, before: Gauge, after: Gauge, is_bound: bool = False) -> None:
        """Shows the two. is_bound: the one after is the most that it can be, not what it will be."""
        for bar, gauge in zip(self.bars, (before, after), strict=True):
            bar.set_parts(segment_parts(gauge), before.window or before.total)
        self.figures[0].set_runs((Run(format_number(before.total), "ink", BOLD), Run(" tokens")))
        change = round((after.total - before.total) / before.total * 100) if before.total else 0
        change = max(change, -99) if after.total else change  # something is left
        changed = f" tokens · {'+' if change > 0 else ''}{format_number(change)} %" if change else " tokens"
        figure = Run(format_number(after.total), "ink", BOLD)
        self.figures[1].set_runs((Run("at most "), figure, Run(changed)) if is_bound else (figure, Run(changed)))
