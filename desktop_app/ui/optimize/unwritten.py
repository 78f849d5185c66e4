"""The place of a summary that a model has not written yet: what it will take, how far it is, and a way to end it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.conversation.gauge import Segment
from desktop_app.engine.protocol import Writer
from desktop_app.ui.widgets.bars import BarPart, SegmentBar
from desktop_app.ui.widgets.buttons import Button, ButtonKind, LinkButton
from desktop_app.ui.widgets.formats import format_number
from desktop_app.ui.widgets.look import MEDIUM
from desktop_app.ui.widgets.text_label import TextLabel

from .strategy_choice import cost_words

WAITING = "Nothing is sent until you choose Write summary."
WIDTH = 300  # pixels of the progress bar, at most


class Unwritten(QWidget):
    """Offers to have the summary written. write_requested() and cancel_requested() are wishes."""

    write_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = TextLabel("No summary yet", weight=MEDIUM)
        self.cost = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.waiting = TextLabel(WAITING, size=12, tint="ink_faint", wraps=True)
        self.write = Button("Write summary", ButtonKind.PRIMARY)
        self.bar = SegmentBar(8)
        self.bar.setAccessibleName("Progress of the summary")
        self.bar.setMaximumWidth(WIDTH)
        self.told = TextLabel(size=12, tint="ink_soft")
        self.cancel = LinkButton("Stop writing")
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 22, 12)
        column.setSpacing(8)
        column.addStretch(1)
        for widget in (self.title, self.cost, self.waiting, self.bar):
            column.addWidget(widget)
        line = QHBoxLayout()
        line.setSpacing(12)
        line.addWidget(self.told)
        line.addWidget(self.cancel)
        line.addStretch(1)
        column.addLayout(line)
        column.addSpacing(4)
        column.addWidget(self.write, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(2)
        self.write.clicked.connect(lambda _=False: self.write_requested.emit())
        self.cancel.clicked.connect(lambda _=False: self.cancel_requested.emit())
        self.set_writing(False)

    def set_writer(self, writer: Writer) -> None:
        """Who would write it, and what that takes."""
        self.cost.set_text(writer.refusal or cost_words(writer) + ".")
        self.write.setEnabled(not writer.refusal)

    def set_writing(self, is_writing: bool) -> None:
        """Whether it is being written."""
        self.title.set_text("Writing the summary…" if is_writing else "No summary yet")
        shown, hidden = (self.bar, self.told, self.cancel), (self.write, self.waiting)
        for widget in shown if is_writing else hidden:
            widget.show()
        if self.isVisible():
            (self.cancel if is_writing else self.write).setFocus(Qt.FocusReason.OtherFocusReason)
        for widget in hidden if is_writing else shown:
            widget.hide()
        self.bar.set_parts((), 1)
        self.told.set_text("reading…")

    def set_progress(self, tokens: int, most: int) -> None:
        """Tokens that were written, of so many at most."""
        self.bar.set_parts((BarPart(tokens, Segment.SUMMARY, f"{format_number(tokens)} tokens written"),), max(most, 1))
        self.told.set_text(f"{format_number(tokens)} of at most {format_number(most)} tokens" if tokens else "reading…")
