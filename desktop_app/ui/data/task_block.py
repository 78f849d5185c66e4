"""What is asked before something is done with the data, how far that is, and what came of it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget

from desktop_app.conversation.events import Failure
from desktop_app.conversation.gauge import Segment
from desktop_app.ui.engine_texts import tr_engine
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.accessibility import announce
from desktop_app.ui.widgets.bars import BarPart, SegmentBar
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import Button, ButtonKind
from desktop_app.ui.widgets.formats import format_percent
from desktop_app.ui.widgets.layouts import STRETCH, horizontal, vertical
from desktop_app.ui.widgets.text_label import TextLabel

GAP = 8


class TaskBlock(QWidget):
    """Signals: cancelled, while something is done; grown, when it shows more than before."""

    cancelled = Signal()
    grown = Signal(object)

    def __init__(self, home: QWidget) -> None:
        """home: gets the keyboard back."""
        super().__init__()
        self._home = home
        self._act: Callable[[], object] | None = None
        self.question = Card()
        self.asked = TextLabel(size=13, wraps=True)
        self.go, self.keep = Button("", ButtonKind.PRIMARY), Button(tr("Cancel"))
        self.question.column.addWidget(self.asked)
        self.question.column.addLayout(horizontal(STRETCH, self.keep, self.go, spacing=GAP))
        self.work = QWidget()
        self.doing, self.bar, self.stop = TextLabel(size=13, tint="ink_soft"), SegmentBar(8), Button(tr("Stop"))
        self.bar.setAccessibleName(tr("Progress"))
        progress = vertical(self.doing, self.bar, spacing=5)
        horizontal((progress, 1), self.stop, holder=self.work, spacing=14)
        self.told = TextLabel(size=13, tint="ink_soft", wraps=True)
        vertical(self.question, self.work, self.told, holder=self, spacing=GAP)
        for part in (self.question, self.work, self.told):
            part.hide()
        self.go.clicked.connect(self._go)
        self.keep.clicked.connect(self.withdraw)
        self.stop.clicked.connect(self.cancelled)

    @property
    def is_working(self) -> bool:
        return self.work.isVisibleTo(self)

    def ask(self, question: str, action: str, act: Callable[[], object]) -> None:
        """Ask whether that shall be done. action: the words of the button that calls `act`."""
        self._act = act
        self.asked.set_text(question)
        self.go.setText(action)
        self._show(self.question)
        self.keep.setFocus(Qt.FocusReason.OtherFocusReason)  # and not the one that cannot be taken back

    def withdraw(self) -> None:
        """Take the question back."""
        self._act = None
        if self.question.isVisibleTo(self):
            self._show(None)

    def begin(self, doing: str) -> None:
        """Show that something is done."""
        self.doing.set_text(doing)
        self.bar.set_parts((), 1)
        self._show(self.work)
        self.stop.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_progress(self, done: int, whole: int) -> None:
        """Show how much of it is done; nothing if `whole` is not known."""
        if self.is_working and whole > 0:
            self.bar.set_parts((BarPart(done, Segment.SUMMARY, format_percent(done / whole)),), whole)

    def end(self, told: str, *, is_error: bool = False) -> None:
        """Show what came of it."""
        self.told.set_tint("critical" if is_error else "ink_soft")
        self.told.set_text(told)
        self._show(self.told)
        announce(self, told)

    def clear(self) -> None:
        """Show nothing any more, neither that it is being done nor what came of it."""
        self._show(None)

    def fail(self, failure: Failure) -> None:
        """Show why it was not done."""
        told = (failure.title, failure.detail, failure.kept, failure.advice)
        self.end("\n".join(tr_engine(text) for text in told if text), is_error=True)

    def _show(self, part: QWidget | None) -> None:
        focused = QApplication.focusWidget()
        if focused is not None and self.isAncestorOf(focused):  # a button that is hidden would give it to any other
            self._home.setFocus(Qt.FocusReason.OtherFocusReason)
        for other in (self.question, self.work, self.told):
            other.setVisible(other is part)
        if part is not None:
            self.grown.emit(part)

    def _go(self) -> None:
        act = self._act
        self.withdraw()
        if act is not None:
            act()
