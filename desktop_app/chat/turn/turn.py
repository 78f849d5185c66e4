"""One turn while it runs: what it has come to, what it has cost, and how it ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from msgspec.structs import replace

from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session
from desktop_app.chat.shielded import all_of, shielded
from desktop_app.context.compact.make_room import WindowTooSmall
from desktop_app.context.counting.totals import usage_totals_of
from desktop_app.conversation.events import (
    Failure,
    QuestionAnswered,
    QuestionAsked,
    TurnEvent,
    TurnFailed,
    TurnFinished,
)
from desktop_app.conversation.message import Message
from desktop_app.conversation.tools import PermissionAnswer
from desktop_app.conversation.transcript import Trigger

from .recovery import recovered
from .tool_calls import Calls
from .tool_runtime import ToolRuntime
from .whole_reply import WholeReply

TOO_MANY_ROUNDS = Failure(
    "rounds",
    "The model wants to continue, but nobody answered",
    advice="Answer, or raise the number of rounds in the settings.",
)


class TurnOutcome:
    """How a turn ends. reason: as `TurnFinished` has it. failure: what the user is told. bug: what nobody expected."""

    def __init__(self) -> None:
        self.reason = "finished"
        self.failure: Failure | None = None
        self.bug: BaseException | None = None

    def by(self, error: BaseException) -> None:
        """It ends by that: stopped by a cancellation, else failed."""
        if isinstance(error, asyncio.CancelledError):
            self.reason = "stopped"
            return
        self.reason, self.failure = "failed", failure_of(error)
        if not isinstance(error, WorldError | WindowTooSmall):
            self.bug = error


class Turn:
    """The state of one turn. whole: the reply that is being written. calls: those of the newest reply, while they run.

    bench: what its tools need; None: there are none. is_automatic: whether room is made without the user's word.
    estimated: tokens of its requests, as the gauge had them.
    """

    def __init__(self, session: Session, bench: ToolRuntime | None, is_automatic: bool) -> None:
        self.session = session
        self.bench = bench
        self.is_automatic = is_automatic
        self.whole: WholeReply | None = None
        self.calls: Calls | None = None
        self.newest: Message | None = None
        self.ending = TurnOutcome()
        self.rounds = self.restarts = self.estimated = 0
        self._begins_at = len(session.transcript.entries)

    @property
    def is_open(self) -> bool:
        """Whether the model has to be asked: for the first time, or since its calls have results now. Where there are
        no tools, calls get none."""
        return self.newest is None or (self.bench is not None and bool(self.newest.tool_calls))

    @property
    def trigger(self) -> Trigger:
        """Why room is made before the next request."""
        return Trigger.TOOL_RESULT if self.rounds else Trigger.BEFORE_REQUEST

    async def replied(self) -> AsyncGenerator[TurnEvent, None]:
        """One request and its reply, stored; what a provider does not do is tried again where that helps."""
        self.whole = whole = WholeReply(self.session, self.is_automatic, self.note)
        self.rounds += 1
        attempts = recovered(self.session, whole.streamed, lambda: whole.has_arrived, self.is_automatic)
        async with aclosing(attempts) as events:
            async for event in events:
                yield event
        self._count(whole)

    def _count(self, whole: WholeReply) -> None:
        self.whole = None
        self.estimated += whole.estimated
        self.restarts += whole.restarts

    def note(self, reply: Message) -> Message:
        """A reply that is about to be stored, with what it has cost."""
        self.newest = replace(reply, usage=self.session.with_price(reply.usage))
        return self.newest

    async def tools_run(self) -> AsyncGenerator[TurnEvent, None]:
        """Runs the calls of the newest reply, if it has any; after many rounds the user is asked first."""
        if self.newest is None or not self.newest.tool_calls or self.bench is None:
            return
        self.calls = Calls(self.session, self.bench, self.newest)
        if self.rounds % max(self.bench.settings().rounds_most, 1) == 0:
            async with aclosing(self._leave_asked(self.bench)) as events:
                async for event in events:
                    yield event
        async with aclosing(self.calls.run()) as events:
            async for event in events:
                yield event
        self.calls = None

    async def _leave_asked(self, bench: ToolRuntime) -> AsyncGenerator[TurnEvent, None]:
        asked = QuestionAsked(self.session.id, bench.questions.new_name(), "rounds", rounds=self.rounds)
        answer = PermissionAnswer(is_allowed=False)
        if bench.is_attended:
            bench.questions.open(asked)
            yield asked
            answer = await bench.questions.answer_to(asked)
            yield QuestionAnswered(asked.conversation, asked.question, answer.is_allowed)
        if not answer.is_allowed:
            raise WorldError(TOO_MANY_ROUNDS)

    async def settled(self) -> AsyncGenerator[TurnEvent, None]:
        """However the turn went: what had arrived is stored, each call has a result, and only then it is told. Raises
        the bug that ended it."""
        try:
            for event in await shielded(all_of(self._stored())):
                yield event
        except WorldError as error:
            self.ending.by(error)
        yield self.session.gauge_changed()
        if self.ending.failure is not None:
            yield TurnFailed(self.session.id, self.ending.failure)
        yield self._finished()
        if self.ending.bug is not None:
            raise self.ending.bug

    async def _stored(self) -> AsyncGenerator[TurnEvent, None]:
        if self.whole is not None:
            async for event in self.whole.kept():
                yield event
            self._count(self.whole)
        open_calls = self.session.view.open_calls
        if self.calls is None and self.bench is not None and open_calls and self.newest is not None:
            self.calls = Calls(self.session, self.bench, self.newest)
        if self.calls is not None:
            async for event in self.calls.closed():
                yield event

    def _finished(self) -> TurnFinished:
        """The end, with what all that was recorded meanwhile has taken, summaries and the like included."""
        replies, upkeep = usage_totals_of(self.session.transcript.entries[self._begins_at :])
        dollars = [spent.dollars for spent in (replies, upkeep) if spent.dollars is not None]
        figures = (self.estimated, replies.prompt_tokens, sum(dollars) if dollars else None, self.rounds, self.restarts)
        return TurnFinished(self.session.id, self.ending.reason, *figures)


def failure_of(error: BaseException) -> Failure:
    """What the user is told of that error; of one that nobody expected, that it is our own mistake."""
    if isinstance(error, WorldError):
        return error.failure
    return too_small(error) if isinstance(error, WindowTooSmall) else bug_failure(error)


def too_small(error: WindowTooSmall) -> Failure:
    """What must stay does not fit."""
    return Failure(
        kind="window_too_small",
        title="This does not fit into the model’s context window",
        detail=f"{error.needed:,} tokens must be sent, but only {error.usable:,} are usable.",
        kept="Your message and the whole conversation are saved.",
        advice=error.advice,
    )


def bug_failure(error: BaseException) -> Failure:
    """What the user is told of our own mistake."""
    return Failure(
        kind="bug",
        title="Something went wrong inside Palimpsest",
        detail=f"{type(error).__name__}: {error}",
        kept="Everything that was shown as saved is saved.",
        advice="Try again; the log file has the details.",
    )
