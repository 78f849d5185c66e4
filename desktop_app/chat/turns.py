"""The turns of all conversations: one at a time in each; what is sent meanwhile waits for its turn."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from msgspec.structs import replace

from desktop_app.context.compact.make_room import WindowTooSmall
from desktop_app.context.counting.totals import totals_of
from desktop_app.conversation.events import Failure, TurnFailed, TurnFinished
from desktop_app.conversation.message import Attachment, Message, Role, user_message
from desktop_app.conversation.transcript import Rewind, Trigger

from .compaction.make_room import make_room
from .operations import not_found
from .ports import Archive, ArchiveError, Emit, WorldError
from .research.research import take_research
from .services import Services
from .session import Session
from .stamp import stamp
from .tasks import Tasks
from .titles import RESEARCH, UNTITLED, generate_title, title_of
from .turn.prepare import record_first_context
from .turn.take_turn import take_turn

EQUIP_SECONDS = 0.3
"""The longest that opening a conversation waits for the tools on offer."""

log = logging.getLogger(__name__)


class Turns:
    """Runs turns, and makes room behind them."""

    def __init__(
        self, tasks: Tasks, archive: Archive, services: Services, publish: Emit, list_changed: Callable[[], None]
    ) -> None:
        self._tasks = tasks
        self._archive = archive
        self._services = services
        self._publish = publish
        # Called when the sidebar's list is no longer true.
        self._list_changed = list_changed
        self._queues: dict[str, asyncio.Lock] = {}

    def is_running(self, conversation: str) -> bool:
        """Return whether a turn of that conversation is under way."""
        return self._tasks.is_running(conversation)

    def is_busy(self, conversation: str) -> bool:
        """Return whether a turn is under way or about to begin, or room is being made."""
        queue = self._queues.get(conversation)
        is_beginning = queue is not None and queue.locked()
        return is_beginning or self.is_running(conversation) or self._tasks.is_running(f"room of {conversation}")

    def is_automatic(self, session: Session) -> bool:
        """Return whether room is made there without the user's word, by the settings and by the policy."""
        return self._services.settings().is_automatic and session.policy.is_automatic

    async def send(
        self, session: Session, text: str, attachments: tuple[Attachment, ...] = (), is_forced: bool = False
    ) -> None:
        """Start a turn with the user's message, once the turn that is under way has ended. Return when it has begun.

        The message is stored before its event is published. is_forced: see `take_turn`.
        """
        message = user_message(text, attachments)
        about = text or ", ".join(part.name for part in attachments)
        await self._begin(session, about, partial(self._turn, session, message, is_forced=is_forced))

    async def edit(self, session: Session, message_id: str, text: str, attachments: tuple[Attachment, ...]) -> None:
        """Send a message of the user's once more, with that text, in a branch that begins before it.

        Raises WorldError while a reply is being written, and if the current branch has no such message.
        """
        message = session.message(message_id)
        if message is None or message.role is not Role.USER or not session.branches.is_current(message_id):
            raise not_found("This message")
        edited = user_message(text, attachments)
        await self._begin_anew(session, lambda _: message, partial(self._turn, session, edited))

    async def research(self, session: Session, question: str) -> None:
        """Start such a turn that searches the web (see `research.py`). The question is recorded as it is typed."""
        text = f"{RESEARCH}{question.strip()}"
        await self._begin(session, question, partial(self._research, session, user_message(text)))

    async def _begin(self, session: Session, text: str, turn: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run the turn once no other runs. text: what an untitled conversation is named after."""
        async with self._queue(session):
            await self._tasks.wait(session.id)
            session.refuse_if(session.is_leaving)
            if session.info.title == UNTITLED:
                await self._rename(session, title_of(text))
            await self._start(session, turn)

    async def _begin_anew(
        self,
        session: Session,
        first: Callable[[Session], Message | None],
        turn: Callable[[], Coroutine[Any, Any, None]],
    ) -> None:
        """Run the turn in a branch that begins before the message `first(session)`, if there is one.

        Raises WorldError while a reply is being written.
        """
        self.refuse_while_running(session.id)
        async with self._queue(session):
            self.refuse_while_running(session.id)  # a message may have been sent first
            session.refuse_if(session.is_leaving)
            if (dropped := first(session)) is not None:
                self._publish(await session.record_operation(stamp(Rewind(first_message_id=dropped.id))))
            await self._start(session, turn)

    def _queue(self, session: Session) -> asyncio.Lock:
        """Return the lock that is held while a turn is about to begin there."""
        return self._queues.setdefault(session.id, asyncio.Lock())

    async def _start(self, session: Session, turn: Callable[[], Coroutine[Any, Any, None]]) -> None:
        for doing in ("reading", "equipping"):
            await self._tasks.cancel(f"{doing} of {session.id}")
        session.refuse_if(session.is_leaving)
        self._tasks.start(session.id, turn())

    async def wait_until_idle(self, conversation: str, with_room: bool = False) -> None:
        """Wait until no turn runs there; with_room: and no room is being made either."""
        await self._tasks.wait(conversation)
        if with_room:
            await self._tasks.wait(f"room of {conversation}")

    async def regenerate(self, session: Session, reply_id: str = "") -> None:
        """Answer a user message again, in a branch that begins before its first answer.

        reply_id: an answer to that message; "" for the newest user message. Raises WorldError as `edit` does.
        """
        if reply_id and not session.branches.is_current(reply_id):
            raise not_found("This message")
        await self._begin_anew(session, partial(first_answer, reply_id=reply_id), partial(self._turn, session, None))

    async def go_on(self, session: Session, makes_room: bool = False, is_forced: bool = False) -> None:
        """Ask for the answer that is missing: results of tools stay, and a reply that broke off is written anew.

        makes_room: the user wants room to be made first. is_forced: see `take_turn`.
        """
        turn = partial(self._turn, session, None, makes_room, is_forced=is_forced)
        await self._begin_anew(session, broken_reply, turn)

    async def stop(self, conversation: str) -> None:
        """End the running turn; what had arrived of the reply is kept."""
        await self._tasks.cancel(conversation)

    async def leave(self, conversation: str) -> None:
        """End all that is under way there, since nobody is interested any more."""
        for doing in ("", "room of ", "name of ", "reading of ", "equipping of "):
            await self._tasks.cancel(f"{doing}{conversation}")

    async def stop_room(self, conversation: str) -> None:
        """Stop making room in the background, or stop the turn that waits for it; nothing of it is recorded."""
        if self._tasks.is_running(f"room of {conversation}"):
            await self._tasks.cancel(f"room of {conversation}")
        else:
            await self.stop(conversation)

    def refuse_while_running(self, conversation: str) -> None:
        """Raise WorldError while a reply is being written."""
        if self.is_running(conversation):
            advice = "Wait for its end, or stop it first."
            raise WorldError(Failure(kind="busy", title="A reply is still being written", advice=advice))

    def expect(self, session: Session) -> None:
        """Let a local model get ready and read the conversation, since the user has begun to type."""
        key = f"reading of {session.id}"
        if session.items_read is not session.view.items and not self._tasks.is_running(key):
            session.items_read = session.view.items
            self._tasks.start(key, self._get_ready(session))

    async def equip(self, session: Session) -> None:
        """Count what the first request of a conversation will carry.

        A server of tools may be slow: then this returns soon, and the gauge changes once it has answered.
        """
        key = f"equipping of {session.id}"
        if not self.is_busy(session.id) and not self._tasks.is_running(key):
            await asyncio.wait({self._tasks.start(key, self._equip(session))}, timeout=EQUIP_SECONDS)

    async def _equip(self, session: Session) -> None:
        try:
            if await record_first_context(session, self._services):
                self._publish(session.gauge_changed())
        except WorldError as error:  # the first turn says so to the user
            log.warning("what a request carries was not recorded: %s", error)

    async def _get_ready(self, session: Session) -> None:
        # A task of its own: a message sent meanwhile, which ends this one, needs the server just as well.
        key = f"start of {session.model_info.id}"
        self._tasks.start_once(key, session.model.prepare)
        await self._tasks.wait(key)
        if session.gauge().total <= session.budget.usable:
            await session.model.read_ahead(session.assemble()[0])

    async def _turn(
        self, session: Session, prompt: Message | None, makes_room: bool = False, is_forced: bool = False
    ) -> None:
        how = self.is_automatic(session), is_forced, makes_room
        await self._leave(session, await take_turn(session, self._services, self._publish, prompt, *how))

    async def _research(self, session: Session, prompt: Message) -> None:
        await self._leave(session, await take_research(session, self._services, self._publish, prompt))

    async def _leave(self, session: Session, finished: TurnFinished) -> None:
        """Do what follows a turn. Its end is published last: whoever learns of it finds no turn running."""
        try:
            await self.note(session)
            if self.is_automatic(session) and finished.reason != "stopped":  # else it may be room that was stopped
                self._tasks.start_once(f"room of {session.id}", partial(self._make_room, session))
            if finished.reason == "finished":
                self._tasks.start_once(f"name of {session.id}", partial(self._name, session))
        finally:
            self._publish(replace(finished, totals=totals_of(session.transcript)))

    async def _name(self, session: Session) -> None:
        """Give the conversation a better title than its first line, unless it is renamed meanwhile."""
        before = session.info.title
        try:
            title = await generate_title(session, self._services)
            if title and session.info.title == before:
                await self._rename(session, title)
        except WorldError as error:
            log.info("conversation %s keeps its title: %s", session.id, error)

    async def _rename(self, session: Session, title: str) -> None:
        await self._archive.change(session.id, title=title)
        session.info = replace(session.info, title=title)
        self._list_changed()

    async def _make_room(self, session: Session) -> None:
        """Make room after a turn and let the model read the new prefix, so that nobody has to wait later."""
        try:
            is_changed = await make_room(session, self._services, Trigger.AFTER_TURN, self._publish)
            if is_changed:
                await self.note(session)
            if is_changed and not self.is_running(session.id):
                self.expect(session)
        except WindowTooSmall:
            return  # the gauge says so already, and the next turn will say what would help
        except WorldError as error:
            self._publish(TurnFailed(session.id, error.failure))

    async def note(self, session: Session) -> None:
        """Store the gauge's share and the number of uncounted messages for the sidebar. An error fails no turn."""
        gauge, info = session.gauge(), session.info
        # Without a window the figure that was seen last stays.
        share, status = (gauge.share, gauge.status) if gauge.is_window_known else (info.share, info.status)
        try:
            await self._archive.store_gauge(session.id, share, status, session.uncounted)
        except ArchiveError as error:
            self._publish(TurnFailed(session.id, error.failure))
        self._list_changed()


def broken_reply(session: Session) -> Message | None:
    """Return the beginning of the newest reply, if it broke off and nothing came after it."""
    newest = session.view.items[-1].message if session.view.items else None
    while newest is not None and newest.continues and (before := session.message(newest.continues)) is not None:
        newest = before
    is_broken = newest is not None and newest.role is Role.ASSISTANT and session.message(newest.id) is not None
    return newest if is_broken else None


def first_answer(session: Session, reply_id: str = "") -> Message | None:
    """Return the first answer to the same user message as that reply, else to the newest one, if there is any."""
    said = [entry for entry in session.view.path if isinstance(entry, Message)]
    ids = [message.id for message in said]
    until = ids.index(reply_id or session.view.last_user_id) if reply_id or session.view.last_user_id else -1
    asked = next((n for n in range(until, -1, -1) if said[n].role is Role.USER), -1)
    return said[asked + 1] if asked + 1 < len(said) else None
