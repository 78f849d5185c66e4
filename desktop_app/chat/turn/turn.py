"""The state of one turn: its replies, the calls that run, and what it has cost."""

from __future__ import annotations

from desktop_app.chat.ports import Emit, WorldError
from desktop_app.chat.services import Services
from desktop_app.chat.session import Session
from desktop_app.chat.shielded import shielded
from desktop_app.context.counting.totals import usage_totals_of
from desktop_app.conversation.events import Failure, QuestionAsked, TurnFinished
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Trigger

from .outcome import TurnOutcome
from .reply import StreamedReply
from .tool_calls import ToolCalls
from .tool_runtime import ToolRuntime

TOO_MANY_ROUNDS = Failure(
    "rounds",
    "The model wants to continue, but nobody answered",
    advice="Answer, or raise the number of rounds in the settings.",
)


class Turn:
    """One turn while it runs."""

    def __init__(self, session: Session, services: Services, emit: Emit, is_automatic: bool) -> None:
        self._session = session
        self._services = services
        self._emit = emit
        self._is_automatic = is_automatic
        self._replies: list[StreamedReply] = []
        self._calls: ToolCalls | None = None
        self._begins_at = len(session.transcript.entries)
        self.outcome = TurnOutcome()

    @property
    def trigger(self) -> Trigger:
        """Why room is made before the next request."""
        return Trigger.TOOL_RESULT if self._replies else Trigger.BEFORE_REQUEST

    async def ask_model(self) -> Message:
        """Return the reply to the next request, once it is stored. Raises ModelError, WorldError, WindowTooSmall."""
        self._replies.append(StreamedReply(self._session, self._services, self._emit, self._is_automatic))
        return await self._replies[-1].receive()

    async def run_tools(self, reply: Message, tools: ToolRuntime) -> None:
        """Run the calls of the reply; after many rounds the user is asked first. Raises WorldError."""
        self._calls = ToolCalls(self._session, tools, self._emit, reply)
        if len(self._replies) % max(tools.settings().max_rounds, 1) == 0:
            asked = QuestionAsked(self._session.id, tools.questions.new_name(), "rounds", rounds=len(self._replies))
            if not (tools.is_attended and (await tools.ask(asked, self._emit)).is_allowed):
                raise WorldError(TOO_MANY_ROUNDS)
        await self._calls.run()
        self._calls = None

    async def settle(self) -> TurnFinished:
        """Store what has arrived, give each call a result, and return how the turn ended, whatever ended it."""
        try:
            await shielded(self._keep())
        except WorldError as error:
            self.outcome.fail(error)
        self._emit(self._session.gauge_changed())
        self.outcome.report(self._session.id, self._emit, self._services.on_bug)
        return self._turn_finished()

    async def _keep(self) -> None:
        if self._replies:
            await self._replies[-1].keep()
        if self._calls is not None:
            await self._calls.close()

    def _turn_finished(self) -> TurnFinished:
        """Return the end with what all that was recorded meanwhile has taken, summaries and the like included."""
        replies, upkeep = usage_totals_of(self._session.transcript.entries[self._begins_at :])
        dollars = [spent.dollars for spent in (replies, upkeep) if spent.dollars is not None]
        return TurnFinished(
            self._session.id,
            self.outcome.reason,
            tokens_estimated=sum(reply.estimated for reply in self._replies),
            tokens_reported=replies.prompt_tokens,
            dollars=sum(dollars) if dollars else None,
            rounds=len(self._replies),
            restarts=sum(reply.restarts for reply in self._replies),
        )
