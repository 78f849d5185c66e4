"""`/research QUESTION`: a turn in which the research role's model searches the web (L2).

It runs in a session of its own, with the replies and the tool calls of any turn. The chat's model sees the question and
the answer only: what was searched and read in between does not flood its window. It is kept whole as a spill, which the
answer names.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from msgspec.structs import replace

from desktop_app.chat.compaction.make_room import drop_results
from desktop_app.chat.complete import RoleModel, resolve_role
from desktop_app.chat.ports import Emit, ModelError, WorldError
from desktop_app.chat.services import Services
from desktop_app.chat.session import Session
from desktop_app.chat.session_model import find_model
from desktop_app.chat.stamp import stamp
from desktop_app.chat.titles import RESEARCH
from desktop_app.chat.turn.take_turn import Turn
from desktop_app.chat.turn.tool_runtime import ToolRuntime
from desktop_app.context.text_cuts import ends_of
from desktop_app.context.view.items import ItemKind
from desktop_app.context.view.view import View
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
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from desktop_app.conversation.message import Message, Role, Text, user_message
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import AnyEntry, RequestContext
from desktop_app.conversation.words import translatable

from .research_reply import ResearchReply, ResearchToolCalls

TOOLS = ("web_search", "web_fetch", "recall")
WEB = frozenset({"web_search", "web_fetch"})
ENOUGH = "[No more searches. Answer the question now from what you have found, and say what is still open.]"
MAX_MESSAGES, MAX_CHARACTERS = 6, 1_500
"""The newest messages that come along, and characters of each: enough to know what "it" means in a question."""
BEFORE = "[The last messages of the conversation, only to know what the question refers to:]"
QUESTION = "[The question:]"
KEPT = translatable("Your question is saved, and so is what was read.")
NO_TOOLS = Failure(
    "bad_input",
    translatable("The web cannot be searched here"),
    "",
    KEPT,
    translatable("Switch web_search on in the settings."),
)
LESS = translatable("Ask for less at once, or choose another model for research.")
NO_ANSWER = Failure(
    "provider",
    translatable("The research found no answer"),
    translatable("The model kept searching until the limit."),
    KEPT,
    LESS,
)
TOO_LONG = Failure("timeout", translatable("The research took too long"), kept=KEPT, advice=LESS)


def question_in(text: str) -> str:
    """Return what is to be researched, of a user's message that begins with the command; "" if it does not."""
    return text.strip()[len(RESEARCH) :].strip() if text.strip().startswith(RESEARCH) else ""


async def take_research(session: Session, services: Services, emit: Emit, prompt: Message) -> TurnFinished:
    """Research the question of the prompt, the command included, as `take_turn` takes a turn.

    Cancelling the task stops it: what was read is kept.
    """
    turn, earlier = Turn(session, services, emit, is_automatic=False), newest_words(session.view)
    emit(TurnStarted(session.id))
    try:
        emit(await session.record_message(stamp(prompt)))
        await find_model(session, services.models, emit)
        emit(session.gauge_changed())
        turn = research = await _prepare(session, services, emit, question_in(prompt.text), earlier)
        await research.run()
    except (asyncio.CancelledError, Exception) as error:  # noqa: BLE001 - a bug is reported, once all is settled
        turn.outcome.fail(error)
    return await turn.settle()


async def _prepare(session: Session, services: Services, emit: Emit, question: str, earlier: str) -> ResearchTurn:
    """Return the research of that question. Raises WorldError where the web cannot be searched."""
    if services.tools is None or services.read_research_prompt is None:
        raise WorldError(NO_TOOLS)
    if chosen := services.settings().research_model:
        with suppress(ModelError):  # the role says what is wrong
            await services.models.resolve_model(chosen)
    role = resolve_role(services.models, chosen, session.model)
    tools = await _tools_on_offer(session, services.tools, role)
    system = await asyncio.to_thread(services.read_research_prompt)
    asked = f"{BEFORE}\n{earlier}\n\n{QUESTION}\n{question}" if earlier else question
    return ResearchTurn(session, services, services.tools, emit, role, tools, system, asked)


async def _tools_on_offer(session: Session, tools: ToolRuntime, role: RoleModel) -> tuple[ToolSpec, ...]:
    """Return what the research may use. Raises WorldError if that is nothing."""
    if not role.model.info.supports_tools:
        detail = translatable("{label} cannot call tools.").format(label=role.model.info.label)
        raise WorldError(replace(NO_TOOLS, detail=detail, advice=translatable("Choose another model for research.")))
    offered = await tools.toolbox.specs(tools.context_of(session))
    off = {*tools.settings().tools_off, *session.setup.tools_off}
    specs = tuple(spec for spec in offered if spec.name in TOOLS and not spec.source and spec.name not in off)
    if WEB.isdisjoint(spec.name for spec in specs):
        raise WorldError(replace(NO_TOOLS, detail=translatable("web_search and web_fetch are switched off.")))
    return specs


class ResearchTurn(Turn):
    """The turn of the research's own session, shown as one reply in the conversation. asked: the question."""

    def __init__(
        self,
        conversation: Session,
        services: Services,
        tools: ToolRuntime,
        emit: Emit,
        role: RoleModel,
        specs: tuple[ToolSpec, ...],
        system: str,
        asked: str,
    ) -> None:
        self._conversation, self._tools, self._publish = conversation, tools, emit
        self._answer = ResearchReply(conversation, role)
        messages = Message(role=Role.SYSTEM, parts=(Text(system),)), user_message(asked)
        entries = (stamp(RequestContext(tools=specs)), *map(stamp, messages))
        # Room is made by dropping results, so that no summary is paid for.
        policy = replace(conversation.policy, phases=(), strategy="extractive", digest_by="rule")
        # It has the conversation's id, so that permissions and events are of the conversation.
        side = Session(conversation.info, entries, role.model, policy, UnstoredRecord(self._keep_partial))
        side.project = conversation.project
        super().__init__(side, services, self._relay, is_automatic=True)
        self._clock = asyncio.get_running_loop().time
        self._asked_at = 0.0
        self._ends_at = self._clock() + policy.research_seconds

    async def run(self) -> None:
        """Search and read until the model answers. Raises WorldError; cancelling it ends the tools."""
        label = f"{self._session.model_info.label} (research)"
        self._publish(ReplyStarted(self._conversation.id, self._answer.id, label))
        rounds = self._session.policy.research_rounds
        for number in range(1, rounds + 1):
            is_last = number == rounds or self._clock() >= self._ends_at
            if is_last:
                await self._session.record_message(stamp(user_message(ENOUGH)))
            reply = await self.ask_model()
            if not reply.tool_calls or (is_last and reply.text.strip()):
                self._answer.is_whole = True
                return
            if is_last:
                raise WorldError(NO_ANSWER)
            await self.run_tools(reply, self._tools)

    async def ask_model(self) -> Message:
        policy = self._session.policy
        for share in policy.overflow_shed:
            if self._session.gauge().total > policy.research_share * self._session.budget.usable:
                await drop_results(self._session, self._services, share, self._relay)
        try:
            async with asyncio.timeout_at(self._ends_at + policy.research_answer_seconds):
                return await super().ask_model()
        except TimeoutError:
            raise WorldError(TOO_LONG) from None

    async def run_tools(self, reply: Message, tools: ToolRuntime) -> None:
        """Run the calls, at once since they only look, with the user's permission like any."""
        if reply.text.strip():  # what the model says beside its calls is no part of the answer
            self._publish(TextDelta(self._conversation.id, self._answer.id, "\n\n"))
        shown = replace(reply, id=self._answer.id)  # to the window all rounds are one reply
        found = self._answer.found
        self._calls = ResearchToolCalls(self._session, tools, self._relay, shown, self._conversation, found)
        await self._calls.run()
        self._calls = None

    async def _keep(self) -> None:
        await super()._keep()
        message = await self._answer.message(self._session, self._tools.spills)
        if message is not None:
            self._publish(await self._conversation.record_message(message))
        self._publish(self._conversation.gauge_changed())

    async def _keep_partial(self, partial: Message) -> None:
        await self._answer.keep(self._session, partial)

    def _relay(self, event: TurnEvent) -> None:
        """Tell of what happens in the research as of the one reply that the window shows."""
        match event:
            case TextDelta() | ReasoningDelta() | ToolStarted() | ToolOutputReceived():
                self._publish(replace(event, reply_id=self._answer.id))
            case ToolFinished():
                self._publish(replace(event, reply_id=self._answer.id, message_id=self._answer.id))
            case QuestionAsked():
                self._asked_at = self._clock()
                self._publish(event)
            case QuestionAnswered():  # the time that the user takes to answer a question is not the research's
                self._ends_at += self._clock() - self._asked_at
                self._publish(event)
            case RetryScheduled() | TurnFailed():
                self._publish(event)
            case _:
                pass


class UnstoredRecord:
    """Fits the `EntryStore` port, and stores nothing; `keep` is called when a partial reply would be kept."""

    def __init__(self, keep: Callable[[Message], Awaitable[None]]) -> None:
        self._keep = keep

    async def append(
        self, conversation: str, *entries: AnyEntry, archived: Sequence[str] = (), restored: Sequence[str] = ()
    ) -> None:
        """Do nothing: the session has the entries, and nobody searches here."""

    async def store_partial(self, conversation: str, partial: Message) -> None:
        await self._keep(partial)


def newest_words(view: View) -> str:
    """Return the newest words of the conversation, as a record."""
    said = [
        i.message for i in view.items if i.kind is ItemKind.MESSAGE and i.message.role in (Role.USER, Role.ASSISTANT)
    ]
    with_text = [message for message in said if message.text][-MAX_MESSAGES:]
    return "\n\n".join(f"{message.role.value}: {ends_of(message.text, MAX_CHARACTERS)}" for message in with_text)
