"""One turn: from the user's message to the last stored reply."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable

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
    """The user's wishes for one turn."""

    is_forced: bool = False
    """Send although hardly any room is left."""
    makes_room: bool = False
    """Make room first."""
    not_before: float = 0.0
    """Seconds since 1970, until which the first request waits."""


DEFAULT_OPTIONS = TurnOptions()


async def take_turn(
    session: Session,
    services: Services,
    emit: Emit,
    is_automatic: bool = True,
    options: TurnOptions = DEFAULT_OPTIONS,
) -> TurnFinished:
    """Answer the newest user message; return how that ended.

    Each event is emitted once what it reports is stored. Cancelling the task stops the turn: what had arrived of the
    reply is kept, and each call gets a result. Nothing is raised: errors are part of the outcome. is_automatic: room
    may be made without the user's request.
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
            if is_automatic:
                await make_room(session, services, turn.trigger, emit, turn.tries)
            refuse_without_room(session, options.is_forced)
            reply = await turn.begin_reply().receive()  # assemble, stream, record; stopped, continued, retried inside
            if not reply.tool_calls or services.tools is None:
                break
            await turn.run_tools(reply, services.tools)
    except (asyncio.CancelledError, Exception) as error:  # noqa: BLE001 - a bug is reported, once all is settled
        turn.outcome.fail(error)
    return await turn.settle()


PART_STORED = translatable("Your message is stored, and so is what has arrived of the reply.")


class Turn:
    """One turn while it runs."""

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
    def trigger(self) -> Trigger:
        """Why room is made before the next request."""
        return Trigger.TOOL_RESULT if self._replies else Trigger.BEFORE_REQUEST

    def begin_reply(self) -> StreamedReply:
        """Return the reply to the next request, which is not sent yet."""
        self._replies.append(StreamedReply(self._session, self._services, self._emit, self._is_automatic, self.tries))
        return self._replies[-1]

    async def run_tools(self, reply: Message, tools: ToolRuntime) -> None:
        """Run the calls of the reply; after many rounds the user is asked first. Raises WorldError, also where the
        model makes the same call again and again."""
        self._calls = ToolCalls(self._session, tools, self._emit, reply, self._repeats)
        self._emit(self._session.gauge_changed())  # with what was reported; a question may wait for long
        if len(self._replies) % max(tools.settings().max_rounds, 1) == 0:
            asked = QuestionAsked(self._session.id, uuid.uuid4().hex, "rounds", rounds=len(self._replies))
            if not (tools.is_attended and (await tools.questions.ask(asked, self._emit)).is_allowed):
                raise WorldError(TOO_MANY_ROUNDS)
            self.tries.reset()  # the user wants it to go on
        await self._calls.run()
        self._calls = None
        if self._repeats.circle is not None:
            raise WorldError(circle_failure(*self._repeats.circle))

    async def settle(self) -> TurnFinished:
        """Store what has arrived, give each call a result, and return how the turn ended, whatever ended it."""
        try:
            await shielded(self._keep())
        except WorldError as error:
            self.outcome.fail(error)
        if self._replies and self._replies[-1].is_partial:
            self.outcome.note_partial_reply()
        await shielded(self.outcome.explain(self._session))
        self._emit(self._session.gauge_changed())
        self.outcome.report(self._session.id, self._emit, self._services.on_bug)
        # Everything recorded during the turn, including summaries and the like.
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
    """How one turn ends: "finished", unless something else is said."""

    def __init__(self) -> None:
        self.reason = "finished"
        self._failure: Failure | None = None
        self._bug: BaseException | None = None

    def fail(self, error: BaseException) -> None:
        """Note what ended the turn: a cancellation stops it, anything else is a failure."""
        if isinstance(error, asyncio.CancelledError):
            self.reason = "stopped"
            return
        self.reason, self._failure = "failed", failure_of(error)
        if isinstance(error, ModelError) and error.retry_after:
            self._failure = replace(self._failure, retry_at=time.time() + error.retry_after)
        if not isinstance(error, WorldError | WindowTooSmall):
            self._bug = error

    def note_partial_reply(self) -> None:
        """Add that the part of the reply that has arrived is stored."""
        if self._failure is not None and self._failure.kept == MESSAGE_STORED:
            self._failure = replace(self._failure, kept=PART_STORED)

    async def explain(self, session: Session) -> None:
        """Add advice to a request that does not fit. A bug in that is reported in addition."""
        if self._failure is not None and self._bug is None:
            try:
                self._failure = await explain_failure(session, self._failure)
            except Exception as error:  # noqa: BLE001 - the failure is reported as it is
                self._bug = error

    def report(self, conversation: str, emit: Emit, on_bug: Callable[[BaseException], None]) -> None:
        """Tell the user of the failure, and the log of the bug, if there was one."""
        if self._failure is not None:
            emit(TurnFailed(conversation, self._failure))
        if self._bug is not None:
            on_bug(self._bug)


def failure_of(error: BaseException) -> Failure:
    """Return the failure to show for that error; an unexpected one is our own mistake."""
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
