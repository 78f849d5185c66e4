"""A short notice over the end of the conversation, with at most one action, and its texts for events.

It takes no focus and moves no other widget.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from time import monotonic
from typing import NamedTuple

import msgspec
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.events import (
    DescriptionStarted,
    FiguresCounted,
    GaugeChanged,
    OperationRow,
    ReplyStarted,
    RetryScheduled,
    RoomEnded,
    RoomProgressed,
    RoomRefused,
    RoomStarted,
    TurnEvent,
    ViewChanged,
)
from desktop_app.conversation.gauge import Gauge, Status
from desktop_app.conversation.message_rows import MessageState
from desktop_app.conversation.transcript import Trigger
from desktop_app.conversation.words import translatable

from .translation import tr, tr_engine
from .widgets.accessibility import Role, WithRole, announce
from .widgets.buttons import LinkButton
from .widgets.layouts import horizontal
from .widgets.look import Corner, StyleAware, colour, paint_box, scale
from .widgets.number_formats import format_duration, format_number, format_percent
from .widgets.text_label import TextLabel

MAX_TEXT = 1_000  # characters: more lines would hide the conversation
SHOWN, SHOWN_WITH_ACTION = 4_000, 15_000  # milliseconds: to read, and to read, look at what was done and decide
SIDE, GAP, MIN_TEXT_WIDTH = 24, 14, 120  # pixels: at both sides of the toast, between its parts, of its text
BELOW = 8  # pixels between it and the lower end of the widget that it lies over


QUIET = ("failed", "standing")
"""Kinds of operations that change nothing in the view."""


class KeptNotice(NamedTuple):
    """A notice that comes back after others have replaced it, until it has been shown for its full time."""

    text: str
    action: str
    act: Callable[[], None] | None
    about: str
    milliseconds: int


class Toast(WithRole, StyleAware, QWidget):
    """One notice, centred over the lower end of a widget. A new one replaces the previous one."""

    accessible_role = Role.Grouping  # a screen reader would read a notification, which is also announced

    def __init__(self, over: QWidget, parent: QWidget | None = None) -> None:
        """over: the widget that the toast lies over; if that is low, the toast extends above it."""
        super().__init__(parent)
        self._over = over
        self._avoided: QWidget | None = None
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

    def stay_above(self, widget: QWidget) -> None:
        """Let the toast be above that widget, not over it, while it is visible and they would overlap."""
        self._avoided = widget

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

        stays: show it until the next message or `end_stay`. is_quiet: an update that is not read aloud, and not shown
        if the user has dismissed the previous one. about: the conversation that it concerns; "" for all. milliseconds:
        how long it is shown; 0 for the default. is_kept: show it for that long in total, before and after messages
        that replace it.
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
        """Remember the time that is left for a kept notice."""
        if self._is_kept_shown and self._kept is not None:
            self._kept = self._kept._replace(milliseconds=max(self._time.remainingTime(), SHOWN))
        self._is_kept_shown = False

    def _end(self) -> None:
        """Hide the current message, and bring back the kept notice, unless it was that."""
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
        """Hide a message about another conversation: its action would be carried out in this one."""
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
        """Fit the text to the available width, and move to the lower end of the widget below."""
        links = [link for link in (self.action, self.dismiss) if not link.isHidden()]
        taken = 2 * SIDE + scale(30) + sum(link.sizeHint().width() + GAP for link in links)
        available = max(self._over.width() - taken, scale(MIN_TEXT_WIDTH))
        self.label.setFixedWidth(min(self.label.sizeHint().width() + 2, available))
        self.label.setFixedHeight(self.label.heightForWidth(self.label.width()))
        self.adjustSize()
        parent = self.parentWidget()
        if parent is not None:
            end = self._over.mapTo(parent, QPoint((self._over.width() - self.width()) // 2, self._over.height()))
            self.move(end.x(), max(end.y() - scale(BELOW) - self.height(), 0))
            avoided = self._avoided
            if avoided is not None and avoided.isVisible():
                taken = QRect(avoided.mapTo(parent, QPoint()), avoided.size())
                if taken.intersects(self.geometry()):
                    self.move(self.x(), max(taken.top() - scale(BELOW) - self.height(), 0))
            self.raise_()

    def _dismiss(self) -> None:
        self._end()
        self._is_dismissed = True

    def _press(self) -> None:
        act = self._act
        self._end()
        if act is not None:
            act()


TICK = 500  # milliseconds between two updates of a countdown
STARTING = translatable("Starting up. Your message is sent as soon as the engine is ready.")
COUNTING = translatable("Your message is sent as soon as this conversation is counted.")
COMPACTING = translatable("Summarizing older messages…")
REMEMBERING = translatable("Looking for what should be remembered…")
FIRST_SUMMARY = translatable(
    "Older messages are now summarized for the model, so that you can go on. Nothing is gone: read them above, or in "
    "the history."
)
UNDONE = translatable("Undone. The model sees everything as before.")
CONTINUING = (Trigger.TOOL_RESULT, Trigger.STREAMING, Trigger.OVERFLOW)
"""Triggers in the middle of a turn, which goes on as soon as there is room."""

RANKS = {Status.SAFE: 0, Status.WARNING: 1, Status.TIGHT: 1, Status.CRITICAL: 2, Status.EXCEEDED: 3, Status.UNKNOWN: 0}
"""Severity of each status; a higher one is announced. Tight ranks like a warning: only the gauge's colour changes."""
STATUS_NEWS = {
    1: translatable("{used} full. Older messages will soon be summarized, so that you can go on."),
    2: translatable("{used} full. Older messages are summarized before your next message is sent."),
    3: translatable("Too long ({used}). Nothing is sent until there is room."),
}
STATUS_NEWS_WHEN_OFF = {
    1: translatable("{used} full. Choose Optimize conversation to make room."),
    2: translatable("{used} full. Choose Optimize conversation to make room."),
    3: translatable("Too long ({used}). Choose Optimize conversation to continue."),
}


class Notification(msgspec.Struct, frozen=True):
    """A text for the toast.

    undo: operations that it offers to undo, the last one first. stays: whether it is shown until its subject is over.
    is_stoppable: whether it offers to stop making room. is_optimizable: whether it offers **Optimize conversation**.
    """

    text: str
    undo: tuple[str, ...] = ()
    stays: bool = False
    is_stoppable: bool = False
    is_optimizable: bool = False
    explains: str = ""
    """The operation that it explains and offers to show; "" for none."""


class Notifications:
    """Decides which events of the open conversation the user is notified of.

    is_automatic: whether room is made without asking the user. is_explained: whether it has ever been explained what
    happens to messages that are summarized.
    """

    def __init__(self) -> None:
        self.is_automatic = self.is_explained = True
        self._rank = 0
        self._is_known = True
        self._is_stopped = False
        self._is_rising = False  # the next gauge rises because the user undid an operation or brought messages back

    def open(self, gauge: Gauge | None) -> None:
        """Begin with another conversation, whose present state is no news. gauge: None while its tokens are counted."""
        self._rank = RANKS[gauge.status] if gauge is not None else 0
        self._is_known = gauge is not None and gauge.is_window_known
        self._is_stopped = self._is_rising = False

    def note_stop(self) -> None:
        """Remember that the user stopped the compaction, so that its failure needs no notification."""
        self._is_stopped = True

    def notification_of(self, event: TurnEvent) -> Notification | None:
        """Return the notification for an event, if the user should get one."""
        match event:
            case GaugeChanged(_, gauge):
                return self._status_news(gauge)
            case FiguresCounted(_, gauge):
                self._rank, self._is_known = RANKS[gauge.status], gauge.is_window_known
            case RoomStarted():
                self._is_stopped = False
            case ViewChanged(operations=rows) if any(not row.is_undone and row.kind not in QUIET for row in rows):
                self._is_rising = False
            case ViewChanged(operations=rows) if any(row.is_undone for row in rows) or event.brought_back:
                self._is_rising = True
            case RoomEnded(has_failed=True) if not self._is_stopped:
                return Notification(tr("No room could be made. The conversation is unchanged."))
            case _:
                pass
        return (None if self.is_explained else _first_summary(event)) or notification_of(event)

    def _status_news(self, gauge: Gauge) -> Notification | None:
        before, self._rank = self._rank, RANKS[gauge.status]
        was_known, self._is_known = self._is_known, gauge.is_window_known
        is_rising, self._is_rising = self._is_rising, False
        if self._rank <= before or not was_known or is_rising:
            return None
        words = STATUS_NEWS if self.is_automatic else STATUS_NEWS_WHEN_OFF
        text = tr(words[self._rank]).format(used=format_percent(gauge.share))
        return Notification(text, is_optimizable=True)


def notice_of_wait(is_ready: bool, gauge: Gauge | None) -> str:
    """Return why a message that is sent now has to wait; "" if it does not. gauge: None while tokens are counted."""
    if not is_ready:
        return STARTING
    return "" if gauge is not None else COUNTING


def notification_of(event: TurnEvent) -> Notification | None:
    """Return the notification for an event regardless of earlier ones."""
    match event:
        case RoomStarted(is_for_memory=is_for_memory):
            return Notification(tr(REMEMBERING if is_for_memory else COMPACTING), stays=True)
        case RoomProgressed(tokens=tokens, max_tokens=most, plan=""):
            words = tr("Summarizing older messages… {tokens} of at most {limit} tokens") if tokens else tr(COMPACTING)
            text = words.format(tokens=format_number(tokens), limit=format_number(most))
            return Notification(text, stays=True, is_stoppable=True)
        case DescriptionStarted(images=images, model=model):
            return Notification(tr("{model} is describing %n images…", "", images).format(model=model), stays=True)
        case RoomRefused(reason=reason):
            return Notification(tr_engine(reason))
        case ViewChanged(operations=operations, cause=cause) if operations:
            return _operations_news(operations, cause)
        case ViewChanged(brought_back=entry, changes=changes) if entry and changes:
            if all(change.state is MessageState.ARCHIVED for change in changes):
                return Notification(tr(UNDONE))
            return Notification(tr("%n messages are in the context window again", "", len(changes)), (entry,))
        case _:
            return None


def _first_summary(event: TurnEvent) -> Notification | None:
    """Return an explanation of the first summary, unless the user has just read it in a plan."""
    if isinstance(event, ViewChanged) and event.cause not in (None, Trigger.USER):
        for row in event.operations:
            if row.kind == "compaction" and not row.is_undone and not row.has_no_summary:
                return Notification(tr(FIRST_SUMMARY), explains=row.id)
    return None


def _operations_news(operations: tuple[OperationRow, ...], cause: Trigger | None) -> Notification | None:
    operations = tuple(operation for operation in operations if operation.kind not in ("link", *QUIET))
    if not operations:
        return None  # the user started fresh, and sees the new conversation; or the failure is reported elsewhere
    last = operations[-1]
    ids = tuple(operation.id for operation in reversed(operations))
    if all(operation.kind == "flush" for operation in operations):
        count = sum(operation.messages for operation in operations)
        if last.is_undone:
            return Notification(tr("%n memories removed", "", count))
        return Notification(tr("%n memories saved", "", count), ids)
    if last.is_undone:
        return Notification(tr(UNDONE))
    if cause is None:
        return Notification(
            tr("Redone"), ids
        )  # its token counts are from its first run, and outdated by later messages and pins
    before, after = format_number(operations[0].tokens_before), format_number(last.tokens_after)
    if cause is Trigger.USER:
        words = tr("Conversation optimized · {before} → {after} tokens")
    elif all(operation.kind == "prune" for operation in operations):
        count = sum(operation.messages for operation in operations)
        words = tr("Shortened %n tool results · {before} → {after} tokens", "", count)
    elif any(operation.has_no_summary for operation in operations):
        words = tr("Older messages left out · {before} → {after} tokens")
    elif cause is Trigger.IDLE:
        words = tr("Summarized before the cache expired · {before} → {after} tokens")
    elif cause in CONTINUING:
        words = tr("Older messages summarized, continuing… · {before} → {after} tokens")
    else:
        words = tr("Older messages summarized · {before} → {after} tokens")
    return Notification(words.format(before=before, after=after), ids)


WAITING_SHOWN_AFTER = 10.0  # seconds without the first word of a reply


class RetryNotice(QObject):
    """Counts the seconds until a retry down in the toast, and the seconds of a long wait for the first word up."""

    def __init__(self, toast: Toast, stop: Callable[[], None]) -> None:
        """stop: called to end the turn."""
        super().__init__(toast)
        self._toast = toast
        self._stop = stop
        self._reason = self._shown = ""
        self._due = 0.0  # time of the next request, or of the one whose reply has not begun
        self._tick = QTimer(self, interval=TICK)
        self._tick.timeout.connect(self._show)

    def note(self, event: TurnEvent) -> None:
        """Begin with `RetryScheduled` or `ReplyStarted`, and end with any other event except a changed gauge."""
        match event:
            case RetryScheduled():
                self._begin(event.reason, event.seconds)
            case ReplyStarted():
                self.end()
                self._begin("", 0.0)
            case GaugeChanged():
                pass
            case _:
                self.end()

    def _begin(self, reason: str, seconds: float) -> None:
        self._reason, self._due, self._shown = reason, monotonic() + seconds, ""
        self._tick.start()
        self._show()

    def end(self) -> None:
        if self._tick.isActive():
            self._tick.stop()
        if self._shown:
            self._shown = ""
            self._toast.end_stay()

    def _show(self) -> None:
        text = self._words(monotonic() - self._due)
        if text != self._shown:
            is_first, self._shown = not self._shown, text
            self._toast.show_message(text, tr("Stop"), self._stop, stays=True, is_quiet=not is_first)

    def _words(self, waited: float) -> str:
        """Return the text to show; "" for none. waited: seconds since the request, negative before it."""
        if waited >= WAITING_SHOWN_AFTER:
            return tr("Waiting for the first word · {time}").format(time=format_duration(waited))
        if not self._reason:
            return ""
        words = tr("Retrying in {seconds} s ({reason})") if waited < 0 else tr("Retrying now ({reason})")
        return words.format(seconds=math.ceil(-waited), reason=tr_engine(self._reason))
