"""The summary of a plan, to be read and edited."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from desktop_app.engine.protocol import Writer
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.formats import pluralize
from desktop_app.ui.widgets.look import MEDIUM
from desktop_app.ui.widgets.text_area import TextArea
from desktop_app.ui.widgets.text_label import Run, TextLabel

from .unwritten import Unwritten

PAUSE = 400  # milliseconds from the last key to the check
NO_SUMMARY = "Nothing is archived, so there is nothing to summarize."


class SummaryEditor(QWidget):
    """Keeps what the user wrote: a summary that a new plan suggests does not replace it, but can be taken."""

    edited = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._suggested = ""
        self._told = ""
        self.heading = TextLabel(size=13)
        self.take = LinkButton("Use the new summary")
        self.again = LinkButton("Write again")
        self.take.setToolTip("The plan has changed; your own text is kept until you replace it")
        self.area = TextArea(size=13)
        self.area.setAccessibleName("Summary, editable")
        self.area.setPlaceholderText(NO_SUMMARY)
        self._pause = QTimer(self, interval=PAUSE, singleShot=True)
        head = QHBoxLayout()
        head.addStrut(self.take.sizeHint().height())  # the links come and go, and the field stays
        head.addWidget(self.heading, 1)
        head.setSpacing(12)
        head.addWidget(self.take)
        head.addWidget(self.again)
        card = Card()
        card.column.setContentsMargins(12, 10, 6, 10)
        self.unwritten = Unwritten()
        self.pages = QStackedWidget()
        self.pages.addWidget(self.area)
        self.pages.addWidget(self.unwritten)
        card.column.addWidget(self.pages)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(card, 1)
        self.area.textChanged.connect(self._change)
        self._pause.timeout.connect(self._emit)
        self.take.clicked.connect(self._take_suggested)
        self.again.clicked.connect(lambda _=False: self.unwritten.write_requested.emit())
        self.take.hide()
        self.again.hide()

    def text(self) -> str:
        """The summary as it stands in the field."""
        return self.area.toPlainText()

    def expect(self, writer: Writer) -> None:
        """There is no summary yet: that model can be asked for one."""
        self._pause.stop()
        self.take.hide()
        self.again.hide()
        self._suggested = self._told = ""
        self._set_text("")
        self.unwritten.set_writer(writer)
        self.pages.setCurrentWidget(self.unwritten)
        self.heading.set_runs([Run("Summary", weight=MEDIUM)])

    def set_writing(self, is_writing: bool) -> None:
        """Whether a model is writing; what stands in the field is shown again at the end, if there is anything."""
        if is_writing:
            self.pages.setCurrentWidget(self.unwritten)
        self.unwritten.set_writing(is_writing)
        self.again.setEnabled(not is_writing)
        if not is_writing and self.text():
            self.pages.setCurrentWidget(self.area)

    def is_edited(self) -> bool:
        """Whether it is not the one that the plan suggested."""
        return self.text() != self._suggested

    def is_waiting(self) -> bool:
        """Whether the user is still typing."""
        return self._pause.isActive()

    def suggest(self, summary: str, tokens: int) -> None:
        """A plan's summary. What the user wrote stays, and is checked against the new plan."""
        self.pages.setCurrentWidget(self.area)
        is_answer = summary == self._told and self._told != ""
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
        self._tell(tokens if self.text() == summary else None)

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
        self._tell(None)
        self._pause.start()

    def _emit(self) -> None:
        self._pause.stop()
        self._told = self.text()
        self.edited.emit(self._told)

    def _tell(self, tokens: int | None) -> None:
        """tokens None: the text has changed since it was counted."""
        runs = [Run("Summary", weight=MEDIUM)]
        if self.text():
            counted_words = "measuring…" if tokens is None else pluralize(tokens, "token")
            runs.append(Run(f" · {counted_words} · you can edit it", "ink_faint"))
        self.heading.set_runs(runs)
