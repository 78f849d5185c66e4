"""The summary of a plan: edited, or not written yet."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import Writer
from desktop_app.ui.engine_texts import tr_engine
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.bars import BarPart, SegmentBar
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import Button, ButtonKind, LinkButton
from desktop_app.ui.widgets.formats import format_number
from desktop_app.ui.widgets.layouts import STRETCH, horizontal, set_margins, vertical
from desktop_app.ui.widgets.look import MEDIUM
from desktop_app.ui.widgets.text_area import TextArea
from desktop_app.ui.widgets.text_label import Run, TextLabel

from .strategy_choice import cost_text

WAITING = translatable("Nothing is sent until you choose Write summary.")
WIDTH = 300  # pixels of the progress bar, at most


class UnwrittenSummary(QWidget):
    """The place of a summary that a model has not written yet: its cost, its progress, and a way to stop it."""

    write_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = TextLabel(tr("No summary yet"), weight=MEDIUM)
        self.cost = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.waiting = TextLabel(tr(WAITING), size=12, tint="ink_faint", wraps=True)
        self.write = Button(tr("Write summary"), ButtonKind.PRIMARY)
        self.bar = SegmentBar(8)
        self.bar.setAccessibleName(tr("Progress of the summary"))
        self.bar.setMaximumWidth(WIDTH)
        self.progress = TextLabel(size=12, tint="ink_soft")
        self.cancel = LinkButton(tr("Stop writing"))
        above = (self.title, self.cost, self.waiting, self.bar)
        line = horizontal(self.progress, self.cancel, STRETCH, spacing=12)
        column = vertical(STRETCH, *above, line, holder=self, margins=(16, 12, 22, 12), spacing=8)
        column.addSpacing(4)
        column.addWidget(self.write, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(2)
        self.write.clicked.connect(lambda _=False: self.write_requested.emit())
        self.cancel.clicked.connect(lambda _=False: self.cancel_requested.emit())
        self.set_writing(False)

    def set_writer(self, writer: Writer) -> None:
        self.cost.set_text(tr_engine(writer.refusal) or cost_text(writer) + ".")
        self.write.setEnabled(not writer.refusal)

    def set_writing(self, is_writing: bool) -> None:
        self.title.set_text(tr("Writing the summary…") if is_writing else tr("No summary yet"))
        shown, hidden = (self.bar, self.progress, self.cancel), (self.write, self.waiting)
        for widget in shown if is_writing else hidden:
            widget.show()
        if self.isVisible():
            (self.cancel if is_writing else self.write).setFocus(Qt.FocusReason.OtherFocusReason)
        for widget in hidden if is_writing else shown:
            widget.hide()
        self.bar.set_parts((), 1)
        self.progress.set_text(tr("reading…"))

    def set_progress(self, tokens: int, most: int) -> None:
        """Show the tokens written, of so many at most."""
        written = tr("{tokens} tokens written").format(tokens=format_number(tokens))
        self.bar.set_parts((BarPart(tokens, Segment.SUMMARY, written),), max(most, 1))
        progress = tr("{tokens} of at most {most} tokens") if tokens else tr("reading…")
        self.progress.set_text(progress.format(tokens=format_number(tokens), most=format_number(most)))


PAUSE = 400  # milliseconds from the last key to the check


class SummaryEditor(QWidget):
    """The text of a summary. What the user wrote stays until the user takes the new plan's."""

    edited = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._suggested = ""
        self._checked = ""
        self.heading = TextLabel(size=13)
        self.take = LinkButton(tr("Use the new summary"))
        self.again = LinkButton(tr("Write again"))
        self.take.setToolTip(tr("The plan has changed; your own text is kept until you replace it"))
        self.area = TextArea(size=13)
        self.area.setAccessibleName(tr("Summary, editable"))
        self._pause = QTimer(self, interval=PAUSE, singleShot=True)
        head = horizontal((self.heading, 1), self.take, self.again, spacing=12)
        head.addStrut(self.take.sizeHint().height())  # the links come and go, and the field stays
        card = Card()
        set_margins(card.column, 12, 10, 6, 10)
        self.unwritten = UnwrittenSummary()
        self.pages = QStackedWidget()
        self.pages.addWidget(self.area)
        self.pages.addWidget(self.unwritten)
        card.column.addWidget(self.pages)
        vertical(head, (card, 1), holder=self, spacing=6)
        self.area.textChanged.connect(self._change)
        self._pause.timeout.connect(self._emit)
        self.take.clicked.connect(self._take_suggested)
        self.again.clicked.connect(lambda _=False: self.unwritten.write_requested.emit())
        self.take.hide()
        self.again.hide()

    def text(self) -> str:
        return self.area.toPlainText()

    def expect(self, writer: Writer) -> None:
        """Show that there is no summary yet, and that the model can be asked for one."""
        self._pause.stop()
        self.take.hide()
        self.again.hide()
        self._suggested = self._checked = ""
        self._set_text("")
        self.unwritten.set_writer(writer)
        self.pages.setCurrentWidget(self.unwritten)
        self.heading.set_runs([Run(tr("Summary"), weight=MEDIUM)])

    def restore(self, text: str) -> None:
        """Show a text that was left for another plan, until it is measured again."""
        self._pause.stop()
        self.take.hide()
        self._suggested, self._checked = "", text
        self._set_text(text)
        self.pages.setCurrentWidget(self.area)

    def set_writing(self, is_writing: bool) -> None:
        """Show that a model is writing; afterwards, show the text again if there is any."""
        if is_writing:
            self.pages.setCurrentWidget(self.unwritten)
        self.unwritten.set_writing(is_writing)
        self.again.setEnabled(not is_writing)
        if not is_writing and self.text():
            self.pages.setCurrentWidget(self.area)

    def is_edited(self) -> bool:
        return self.text() != self._suggested

    def is_waiting(self) -> bool:
        return self._pause.isActive()

    def suggest(self, summary: str, tokens: int) -> None:
        """Take a plan's summary. What the user wrote stays, and is checked against the new plan."""
        self.pages.setCurrentWidget(self.area)
        is_answer = summary == self._checked and self._checked != ""
        was_edited = self.is_edited()
        if is_answer and was_edited:
            pass  # the user's own text came back, measured
        elif was_edited:
            self._suggested = summary
            self.take.setVisible(self.is_edited())
            self._pause.start()
        else:
            self._suggested = summary
            self._set_text(summary)
        self.area.setReadOnly(not self._suggested and not self.text())
        self._show_tokens(tokens if self.text() == summary else None)

    def _set_text(self, text: str) -> None:
        if self.text() != text:
            self.area.blockSignals(True)
            self.area.setPlainText(text)
            self.area.blockSignals(False)

    def _take_suggested(self) -> None:
        self.take.hide()
        self._set_text(self._suggested)
        self._emit()

    def _change(self) -> None:
        self._show_tokens(None)
        self._pause.start()

    def _emit(self) -> None:
        self._pause.stop()
        self._checked = self.text()
        self.edited.emit(self._checked)

    def _show_tokens(self, tokens: int | None) -> None:
        """Show the number of tokens; None: the text has changed since it was counted."""
        runs = [Run(tr("Summary"), weight=MEDIUM)]
        if self.text():
            words = (tr("measuring…") if tokens is None else tr("%n tokens", "", tokens), tr("you can edit it"))
            runs.append(Run("".join(f" · {one}" for one in words), "ink_faint"))
        self.heading.set_runs(runs)
