"""The turn state of every conversation, open or not, folded from events. Uses no Qt and no clock."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.events import (
    Failure,
    GaugeChanged,
    MessageRecorded,
    Noticed,
    QuestionAnswered,
    QuestionAsked,
    ReasoningDelta,
    ReasoningRecognized,
    ReplyStarted,
    RetryScheduled,
    TextDelta,
    ToolFinished,
    ToolOutputReceived,
    ToolStarted,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from desktop_app.conversation.words import translatable


class Activity(Enum):
    """The current state of a conversation, or how its last turn ended, as the sidebar shows it.

    Not a StrEnum, which a Qt model would convert to plain text.
    """

    WAITS = translatable("Waiting for your answer")
    WORKS = translatable("Working…")
    FAILED = translatable("Stopped with an error")
    UNREAD = translatable("New reply")


QUESTIONS = frozenset({"rounds", "nearly_full", "spending"})
"""Kinds of failures that are questions to the user: whether the model may go on calling tools, and whether to send a
message that leaves hardly any room for the reply."""


MAX_OUTPUT = 6_000
"""Characters of a running tool's output that the window keeps, of which it shows a few lines."""


class LiveReply(msgspec.Struct, frozen=True):
    """The part of a reply that has arrived.

    continues: the id of the message that it continues; "" for none. is_retried: whether the request was sent again, or
    will be.
    """

    reply_id: str
    model: str = ""
    continues: str = ""
    text: str = ""
    reasoning: str = ""
    is_retried: bool = False


class ToolRun(msgspec.Struct, frozen=True):
    """A run of a tool.

    started: the time when it began, in seconds. tail: the end of its output. lines: the newlines in its output so far.
    seconds: how long it took; None while it runs.
    """

    started: float
    tail: str = ""
    lines: int = 0
    seconds: float | None = None

    def duration(self, now: float) -> float:
        return now - self.started if self.seconds is None else self.seconds


class LiveTurn(msgspec.Struct, frozen=True):
    """The state of a conversation's turn.

    calling: the id of the newest reply that called tools; "" for none. runs: the turn's tool runs, by the reply's id
    and the index of the call, since call ids repeat. failures: why the newest turn ended early. questions: unanswered
    questions, oldest first. notices: warnings that did not end the turn.
    """

    is_running: bool = False
    reply: LiveReply | None = None
    calling: str = ""
    runs: Mapping[tuple[str, int], ToolRun] = {}
    failures: tuple[Failure, ...] = ()
    questions: tuple[QuestionAsked, ...] = ()
    notices: tuple[Failure, ...] = ()

    @property
    def is_settled(self) -> bool:
        """Whether no turn is running, and there is nothing to show about how the last one ended."""
        return not (self.is_running or self.reply or self.failures or self.notices)

    @property
    def ended(self) -> LiveTurn:
        """The turn as it is after its end."""
        return LiveTurn(failures=self.failures, notices=self.notices)

    @property
    def activity(self) -> Activity | None:
        """The activity that the sidebar shows; None for none."""
        if self.questions:
            return Activity.WAITS
        if self.is_running:
            return Activity.WORKS
        if any(failure.kind in QUESTIONS for failure in self.failures):
            return Activity.WAITS
        return Activity.FAILED if self.failures else None


RESTING = LiveTurn()


class LiveTurns:
    """The turns of all conversations, including the ones that are not shown, and which have an unread reply."""

    def __init__(self) -> None:
        self._turns: dict[str, LiveTurn] = {}
        self.unread: set[str] = set()

    def of(self, conversation: str) -> LiveTurn:
        return self._turns.get(conversation, RESTING)

    @property
    def running(self) -> frozenset[str]:
        return frozenset(conversation for conversation, turn in self._turns.items() if turn.is_running)

    @property
    def activities(self) -> Mapping[str, Activity]:
        """The activity of each conversation that has one."""
        live = {conversation: turn.activity for conversation, turn in self._turns.items() if turn.activity is not None}
        return dict.fromkeys(self.unread, Activity.UNREAD) | live

    def fold(self, event: TurnEvent, now: float) -> None:
        """Apply an event. now: the time of its arrival, in seconds of any clock."""
        self._keep(event.conversation, turn_after(self.of(event.conversation), event, now))

    def note_opened(self, conversation: str, is_running: bool, questions: tuple[QuestionAsked, ...]) -> None:
        """Adopt the engine's state of a conversation that was opened. Its unread reply is read now."""
        self.unread.discard(conversation)
        turn = self.of(conversation) if is_running else self.of(conversation).ended
        self._keep(conversation, replace(turn, is_running=is_running, questions=questions))

    def end_all(self) -> None:
        """End all turns, since the engine ended. A reply's arrived text stays visible until the next opening."""
        for conversation, turn in tuple(self._turns.items()):
            has_arrived = turn.reply is not None and (turn.reply.text or turn.reply.reasoning)
            self._keep(conversation, replace(turn.ended, reply=turn.reply if has_arrived else None))

    def _keep(self, conversation: str, turn: LiveTurn) -> None:
        if turn == RESTING:
            self._turns.pop(conversation, None)
        else:
            self._turns[conversation] = turn


def turn_after(turn: LiveTurn, event: TurnEvent, now: float = 0.0) -> LiveTurn:
    """Return the turn after an event of its conversation; the same one if the event does not concern it."""
    match event:
        case TurnStarted():
            return LiveTurn(is_running=True)
        case TurnFinished():
            return turn.ended
        case ReplyStarted() | TextDelta() | ReasoningDelta() | ReasoningRecognized():
            return replace(turn, reply=_reply_after(turn.reply, event))
        case RetryScheduled() if turn.reply is not None:
            return replace(turn, reply=replace(turn.reply, is_retried=True))
        case MessageRecorded(_, row):
            message = row.message
            reply = None if turn.reply is not None and turn.reply.reply_id == message.id else turn.reply
            is_calling = turn.is_running and message.tool_calls
            return replace(turn, reply=reply, calling=message.id if is_calling else turn.calling)
        case QuestionAsked() if event not in turn.questions:
            return replace(turn, questions=(*turn.questions, event))
        case QuestionAnswered(_, question):
            return replace(turn, questions=tuple(asked for asked in turn.questions if asked.question != question))
        case TurnFailed(_, failure):
            return replace(turn, failures=_with_failure(turn.failures, failure))
        case Noticed(_, notice):
            return replace(turn, notices=_with_failure(turn.notices, notice))
        case GaugeChanged(_, gauge) if turn.notices:
            # A message no longer waits once it is counted, and a window's size may be forgotten.
            over = ("waiting",) if gauge.stated_window else ("waiting", "silent_cut")
            return replace(turn, notices=tuple(notice for notice in turn.notices if notice.kind not in over))
        case ToolStarted() | ToolOutputReceived() | ToolFinished():
            return _with_run(turn, event, now)
        case _:
            return turn


def _reply_after(
    reply: LiveReply | None, event: ReplyStarted | TextDelta | ReasoningDelta | ReasoningRecognized
) -> LiveReply:
    is_same = reply is not None and reply.reply_id == event.reply_id
    known = reply if reply is not None and is_same else LiveReply(event.reply_id)
    match event:
        case TextDelta(text=text):
            return replace(known, text=known.text + text)
        case ReasoningDelta(text=text):
            return replace(known, reasoning=known.reasoning + text)
        case ReasoningRecognized():
            return replace(known, text="", reasoning=known.reasoning + known.text)
        case ReplyStarted(model=model, continues=continues):
            return known if is_same else replace(known, model=model, continues=continues)


def _with_failure(failures: tuple[Failure, ...], failure: Failure) -> tuple[Failure, ...]:
    """Return the failures with this one at the end, without duplicates of it."""
    return (*(known for known in failures if known != failure), failure)


def _with_run(turn: LiveTurn, event: ToolStarted | ToolOutputReceived | ToolFinished, now: float) -> LiveTurn:
    key = event.reply_id, event.call_index
    if isinstance(event, ToolStarted):
        return replace(turn, calling=event.reply_id, runs={**turn.runs, key: ToolRun(now)})
    run = turn.runs.get(key)
    if run is None:
        return turn
    if isinstance(event, ToolFinished):
        run = replace(run, seconds=event.seconds)
    else:
        run = replace(run, tail=(run.tail + event.text)[-MAX_OUTPUT:], lines=run.lines + event.text.count("\n"))
    return replace(turn, runs={**turn.runs, key: run})
