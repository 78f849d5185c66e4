"""`/research QUESTION`: a turn in which the research role's model searches the web in a loop of its own (L2).

The chat's model sees the question and the answer only. What was searched and read in between does not flood its
window: it is kept whole as a spill, which the answer names.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

import msgspec
from msgspec.structs import replace

from desktop_app.chat.ports import ChatModel, ModelCatalogue, ModelError, Price, WorldError
from desktop_app.chat.session import Session, stamped
from desktop_app.chat.shielded import all_of, shielded
from desktop_app.chat.titles import RESEARCH
from desktop_app.chat.turn.recovery import Tried, Wait, reaction_to
from desktop_app.chat.turn.tool_runtime import ToolRuntime
from desktop_app.chat.turn.turn import TurnOutcome
from desktop_app.conversation.events import (
    Failure,
    QuestionAnswered,
    QuestionAsked,
    RetryScheduled,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from desktop_app.conversation.message import Message, Role, Text, Usage
from desktop_app.settings import Settings

from .research_context import ResearchContext, context_of
from .research_reply import ResearchReply
from .research_tool_calls import ResearchToolCalls

ROUNDS_MOST = 12
"""Requests of one research, the answer's included."""
SECONDS_MOST = 300.0
"""After which nothing more is searched, and the model is told to answer."""
ANSWER_SECONDS = 60.0
"""For the answer then."""
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


class Researcher(msgspec.Struct, frozen=True):
    """Who researches. words: the system prompt. note: whose place it takes, in words for the user; "" for nobody's."""

    model: ChatModel
    words: str
    price: Price | None = None
    note: str = ""


class ResearchRole:
    """Says who researches. settings: as they are now. words: reads the system prompt."""

    def __init__(self, models: ModelCatalogue, settings: Callable[[], Settings], words: Callable[[], str]) -> None:
        self._models = models
        self._settings = settings
        self._words = words

    async def researcher(self, session: Session) -> Researcher:
        """The model that the settings name; the chat's own if none is named, or if that one is missing."""
        chosen, model, note = self._settings().research_model, session.model, ""
        try:
            model = await self._models.resolve_model(chosen) if chosen else model
        except ModelError as error:
            note = f"{error.failure.title}: {model.info.label} answered instead."
        return Researcher(model, await asyncio.to_thread(self._words), self._models.price(model.info.id), note)


def question_in(text: str) -> str:
    """What is to be researched, of a user's message that begins with the command; "" if it does not."""
    return text.strip()[len(RESEARCH) :].strip() if text.strip().startswith(RESEARCH) else ""


async def take_research(
    session: Session, prompt: Message, bench: ToolRuntime | None, role: ResearchRole | None
) -> AsyncGenerator[TurnEvent, None]:
    """The events of one research, as `take_turn` tells those of a turn. prompt: the user's message, the command
    included. Cancelling the task stops it: what was read is kept."""
    yield TurnStarted(session.id)
    context, research, ending = context_of(session.view), None, TurnOutcome()
    try:
        yield await session.record_message(stamped(prompt))
        for event in await session.find_model():
            yield event
        yield session.gauge_changed()
        if bench is None or role is None:
            raise WorldError(NO_TOOLS)
        research = Research(session, bench, await role.researcher(session))
        async with aclosing(research.answered(question_in(prompt.text), context)) as events:
            async for event in events:
                yield event
    except (asyncio.CancelledError, Exception) as error:  # noqa: BLE001 - a bug is raised again, once all is settled
        ending.by(error)
    if research is not None:
        try:
            for event in await shielded(all_of(research.settled())):
                yield event
        except WorldError as error:
            ending.by(error)
    yield session.gauge_changed()
    if ending.failure is not None:
        yield TurnFailed(session.id, ending.failure)
    yield research.finished(ending.reason) if research else TurnFinished(session.id, ending.reason)
    if ending.bug is not None:
        raise ending.bug


class Research:
    """One question while it is researched. finding: what has come of it."""

    def __init__(self, session: Session, bench: ToolRuntime, who: Researcher) -> None:
        self._session, self._bench, self._who = session, bench, who
        self.finding = ResearchReply(session, who.model, who.price, who.note)
        self._lookups: ResearchToolCalls | None = None
        self._rounds = self._estimated = 0
        self._asked_at = 0.0
        self._ends_at = asyncio.get_running_loop().time() + SECONDS_MOST

    def finished(self, reason: str) -> TurnFinished:
        """The end of the turn, with what all its requests took."""
        usage = self.finding.usage or Usage(0, 0)
        figures = (self._estimated, usage.prompt_tokens, usage.dollars, self._rounds)
        return TurnFinished(self._session.id, reason, *figures)

    async def answered(self, question: str, context: str) -> AsyncGenerator[TurnEvent, None]:
        """Searches and reads until the model answers. Raises WorldError; closing it ends the tools."""
        inquiry = await self._begun(question, context)
        loop = asyncio.get_running_loop()
        yield self.finding.started()
        for number in range(1, ROUNDS_MOST + 1):
            is_last = number == ROUNDS_MOST or loop.time() >= self._ends_at
            if is_last:
                inquiry.add(Message(role=Role.USER, parts=(Text(ENOUGH),)))
            async with aclosing(self._replied(inquiry, self._ends_at + ANSWER_SECONDS)) as events:
                async for event in events:
                    yield event
            if not self.finding.calls or (is_last and self.finding.text.strip()):
                self.finding.is_whole = True
                return
            if is_last:
                raise WorldError(NO_ANSWER)
            async with aclosing(self._looked_up(inquiry)) as events:
                async for event in events:
                    yield event

    async def settled(self) -> AsyncGenerator[TurnEvent, None]:
        """However it went: each call has a result, and what was found is stored. Raises WorldError."""
        if self._lookups is not None:
            async for event in self._lookups.closed():
                yield event
            self.finding.add(self._lookups)
        message = await self.finding.message(self._bench.spills)
        if message is not None:
            yield await self._session.record_message(message)

    async def _begun(self, question: str, context: str) -> ResearchContext:
        info = self._who.model.info
        offered = await self._bench.toolbox.specs(self._bench.place_of(self._session))
        off = self._bench.settings().tools_off
        tools = [spec for spec in offered if spec.name in TOOLS and not spec.source and spec.name not in off]
        if not info.supports_tools:
            detail = f"{info.label} cannot call tools."
            raise WorldError(replace(NO_TOOLS, detail=detail, advice="Choose another model for research."))
        if WEB.isdisjoint(spec.name for spec in tools):
            raise WorldError(replace(NO_TOOLS, detail="web_search and web_fetch are switched off."))
        return ResearchContext(self._who.model, self._session.policy, tools, self._who.words, context, question)

    async def _replied(self, inquiry: ResearchContext, ends_at: float) -> AsyncGenerator[TurnEvent, None]:
        """One request and its reply; what a provider does not do is tried again where that helps."""
        tried = Tried()
        while True:
            request = await asyncio.to_thread(inquiry.request)
            self._rounds, self._estimated = self._rounds + 1, self._estimated + inquiry.tokens
            try:
                pieces = self._who.model.stream(request, inquiry.reply_tokens, inquiry.tools)
                async with aclosing(self.finding.grown(pieces, ends_at)) as events:
                    async for event in events:
                        yield event
                return
            except ModelError as error:
                refused = error
            if self.finding.has_arrived:
                raise refused
            if refused.is_overflow and not tried.sheds:
                tried = replace(tried, sheds=1)
                inquiry.shrink(refused)
                continue
            reaction = reaction_to(refused, tried, inquiry.policy, False, False)
            if not isinstance(reaction, Wait):
                raise refused
            yield RetryScheduled(self._session.id, refused.failure.title, reaction.seconds, tried.waits + 1)
            await asyncio.sleep(reaction.seconds)
            tried = replace(tried, waits=tried.waits + 1)

    def _spare(self, event: TurnEvent) -> None:
        """The time that the user takes to answer a question is not the research's."""
        now = asyncio.get_running_loop().time()
        if isinstance(event, QuestionAsked):
            self._asked_at = now
        elif isinstance(event, QuestionAnswered):
            self._ends_at += now - self._asked_at

    async def _looked_up(self, inquiry: ResearchContext) -> AsyncGenerator[TurnEvent, None]:
        """Runs the calls of the newest reply, at once where they only look, with the user's permission like any."""
        finding = self.finding
        reply = finding.reply()
        names = tuple(spec.name for spec in inquiry.tools)
        self._lookups = lookups = ResearchToolCalls(self._session, self._bench, reply, inquiry.policy, names)
        async with aclosing(lookups.run()) as events:
            async for event in events:
                self._spare(event)
                yield event
        self._lookups = None
        inquiry.add(reply, *(lookups.found[place].message for place in sorted(lookups.found)))
        for event in finding.add(lookups):
            yield event
        await finding.keep()
