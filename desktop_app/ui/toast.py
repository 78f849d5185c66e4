"""Short news at the bottom of the conversation: it comes, offers one thing to do, and goes. It takes no focus."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from .widgets.buttons import LinkButton
from .widgets.ink import InkLabel
from .widgets.look import colour, paint_box, scaled

SHOWN = 4_000  # milliseconds
SHOWN_WITH_ACTION = 8_000
LIFT = 16  # pixels above the bottom of what it lies on


class Toast(QWidget):
    """One toast over `ground`, bottom-centre. A new one replaces the one before."""

    def __init__(self, ground: QWidget) -> None:
        super().__init__(ground)
        self._ground = ground
        self._act: Callable[[], None] | None = None
        self.label = InkLabel(size=13, parent=self)
        self.action = LinkButton("", parent=self)
        self.action.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.action.clicked.connect(self._press)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 12, 8)
        row.setSpacing(14)
        row.addWidget(self.label)
        row.addWidget(self.action)
        self._time = QTimer(self, singleShot=True)
        self._time.timeout.connect(self.hide)
        ground.installEventFilter(self)
        self.hide()

    def tell(
        self,
        text: str,
        action: str = "",
        act: Callable[[], None] | None = None,
        stays: bool = False,
        is_quiet: bool = False,
    ) -> None:
        """Shows a text, and a link that calls `act`. stays: until the next one, or `hide`. is_quiet: not read aloud,
        for a number that grows."""
        self._act = act
        self.label.set_text(text)
        self.action.setText(action)
        self.action.setVisible(bool(action))
        self._move()
        self.show()
        self.raise_()
        if not is_quiet:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))
        if stays:
            self._time.stop()
        else:
            self._time.start(SHOWN_WITH_ACTION if action else SHOWN)

    def end_stay(self) -> None:
        """What stayed is over."""
        if self.isVisible() and not self._time.isActive():
            self.hide()

    def withdraw(self, text: str) -> None:
        """That text is no longer true."""
        if self.label.text() == text:
            self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stays in the middle when the window changes its size."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._move()
        return super().eventFilter(watched, event)

    def enterEvent(self, event: QEvent) -> None:
        """Waits while the mouse is on it."""
        if self._time.isActive():
            self._time.start(SHOWN_WITH_ACTION)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the box and a soft edge."""
        painter = QPainter(self)
        box = QRectF(self.rect())
        paint_box(painter, box, colour("raised"), colour("ink_faint"), 10)

    def _move(self) -> None:
        taken = scaled(70) + (self.action.sizeHint().width() if self.action.text() else 0)
        self.label.setFixedWidth(min(self.label.sizeHint().width() + 2, max(self._ground.width() - taken, 120)))
        self._row.activate()
        size = self.sizeHint()
        self.resize(size)
        self.move((self._ground.width() - size.width()) // 2, self._ground.height() - size.height() - scaled(LIFT))

    def _press(self) -> None:
        act = self._act
        self.hide()
        if act is not None:
            act()
