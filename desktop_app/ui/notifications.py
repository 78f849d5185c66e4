"""What a toast says of an event."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import monotonic

import msgspec
from PySide6.QtCore import QObject, QTimer

from desktop_app.conversation.events import (
    DescriptionStarted,
    FiguresCounted,
    GaugeChanged,
    OperationRow,
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

from .engine_texts import tr_engine
from .toast import Toast
from .translation import tr
from .widgets.formats import format_number, format_percent

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
"""How loud a status is. Tight is the warning's second half: the gauge changes its colour, and nothing is progress."""
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

    undo: operations that it offers to undo, the last one first. stays: until it is over. is_stoppable: whether what it
    tells of can be stopped. is_optimizable: whether it offers **Optimize conversation**.
    """

    text: str
    undo: tuple[str, ...] = ()
    stays: bool = False
    is_stoppable: bool = False
    is_optimizable: bool = False
    explains: str = ""
    """The operation that it explains, and offers to show; "" for most."""


class Notifications:
    """Decides which events of the open conversation the user is notified of.

    is_automatic: whether room is made without the user's consent. is_explained: whether the user was ever told what
    becomes of messages that are summarized.
    """

    def __init__(self) -> None:
        self.is_automatic = self.is_explained = True
        self._rank = 0
        self._is_known = True
        self._is_stopped = False
        self._is_rising = False  # the gauge that comes next rises by what the user took or brought back

    def open(self, gauge: Gauge | None) -> None:
        """Start anew with another conversation, whose present state is no news; None while it is being counted."""
        self._rank = RANKS[gauge.status] if gauge is not None else 0
        self._is_known = gauge is not None and gauge.is_window_known
        self._is_stopped = self._is_rising = False

    def note_stop(self) -> None:
        """Remember that the user stopped the compaction, and needs no notification that it failed."""
        self._is_stopped = True

    def notification_of(self, event: TurnEvent) -> Notification | None:
        """Return what the user should be notified of, if anything."""
        match event:
            case GaugeChanged(_, gauge):
                return self._status_news(gauge)
            case FiguresCounted(_, gauge):
                self._rank, self._is_known = RANKS[gauge.status], gauge.is_window_known
            case RoomStarted():
                self._is_stopped = False
            case ViewChanged(operations=rows) if any(not (row.is_undone or row.kind == "failed") for row in rows):
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
    """Return why a message that is sent has to wait; "" if it has not. gauge: None while the tokens are counted."""
    if not is_ready:
        return STARTING
    return "" if gauge is not None else COUNTING


def notification_of(event: TurnEvent) -> Notification | None:
    """Return the notification of an event by itself."""
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
    """Return what becomes of messages that were summarized, unless the user has just read it in a plan."""
    if isinstance(event, ViewChanged) and event.cause not in (None, Trigger.USER):
        for row in event.operations:
            if row.kind == "compaction" and not row.is_undone and not row.has_no_summary:
                return Notification(tr(FIRST_SUMMARY), explains=row.id)
    return None


def _operations_news(operations: tuple[OperationRow, ...], cause: Trigger | None) -> Notification | None:
    operations = tuple(operation for operation in operations if operation.kind not in ("link", "failed"))
    if not operations:
        return None  # the user started fresh, and looks at the other conversation; or room is told of otherwise
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
        return Notification(tr("Redone"), ids)  # its figures are of then: what was pinned or said since is in the gauge
    before, after = format_number(operations[0].tokens_before), format_number(last.tokens_after)
    if cause is Trigger.USER:
        words = tr("Conversation optimized · {before} → {after} tokens")
    elif all(operation.kind == "prune" for operation in operations):
        count = sum(operation.messages for operation in operations)
        words = tr("Shortened %n tool results · {before} → {after} tokens", "", count)
    elif any(operation.has_no_summary for operation in operations):
        words = tr("Older messages left out · {before} → {after} tokens")
    elif cause in CONTINUING:
        words = tr("Older messages summarized, continuing… · {before} → {after} tokens")
    else:
        words = tr("Older messages summarized · {before} → {after} tokens")
    return Notification(words.format(before=before, after=after), ids)


class RetryNotice(QObject):
    """Counts the seconds down in the toast."""

    def __init__(self, toast: Toast, stop: Callable[[], None]) -> None:
        """stop: ends the turn."""
        super().__init__(toast)
        self._toast = toast
        self._stop = stop
        self._reason = self._shown = ""
        self._due = 0.0
        self._tick = QTimer(self, interval=TICK)
        self._tick.timeout.connect(self._show)

    def note(self, event: TurnEvent) -> None:
        """Begin with `RetryScheduled`, and end with whatever else happens in the turn."""
        if isinstance(event, RetryScheduled):
            self._reason, self._due, self._shown = event.reason, monotonic() + event.seconds, ""
            self._tick.start()
            self._show()
        elif not isinstance(event, GaugeChanged):
            self.end()

    def end(self) -> None:
        if self._tick.isActive():
            self._tick.stop()
            self._toast.end_stay()

    def _show(self) -> None:
        left = math.ceil(self._due - monotonic())
        words = tr("Retrying in {seconds} s ({reason})") if left > 0 else tr("Retrying now ({reason})")
        text = words.format(seconds=left, reason=tr_engine(self._reason))
        if text != self._shown:
            is_first, self._shown = not self._shown, text
            self._toast.show_message(text, tr("Stop"), self._stop, stays=True, is_quiet=not is_first)
