"""The turns of all conversations: one at a time in each; messages that are sent during a turn are queued.

`message_queue.py` says where a message is stored from the first key to its answer.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from desktop_app.conversation.events import Failure, MessageRecorded, TurnFailed, TurnFinished
from desktop_app.conversation.listing import UNTITLED
from desktop_app.conversation.message import Attachment, Message, MessageDraft, user_message
from desktop_app.conversation.transcript import Continuation, Rewind
from desktop_app.conversation.unsent import QueuedMessage
from desktop_app.conversation.words import translatable

from .compaction.making_room import make_room_after_turn
from .getting_ready import GettingReady
from .message_queue import MessageQueue
from .operations import broken_reply, cut_reply, first_answer, message_to_edit
from .ports import Emit, WorldError
from .research import take_research
from .session import Session, stamp
from .tasks import Job, NamedLocks, Tasks
from .titles import RESEARCH, ListedConversations, title_of
from .turn.take_turn import DEFAULT_OPTIONS, TurnOptions, take_turn
from .turn_services import Services

if TYPE_CHECKING:  # so that a child process that reads files to import does not load peewee
    from desktop_app.archive.archive import Archive


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
        """Return whether a turn of that conversation is under way."""
        return self._tasks.is_running(Job.TURN.of(conversation))

    def is_busy(self, conversation: str) -> bool:
        """Return whether a turn is under way or about to begin, or room is being made."""
        is_making_room = self._tasks.is_running(Job.ROOM.of(conversation))
        return is_making_room or self._is_taken(conversation) or self._locks.is_locked(conversation)

    def is_automatic(self, session: Session) -> bool:
        """Return whether room is made without the user's request, by the settings and by the policy."""
        return self._services.settings().is_automatic and session.counter.policy.is_automatic

    async def send(
        self,
        session: Session,
        text: str,
        attachments: tuple[Attachment, ...] = (),
        options: TurnOptions = DEFAULT_OPTIONS,
        is_now: bool = False,
        is_draft: bool = False,
    ) -> None:
        """Record a message and answer it if nothing runs; else queue it, to be sent after the turn and the queue.

        The queue goes on after a turn that finished, not after one that failed or was stopped: what was typed may not
        fit any more, and the user can send it with a click. A message that is sent while nothing runs goes before
        those that are queued. is_now: stop the turn first, whose reply is kept as it is. is_draft: the stored draft is
        emptied in the same transaction, whatever it was. Raises WorldError; then the message is not stored.
        """
        message = QueuedMessage(uuid.uuid4().hex, MessageDraft(text, attachments))
        await self._send(session, message, is_now, is_draft, options)

    async def research(self, session: Session, question: str, is_now: bool = False, is_draft: bool = False) -> None:
        """Send a question for which the web is searched (see `research.py`), as `send` does; recorded as typed."""
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
            elif self._is_taken(session.id):  # by the caller that had the lock before
                await self.queue.add(session.id, message, is_draft)
                return
            await self._answer(session, message, is_draft=is_draft, options=options)

    async def send_now(self, session: Session, message_id: str) -> None:
        """Send a queued message now, after stopping the turn; nothing happens if it is not queued any more."""
        async with self._locks.of(session.id):
            if self.queue.find(session.id, message_id) is not None:
                await self.stop(session.id)
            message = self.queue.find(session.id, message_id)
            if message is not None:
                self.queue.resume(session.id)
                await self._answer(session, message, is_queued=True)

    def _begin_queue(self, conversation: str) -> None:
        self._tasks.start_once(Job.NEXT_MESSAGE.of(conversation), partial(self._send_next, conversation))

    async def _send_next(self, conversation: str) -> None:
        """Send the next message of the queue once the turn has ended, if there is one."""
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
        """Return whether a turn runs, or the next message of the queue is about to be sent."""
        return self.is_running(conversation) or self._tasks.is_running(Job.NEXT_MESSAGE.of(conversation))

    async def _answer(
        self,
        session: Session,
        message: QueuedMessage,
        is_queued: bool = False,
        is_draft: bool = False,
        options: TurnOptions = DEFAULT_OPTIONS,
    ) -> None:
        """Record a message and start its turn, under the conversation's lock. Raises WorldError; then it is where it
        was before."""
        await self._make_way(session)
        text = message.draft.text or ", ".join(part.name for part in message.draft.attachments)
        if session.info.title in UNTITLED:
            await self._listed.rename(session, title_of(text.removeprefix(RESEARCH)))
        if await self.queue.record(session, message, is_queued, is_draft):
            self._start(session, self._research(session) if message.is_research else self._turn(session, options))

    async def _make_way(self, session: Session) -> None:
        """End the preparations for a turn, which begins now. Raises WorldError if the conversation is being deleted."""
        await self.getting_ready.stop(session.id)
        session.refuse_if(session.is_leaving)

    def _start(self, session: Session, turn: Coroutine[Any, Any, None]) -> None:
        """Start a turn, unless the conversation is being deleted: what was recorded for it is restored with it."""
        if session.is_leaving:
            turn.close()
        else:
            self._tasks.start(Job.TURN.of(session.id), turn)

    async def edit(self, session: Session, message_id: str, text: str, attachments: tuple[Attachment, ...]) -> None:
        """Send a user message again with another text, in a branch that begins before it.

        Raises WorldError while a reply is being written, and if the current branch has no such message.
        """
        async with self._beginning(session), session.changes:  # a plan may be about to archive what is left
            rewind = Rewind(first_message_id=message_to_edit(session, message_id).id)
            edited = stamp(user_message(text, attachments))
            self._publish(await session.record_operation(stamp(rewind), edited))
            self._publish(MessageRecorded(session.id, session.rows([edited.id])[0]))
            self._publish(session.gauge_changed())  # the turn may be stopped before it begins
            self._start(session, self._turn(session))

    async def regenerate(self, session: Session, reply_id: str = "") -> None:
        """Answer a user message again, in a branch that begins before its first answer.

        reply_id: an answer to that message; "" for the newest one. Raises WorldError as `edit` does, or without one.
        """
        await self._answer_again(session, partial(first_answer, reply_id=reply_id))

    async def go_on(self, session: Session, options: TurnOptions = DEFAULT_OPTIONS) -> None:
        """Ask for the answer that is missing: results of tools stay, and a reply that broke off is written again."""
        await self._answer_again(session, broken_reply, options)

    async def _answer_again(
        self, session: Session, find: Callable[[Session], Message | None], options: TurnOptions = DEFAULT_OPTIONS
    ) -> None:
        """Take a turn in a branch that begins before the reply that `find` returns, or at the end if it returns none.

        Raises WorldError while a reply is being written, and what `find` raises.
        """
        async with self._beginning(session), session.changes:  # a plan may be about to archive what is left
            if (reply := find(session)) is not None:
                self._publish(await session.record_operation(stamp(Rewind(first_message_id=reply.id))))
                self._publish(session.gauge_changed())  # the turn may be stopped before it begins
            self._start(session, self._turn(session, options))

    async def continue_reply(self, session: Session) -> None:
        """Let the model go on with the newest reply, which was cut or interrupted, where it stopped.

        Raises WorldError while a reply is being written, and if there is nothing to continue.
        """
        async with self._beginning(session):
            self._start(session, self._continue(session, cut_reply(session)))

    @asynccontextmanager
    async def _beginning(self, session: Session) -> AsyncGenerator[None, None]:
        """Hold the lock while a turn begins that is not of a new message. Raises WorldError while one runs."""
        self.refuse_while_running(session.id)
        async with self._locks.of(session.id):
            self.refuse_while_running(session.id)  # a message may have been sent first
            await self._make_way(session)
            yield

    async def wait_until_idle(self, conversation: str, with_room: bool = False) -> None:
        """Wait until no turn runs in a conversation; with_room: and no room is being made either."""
        await self._tasks.wait(Job.TURN.of(conversation))
        if with_room:
            await self._tasks.wait(Job.ROOM.of(conversation))

    async def stop(self, conversation: str) -> None:
        """End the running turn; what had arrived of the reply is kept, and what is queued waits."""
        await self._tasks.cancel(Job.NEXT_MESSAGE.of(conversation))
        await self._tasks.cancel(Job.TURN.of(conversation))

    async def stop_all(self, conversation: str) -> None:
        """End everything that is under way in a conversation: its turn, and what is done before and after turns."""
        await self.getting_ready.stop(conversation)
        for job in (Job.NEXT_MESSAGE, Job.TURN, Job.ROOM, Job.TITLE, Job.TOOL_COUNT):
            await self._tasks.cancel(job.of(conversation))

    def idle(self, conversation: str) -> AbstractAsyncContextManager[None]:
        """Let no turn begin during the block (see `TurnLocks`). Raises WorldError while a turn runs."""
        return self._locks.idle(conversation, partial(self.refuse_while_running, conversation))

    @asynccontextmanager
    async def paused(self, conversation: str) -> AsyncGenerator[None, None]:
        """Let nothing run during the block, which begins once no turn runs. Messages sent in it are sent after it."""
        async with self._locks.when_free(conversation, partial(self._is_taken, conversation), self._settle):
            waiting = self.queue.state(conversation).queue
            try:
                await self.stop_all(conversation)
                yield
            finally:  # before the lock is released: messages sent from now on come after it
                if not set(self.queue.state(conversation).queue).issubset(waiting):
                    self._begin_queue(conversation)

    async def _settle(self, conversation: str) -> None:
        await self._tasks.wait(Job.NEXT_MESSAGE.of(conversation))
        await self._tasks.wait(Job.TURN.of(conversation))

    async def stop_room(self, conversation: str) -> None:
        """Stop making room in the background, or stop the turn that waits for it; nothing of it is recorded."""
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
        """Take a turn, and do what follows it."""
        turn = take_turn(session, self._services, self._publish, self.is_automatic(session), options)
        await self._finish(session, await turn)

    async def _continue(self, session: Session, reply: Message) -> None:
        """Take a turn that goes on with a reply; at its end nothing asks for more of it, however it has ended."""
        try:
            await session.record(stamp(Continuation(reply_id=reply.id)))
            await self._turn(session)
        finally:
            if session.view.unfinished is not None and not session.is_leaving:
                await session.record(stamp(Continuation(reply_id="")))

    async def _research(self, session: Session) -> None:
        await self._finish(session, await take_research(session, self._services, self._publish))

    async def _finish(self, session: Session, finished: TurnFinished) -> None:
        """Do what follows a turn. Its end is published last: a listener finds no turn running."""
        try:
            await self.note(session)
            # Else it may be room that was stopped, or a reply that is to go on where it ended.
            if self.is_automatic(session) and finished.reason == "finished":
                self._tasks.start_once(Job.ROOM.of(session.id), partial(self._make_room, session))
            if finished.reason == "finished":
                self._tasks.start_once(Job.TITLE.of(session.id), partial(self._listed.generate_title, session))
        finally:
            self._publish(replace(finished, totals=session.totals()))
            if finished.reason == "finished" and self.queue.next(session.id) is not None and not session.is_leaving:
                self._begin_queue(session.id)

    async def _make_room(self, session: Session) -> None:
        """Make room after a turn and let the model read the new prefix, so that the next reply starts sooner."""
        if await make_room_after_turn(session, self._services, self._publish):
            await self.note(session)
            if not self.is_running(session.id):
                self.getting_ready.expect(session)

    async def note(self, session: Session) -> None:
        """Store what the sidebar shows of the conversation. An error fails no turn."""
        await self._listed.note(session)


class TurnLocks(NamedLocks):
    """A lock of each conversation, held while a turn is about to begin there, or while none may begin."""

    def __init__(self) -> None:
        super().__init__()
        self._idle: set[str] = set()

    def is_beginning(self, conversation: str) -> bool:
        """Return whether a turn is about to begin, after which a message that is sent now is queued."""
        return self.is_locked(conversation) and conversation not in self._idle

    @asynccontextmanager
    async def when_free(
        self, conversation: str, is_taken: Callable[[], bool], settle: Callable[[str], Awaitable[None]]
    ) -> AsyncGenerator[None, None]:
        """Hold the lock once no turn runs. is_taken: whether one does. settle: waits for its end."""
        while True:
            await settle(conversation)
            async with self.of(conversation):
                if not is_taken():
                    yield
                    return

    @asynccontextmanager
    async def idle(self, conversation: str, refuse: Callable[[], None]) -> AsyncGenerator[None, None]:
        """Let no turn begin during the block: a message sent now waits. refuse: raises if a turn runs."""
        refuse()
        async with self.of(conversation):
            refuse()  # one may have begun in the meantime
            self._idle.add(conversation)
            try:
                yield
            finally:
                self._idle.discard(conversation)
