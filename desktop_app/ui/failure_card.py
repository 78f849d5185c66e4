"""A card above the composer for a failure that belongs to no message: what happened, what was kept, what to do."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.conversation.events import Failure

from .translation import tr, tr_engine
from .widgets.accessibility import Role, WithRole
from .widgets.boxes import ScrollColumn
from .widgets.buttons import Button, LinkButton
from .widgets.layouts import horizontal
from .widgets.look import BOLD, Corner, colour, paint_box, turn_around
from .widgets.text_label import TextLabel


class FailureCard(WithRole, QWidget):
    """Shows one failure at a time, until it is dismissed or resolved."""

    accessible_role = Role.AlertMessage

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._act: Callable[[], None] | None = None
        self.failure: Failure | None = None
        self.title = TextLabel(tint="critical", weight=BOLD, wraps=True)
        self.text = TextLabel(tint="ink_soft", size=13, wraps=True)
        self.button = Button("")
        self.dismiss = LinkButton(tr("Dismiss"))
        self.button.clicked.connect(self._press)
        self.dismiss.clicked.connect(self.clear)
        self.area = ScrollColumn(spacing=4)
        self.area.add(self.title)
        self.area.add(self.text)
        middle = Qt.AlignmentFlag.AlignVCenter
        links = ((self.button, 0, middle), (self.dismiss, 0, middle))
        horizontal((self.area, 1), *links, holder=self, spacing=12, margins=(18, 12, 14, 12))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.hide()

    def show_failure(self, failure: Failure, action: str = "", act: Callable[[], None] | None = None) -> None:
        """Show a failure. action: the text of a button that calls `act` and closes the card."""
        self.failure, self._act = failure, act
        self.title.set_text(tr_engine(failure.title))
        self.text.set_text(
            "\n".join(tr_engine(text) for text in (failure.detail, failure.kept, failure.advice) if text)
        )
        self.button.setText(action)
        self.button.setVisible(bool(action))
        self.setAccessibleName(self.title.text())
        self.setAccessibleDescription(self.text.text())
        self.show()

    def clear(self) -> None:
        self.failure, self._act = None, None
        self.hide()

    def clear_passing(self) -> None:
        """Clear the card, unless it offers an action, such as starting the engine, other than opening a setting."""
        if not self.button.text() or (self.failure is not None and self.failure.setting):
            self.clear()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = QRectF(self.rect())
        paint_box(painter, box, colour("raised"), colour("line"), Corner.CARD)
        turn_around(painter, self)
        paint_box(painter, QRectF(0, 10, 3, box.height() - 20), colour("critical"), None, Corner.MARK)

    def _press(self) -> None:
        act = self._act
        self.clear()
        if act is not None:
            act()
