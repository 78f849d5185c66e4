"""Run one turn, from the user's message to the last stored reply."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable

import msgspec
from msgspec.structs import replace

from desktop_app.chat.compaction.making_room import RoomTries, make_room, refuse_without_room
from desktop_app.chat.ports import MESSAGE_STORED, Emit, ModelError, WorldError
from desktop_app.chat.session import Session
from desktop_app.chat.tasks import shielded
from desktop_app.chat.turn_services import Services
from desktop_app.context.compact.room_decision import WindowTooSmall
from desktop_app.context.counting.breakdown import usage_totals_of
from desktop_app.conversation.events import (
    Failure,
    QuestionAsked,
    RetryScheduled,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Trigger
from desktop_app.conversation.words import translatable

from .prepare import prepare
from .recovery import DOES_NOT_FIT, KEPT, circle_failure, explain_failure
from .reply import StreamedReply
from .tool_calls import RepeatedCalls, ToolCalls
from .tool_runtime import ToolRuntime

NOT_YET = translatable("The provider accepts no more requests for now")
TOO_MANY_ROUNDS = Failure(
    "rounds",
    translatable("The model wants to continue, but nobody answered"),
    advice=translatable("Answer, or raise the number of rounds in the settings."),
)


class TurnOptions(msgspec.Struct, frozen=True):
    """The user's options for one turn."""

    is_forced: bool = False
    """Send even if the window is nearly full, or a limit of money would be passed."""
    makes_room: bool = False
    """Make room before the first request."""
    not_before: float = 0.0
    """Seconds since 1970; the first request waits until then."""


DEFAULT_OPTIONS = TurnOptions()


async def do_nothing() -> None:
    """Add nothing to a turn."""


async def take_turn(
    session: Session,
    services: Services,
    emit: Emit,
    is_automatic: bool = True,
    options: TurnOptions = DEFAULT_OPTIONS,
    steer: Callable[[], Awaitable[None]] = do_nothing,
) -> TurnFinished:
    """Answer the newest user message, and return the turn's outcome.

    Each event is emitted once what it reports is stored. Cancelling the task stops the turn: the reply so far is
    stored, and each call gets a result. Nothing is raised: errors are part of the outcome. is_automatic: whether room
    may be made without asking the user. steer: records what the user wants to add to the next request.
    """
    turn = Turn(session, services, emit, is_automatic)
    emit(TurnStarted(session.id))
    try:
        await prepare(session, services, emit)
        if (seconds := options.not_before - time.time()) > 0:
            emit(RetryScheduled(session.id, NOT_YET, seconds, attempt=1))
            await asyncio.sleep(seconds)
        if options.makes_room:
            await make_room(session, services, Trigger.USER, emit)
        while True:
            await steer()
            if is_automatic:
                await make_room(session, services, turn.trigger, emit, turn.tries)
            refuse_without_room(session, options.is_forced)
            if services.money is not None:
                await services.money.check(session, options.is_forced and turn.is_first_request)
            reply = await turn.begin_reply().receive()  # stops, continues and retries are inside
            if not reply.tool_calls or services.tools is None:
                break
            await turn.run_tools(reply, services.tools)
    except (asyncio.CancelledError, Exception) as error:  # noqa: BLE001 - a bug is reported once the turn is settled
        turn.outcome.fail(error)
    return await turn.settle()


PART_STORED = translatable("Your message is stored, and so is what has arrived of the reply.")


class Turn:
    """The state of a running turn."""

    def __init__(self, session: Session, services: Services, emit: Emit, is_automatic: bool) -> None:
        self._session = session
        self._services = services
        self._emit = emit
        self._is_automatic = is_automatic
        self._replies: list[StreamedReply] = []
        self._calls: ToolCalls | None = None
        self._repeats = RepeatedCalls()
        self.tries = RoomTries()
        self._begins_at = len(session.transcript.entries)
        self.outcome = TurnOutcome()

    @property
    def is_first_request(self) -> bool:
        """Whether no request was sent yet."""
        return not self._replies

    @property
    def trigger(self) -> Trigger:
        """The trigger for making room before the next request."""
        return Trigger.BEFORE_REQUEST if self.is_first_request else Trigger.TOOL_RESULT

    def begin_reply(self) -> StreamedReply:
        """Return a reply for the next request, which is sent by its `receive`."""
        self._replies.append(StreamedReply(self._session, self._services, self._emit, self._is_automatic, self.tries))
        return self._replies[-1]

    async def run_tools(self, reply: Message, tools: ToolRuntime) -> None:
        """Run the calls of the reply; after many rounds, ask the user first.

        Raises WorldError if the user declines, if the model keeps repeating a call, or if a result cannot be stored.
        """
        self._calls = ToolCalls(self._session, tools, self._emit, reply, self._repeats)
        self._emit(self._session.gauge_changed())  # with the reported usage, before a question that may wait long
        if len(self._replies) % max(tools.settings().max_rounds, 1) == 0:
            asked = QuestionAsked(self._session.id, uuid.uuid4().hex, "rounds", rounds=len(self._replies))
            if not (tools.is_attended and (await tools.questions.ask(asked, self._emit)).is_allowed):
                raise WorldError(TOO_MANY_ROUNDS)
            self.tries.reset()  # the user wants it to continue
        await self._calls.run()
        self._calls = None
        if self._repeats.circle is not None:
            raise WorldError(circle_failure(*self._repeats.circle))

    async def settle(self) -> TurnFinished:
        """Store what has arrived, give each call a result, and return the outcome, however the turn ended."""
        try:
            await shielded(self._keep())
        except WorldError as error:
            self.outcome.fail(error)
        if self._replies and self._replies[-1].is_partial:
            self.outcome.note_partial_reply()
        await shielded(self.outcome.explain(self._session))
        self._emit(self._session.gauge_changed())
        self.outcome.report(self._session.id, self._emit, self._services.on_bug)
        # Of everything recorded during the turn, including side requests such as summaries.
        replies, auxiliary = usage_totals_of(self._session.transcript.entries[self._begins_at :])
        dollars = [spent.dollars for spent in (replies, auxiliary) if spent.dollars is not None]
        return TurnFinished(
            self._session.id,
            self.outcome.reason,
            tokens_estimated=sum(reply.estimated for reply in self._replies),
            tokens_reported=replies.prompt_tokens,
            dollars=sum(dollars) if dollars else None,
            rounds=len(self._replies),
            restarts=sum(reply.restarts for reply in self._replies),
        )

    async def _keep(self) -> None:
        if self._replies:
            await self._replies[-1].keep()
        if self._calls is not None:
            await self._calls.close()


class TurnOutcome:
    """The outcome of one turn. reason: "finished", "stopped" or "failed"."""

    def __init__(self) -> None:
        self.reason = "finished"
        self._failure: Failure | None = None
        self._bug: BaseException | None = None

    def fail(self, error: BaseException) -> None:
        """Note the error that ended the turn: after a cancellation it is "stopped", after any other "failed"."""
        if isinstance(error, asyncio.CancelledError):
            self.reason = "stopped"
            return
        self.reason, self._failure = "failed", failure_of(error)
        if isinstance(error, ModelError) and error.retry_after:
            self._failure = replace(self._failure, retry_at=time.time() + error.retry_after)
        if not isinstance(error, WorldError | WindowTooSmall):
            self._bug = error

    def note_partial_reply(self) -> None:
        """Add to the failure that the reply so far is stored."""
        if self._failure is not None and self._failure.kept == MESSAGE_STORED:
            self._failure = replace(self._failure, kept=PART_STORED)

    async def explain(self, session: Session) -> None:
        """Add advice to the failure of a request that does not fit. A bug in doing so is reported in addition."""
        if self._failure is not None and self._bug is None:
            try:
                self._failure = await explain_failure(session, self._failure)
            except Exception as error:  # noqa: BLE001 - the failure is reported without advice
                self._bug = error

    def report(self, conversation: str, emit: Emit, on_bug: Callable[[BaseException], None]) -> None:
        """Publish the failure, and pass the bug to `on_bug`, if there was one."""
        if self._failure is not None:
            emit(TurnFailed(conversation, self._failure))
        if self._bug is not None:
            on_bug(self._bug)


def failure_of(error: BaseException) -> Failure:
    """Return the failure to show for an error; an unexpected error is a bug in Palimpsest."""
    if isinstance(error, WorldError):
        return error.failure
    if isinstance(error, WindowTooSmall):
        return Failure(
            kind="window_too_small",
            title=DOES_NOT_FIT,
            detail=translatable("{needed} tokens must be sent, but only {usable} are usable.").format(
                needed=f"{error.needed:,}", usable=f"{error.usable:,}"
            ),
            kept=KEPT,
            advice=error.advice,
        )
    return Failure(
        kind="bug",
        title=translatable("Something went wrong inside Palimpsest"),
        detail=f"{type(error).__name__}: {error}",
        kept=translatable("Everything that was shown as saved is saved."),
        advice=translatable("Try again; the log file has the details."),
    )
