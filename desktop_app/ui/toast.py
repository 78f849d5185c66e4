"""Short news between the conversation and the composer: it comes, offers one thing to do, and goes. It takes no focus,
and has a strip of its own: it lies over nothing."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QRectF, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from .widgets.buttons import LinkButton
from .widgets.look import colour, paint_box, scaled
from .widgets.text_label import TextLabel

SHOWN = 4_000  # milliseconds
SHOWN_WITH_ACTION = 8_000
SIDE = 24  # pixels left and right of it at least
LEAST = 120  # pixels of its text


class Toast(QWidget):
    """One toast in the middle of its strip. A new one replaces the one before."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._act: Callable[[], None] | None = None
        self._is_dismissed = False
        self.label = TextLabel(size=13, wraps=True)
        self.action = LinkButton("")
        self.dismiss = LinkButton("✕")
        self.dismiss.setAccessibleName("Dismiss")
        self.dismiss.setToolTip("Dismiss")
        self.box = QWidget()
        self._row = row = QHBoxLayout(self.box)
        row.setContentsMargins(16, 6, 12, 6)
        row.setSpacing(14)
        for widget in (self.label, self.action, self.dismiss):
            row.addWidget(widget)
        for link in (self.action, self.dismiss):
            link.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        strip = QHBoxLayout(self)
        strip.setContentsMargins(SIDE, 4, SIDE, 10)
        strip.addStretch(1)
        strip.addWidget(self.box)
        strip.addStretch(1)
        self.action.clicked.connect(self._press)
        self.dismiss.clicked.connect(self._dismiss)
        self._time = QTimer(self, singleShot=True)
        self._time.timeout.connect(self.hide)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_message(
        self,
        text: str,
        action: str = "",
        act: Callable[[], None] | None = None,
        stays: bool = False,
        is_quiet: bool = False,
    ) -> None:
        """Shows a text, and a link that calls `act`. stays: until the next one, or `hide`. is_quiet: not read aloud,
        for a number that grows; one that was dismissed stays away."""
        if is_quiet and self._is_dismissed:
            return
        self._act, self._is_dismissed = act, False
        self.label.set_text(text)
        self.action.setText(action)
        self.action.setVisible(bool(action))
        self._fit()
        self.show()
        if not is_quiet:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))
        if stays:
            self._time.stop()
        else:
            self._time.start(SHOWN_WITH_ACTION if action else SHOWN)

    def end_stay(self) -> None:
        """What stayed is over."""
        self._is_dismissed = False
        if self.isVisible() and not self._time.isActive():
            self.hide()

    def withdraw(self, text: str) -> None:
        """That text is no longer true."""
        if self.label.text() == text:
            self.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow place its text needs more lines."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def enterEvent(self, event: QEvent) -> None:
        """Waits while the mouse is on it."""
        if self._time.isActive():
            self._time.start(SHOWN_WITH_ACTION)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the strip and the box."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("paper"))
        paint_box(painter, QRectF(self.box.geometry()), colour("raised"), colour("ink_faint"), 10)

    def _fit(self) -> None:
        links = [link for link in (self.action, self.dismiss) if not link.isHidden()]
        taken = 2 * SIDE + scaled(30) + sum(link.sizeHint().width() + self._row.spacing() for link in links)
        self.label.setFixedWidth(min(self.label.sizeHint().width() + 2, max(self.width() - taken, scaled(LEAST))))
        self.label.setFixedHeight(self.label.heightForWidth(self.label.width()))

    def _dismiss(self) -> None:
        self._is_dismissed = True
        self.hide()

    def _press(self) -> None:
        act = self._act
        self.hide()
        if act is not None:
            act()
