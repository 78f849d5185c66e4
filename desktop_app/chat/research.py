"""`/research QUESTION`: a turn in which the research role's model searches the web (L2).

It runs in a separate session, with replies and tool calls as in any turn. The chat's model sees only the question and
the answer, so that searches and pages do not fill its window. They are stored in full as a spill, which the answer
names.

The answer is recorded under a separate model name ("server/name (research)"), since the usage reported for its requests
says nothing about the size of the conversation's requests.
"""

from __future__ import annotations

import asyncio
import re
import time
import uuid
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from functools import reduce

import msgspec
from msgspec.structs import replace

from desktop_app.context.citations import CitedSource, SeenUrls, check_citations, urls_in
from desktop_app.context.text_cuts import ends_of, head_of
from desktop_app.context.truncate import truncate_result
from desktop_app.context.view.items import Item, ItemKind
from desktop_app.conversation.events import (
    Failure,
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
from desktop_app.conversation.message import (
    Message,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    add_usage,
    user_message,
)
from desktop_app.conversation.tools import ToolOutcome, ToolSpec
from desktop_app.conversation.transcript import AnyEntry, RequestContext
from desktop_app.conversation.unsent import UnsentMessages
from desktop_app.conversation.words import translatable

from .compaction.making_room import drop_results
from .ports import Emit, ModelError, Spills, WorldError
from .session import Session, stamp
from .session_model import find_model
from .side_requests import RoleModel, resolve_role
from .titles import RESEARCH
from .turn.take_turn import DEFAULT_OPTIONS, Turn, TurnOptions
from .turn.tool_calls import ToolCalls
from .turn.tool_runtime import ToolRuntime
from .turn_services import Services

ANSWER_SECONDS = 60
"""Seconds for the answer, after the time for searches is over."""
MAX_RESEARCH_SHARE = 0.95
"""Share of the usable window above which results of the research are dropped."""
MAX_ANSWER_SHARE = 0.25
"""Maximum length of the answer in the conversation, as a share of the usable window."""

WITHOUT_ANSWER = "[The research ended before it came to an answer.]"


FETCH = "web_fetch"
_READ = re.compile(r"\[(https?://\S+): from the web")
"""The address of a fetched page, after all redirects, in the tool's output."""


class Found(msgspec.Struct, frozen=True):
    """A tool call and the full text of its result."""

    call: ToolCall
    text: str
    is_error: bool

    @property
    def read(self) -> tuple[str, ...]:
        """The addresses of the page that was read: after redirects, and as requested."""
        if self.call.name != FETCH or self.is_error:
            return ()
        return (*_READ.findall(self.text[:2_000])[:1], *urls_in(self.call.arguments))


def seen_in(found: Collection[Found]) -> SeenUrls:
    """Return all addresses that were read or found, except those quoted in errors."""
    read = (url for one in found for url in one.read)
    named = (url for one in found if not one.is_error for url in urls_in(one.text))
    return SeenUrls(tuple(dict.fromkeys(read)), tuple(dict.fromkeys(named)))


class ResearchToolCalls(ToolCalls):
    """The tool calls of one round, whose results are not recorded in the conversation.

    asking: the conversation, whose permissions apply. found: the list to which results are appended.
    """

    def __init__(
        self, session: Session, tools: ToolRuntime, emit: Emit, reply: Message, asking: Session, found: list[Found]
    ) -> None:
        super().__init__(session, tools, emit, reply)
        self._asking = asking
        self._found = found

    async def _changes(self, call: ToolCall) -> bool:
        """Return False: research tools only read."""
        return False

    async def _refusal(self, call: ToolCall) -> str:
        """Refuse tools that the research does not offer, even if the user allows them in conversations."""
        names = [spec.name for spec in self._session.view.tools]
        if call.name not in names:
            return f"There is no tool named {call.name} here. There are: {', '.join(names)}."
        return await self._tools.refusal(self._asking, call, self._emit)

    async def _result_message(self, call: ToolCall, outcome: ToolOutcome, seconds: float) -> Message:
        """Return the truncated result for the model. The full text is stored at the end, together with the others."""
        self._found.append(Found(call, outcome.text, outcome.is_error))
        cut = await asyncio.to_thread(truncate_result, outcome.text, call.name, self._session.counter.policy, False)
        result = ToolResult(call.call_id, call.name, cut.text, outcome.is_error)
        return stamp(Message(role=Role.TOOL, parts=(result,), seconds=seconds))


class ResearchReply:
    """The one reply that the window shows for all rounds. found: the results, in the order in which the calls ended."""

    def __init__(self, session: Session, role: RoleModel) -> None:
        self._session = session
        info = role.model.info
        self._model = f"{info.record_name} (research)"
        self._note = (
            translatable("{why}: {model} answered instead.").format(why=role.why_replaced, model=info.label)
            if role.replaces
            else ""
        )
        self._started_at = time.time()
        self.id = uuid.uuid4().hex
        self.found: list[Found] = []
        # Whether the newest reply is the answer.
        self.is_whole = False

    async def keep(self, side: Session, partial: Message) -> None:
        """Store the partial reply, in case the engine ends now. Raises ArchiveError."""
        texts = [reply.text for reply in _replies(side) if reply.text.strip()]
        await self._session.archive.store_partial(self._session.id, self._message(texts, partial.text, None))

    async def message(self, side: Session, spills: Spills) -> Message | None:
        """Return the message to record: the answer with its sources, or the partial one if the research ended early.

        None if there is nothing to record. side: the session of the research.
        """
        replies, text = _replies(side), ""
        if replies and (self.is_whole or not replies[-1].tool_calls):
            text = replies.pop().text.strip()
        texts = [reply.text.strip() for reply in replies if reply.text.strip()]
        if not (text or texts or self.found):
            return None
        text = text or WITHOUT_ANSWER
        cited = await asyncio.to_thread(check_citations, text, seen_in(self.found))
        short = await asyncio.to_thread(self._cut, cited.text)
        tail = [self._note, list_sources(cited.sources)] if self.is_whole else [self._note]
        if self.found or short != cited.text:
            tail.append(await self._store_whole(spills, texts, text))
        usage = reduce(add_usage, (reply.usage for reply in _replies(side)), None)
        return self._message(texts, "\n\n".join(filter(None, (short, *tail))), usage)

    def _cut(self, text: str) -> str:
        """Cut an answer that is too long for the conversation. The spill contains it in full."""
        most = round(self._session.counter.budget.usable * MAX_ANSWER_SHARE)
        tokens = self._session.counter.provider_tokens(self._session.counter.counts.text(text))
        return text if tokens <= most else head_of(text, len(text) * most // tokens) + "…"

    async def _store_whole(self, spills: Spills, texts: list[str], answer: str) -> str:
        """Store all results and replies as a spill. Return the sentence that names it."""
        sources = [f"{one.call.name} {one.call.arguments}\n\n{one.text}" for one in self.found]
        try:
            name = await spills.keep("\n\n---\n\n".join([*sources, *texts, answer]))
        except WorldError as error:
            return f"[What was read could not be kept: {error.failure.title}]"
        count = f"{len(self.found)} result" + ("" if len(self.found) == 1 else "s")
        return f'[What was searched and read ({count}) is kept as {name}; to look: read {{"path": "{name}"}}.]'

    def _message(self, texts: list[str], text: str, usage: Usage | None) -> Message:
        return Message(
            id=self.id,
            at=self._started_at,
            role=Role.ASSISTANT,
            parts=(*((Reasoning("\n\n".join(texts)),) if texts else ()), Text(text)),
            model=self._model,
            is_interrupted=not self.is_whole,
            usage=usage,
            seconds=time.time() - self._started_at,
        )


def _replies(side: Session) -> list[Message]:
    return [e for e in side.transcript.entries if isinstance(e, Message) and e.role is Role.ASSISTANT]


def list_sources(sources: tuple[CitedSource, ...]) -> str:
    """Return the list of sources below an answer; "" for none."""
    lines = [f"- {source.url}" + ("" if source.is_read else " (found, not read)") for source in sources]
    return "\n".join(["Sources:", *lines]) if lines else ""


TOOLS = ("web_search", "web_fetch", "recall")
WEB = frozenset({"web_search", "web_fetch"})
ENOUGH = "[No more searches. Answer the question now from what you have found, and say what is still open.]"
MAX_MESSAGES, MAX_CHARACTERS = 6, 1_500
"""The newest messages that are sent along, and characters of each: enough to know what "it" in a question means."""
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
    """Return the question of a message that begins with the command; "" if it does not."""
    return text.strip()[len(RESEARCH) :].strip() if text.strip().startswith(RESEARCH) else ""


async def take_research(
    session: Session, services: Services, emit: Emit, options: TurnOptions = DEFAULT_OPTIONS
) -> TurnFinished:
    """Research the question in the newest user message, which includes the command; otherwise like `take_turn`.

    Cancelling the task ends the research; its results so far are kept. options: only `is_forced` applies.
    """
    turn, items = Turn(session, services, emit, is_automatic=False), session.view.items
    question, earlier = question_in(items[-1].message.text), newest_words(items[:-1])
    emit(TurnStarted(session.id))
    try:
        await find_model(session, services.models, emit)
        emit(session.gauge_changed())
        turn = research = await _prepare(session, services, emit, question, earlier)
        await research.run(options.is_forced)
    except (asyncio.CancelledError, Exception) as error:  # noqa: BLE001 - a bug is reported, after the turn is settled
        turn.outcome.fail(error)
    return await turn.settle()


async def _prepare(session: Session, services: Services, emit: Emit, question: str, earlier: str) -> ResearchTurn:
    """Return the turn that researches a question. Raises WorldError if the web cannot be searched."""
    if services.tools is None or services.read_research_prompt is None:
        raise WorldError(NO_TOOLS)
    if chosen := services.settings().research_model:
        with suppress(ModelError):  # `resolve_role` reports the reason
            await services.models.resolve_model(chosen)
    role = resolve_role(services.models, chosen, session.model)
    tools = await _tools_on_offer(session, services.tools, role)
    system = await asyncio.to_thread(services.read_research_prompt)
    asked = f"{BEFORE}\n{earlier}\n\n{QUESTION}\n{question}" if earlier else question
    return ResearchTurn(session, services, services.tools, emit, role, tools, system, asked)


async def _tools_on_offer(session: Session, tools: ToolRuntime, role: RoleModel) -> tuple[ToolSpec, ...]:
    """Return the tools of the research. Raises WorldError if it cannot use any web tool."""
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
    """A turn in the session of a research, shown as one reply in the conversation. asked: the question."""

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
        # Room is made only by dropping results: a summary would cost a request.
        policy = replace(conversation.counter.policy, phases=(), strategy="extractive", digest_by="rule")
        # With the conversation's id, so that permissions and events belong to the conversation.
        side = Session(conversation.info, entries, role.model, policy, UnstoredRecord(self._keep_partial))
        side.project = conversation.project
        super().__init__(side, services, self._relay, is_automatic=True)
        self._clock = asyncio.get_running_loop().time
        self._asked_at = 0.0
        self._ends_at = self._clock() + policy.research_seconds

    async def run(self, is_forced: bool = False) -> None:
        """Search and read until the model answers. Raises WorldError. Cancelling this ends the tools.

        is_forced: whether the user allows the first request to pass a limit of money.
        """
        label = f"{self._session.model.info.label} (research)"
        self._publish(ReplyStarted(self._conversation.id, self._answer.id, label))
        rounds = self._session.counter.policy.research_rounds
        for number in range(1, rounds + 1):
            is_last = number == rounds or self._clock() >= self._ends_at
            if is_last:
                await self._session.record_message(stamp(user_message(ENOUGH)))
            if self._services.money is not None:
                is_allowed = is_forced and self.is_first_request
                await self._services.money.check(self._session, is_allowed, self._conversation)
            reply = await self._ask_model()
            if not reply.tool_calls or (is_last and reply.text.strip()):
                self._answer.is_whole = True
                return
            if is_last:
                raise WorldError(NO_ANSWER)
            await self.run_tools(reply, self._tools)

    async def _ask_model(self) -> Message:
        policy = self._session.counter.policy
        for share in policy.overflow_shed:
            if self._session.counter.gauge().total > MAX_RESEARCH_SHARE * self._session.counter.budget.usable:
                await drop_results(self._session, self._services, share, self._relay)
        try:
            async with asyncio.timeout_at(self._ends_at + ANSWER_SECONDS):
                return await self.begin_reply().receive()
        except TimeoutError:
            raise WorldError(TOO_LONG) from None

    async def run_tools(self, reply: Message, tools: ToolRuntime) -> None:
        """Run the calls concurrently, since they only read, and ask for permission as usual."""
        if reply.text.strip():  # text next to calls is not part of the answer
            self._publish(TextDelta(self._conversation.id, self._answer.id, "\n\n"))
        as_answer = replace(reply, id=self._answer.id)  # the window shows all rounds as one reply
        found = self._answer.found
        self._calls = ResearchToolCalls(self._session, tools, self._relay, as_answer, self._conversation, found)
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
        """Publish the events of the research as events of the one reply that the window shows."""
        match event:
            case TextDelta() | ReasoningDelta() | ReasoningRecognized() | ToolStarted() | ToolOutputReceived():
                self._publish(replace(event, reply_id=self._answer.id))
            case ToolFinished():
                self._publish(replace(event, reply_id=self._answer.id, message_id=self._answer.id))
            case QuestionAsked():
                self._asked_at = self._clock()
                self._publish(event)
            case QuestionAnswered():  # the time limit excludes waiting for the user
                self._ends_at += self._clock() - self._asked_at
                self._publish(event)
            case RetryScheduled() | TurnFailed():
                self._publish(event)
            case _:
                pass


class UnstoredRecord:
    """An `EntryStore` that stores nothing. keep: called with the partial replies."""

    def __init__(self, keep: Callable[[Message], Awaitable[None]]) -> None:
        self._keep = keep

    async def append(
        self,
        conversation: str,
        *entries: AnyEntry,
        archived: Sequence[str] = (),
        restored: Sequence[str] = (),
        unsent: UnsentMessages | None = None,
    ) -> None:
        """Do nothing: the session has the entries, and they are never searched."""

    async def store_partial(self, conversation: str, partial: Message) -> None:
        await self._keep(partial)


def newest_words(items: Sequence[Item]) -> str:
    """Return the newest messages of the view as text, each shortened."""
    texts = [i.message for i in items if i.kind is ItemKind.MESSAGE and i.message.role in (Role.USER, Role.ASSISTANT)]
    with_text = [message for message in texts if message.text][-MAX_MESSAGES:]
    return "\n\n".join(f"{message.role.value}: {ends_of(message.text, MAX_CHARACTERS)}" for message in with_text)
