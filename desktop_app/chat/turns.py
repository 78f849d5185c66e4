"""The turns of all conversations: one at a time in each; messages sent during a turn wait."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from desktop_app.conversation.events import Failure, TurnFailed, TurnFinished
from desktop_app.conversation.listing import UNTITLED
from desktop_app.conversation.message import Attachment, Message, MessageDraft, user_message
from desktop_app.conversation.transcript import Continuation, Rewind
from desktop_app.conversation.unsent import QueuedMessage
from desktop_app.conversation.words import translatable

from .compaction.making_room import make_room_after_turn
from .getting_ready import GettingReady
from .message_queue import MessageQueue, TurnLocks
from .operations import broken_reply, cut_reply, first_answer, message_to_edit
from .ports import Emit, WorldError
from .recorded_messages import stamp
from .research import take_research
from .session import Session
from .tasks import Job, Tasks
from .titles import RESEARCH, ListedConversations, title_of
from .turn.take_turn import take_turn
from .turn_services import Services

if TYPE_CHECKING:  # so that a child process that reads files to import does not load peewee
    from desktop_app.archive.archive import Archive


class Turns:
    """Runs turns, and makes room behind them.

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
        """Return whether room is made there without the user's word, by the settings and by the policy."""
        return self._services.settings().is_automatic and session.policy.is_automatic

    async def send(
        self,
        session: Session,
        text: str,
        attachments: tuple[Attachment, ...] = (),
        is_forced: bool = False,
        is_now: bool = False,
        is_draft: bool = False,
    ) -> None:
        """Store a message, and send it: at once if nothing runs, else after the turn and what was queued before it.

        The queue goes on after a turn that finished, not after one that failed or was stopped: what was typed may not
        fit any more, and the user can send it with a click. A message that is sent while nothing runs goes before
        those that wait. is_forced: see `take_turn`. is_now: stop the turn first, whose reply is kept as it is.
        is_draft: the stored draft is emptied in the same transaction, whatever it was.
        """
        message = QueuedMessage(uuid.uuid4().hex, MessageDraft(text, attachments))
        await self._enqueue(session, message, is_forced, is_now, is_draft)

    async def edit(self, session: Session, message_id: str, text: str, attachments: tuple[Attachment, ...]) -> None:
        """Send a message of the user's once more, with that text, in a branch that begins before it.

        Raises WorldError while a reply is being written, and if the current branch has no such message.
        """
        edited = QueuedMessage(uuid.uuid4().hex, MessageDraft(text, attachments))
        first = partial(message_to_edit, message_id=message_id)
        await self._begin_anew(session, first, partial(self._deliver, session, edited), edited)

    async def research(self, session: Session, question: str, is_now: bool = False, is_draft: bool = False) -> None:
        """Send a question for which the web is searched (see `research.py`), as `send` does; recorded as typed."""
        draft = MessageDraft(f"{RESEARCH}{question.strip()}")
        message = QueuedMessage(uuid.uuid4().hex, draft, is_research=True)
        await self._enqueue(session, message, is_now=is_now, is_draft=is_draft)

    async def send_now(self, session: Session, message_id: str) -> None:
        """Send a queued message now, after stopping the turn; nothing happens if it does not wait any more."""
        async with self._locks.of(session.id):
            if self.queue.find(session.id, message_id) is not None:
                await self.stop(session.id)
            message = self.queue.find(session.id, message_id)
            if message is not None:
                self.queue.resume(session.id)
                await self._send(session, message)

    async def _enqueue(
        self,
        session: Session,
        message: QueuedMessage,
        is_forced: bool = False,
        is_now: bool = False,
        is_draft: bool = False,
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
            async with self.queue.sending(session.id, message, is_draft):
                await self._send(session, message, is_forced)

    def _is_taken(self, conversation: str) -> bool:
        """Return whether a turn runs, or the next message of the queue is about to be sent."""
        return self.is_running(conversation) or self._tasks.is_running(Job.NEXT_MESSAGE.of(conversation))

    async def _send(self, session: Session, message: QueuedMessage, is_forced: bool = False) -> None:
        """Start the turn of a queued message. Raises WorldError; then it still waits."""
        self.queue.begin(session.id, message.id)
        try:
            session.refuse_if(session.is_leaving)
            text = message.draft.text or ", ".join(part.name for part in message.draft.attachments)
            if session.info.title in UNTITLED:
                await self._listed.rename(session, title_of(text.removeprefix(RESEARCH)))
            await self._start(session, partial(self._deliver, session, message, is_forced), message)
        except BaseException:
            self.queue.release(session.id, message.id)
            raise

    async def _deliver(self, session: Session, message: QueuedMessage, is_forced: bool = False) -> None:
        """Take the turn of a queued message, which keeps its id."""
        prompt = replace(user_message(message.draft.text, message.draft.attachments), id=message.id)
        if message.is_research:
            await self._research(session, prompt)
        else:
            await self._turn(session, prompt, is_forced=is_forced)

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
                    await self._send(session, message)
        except WorldError as error:
            self._publish(TurnFailed(conversation, error.failure))

    async def _begin_anew(
        self,
        session: Session,
        first: Callable[[Session], Message | None],
        turn: Callable[[], Coroutine[Any, Any, None]],
        message: QueuedMessage | None = None,
    ) -> None:
        """Run the turn in a branch that begins before the message `first(session)`, if there is one.

        message: what is sent there, and is stored as queued until the record has it. Raises WorldError while a reply is
        being written, and what `first` raises.
        """
        self.refuse_while_running(session.id)
        async with self._locks.of(session.id):
            self.refuse_while_running(session.id)  # a message may have been sent first
            session.refuse_if(session.is_leaving)
            async with self.queue.sending(session.id, message):
                async with session.changes:  # a plan may be about to archive what is left behind here
                    if (dropped := first(session)) is not None:
                        self._publish(await session.record_operation(stamp(Rewind(first_message_id=dropped.id))))
                        self._publish(session.gauge_changed())  # the turn may be stopped before it begins
                await self._start(session, turn, message)

    async def _start(
        self, session: Session, turn: Callable[[], Coroutine[Any, Any, None]], message: QueuedMessage | None = None
    ) -> None:
        await self.getting_ready.stop(session.id)
        session.refuse_if(session.is_leaving)
        task = self._tasks.start(Job.TURN.of(session.id), turn())
        if message is not None:  # also if it is cancelled before it began to run
            task.add_done_callback(lambda _: self.queue.release(session.id, message.id))

    async def wait_until_idle(self, conversation: str, with_room: bool = False) -> None:
        """Wait until no turn runs there; with_room: and no room is being made either."""
        await self._tasks.wait(Job.TURN.of(conversation))
        if with_room:
            await self._tasks.wait(Job.ROOM.of(conversation))

    async def regenerate(self, session: Session, reply_id: str = "") -> None:
        """Answer a user message again, in a branch that begins before its first answer.

        reply_id: an answer to that message; "" for the newest one. Raises WorldError as `edit` does, or without one.
        """
        await self._begin_anew(session, partial(first_answer, reply_id=reply_id), partial(self._turn, session, None))

    async def go_on(self, session: Session, **how: Any) -> None:
        """Ask for the answer that is missing: results of tools stay, and a reply that broke off is written again.

        how: `makes_room`, `is_forced` and `not_before` of `take_turn`.
        """
        await self._begin_anew(session, broken_reply, partial(self._turn, session, None, **how))

    async def continue_reply(self, session: Session) -> None:
        """Let the model go on with the newest reply, which was cut or interrupted, where it stopped.

        Raises WorldError while a reply is being written, and if there is nothing to continue.
        """
        self.refuse_while_running(session.id)
        async with self._locks.of(session.id):
            self.refuse_while_running(session.id)  # a message may have been sent first
            session.refuse_if(session.is_leaving)
            await self._start(session, partial(self._continue, session, cut_reply(session)))

    async def stop(self, conversation: str) -> None:
        """End the running turn; what had arrived of the reply is kept, and what is queued waits."""
        await self._tasks.cancel(Job.NEXT_MESSAGE.of(conversation))
        await self._tasks.cancel(Job.TURN.of(conversation))

    async def leave(self, conversation: str) -> None:
        """End all that is under way there, since nobody is interested any more."""
        await self.getting_ready.stop(conversation)
        for job in (Job.NEXT_MESSAGE, Job.TURN, Job.ROOM, Job.TITLE, Job.TOOL_COUNT):
            await self._tasks.cancel(job.of(conversation))

    def resting(self, conversation: str) -> AbstractAsyncContextManager[None]:
        """Let no turn begin there during the block (see `TurnLocks`). Raises WorldError while a turn runs."""
        return self._locks.resting(conversation, partial(self.refuse_while_running, conversation))

    @asynccontextmanager
    async def paused(self, conversation: str) -> AsyncGenerator[None, None]:
        """Let nothing run there, once no turn does. Messages sent during the block are sent after it."""
        async with self._locks.when_free(conversation, partial(self._is_taken, conversation), self._settle):
            waiting = self.queue.state(conversation).queue
            try:
                await self.leave(conversation)
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

    async def _turn(self, session: Session, prompt: Message | None, **how: Any) -> None:
        """Take a turn, and do what follows it. how: parameters of `take_turn`."""
        turn = take_turn(session, self._services, self._publish, prompt, self.is_automatic(session), **how)
        await self._leave(session, await turn)

    async def _continue(self, session: Session, reply: Message) -> None:
        """Take a turn that goes on with a reply; at its end nothing asks for more of it, however it has ended."""
        try:
            await session.record(stamp(Continuation(reply_id=reply.id)))
            await self._turn(session, None)
        finally:
            if session.view.unfinished is not None and not session.is_leaving:
                await session.record(stamp(Continuation(reply_id="")))

    async def _research(self, session: Session, prompt: Message) -> None:
        await self._leave(session, await take_research(session, self._services, self._publish, prompt))

    async def _leave(self, session: Session, finished: TurnFinished) -> None:
        """Do what follows a turn. Its end is published last: a listener finds no turn running."""
        try:
            await self.queue.end(session.id, lambda sent: session.message(sent) is not None)
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
        """Make room after a turn and let the model read the new prefix, so that nobody has to wait later."""
        if await make_room_after_turn(session, self._services, self._publish):
            await self.note(session)
            if not self.is_running(session.id):
                self.getting_ready.expect(session)

    async def note(self, session: Session) -> None:
        """Store what the sidebar shows of the conversation. An error fails no turn."""
        await self._listed.note(session)
