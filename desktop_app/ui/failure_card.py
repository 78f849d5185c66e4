"""A failure that belongs to no message, as a card above the composer: what happened, what was kept, what to do."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from desktop_app.conversation.events import Failure

from .widgets.boxes import ScrollColumn
from .widgets.buttons import Button, LinkButton
from .widgets.look import BOLD, colour, paint_box
from .widgets.text_label import TextLabel


class FailureCard(QWidget):
    """Shows one failure at a time, until it is dismissed or what it tells is over."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._act: Callable[[], None] | None = None
        self.failure: Failure | None = None
        self.title = TextLabel(tint="critical", weight=BOLD, wraps=True, parent=self)
        self.text = TextLabel(tint="ink_soft", size=13, wraps=True, parent=self)
        self.button = Button("", parent=self)
        self.dismiss = LinkButton("Dismiss", parent=self)
        self.button.clicked.connect(self._press)
        self.dismiss.clicked.connect(self.clear)
        self.area = ScrollColumn(spacing=4)
        self.area.add(self.title)
        self.area.add(self.text)
        row = QHBoxLayout(self)
        row.setContentsMargins(18, 12, 14, 12)
        row.setSpacing(12)
        row.addWidget(self.area, 1)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.dismiss, 0, Qt.AlignmentFlag.AlignVCenter)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.hide()

    def show_failure(self, failure: Failure, action: str = "", act: Callable[[], None] | None = None) -> None:
        """Shows it; `action` names a button that calls `act` and closes the card."""
        self.failure, self._act = failure, act
        self.title.set_text(failure.title)
        self.text.set_text("\n".join(filter(None, (failure.detail, failure.kept, failure.advice))))
        self.button.setText(action)
        self.button.setVisible(bool(action))
        self.setAccessibleName(failure.title)
        self.setAccessibleDescription(self.text.text())
        self.show()

    def clear(self) -> None:
        """Shows nothing."""
        self.failure, self._act = None, None
        self.hide()

    def clear_passing(self) -> None:
        """Shows nothing, unless something is still to be done about it."""
        if self._act is None:
            self.clear()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the box, and the bar that says that something is wrong."""
        painter = QPainter(self)
        box = QRectF(self.rect())
        paint_box(painter, box, colour("raised"), colour("line"), 10)
        paint_box(painter, QRectF(0, 10, 3, box.height() - 20), colour("critical"), None, 1.5)

    def _press(self) -> None:
        act = self._act
        self.clear()
        if act is not None:
            act()
