"""The state of the turn of every conversation, open or not, folded from events. No Qt, no clock."""

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
    ReplyStarted,
    TextDelta,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)


class Activity(Enum):
    """What a conversation does, or how its last turn ended, as the sidebar says it.

    Not a StrEnum: a Qt model would turn that into plain text.
    """

    WAITS = "Waiting for your answer"
    WORKS = "Working…"
    FAILED = "Stopped with an error"


QUESTIONS = frozenset({"rounds", "nearly_full"})
"""The kinds of failures that are questions: nobody said that the model may go on calling tools, or that what leaves
hardly any room shall be sent."""


class LiveReply(msgspec.Struct, frozen=True):
    """What has arrived of a reply. continues: the id of the message that it continues."""

    reply_id: str
    model: str = ""
    continues: str = ""
    text: str = ""
    reasoning: str = ""


class LiveTurn(msgspec.Struct, frozen=True):
    """The state of a conversation's turn.

    failures: why the newest one ended early. questions: those that wait, oldest first. notices: warnings that did not
    end it.
    """

    is_running: bool = False
    reply: LiveReply | None = None
    failures: tuple[Failure, ...] = ()
    questions: tuple[QuestionAsked, ...] = ()
    notices: tuple[Failure, ...] = ()

    @property
    def activity(self) -> Activity | None:
        """What the sidebar says; None when there is nothing to say."""
        if self.questions:
            return Activity.WAITS
        if self.is_running:
            return Activity.WORKS
        if any(failure.kind in QUESTIONS for failure in self.failures):
            return Activity.WAITS
        return Activity.FAILED if self.failures else None


RESTING = LiveTurn()


class LiveTurns:
    """The turns of all conversations, also of those that are not shown."""

    def __init__(self) -> None:
        self._turns: dict[str, LiveTurn] = {}

    def of(self, conversation: str) -> LiveTurn:
        return self._turns.get(conversation, RESTING)

    @property
    def running(self) -> frozenset[str]:
        return frozenset(conversation for conversation, turn in self._turns.items() if turn.is_running)

    @property
    def activities(self) -> Mapping[str, Activity]:
        """The activity of each conversation that has one."""
        return {conversation: turn.activity for conversation, turn in self._turns.items() if turn.activity is not None}

    def fold(self, event: TurnEvent) -> None:
        self._keep(event.conversation, _after(self.of(event.conversation), event))

    def note_opened(self, conversation: str, is_running: bool, questions: tuple[QuestionAsked, ...]) -> None:
        """Take over what the engine knew of a conversation when it was opened."""
        turn = self.of(conversation)
        reply = turn.reply if is_running else None
        self._keep(conversation, replace(turn, is_running=is_running, reply=reply, questions=questions))

    def end_all(self) -> None:
        """End all turns, since the engine ended."""
        for conversation, turn in tuple(self._turns.items()):
            self._keep(conversation, LiveTurn(failures=turn.failures, notices=turn.notices))

    def _keep(self, conversation: str, turn: LiveTurn) -> None:
        if turn == RESTING:
            self._turns.pop(conversation, None)
        else:
            self._turns[conversation] = turn


def _after(turn: LiveTurn, event: TurnEvent) -> LiveTurn:
    match event:
        case TurnStarted():
            return LiveTurn(is_running=True)
        case ReplyStarted(_, reply_id, model, continues) if turn.reply is None or turn.reply.reply_id != reply_id:
            return replace(turn, reply=LiveReply(reply_id, model, continues))
        case TextDelta(_, reply_id, text):
            reply = _reply_of(turn, reply_id)
            return replace(turn, reply=replace(reply, text=reply.text + text))
        case ReasoningDelta(_, reply_id, text):
            reply = _reply_of(turn, reply_id)
            return replace(turn, reply=replace(reply, reasoning=reply.reasoning + text))
        case MessageRecorded(_, row) if turn.reply is not None and turn.reply.reply_id == row.message.id:
            return replace(turn, reply=None)
        case QuestionAsked() if event not in turn.questions:
            return replace(turn, questions=(*turn.questions, event))
        case QuestionAnswered(_, question):
            return replace(turn, questions=tuple(asked for asked in turn.questions if asked.question != question))
        case TurnFailed(_, failure):
            return replace(turn, failures=(*(f for f in turn.failures if f != failure), failure))
        case Noticed(_, notice):
            return replace(turn, notices=(*turn.notices, notice))
        case GaugeChanged(_, gauge) if turn.notices and not gauge.stated_window:
            return replace(turn, notices=())  # what was learned of the window is forgotten
        case TurnFinished():
            return LiveTurn(failures=turn.failures, notices=turn.notices)
        case _:
            return turn


def _reply_of(turn: LiveTurn, reply_id: str) -> LiveReply:
    is_same = turn.reply is not None and turn.reply.reply_id == reply_id
    return turn.reply if is_same and turn.reply is not None else LiveReply(reply_id)
