"""Opening conversations: the record of each is read and folded once, on threads, however many wait for it.

A long conversation is shown before that, by a `PartialSession`. What is done to it meanwhile waits until it is open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import ContextPolicy
from desktop_app.conversation.events import Failure, FiguresCounted, MessageRecorded, TurnFailed
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, ToolResult
from desktop_app.conversation.project import NO_PROJECT
from desktop_app.conversation.transcript import Continuation
from desktop_app.conversation.words import translatable

from .partial_session import PartialSession
from .ports import Archive, Emit, ModelCatalogue, WorldError
from .session import Session
from .session_model import model_or_stand_in, use_model
from .stamp import stamp
from .tasks import Tasks
from .turn.tool_calls import CRASHED
from .turns import Turns

Opening = asyncio.Task[Session | WorldError]

LONG = 1_000
"""Messages from which on a conversation is seen before it is read: fewer are read in a tenth of a second."""


class Openings:
    """The conversations that are being opened.

    keep: called with each session once it can be used. policy_named: returns the policy of a conversation. is_open:
    returns whether there is a session of that conversation, which must have no second one.
    """

    def __init__(
        self,
        archive: Archive,
        models: ModelCatalogue,
        turns: Turns,
        tasks: Tasks,
        publish: Emit,
        policy_named: Callable[[str], ContextPolicy],
        keep: Callable[[Session], None],
        is_open: Callable[[str], bool],
    ) -> None:
        self._archive = archive
        self._models = models
        self._turns = turns
        self._tasks = tasks
        self._publish = publish
        self._policy_named = policy_named
        self._keep = keep
        self._is_open = is_open
        self._running: dict[str, Opening] = {}
        self._partial_sessions: dict[str, PartialSession] = {}

    async def wait(self, task: Opening) -> Session:
        """Return what `begin` began to open. Raises WorldError, also if it was given up."""
        await asyncio.wait({task})
        if task.cancelled():
            raise WorldError(Failure("cancelled", translatable("The conversation is no longer being opened")))
        opened = task.result()
        if isinstance(opened, WorldError):
            raise opened
        return opened

    async def open_partially(self, info: ConversationInfo) -> PartialSession | None:
        """Return what can be seen of a conversation at once, and begin to open it; `FiguresCounted` follows.

        None if it is short, or cannot be seen before it is read.
        """
        partial = self.partial_session(info.id)
        if partial is None and info.messages >= LONG:
            partial = await self._read_partially(info)
            if self._is_open(info.id):  # an opening has ended meanwhile
                return None
        if partial is not None:
            self._partial_sessions[info.id] = partial
            self.begin(info)
        return partial

    def partial_session(self, conversation: str) -> PartialSession | None:
        """Return what can be seen of a conversation that is being opened."""
        return self._partial_sessions.get(conversation)

    async def give_up(self, conversation: str) -> None:
        """Stop opening that conversation; whoever waits for it gets an error."""
        self._partial_sessions.pop(conversation, None)
        await self._tasks.cancel(_key(conversation))

    async def finish(self, conversation: str) -> None:
        """Wait until that conversation is not being opened any more."""
        await self._tasks.wait(_key(conversation))

    async def _read_partially(self, info: ConversationInfo) -> PartialSession | None:
        await self._turns.queue.read(info.id)
        outline = await self._archive.record_outline(info.id)
        if outline is None:
            return None
        model = model_or_stand_in(self._models, info.model)
        counts = TokenCounts(model.tokenizer, model.info.dialect)
        partial = await asyncio.to_thread(PartialSession, self._archive, info, outline, model.info, counts)
        return partial if partial.is_certain else None

    def begin(self, info: ConversationInfo) -> Opening:
        """Begin to open a conversation that is not open, unless that was done. Cancelling who waits does not end it."""
        task = self._running.get(info.id)
        if task is None or task.done():
            task = self._running[info.id] = self._tasks.start(_key(info.id), self._open(info))
        return task

    async def _open(self, info: ConversationInfo) -> Session | WorldError:
        try:
            session = await self._read(info)
        except WorldError as error:
            if self._partial_sessions.pop(info.id, None) is not None:
                self._publish(TurnFailed(info.id, error.failure))
            return error
        except BaseException:
            self._partial_sessions.pop(info.id, None)
            raise
        finally:
            del self._running[info.id]
        self._keep(session)
        if self._partial_sessions.pop(info.id, None) is not None:
            self._publish(FiguresCounted(info.id, session.gauge(), session.totals()))
        is_counted_otherwise = session.info.messages != session.counted  # by an earlier version
        if is_counted_otherwise or not session.info.share:
            await self._turns.note(session)
        return session

    async def _read(self, info: ConversationInfo) -> Session:
        entries = await self._archive.entries(info.id)
        setup = await self._archive.setup(info.id)
        model, policy = model_or_stand_in(self._models, info.model), self._policy_named("")
        session = await asyncio.to_thread(Session, info, entries, model, policy, self._archive, setup)
        await self._use_project(session)
        await self._end_what_was_running(session)
        await self._forget_recorded(session)
        await asyncio.to_thread(_count, session)
        await use_model(session, model_or_stand_in(self._models, info.model), self._publish)  # it may be known by now
        await self._turns.getting_ready.equip(session)
        await self._use_project(session)
        return session

    async def _use_project(self, session: Session) -> None:
        """Let the session know of its project, and of what was changed while it was being opened."""
        session.info = await self._archive.conversation(session.id)
        session.project = next((p for p in await self._archive.projects() if p.id == session.info.project), NO_PROJECT)
        session.policy = self._policy_named(session.policy_name)

    async def _forget_recorded(self, session: Session) -> None:
        """Forget queued messages that the record has, also where they are shown by now."""
        queue = self._turns.queue
        await queue.read(session.id)
        before = queue.state(session.id)
        queue.forget_recorded(session.id, lambda sent: session.message(sent) is not None)
        if session.id in self._partial_sessions and queue.state(session.id) != before:
            self._publish(queue.state(session.id))

    async def _end_what_was_running(self, session: Session) -> None:
        """Give a result to each call that was running when the engine was killed, and give up continuing a reply."""
        if session.view.unfinished is not None:
            await session.record(stamp(Continuation(reply_id="")))
        if not session.view.open_calls:
            return
        newest = next((m for item in reversed(session.view.items) if (m := item.message).tool_calls), None)
        if newest is not None and newest.model:  # an imported conversation is left as it is
            results = [
                ToolResult(c.recorded_id, c.call.name, CRASHED, is_error=True, ending="stopped")
                for c in session.view.open_calls
            ]
            recorded = [stamp(Message(role=Role.TOOL, parts=(result,))) for result in results]
            await session.record(*recorded)
            if session.id in self._partial_sessions:
                for row in session.rows(message.id for message in recorded):
                    self._publish(MessageRecorded(session.id, row))


def _count(session: Session) -> None:
    """Count what is asked for next."""
    session.gauge()
    session.operations()


def _key(conversation: str) -> str:
    return f"opening of {conversation}"
