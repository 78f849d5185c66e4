"""A short notice over the end of the conversation, with at most one action. It takes no focus, and moves nothing: what
is read or clicked stays where it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt, QTimer
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from .translation import tr
from .widgets.accessibility import Role, WithRole, announce
from .widgets.buttons import LinkButton
from .widgets.layouts import horizontal
from .widgets.look import Corner, StyleAware, colour, paint_box, scale
from .widgets.text_label import TextLabel

MAX_TEXT = 1_000  # characters: more lines would hide the conversation
SHOWN, SHOWN_WITH_ACTION = 4_000, 15_000  # milliseconds: to read, and to read, look at what was done and decide
SIDE, GAP, MIN_TEXT_WIDTH = 24, 14, 120  # pixels: beside the toast, between its parts, of its text
BELOW = 8  # pixels between it and the end of what it lies over


class KeptNotice(NamedTuple):
    """A notice that comes back after each that takes its place, until it has been shown for its time."""

    text: str
    action: str
    act: Callable[[], None] | None
    about: str
    milliseconds: int


class Toast(WithRole, StyleAware, QWidget):
    """One notice in the middle, over the lower end of a widget. A new one replaces the one before."""

    accessible_role = Role.Notification

    def __init__(self, over: QWidget, parent: QWidget | None = None) -> None:
        """over: what the toast lies over, and reaches up beyond where that is low."""
        super().__init__(parent)
        self._over = over
        over.installEventFilter(self)
        self._act: Callable[[], None] | None = None
        self._is_dismissed = self._is_kept_shown = False
        self._kept: KeptNotice | None = None
        self._about = self._text = self._conversation = ""
        self.label = TextLabel(size=13, wraps=True, most=MAX_TEXT)
        self.action = LinkButton("")
        self.dismiss = LinkButton("✕")
        self.dismiss.setAccessibleName(tr("Dismiss"))
        self.dismiss.setToolTip(tr("Dismiss"))
        horizontal(self.label, self.action, self.dismiss, holder=self, spacing=GAP, margins=(16, 6, 12, 6))
        for link in (self.action, self.dismiss):
            link.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.action.clicked.connect(self._press)
        self.dismiss.clicked.connect(self._dismiss)
        self._time = QTimer(self, singleShot=True)
        self._time.timeout.connect(self._end)
        self.hide()

    def show_message(
        self,
        text: str,
        action: str = "",
        act: Callable[[], None] | None = None,
        stays: bool = False,
        is_quiet: bool = False,
        about: str = "",
        milliseconds: int = 0,
        is_kept: bool = False,
    ) -> None:
        """Show a text, and a link that calls `act`.

        stays: until the next message, or `end_stay`. is_quiet: an update that is not read aloud, and not shown if the
        user has dismissed the one before. about: the conversation that it is true of; "" for all. milliseconds: how
        long it is shown; 0 for as long as such a text takes to be read. is_kept: shown for that long in all, before and
        after what comes in between.
        """
        if is_quiet and self._is_dismissed:
            return
        self._set_aside()
        self._show(text, action, act, about)
        if not is_quiet:
            announce(self, text)
        if stays:
            self._time.stop()
        else:
            self._time.start(milliseconds or (SHOWN_WITH_ACTION if action else SHOWN))
        if is_kept:
            self._kept, self._is_kept_shown = KeptNotice(text, action, act, about, self._time.interval()), True

    def _show(self, text: str, action: str, act: Callable[[], None] | None, about: str) -> None:
        self._act, self._is_dismissed, self._about = act, False, about
        self._text = text
        self.label.set_text(text)
        self.action.setText(action)
        self.action.setVisible(bool(action))
        self._place()
        self.show()

    def _set_aside(self) -> None:
        """Remember how long a notice that is kept has still to be shown."""
        if self._is_kept_shown and self._kept is not None:
            self._kept = self._kept._replace(milliseconds=max(self._time.remainingTime(), SHOWN))
        self._is_kept_shown = False

    def _end(self) -> None:
        """Hide what is shown, and bring back the notice that is kept, unless that is what was shown."""
        if self._is_kept_shown:
            self._kept, self._is_kept_shown = None, False
        self.hide()
        self._bring_back()

    def _bring_back(self) -> None:
        kept = self._kept
        if kept is not None and kept.about in ("", self._conversation or kept.about):
            self._show(kept.text, kept.action, kept.act, kept.about)
            self._time.start(kept.milliseconds)
            self._is_kept_shown = True

    def end_stay(self) -> None:
        """Hide a message that stays."""
        self._is_dismissed = False
        if self.isVisible() and not self._time.isActive():
            self._end()

    def turn_to(self, conversation: str) -> None:
        """Hide what is about another conversation: its action would be carried out in this one."""
        self._conversation = conversation
        if self._about not in ("", conversation):
            self._set_aside()
            self._time.stop()
            self.hide()
        if self.isHidden():
            self._bring_back()

    def withdraw(self, text: str) -> None:
        """Hide this message if it is shown: it is no longer true."""
        if self._text == text and not self.isHidden():
            self._end()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move) and not self.isHidden():
            self._place()
        return super().eventFilter(watched, event)

    def refresh_style(self) -> None:
        self._place()

    def enterEvent(self, event: QEnterEvent) -> None:
        if self._time.isActive():
            self._time.start(max(self._time.remainingTime(), SHOWN_WITH_ACTION))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_box(QPainter(self), QRectF(self.rect()), colour("raised"), colour("ink_faint"), Corner.CARD)

    def _place(self) -> None:
        """Give the text its width, in a narrow window more lines, and stay at the end of what lies below."""
        links = [link for link in (self.action, self.dismiss) if not link.isHidden()]
        taken = 2 * SIDE + scale(30) + sum(link.sizeHint().width() + GAP for link in links)
        room = max(self._over.width() - taken, scale(MIN_TEXT_WIDTH))
        self.label.setFixedWidth(min(self.label.sizeHint().width() + 2, room))
        self.label.setFixedHeight(self.label.heightForWidth(self.label.width()))
        self.adjustSize()
        parent = self.parentWidget()
        if parent is not None:
            end = self._over.mapTo(parent, QPoint((self._over.width() - self.width()) // 2, self._over.height()))
            self.move(end.x(), max(end.y() - scale(BELOW) - self.height(), 0))
            self.raise_()

    def _dismiss(self) -> None:
        self._end()
        self._is_dismissed = True

    def _press(self) -> None:
        act = self._act
        self._end()
        if act is not None:
            act()
