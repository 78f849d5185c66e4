"""`/research QUESTION`: a turn in which the research role's model searches the web (L2).

It runs in a session of its own (`research_session.py`), with the replies and the tool calls of any turn. The chat's
model sees the question and the answer only: what was searched and read in between does not flood its window. It is kept
whole as a spill, which the answer names.
"""

from __future__ import annotations

import asyncio

from msgspec.structs import replace

from desktop_app.chat.compaction.make_room import drop_results
from desktop_app.chat.ports import Emit, WorldError
from desktop_app.chat.services import Services
from desktop_app.chat.session import Session
from desktop_app.chat.session_model import find_model
from desktop_app.chat.stamp import stamp
from desktop_app.chat.tasks import shielded
from desktop_app.chat.title_generator import RESEARCH
from desktop_app.chat.turn.reply import StreamedReply
from desktop_app.chat.turn.take_turn import TurnOutcome
from desktop_app.chat.turn.tool_runtime import ToolRuntime
from desktop_app.conversation.events import (
    Failure,
    QuestionAnswered,
    QuestionAsked,
    ReasoningDelta,
    ReplyStarted,
    RetryScheduled,
    TextDelta,
    ToolFinished,
    ToolOutputReceived,
    ToolStarted,
    TurnEvent,
    TurnFinished,
    TurnStarted,
)
from desktop_app.conversation.message import Message, user_message
from desktop_app.conversation.tools import ToolSpec

from .research_reply import ResearchReply
from .research_role import Researcher
from .research_session import newest_words, research_session
from .research_tool_calls import ResearchToolCalls

MAX_ROUNDS = 12
"""Requests of one research, the answer's included."""
MAX_SECONDS = 300.0
"""After which nothing more is searched, and the model is told to answer."""
ANSWER_SECONDS = 60.0
"""For the answer then."""
SAFE_SHARE = 0.95
"""Of what can be used, since tokens are estimated."""
TOOLS = ("web_search", "web_fetch", "recall")
WEB = frozenset({"web_search", "web_fetch"})
ENOUGH = "[No more searches. Answer the question now from what you have found, and say what is still open.]"
KEPT = "Your question is saved, and so is what was read."
NO_TOOLS = Failure("bad_input", "The web cannot be searched here", "", KEPT, "Switch web_search on in the settings.")
NO_ANSWER = Failure(
    "provider",
    "The research came to no answer",
    "The model went on searching to the end.",
    KEPT,
    "Ask for less at once.",
)
TOO_LONG = Failure(
    "timeout",
    "The research took too long",
    kept=KEPT,
    advice="Ask for less at once, or choose a faster model for research.",
)


def question_in(text: str) -> str:
    """Return what is to be researched, of a user's message that begins with the command; "" if it does not."""
    return text.strip()[len(RESEARCH) :].strip() if text.strip().startswith(RESEARCH) else ""


async def take_research(session: Session, services: Services, emit: Emit, prompt: Message) -> TurnFinished:
    """Research the question of the prompt, the command included, as `take_turn` takes a turn.

    Cancelling the task stops it: what was read is kept.
    """
    emit(TurnStarted(session.id))
    earlier, research, outcome = newest_words(session.view), None, TurnOutcome()
    try:
        emit(await session.record_message(stamp(prompt)))
        await find_model(session, services.models, emit)
        emit(session.gauge_changed())
        if services.tools is None or services.research is None:
            raise WorldError(NO_TOOLS)
        who = await services.research.researcher(session)
        tools = await _tools_on_offer(session, services.tools, who)
        research = Research(session, services, services.tools, emit, who, tools, question_in(prompt.text), earlier)
        await research.run()
    except (asyncio.CancelledError, Exception) as error:  # noqa: BLE001 - a bug is reported, once all is settled
        outcome.fail(error)
    if research is not None:
        try:
            await shielded(research.settle())
        except WorldError as error:
            outcome.fail(error)
    emit(session.gauge_changed())
    outcome.report(session.id, emit, services.on_bug)
    return research.turn_finished(outcome.reason) if research else TurnFinished(session.id, outcome.reason)


async def _tools_on_offer(session: Session, tools: ToolRuntime, who: Researcher) -> tuple[ToolSpec, ...]:
    """Return what the research may use. Raises WorldError if that is nothing."""
    if not who.model.info.supports_tools:
        detail = f"{who.model.info.label} cannot call tools."
        raise WorldError(replace(NO_TOOLS, detail=detail, advice="Choose another model for research."))
    offered, off = await tools.toolbox.specs(tools.context_of(session)), tools.settings().tools_off
    specs = tuple(spec for spec in offered if spec.name in TOOLS and not spec.source and spec.name not in off)
    if WEB.isdisjoint(spec.name for spec in specs):
        raise WorldError(replace(NO_TOOLS, detail="web_search and web_fetch are switched off."))
    return specs


class Research:
    """One question while it is researched."""

    def __init__(
        self,
        session: Session,
        services: Services,
        tools: ToolRuntime,
        emit: Emit,
        who: Researcher,
        specs: tuple[ToolSpec, ...],
        question: str,
        earlier: str,
    ) -> None:
        self._session, self._services, self._tools, self._emit = session, services, tools, emit
        self._answer = ResearchReply(session, who)
        self._side = research_session(session, who, specs, question, earlier, self._keep)
        self._names = [spec.name for spec in specs]
        self._replies: list[StreamedReply] = []
        self._calls: ResearchToolCalls | None = None
        self._clock = asyncio.get_running_loop().time
        self._asked_at = 0.0
        self._ends_at = self._clock() + MAX_SECONDS

    async def run(self) -> None:
        """Search and read until the model answers. Raises WorldError; cancelling it ends the tools."""
        self._emit(ReplyStarted(self._session.id, self._answer.id, f"{self._side.model_info.label} (research)"))
        for number in range(1, MAX_ROUNDS + 1):
            is_last = number == MAX_ROUNDS or self._clock() >= self._ends_at
            if is_last:
                await self._side.record_message(stamp(user_message(ENOUGH)))
            reply = await self._ask_model()
            if not reply.tool_calls or (is_last and reply.text.strip()):
                self._answer.is_whole = True
                return
            if is_last:
                raise WorldError(NO_ANSWER)
            await self._run_tools(reply)

    async def settle(self) -> None:
        """Give each call a result, and store what was found, however it went. Raises WorldError."""
        if self._replies:
            await self._replies[-1].keep()
        if self._calls is not None:
            await self._calls.close()
        message = await self._answer.message(self._side, self._tools.spills)
        if message is not None:
            self._emit(await self._session.record_message(message))

    def turn_finished(self, reason: str) -> TurnFinished:
        """Return the end of the turn, with what all its requests took."""
        usage = self._answer.usage(self._side)
        reported, dollars = (usage.prompt_tokens, usage.dollars) if usage else (0, None)
        estimated = sum(reply.estimated for reply in self._replies)
        return TurnFinished(self._session.id, reason, estimated, reported, dollars, len(self._replies))

    async def _keep(self, partial: Message) -> None:
        await self._answer.keep(self._side, partial)

    async def _ask_model(self) -> Message:
        for share in self._side.policy.overflow_shed:
            if self._side.request_size() > SAFE_SHARE * self._side.budget.usable:
                await drop_results(self._side, share, self._relay)
        self._replies.append(StreamedReply(self._side, self._services, self._relay))
        try:
            async with asyncio.timeout_at(self._ends_at + ANSWER_SECONDS):
                return await self._replies[-1].receive()
        except TimeoutError:
            raise WorldError(TOO_LONG) from None

    async def _run_tools(self, reply: Message) -> None:
        """Run the calls, at once since they only look, with the user's permission like any."""
        if reply.text.strip():  # what the model says beside its calls is no part of the answer
            self._emit(TextDelta(self._session.id, self._answer.id, "\n\n"))
        shown = replace(reply, id=self._answer.id)  # to the window all rounds are one reply
        found = self._answer.found
        self._calls = ResearchToolCalls(self._side, self._tools, self._relay, shown, self._session, self._names, found)
        await self._calls.run()
        self._calls = None

    def _relay(self, event: TurnEvent) -> None:
        """Tell of what happens in the research as of the one reply that the window shows."""
        match event:
            case TextDelta() | ReasoningDelta() | ToolStarted() | ToolOutputReceived():
                self._emit(replace(event, reply_id=self._answer.id))
            case ToolFinished():
                self._emit(replace(event, reply_id=self._answer.id, message_id=self._answer.id))
            case RetryScheduled():
                self._emit(event)
            case QuestionAsked():
                self._asked_at = self._clock()
                self._emit(event)
            case QuestionAnswered():  # the time that the user takes to answer a question is not the research's
                self._ends_at += self._clock() - self._asked_at
                self._emit(event)
            case _:
                pass
