"""The turns of all conversations: one at a time in each. Messages that are sent during a turn are queued.

`message_queue.py` describes where a message is stored at each stage.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from asyncio import sleep
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from desktop_app.conversation.events import Failure, MessageRecorded, TurnFailed, TurnFinished
from desktop_app.conversation.listing import UNTITLED
from desktop_app.conversation.message import Attachment, Message, MessageDraft, Role, user_message
from desktop_app.conversation.transcript import Continuation, Rewind, Trigger
from desktop_app.conversation.unsent import QueuedMessage
from desktop_app.conversation.words import translatable

from .compaction.ahead import summarize_ahead
from .compaction.idle import seconds_until_idle
from .compaction.making_room import make_room_in_background
from .getting_ready import GettingReady
from .message_queue import MessageQueue
from .operations import broken_reply, cut_reply, first_answer, message_to_edit
from .ports import Emit, WorldError
from .research import question_in, take_research
from .session import Session, stamp
from .tasks import Job, NamedLocks, Tasks
from .titles import RESEARCH, ListedConversations, title_of
from .turn.take_turn import DEFAULT_OPTIONS, TurnOptions, take_turn
from .turn_services import Services

if TYPE_CHECKING:  # so that a child process that reads files to import does not load peewee
    from desktop_app.archive.archive import Archive


log = logging.getLogger(__name__)


class Turns:
    """Starts and stops turns, and makes room after them.

    open_conversation: returns the session of a conversation, or raises WorldError.
    """

    def __init__(
        self,
        tasks: Tasks,
        archive: Archive,
        services: Services,
        publish: Emit,
        listed: ListedConversations,
        open_conversation: Callable[[str], Awaitable[Session]],
    ) -> None:
        self._tasks, self._open_conversation = tasks, open_conversation
        self._services, self._publish = services, publish
        self._locks, self._listed = TurnLocks(), listed
        self.getting_ready = GettingReady(tasks, services, publish, self.is_busy)
        self.queue = MessageQueue(archive, publish)

    def is_running(self, conversation: str) -> bool:
        """Return whether a turn of that conversation is running."""
        return self._tasks.is_running(Job.TURN.of(conversation))

    def is_busy(self, conversation: str) -> bool:
        """Return whether a turn is running or about to begin, or room is being made."""
        is_making_room = any(self._tasks.is_running(job.of(conversation)) for job in (Job.ROOM, Job.AHEAD))
        return is_making_room or self._is_taken(conversation) or self._locks.is_locked(conversation)

    def is_automatic(self, session: Session) -> bool:
        """Return whether the settings and the policy allow making room without the user's request."""
        return self._services.settings().is_automatic and session.counter.policy.is_automatic

    async def send(
        self,
        session: Session,
        text: str,
        attachments: tuple[Attachment, ...] = (),
        options: TurnOptions = DEFAULT_OPTIONS,
        is_now: bool = False,
        is_draft: bool = False,
        is_steering: bool = False,
    ) -> None:
        """Record a message and start its turn. While another turn is running, queue the message instead.

        The queue continues after a turn that finished, but not after one that failed or was stopped: its messages may
        no longer be to the point, and the user can send them with a click. A message that is sent while no turn is
        running precedes the queue. is_now: stop the running turn first, and keep its partial reply. is_draft: empty the
        stored draft in the same transaction. is_steering: let a queued message enter the running turn. Raises
        WorldError, in which case the message is not stored.
        """
        message = QueuedMessage(uuid.uuid4().hex, MessageDraft(text, attachments))
        if is_steering and self._is_taken(session.id):
            self.queue.steer(session.id, message.id)
        await self._send(session, message, is_now, is_draft, options)

    async def research(self, session: Session, question: str, is_now: bool = False, is_draft: bool = False) -> None:
        """Send a research question (see `research.py`), as `send` does. It is recorded with its command."""
        draft = MessageDraft(f"{RESEARCH}{question.strip()}")
        message = QueuedMessage(uuid.uuid4().hex, draft, is_research=True)
        await self._send(session, message, is_now, is_draft)

    async def _send(
        self,
        session: Session,
        message: QueuedMessage,
        is_now: bool,
        is_draft: bool,
        options: TurnOptions = DEFAULT_OPTIONS,
    ) -> None:
        session.refuse_if(session.is_leaving)
        if not is_now and (self._locks.is_beginning(session.id) or self._is_taken(session.id)):
            await self.queue.add(session.id, message, is_draft)
            return
        async with self._locks.of(session.id):
            if is_now:
                await self.stop(session.id)
            elif self._is_taken(session.id):  # by the previous holder of the lock
                await self.queue.add(session.id, message, is_draft)
                return
            await self._answer(session, message, is_draft=is_draft, options=options)

    async def send_now(self, session: Session, message_id: str) -> None:
        """Stop the turn and send a queued message. Does nothing if it is no longer queued."""
        async with self._locks.of(session.id):
            if self.queue.find(session.id, message_id) is not None:
                await self.stop(session.id)
            message = self.queue.find(session.id, message_id)
            if message is not None:
                self.queue.resume(session.id)
                await self._answer(session, message, is_queued=True)

    def _begin_queue(self, conversation: str) -> None:
        """Send the next message of the queue, if there is one, once the turn has ended."""
        if self.queue.next(conversation) is not None:
            self._tasks.start_once(Job.NEXT_MESSAGE.of(conversation), partial(self._send_next, conversation))

    async def _send_next(self, conversation: str) -> None:
        await self._tasks.wait(Job.TURN.of(conversation))
        try:
            session = await self._open_conversation(conversation)
            async with self._locks.of(conversation):
                message = self.queue.next(conversation)
                if message is not None and not self.is_running(conversation):
                    await self._answer(session, message, is_queued=True)
        except WorldError as error:
            self._publish(TurnFailed(conversation, error.failure))

    def _is_taken(self, conversation: str) -> bool:
        """Return whether a turn is running, or the next message of the queue is about to be sent."""
        return self.is_running(conversation) or self._tasks.is_running(Job.NEXT_MESSAGE.of(conversation))

    async def _answer(
        self,
        session: Session,
        message: QueuedMessage,
        is_queued: bool = False,
        is_draft: bool = False,
        options: TurnOptions = DEFAULT_OPTIONS,
    ) -> None:
        """Record a message and start its turn; the caller holds the lock.

        Raises WorldError, in which case the message stays where it was.
        """
        await self._make_way(session)
        text = message.draft.text or ", ".join(part.name for part in message.draft.attachments)
        if session.info.title in UNTITLED:
            await self._listed.rename(session, title_of(text.removeprefix(RESEARCH)))
        if await self.queue.record(session, message, is_queued, is_draft):
            self._start(
                session, self._research(session, options) if message.is_research else self._turn(session, options)
            )

    async def _make_way(self, session: Session) -> None:
        """Stop preparations, since a turn begins. Raises WorldError if the conversation is being deleted."""
        await self.getting_ready.stop(session.id)
        await self._tasks.cancel(Job.IDLE.of(session.id))
        await self._tasks.cancel(Job.AHEAD.of(session.id))
        session.refuse_if(session.is_leaving)

    def _start(self, session: Session, turn: Coroutine[Any, Any, None]) -> None:
        """Start a turn, unless the conversation is being deleted. Its recorded message stays in the conversation."""
        if session.is_leaving:
            turn.close()
            return
        unbegun = [turn]

        async def begin() -> None:
            await unbegun.pop()

        task = self._tasks.start(Job.TURN.of(session.id), begin())
        task.add_done_callback(lambda _: self._end_unbegun(session, unbegun))

    def _end_unbegun(self, session: Session, unbegun: list[Coroutine[Any, Any, None]]) -> None:
        """Publish the gauge for a turn that was stopped before it began. unbegun: that turn; empty if it began."""
        for turn in unbegun:
            turn.close()
            self._publish(session.gauge_changed())

    async def edit(self, session: Session, message_id: str, text: str, attachments: tuple[Attachment, ...]) -> None:
        """Send a user message again with another text, in a new branch that begins before it.

        Raises WorldError while a reply is being written, or if the current branch has no such message.
        """
        async with self._beginning(session), session.changes:  # a plan may be about to archive what is left
            rewind = Rewind(first_message_id=message_to_edit(session, message_id).id)
            edited = stamp(user_message(text, attachments))
            self._publish(await session.record_operation(stamp(rewind), edited))
            self._publish(MessageRecorded(session.id, session.rows([edited.id])[0]))
            self._start(session, self._answer_to_newest(session))

    async def regenerate(self, session: Session, reply_id: str = "") -> None:
        """Answer a user message again, in a new branch that begins before its first answer.

        reply_id: an answer to that message; "" for the newest message. Raises WorldError while a reply is being
        written, or if there is no such message.
        """
        await self._answer_again(session, partial(first_answer, reply_id=reply_id))

    async def go_on(self, session: Session, options: TurnOptions = DEFAULT_OPTIONS) -> None:
        """Request the missing answer. Tool results stay, and a reply that broke off is written again."""
        await self._answer_again(session, broken_reply, options)

    async def _answer_again(
        self, session: Session, find: Callable[[Session], Message | None], options: TurnOptions = DEFAULT_OPTIONS
    ) -> None:
        """Take a turn in a new branch that begins before the reply that `find` returns; in the current one for None.

        Raises WorldError while a reply is being written, or if `find` does.
        """
        async with self._beginning(session), session.changes:  # a plan may be about to archive what is left
            if (reply := find(session)) is not None:
                self._publish(await session.record_operation(stamp(Rewind(first_message_id=reply.id))))
            self._start(session, self._answer_to_newest(session, options))

    def _answer_to_newest(self, session: Session, options: TurnOptions = DEFAULT_OPTIONS) -> Coroutine[Any, Any, None]:
        """Return the work that answers the newest message: a research if it asks for one."""
        newest = session.view.items[-1].message
        is_research = newest.role is Role.USER and question_in(newest.text)
        return self._research(session, options) if is_research else self._turn(session, options)

    async def continue_reply(self, session: Session) -> None:
        """Let the model continue the newest reply, which was cut off or interrupted.

        Raises WorldError while a reply is being written, or if there is nothing to continue.
        """
        async with self._beginning(session):
            self._start(session, self._continue(session, cut_reply(session)))

    @asynccontextmanager
    async def _beginning(self, session: Session) -> AsyncGenerator[None, None]:
        """Hold the lock while a turn without a new message begins. Raises WorldError while a turn is running."""
        self.refuse_while_running(session.id)
        async with self._locks.of(session.id):
            self.refuse_while_running(session.id)  # a message may have been sent in the meantime
            await self._make_way(session)
            yield

    async def wait_until_idle(self, conversation: str, with_room: bool = False) -> None:
        """Wait until no turn is running in a conversation and, with `with_room`, no room is being made."""
        await self._tasks.wait(Job.TURN.of(conversation))
        if with_room:
            await self._tasks.wait(Job.ROOM.of(conversation))

    async def stop(self, conversation: str) -> None:
        """Stop the running turn. Its partial reply is kept, and the queue waits."""
        while self._is_taken(conversation):  # a turn at its end starts the next message, which starts a turn
            await self._tasks.cancel(Job.NEXT_MESSAGE.of(conversation))
            await self._tasks.cancel(Job.TURN.of(conversation))

    async def stop_all(self, conversation: str) -> None:
        """Stop everything in a conversation: its turn, and the work before and after turns."""
        await self.getting_ready.stop(conversation)
        await self.stop(conversation)
        for job in (Job.IDLE, Job.ROOM, Job.AHEAD, Job.TITLE, Job.TOOL_COUNT):
            await self._tasks.cancel(job.of(conversation))

    def idle(self, conversation: str) -> AbstractAsyncContextManager[None]:
        """Let no turn begin during the block (see `TurnLocks`). Raises WorldError while a turn is running."""
        return self._locks.idle(conversation, partial(self.refuse_while_running, conversation))

    @asynccontextmanager
    async def paused(self, conversation: str) -> AsyncGenerator[None, None]:
        """Wait for turns to end, then let nothing run during the block. Messages sent during it are sent after it."""
        async with self._locks.when_free(conversation, partial(self._is_taken, conversation), self._settle):
            waiting = self.queue.state(conversation).queue
            try:
                await self.stop_all(conversation)
                yield
            finally:  # still under the lock, so that later messages come after these
                if not set(self.queue.state(conversation).queue).issubset(waiting):
                    self._begin_queue(conversation)

    async def _settle(self, conversation: str) -> None:
        await self._tasks.wait(Job.NEXT_MESSAGE.of(conversation))
        await self._tasks.wait(Job.TURN.of(conversation))

    async def stop_room(self, conversation: str) -> None:
        """Stop making room in the background, or else the turn that is waiting for it. Nothing of it is recorded."""
        if self._tasks.is_running(Job.ROOM.of(conversation)):
            await self._tasks.cancel(Job.ROOM.of(conversation))
        else:
            await self.stop(conversation)

    def refuse_while_running(self, conversation: str) -> None:
        """Raise WorldError while a reply is being written."""
        if self.is_running(conversation):
            advice = translatable("Wait until it is finished, or stop it first.")
            raise WorldError(Failure(kind="busy", title=translatable("A reply is still being written"), advice=advice))

    async def _turn(self, session: Session, options: TurnOptions = DEFAULT_OPTIONS) -> None:
        """Take a turn, then finish it."""
        steer = partial(self.queue.record_steering, session)
        turn = take_turn(session, self._services, self._publish, self.is_automatic(session), options, steer)
        await self._finish(session, await turn)

    async def _continue(self, session: Session, reply: Message) -> None:
        """Take a turn that continues a reply. After it, the reply is not continued further, however the turn ended."""
        try:
            await session.record(stamp(Continuation(reply_id=reply.id)))
            await self._turn(session)
        finally:
            if session.view.unfinished is not None and not session.is_leaving:
                await session.record(stamp(Continuation(reply_id="")))

    async def _research(self, session: Session, options: TurnOptions = DEFAULT_OPTIONS) -> None:
        await self._finish(session, await take_research(session, self._services, self._publish, options))

    async def _finish(self, session: Session, finished: TurnFinished) -> None:
        """Start the work that follows a turn, and publish its end last."""
        self.queue.end_steering(session.id)
        try:
            await self.note(session)
            # Otherwise the user may have stopped making room, or may want to continue the reply.
            if self.is_automatic(session) and finished.reason == "finished":
                self._tasks.start_once(Job.ROOM.of(session.id), partial(self._make_room, session))
            if finished.reason == "finished":
                self._tasks.start_once(Job.TITLE.of(session.id), partial(self._listed.generate_title, session))
        finally:
            self._publish(replace(finished, totals=session.totals()))
            if finished.reason == "finished" and not self._is_stopping(session):
                self._begin_queue(session.id)

    def _is_stopping(self, session: Session) -> bool:
        """Return whether the turn that is ending was stopped at its end, or its conversation is being deleted."""
        turn = asyncio.current_task()
        return session.is_leaving or (turn is not None and turn.cancelling() > 0)

    async def _make_room(self, session: Session) -> None:
        """Make room after a turn, and let a local model read the new prefix so that the next reply starts sooner."""
        if await make_room_in_background(session, self._services, self._publish):
            await self.note(session)
            if not self.is_running(session.id):
                self.getting_ready.expect(session)
        if not self._is_taken(session.id):
            self._tasks.start_once(Job.AHEAD.of(session.id), partial(self._summarize_ahead, session))
            if seconds_until_idle(session, self._services) is not None:
                self._tasks.start_once(Job.IDLE.of(session.id), partial(self._wait_until_idle, session))

    async def _wait_until_idle(self, session: Session) -> None:
        """Compact the conversation shortly before its cache expires, unless it is used until then. A turn ends this."""
        while seconds := seconds_until_idle(session, self._services):
            await sleep(seconds)
        is_used = self.is_busy(session.id) or self.queue.state(session.id).queue or session.is_leaving
        if seconds is not None and not is_used and self.queue.draft(session.id) == MessageDraft():
            self._tasks.start_once(Job.ROOM.of(session.id), partial(self._make_room_when_idle, session))

    async def _make_room_when_idle(self, session: Session) -> None:
        if await make_room_in_background(session, self._services, self._publish, Trigger.IDLE):
            await self.note(session)

    async def _summarize_ahead(self, session: Session) -> None:
        try:
            await summarize_ahead(session, self._services, self._publish)
        except WorldError as error:  # nobody waits for it
            log.info("no summary was written ahead: %s", error)

    async def note(self, session: Session) -> None:
        """Store the fill level of the conversation for the sidebar. Errors are published, not raised."""
        await self._listed.note(session)


class TurnLocks(NamedLocks):
    """A lock per conversation, held while a turn is about to begin, or while none may begin."""

    def __init__(self) -> None:
        super().__init__()
        self._idle: set[str] = set()

    def is_beginning(self, conversation: str) -> bool:
        """Return whether a turn is about to begin, so that a message sent now is queued."""
        return self.is_locked(conversation) and conversation not in self._idle

    @asynccontextmanager
    async def when_free(
        self, conversation: str, is_taken: Callable[[], bool], settle: Callable[[str], Awaitable[None]]
    ) -> AsyncGenerator[None, None]:
        """Hold the lock as soon as no turn is running. is_taken: returns whether one is. settle: waits for its end."""
        while True:
            await settle(conversation)
            async with self.of(conversation):
                if not is_taken():
                    yield
                    return

    @asynccontextmanager
    async def idle(self, conversation: str, refuse: Callable[[], None]) -> AsyncGenerator[None, None]:
        """Let no turn begin during the block; messages wait for its end. refuse: raises if a turn is running."""
        refuse()
        async with self.of(conversation):
            refuse()  # one may have begun in the meantime
            self._idle.add(conversation)
            try:
                yield
            finally:
                self._idle.discard(conversation)
