"""The environment in which one engine's tools run, and the permission check before each call."""

from __future__ import annotations

import asyncio
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from desktop_app.chat.ports import Emit, Spills, Toolbox
from desktop_app.chat.session import Session, stamp
from desktop_app.chat.tasks import NamedLocks
from desktop_app.conversation.events import Failure, Noticed, QuestionAnswered, QuestionAsked
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import (
    ANY_FINGERPRINT,
    DENIED,
    FORBIDDEN,
    OFF_HERE,
    ChangePreview,
    PermissionAnswer,
    RequiredPermission,
    Rule,
    ToolContext,
    ToolSpec,
    can_be_kept,
)
from desktop_app.conversation.transcript import Permit, active_entries
from desktop_app.conversation.words import translatable
from desktop_app.permissions.rules import decide, rule_of, with_earlier
from desktop_app.settings import Settings

IN_A_FOLDER = ("write", "edit", "bash", "grep", "glob", "list")
"""Tools that are offered only with a working folder: without one they are useless, and each request pays for their
schemas. `read` is always offered, because it also reads the rest of truncated results."""


MAX_TOOLS = 128
"""Tools that OpenAI and others accept in one request."""


def too_many_tools(specs: Sequence[ToolSpec]) -> Failure:
    """Return the notice about more tools than some providers accept, with the servers that have most of them."""
    by_source = Counter(spec.source for spec in specs if spec.source)
    names = ", ".join(f"{source} ({count})" for source, count in by_source.most_common(3))
    return Failure(
        "too_many_tools",
        translatable("{tools} tools are offered").format(tools=len(specs)),
        translatable("Some providers accept no more than {most} in one request, and each costs tokens.").format(
            most=MAX_TOOLS
        ),
        advice=translatable("Switch some off in the sheet of tools. Most of them are from {servers}.").format(
            servers=names
        ),
    )


class ToolRuntime:
    """The toolbox, the spill store, open questions to the user, and the permission rules.

    settings: returns the current settings. keep_rule: stores a rule permanently. allowed: rules for this run only, such
    as those given to a command. on_bug: called with an unexpected exception of a tool. is_attended: False if no user
    can answer questions; calls that would need an answer are denied.
    """

    def __init__(
        self,
        toolbox: Toolbox,
        spills: Spills,
        settings: Callable[[], Settings],
        keep_rule: Callable[[Rule], Awaitable[None]],
        on_bug: Callable[[BaseException], None],
        allowed: tuple[Rule, ...] = (),
        is_attended: bool = True,
    ) -> None:
        self.toolbox = toolbox
        self.spills = spills
        self.questions = Questions()
        self.on_bug = on_bug
        self.settings = settings
        self.is_attended = is_attended
        self._keep_rule = keep_rule
        # They name tools before any server has listed its own, so that they match any fingerprint.
        self._allowed = tuple(replace(rule, fingerprint=ANY_FINGERPRINT) for rule in allowed)
        self._asking = NamedLocks()
        self._running: dict[tuple[str, str, int], Callable[[], None]] = {}

    @contextmanager
    def stoppable(self, conversation: str, reply_id: str, index: int, stop: Callable[[], None]) -> Generator[None]:
        """Let the user end this call alone, by `stop`, while it runs."""
        name = conversation, reply_id, index
        self._running[name] = stop
        try:
            yield
        finally:
            del self._running[name]

    def stop(self, conversation: str, reply_id: str, index: int) -> None:
        """End a call at the user's request; the turn continues. A call that is not running is ignored."""
        if (stop := self._running.get((conversation, reply_id, index))) is not None:
            stop()

    def context_of(self, session: Session) -> ToolContext:
        """Return the conversation, folder and project for the session's tools."""
        return ToolContext(session.id, session.folder, session.info.project)

    async def specs(self, session: Session, model: ModelInfo) -> tuple[ToolSpec, ...]:
        """Return the tools to offer to the model in the session; none if it cannot call tools."""
        if not model.supports_tools:
            return ()
        context = self.context_of(session)
        off = {*self.settings().tools_off, *session.setup.tools_off, *(() if context.folder else IN_A_FOLDER)}
        return tuple(spec for spec in await self.toolbox.specs(context) if spec.name not in off)

    async def get_ready(self, session: Session, emit: Emit) -> None:
        """Wait for the tool servers that are starting, and report it, and those that do not answer."""
        if session.model.info.supports_tools:
            context = self.context_of(session)
            await self.toolbox.get_ready(context, lambda failure: emit(Noticed(session.id, failure)))
            specs = await self.specs(session, session.model.info)
            if len(specs) > MAX_TOOLS and specs != session.view.tools:
                emit(Noticed(session.id, too_many_tools(specs)))

    async def refusal(self, session: Session, call: ToolCall, emit: Emit) -> str:
        """Return why the call may not run, for the model; "" if it may. Asks the user if no rule decides."""
        if call.name in session.setup.tools_off:
            return OFF_HERE
        needs = await self.toolbox.needs(call, self.context_of(session))
        decision = await self._decide(session, needs)
        if decision == "ask":
            async with self._asking.of(session.id):  # one question at a time
                decision = await self._decide(session, needs)  # the previous answer may cover this call as well
                if decision == "ask":
                    return await self._answer(session, call, needs, emit)
        return "" if decision == "allow" else FORBIDDEN

    async def _decide(self, session: Session, needs: tuple[RequiredPermission, ...]) -> str:
        # On a worker thread, because a command line of many thousand words takes long.
        return await asyncio.to_thread(decide, needs, self.settings().rules + self._allowed, _rules_of(session))

    async def _preview(self, session: Session, call: ToolCall) -> ChangePreview | None:
        async def may_read(needs: tuple[RequiredPermission, ...]) -> bool:
            return await self._decide(session, needs) == "allow"

        return await self.toolbox.preview(call, self.context_of(session), may_read)

    async def _answer(self, session: Session, call: ToolCall, needs: tuple[RequiredPermission, ...], emit: Emit) -> str:
        if not self.is_attended:
            return DENIED
        question_needs = with_earlier(needs, self.settings().rules + _rules_of(session))
        preview = await self._preview(session, call)
        asked = QuestionAsked(session.id, uuid.uuid4().hex, "permission", call, question_needs, preview=preview)
        answer = await self.questions.ask(asked, emit)
        is_kept = answer.scope != "once" and can_be_kept(needs)
        rules = {rule_of(need, answer) for need in needs} if is_kept else ()
        for rule in rules:
            if answer.scope == "always":
                await self._keep_rule(rule)
            else:
                await session.record(stamp(Permit(rule=rule)))
        return "" if answer.is_allowed else DENIED


def _rules_of(session: Session) -> tuple[Rule, ...]:
    """Return the rules that apply to this conversation only."""
    return tuple(entry.rule for entry in active_entries(session.transcript.entries) if isinstance(entry, Permit))


class Questions:
    """Open questions, by id: each turn that asked one waits for the user's answer."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[QuestionAsked, asyncio.Future[PermissionAnswer]]] = {}

    async def ask(self, asked: QuestionAsked, emit: Emit) -> PermissionAnswer:
        """Ask the user, and return the answer. Cancelling withdraws the question."""
        future = asyncio.get_running_loop().create_future()
        self._waiting[asked.question] = asked, future
        try:
            emit(asked)
            answer = await future
        finally:
            del self._waiting[asked.question]
        emit(QuestionAnswered(asked.conversation, asked.question, answer.is_allowed))
        return answer

    def answer(self, question: str, answer: PermissionAnswer) -> None:
        """Deliver the user's answer to a question; an answer that comes too late is ignored."""
        asked = self._waiting.get(question)
        if asked is not None and not asked[1].done():
            asked[1].set_result(answer)

    def of(self, conversation: str) -> tuple[QuestionAsked, ...]:
        """Return the open questions of a conversation, oldest first."""
        return tuple(asked for asked, _ in self._waiting.values() if asked.conversation == conversation)
