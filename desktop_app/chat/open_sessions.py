"""Open conversations: each record is read and folded once, on a thread, however many callers wait for it.

The newest sessions, and the sessions in use, stay in memory. A long conversation is shown by a `PartialSession` while
it is being read; changes wait until it is open. The position and state of a message depend only on operations and
branches, which the outline contains, so that only the messages of one page are read. There is no partial session for a
damaged record, or if a compaction did not know of a pin, since it then also keeps the neighbours of the pinned message.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from weakref import WeakSet, WeakValueDictionary

from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.view.view import view_of
from desktop_app.conversation.branches import Branches
from desktop_app.conversation.events import (
    Failure,
    FiguresCounted,
    MessageRecorded,
    MessageRow,
    OperationRow,
    TurnFailed,
)
from desktop_app.conversation.listing import ConversationInfo, ModelInfo
from desktop_app.conversation.message import Message, Role, ToolResult
from desktop_app.conversation.setup import NO_PROJECT
from desktop_app.conversation.transcript import AnyEntry, Chain, Continuation, Prune, RecordOutline, Transcript
from desktop_app.conversation.words import translatable

from .choices import policy_named
from .importing import GROWN
from .ports import Emit, WorldError
from .record_rows import PAGE_CHARACTERS, message_rows, operation_rows
from .session import Session, stamp
from .session_model import model_or_stand_in, use_model
from .tasks import Job, NamedLocks, Tasks
from .turn.tool_calls import CRASHED
from .turn_services import Services
from .turns import Turns

if TYPE_CHECKING:  # so that a child process that reads files to import does not load peewee
    from desktop_app.archive.archive import Archive

MAX_KEPT = 6
"""Unused sessions that stay in memory, so that switching back and forth between conversations is fast."""
MAX_BYTES = 32 * 2**20
"""Maximum size of all unused sessions together. The newest one is counted, but never dropped."""


class SessionCache:
    """Finds the session of a conversation as long as anything refers to it, such as a turn or a request.

    So a conversation never has two sessions, which would both write its record. Of the sessions that are not in use, it
    keeps the newest, the ones that have learned something that is not in the record, and the one that the window shows,
    whose figures must follow the settings.
    """

    def __init__(self) -> None:
        self._alive: WeakValueDictionary[str, Session] = WeakValueDictionary()
        self._newest: dict[str, Session] = {}
        self._shown = ""

    def __contains__(self, conversation: str) -> bool:
        return conversation in self._alive

    def get(self, conversation: str) -> Session | None:
        return self._alive.get(conversation)

    def all(self) -> tuple[Session, ...]:
        return tuple(self._alive.values())

    def note_shown(self, conversation: str) -> None:
        """Note which conversation the window shows."""
        self._shown = conversation

    def keep(self, session: Session) -> None:
        """Keep a session as the newest one, and drop the oldest beyond `MAX_KEPT` or `MAX_BYTES`."""
        self._alive[session.id] = session
        self._newest.pop(session.id, None)
        self._newest[session.id] = session
        size = 0
        for number, each in enumerate(reversed(list(self._newest.values()))):
            size += each.recorded.size
            is_unused = each.counter.is_as_recorded and each.id != self._shown
            if (number >= MAX_KEPT or (number and size > MAX_BYTES)) and is_unused:
                del self._newest[each.id]

    def remove(self, conversation: str) -> None:
        """Remove a session that must no longer be used."""
        del self._alive[conversation]
        self._newest.pop(conversation, None)


Numbered = list[tuple[int, Message]]

BATCH = 32
"""Messages read at a time to find the beginning of an exchange."""
UNBOUNDED = 10**12


class PartialSession:
    """The part of a conversation that can be shown before its record is read."""

    def __init__(
        self,
        archive: Archive,
        info: ConversationInfo,
        outline: RecordOutline,
        model: ModelInfo,
        counts: TokenCounts,
    ) -> None:
        self.info = info
        self.model_info = model
        self._archive = archive
        self._conversation = info.id
        self._outline = outline
        self._counts = counts
        self._branches = Branches(outline.entries)
        path = self._branches.path()
        self._done: list[AnyEntry] = [entry for entry in path if not isinstance(entry, Message)]
        numbers = (outline.numbers[entry.id] for entry in path if isinstance(entry, Message))
        self._parted = [number for number in numbers if number >= outline.shared]
        self._view = view_of(Transcript(Chain(self._done)))
        self._pruned = {i for entry in self._done if isinstance(entry, Prune) for i in entry.message_ids}

    @property
    def total(self) -> int:
        """The number of messages in the current branch."""
        return self._outline.shared + len(self._parted)

    @property
    def is_certain(self) -> bool:
        """Whether the states of messages can be derived from the outline alone."""
        return not any(message_id in self._view.statuses for message_id in self._view.pins)

    def operations(self) -> tuple[OperationRow, ...]:
        return operation_rows(self._outline.entries, self._branches)

    def other_versions(self) -> tuple[str, ...]:
        """Return the ids of the messages that follow the newest one in other branches."""
        return self._branches.followers(self._branches.newest)

    async def page(self, before: int, limit: int, around: str = "") -> tuple[MessageRow, ...] | None:
        """Return the same page as `Session.page`; None if that requires the complete record."""
        numbered = await self._around(around, limit) if around else await self._read(before, limit, PAGE_CHARACTERS)
        if numbered is None:
            return None
        start = numbered[0] if numbered else None
        earlier: Numbered | None = []
        if start is not None and any(message.id in self._pruned for _, message in numbered):
            earlier = await self._exchange_before(start[0])
        if earlier is None:
            return None
        return await asyncio.to_thread(self._rows, numbered, earlier)

    async def pins(self) -> tuple[MessageRow, ...] | None:
        """Return the rows of the pinned messages, in order; None if that requires the complete record."""
        if not self._view.pins:
            return ()
        found = [await self._index_of(message_id) for message_id in self._view.pins]
        indexes = sorted(index for index in found if index is not None)
        numbers = [self._number(index) for index in indexes]
        messages = await self._archive.messages(self._conversation, numbers, UNBOUNDED)
        if messages is None:
            return None
        pinned = list(zip(indexes, messages, strict=True))
        return await asyncio.to_thread(self._rows, pinned)

    async def _index_of(self, message_id: str) -> int | None:
        """Return the index of a message in the current branch; None if it is not in this branch."""
        number, shared = await self._archive.message_index(self._conversation, message_id), self._outline.shared
        if number is None or number < shared:
            return number
        place = bisect_left(self._parted, number)
        return shared + place if self._parted[place : place + 1] == [number] else None

    async def _around(self, message_id: str, limit: int) -> Numbered | None:
        index = await self._index_of(message_id)
        if index is None:
            return []
        numbered = await self._read(index + 1 + limit // 2, limit, PAGE_CHARACTERS)
        is_there = numbered is None or any(found == index for found, _ in numbered)
        return numbered if is_there else await self._read(index + 1, limit, PAGE_CHARACTERS)

    def _rows(self, numbered: Numbered, earlier: Sequence[tuple[int, Message]] = ()) -> tuple[MessageRow, ...]:
        """Return the rows of messages. earlier: the ones before them, for the fold. Slow, so run it on a thread."""
        messages = (message for _, message in (*earlier, *numbered))
        view = view_of(Transcript(Chain([*self._done, *messages])))
        return message_rows(numbered, view, self._counts.total, self._versions)

    async def _read(self, before: int, limit: int, characters: int) -> Numbered | None:
        """Return the newest messages of the current branch below that index, oldest first."""
        end = max(min(before, self.total), 0)
        indexes = range(end - 1, max(end - limit, 0) - 1, -1)
        found = await self._archive.messages(self._conversation, [self._number(i) for i in indexes], characters)
        return None if found is None else list(zip(indexes, found, strict=False))[::-1]

    def _number(self, index: int) -> int:
        shared = self._outline.shared
        return index if index < shared else self._parted[index - shared]

    async def _exchange_before(self, index: int) -> Numbered | None:
        """Return the messages before that index, from a user message on: how a result is pruned depends on its call."""
        exchange: Numbered = []
        while index > 0:
            batch = await self._read(index, BATCH, UNBOUNDED)
            if batch is None:
                return None
            exchange[:0] = batch
            index = batch[0][0]
            if any(m.role is Role.USER and m.id not in self._view.statuses for _, m in batch):
                break
        return exchange

    def _versions(self, message_id: str) -> tuple[str, ...]:
        is_known = message_id in self._outline.numbers
        return self._branches.versions(message_id) if is_known else (message_id,)


Opening = asyncio.Task[Session | WorldError]

LONG = 1_000
"""Messages from which on a conversation gets a partial session. Fewer are read in a tenth of a second."""


class OpenSessions:
    """Opens conversations, and keeps their sessions: at most one for each conversation."""

    def __init__(self, archive: Archive, services: Services, turns: Turns, tasks: Tasks, publish: Emit) -> None:
        self._archive, self._services, self._models = archive, services, services.models
        self._turns, self._tasks, self._publish = turns, tasks, publish
        self.cache = SessionCache()
        self._running: dict[str, Opening] = {}
        self._partial_sessions: dict[str, PartialSession] = {}
        self._outdated: WeakSet[Session] = WeakSet()  # sessions whose model is from earlier settings
        self.locks = NamedLocks()  # held while opening begins, and during imports and deletions

    async def open(self, conversation: str) -> Session:
        """Return the session of a conversation, from memory or from the archive. Raises WorldError."""
        if (session := self.cache.get(conversation)) is None:
            async with self.locks.of(conversation):
                info = await self._info_with_model(conversation)
                if (session := self.cache.get(conversation)) is not None:  # it has been opened in the meantime
                    return session
                opening = self._begin(info)
            return await self._wait(opening)
        self.cache.keep(session)
        if session in self._outdated and not self._turns.is_busy(conversation):
            self._outdated.discard(session)
            await self.use_known_model(session)
        return session

    async def use_known_model(self, session: Session) -> None:
        """Use the conversation's model as it is set up and known now, and publish what that changes."""
        model = model_or_stand_in(self._models, session.info.model)
        if await use_model(session, model, self._publish):
            await self._turns.note(session)
        else:
            session.use(model)  # its server may have another address, or another key

    async def open_partially(self, conversation: str) -> PartialSession | None:
        """Return a partial session, and begin to open the conversation; `FiguresCounted` is published once it is open.

        Returns None if the conversation is open or short, or must be read first.
        """
        if conversation in self.cache:
            return None
        if (seen := self.partial_session(conversation)) is not None:
            return seen
        async with self.locks.of(conversation):
            if conversation in self.cache:
                return None
            info = await self._info_with_model(conversation)
            partial = self.partial_session(conversation)
            if partial is None and info.messages >= LONG:
                partial = await self._read_partially(info)
                if conversation in self.cache:  # it has been opened in the meantime
                    return None
            if partial is not None:
                self._partial_sessions[conversation] = partial
                self._begin(info)
            return partial

    @asynccontextmanager
    async def unopened(self, conversation: str) -> AsyncGenerator[None, None]:
        """Wait for a running turn, then keep the conversation closed during the block, so that an import can write."""
        async with self._turns.paused(conversation), self.locks.of(conversation):
            await self._tasks.wait(Job.OPENING.of(conversation))
            if (session := self.cache.get(conversation)) is not None:
                session.close(GROWN)
                self.cache.remove(conversation)
            yield

    def note_settings(self) -> None:
        """Resolve the models of sessions again, after a change of the settings. A running turn keeps its model."""
        self._outdated = WeakSet(self.cache.all())

    async def _info_with_model(self, conversation: str) -> ConversationInfo:
        """Return the info. A conversation that was imported without the window has no model, and gets the default."""
        info = await self._archive.conversation(conversation)
        if info.model:
            return info
        await self._archive.change(conversation, model=self._services.settings().chat_model)
        return await self._archive.conversation(conversation)

    async def _wait(self, task: Opening) -> Session:
        """Return the session that is being opened. Raises WorldError, also if opening was given up."""
        await asyncio.wait({task})
        if task.cancelled():
            raise WorldError(Failure("cancelled", translatable("The conversation is no longer being opened")))
        opened = task.result()
        if isinstance(opened, WorldError):
            raise opened
        return opened

    def partial_session(self, conversation: str) -> PartialSession | None:
        """Return the partial session of a conversation that is being opened; None if there is none."""
        return self._partial_sessions.get(conversation)

    async def give_up(self, conversation: str) -> None:
        """Stop opening a conversation. Callers that wait for it get an error."""
        self._partial_sessions.pop(conversation, None)
        await self._tasks.cancel(Job.OPENING.of(conversation))

    async def _read_partially(self, info: ConversationInfo) -> PartialSession | None:
        await self._turns.queue.read(info.id)
        outline = await self._archive.record_outline(info.id)
        if outline is None:
            return None
        model = model_or_stand_in(self._models, info.model)
        counts = TokenCounts(model.tokenizer, model.info.dialect)
        partial = await asyncio.to_thread(PartialSession, self._archive, info, outline, model.info, counts)
        return partial if partial.is_certain else None

    def _begin(self, info: ConversationInfo) -> Opening:
        """Begin to open a conversation, unless that has begun. Cancelling a caller does not stop it."""
        task = self._running.get(info.id)
        if task is None or task.done():
            task = self._running[info.id] = self._tasks.start(Job.OPENING.of(info.id), self._open(info))
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
        self.cache.keep(session)
        if self._partial_sessions.pop(info.id, None) is not None:
            self._publish(FiguresCounted(info.id, session.counter.gauge(), session.totals()))
        is_counted_otherwise = session.info.messages != session.recorded.counted  # counted by an earlier version
        if is_counted_otherwise or not session.info.share:
            await self._turns.note(session)
        return session

    async def _read(self, info: ConversationInfo) -> Session:
        entries = await self._archive.entries(info.id)
        setup = await self._archive.setup(info.id)
        model, policy = model_or_stand_in(self._models, info.model), policy_named("", self._services.settings())
        session = await asyncio.to_thread(Session, info, entries, model, policy, self._archive, setup)
        await self._use_project(session)
        await self._end_what_was_running(session)
        await self._turns.queue.read(info.id)
        await asyncio.to_thread(_count, session)
        await use_model(session, model_or_stand_in(self._models, info.model), self._publish)  # it may be known now
        await self._turns.getting_ready.equip(session)
        await self._use_project(session)
        return session

    async def _use_project(self, session: Session) -> None:
        """Set the project and the policy, and apply changes made while the session was being opened."""
        session.info = await self._archive.conversation(session.id)
        session.project = next((p for p in await self._archive.projects() if p.id == session.info.project), NO_PROJECT)
        session.counter.chosen_policy = policy_named(session.policy_name, self._services.settings())

    async def _end_what_was_running(self, session: Session) -> None:
        """Record results for calls that were running when the engine was killed, and give up continuing a reply."""
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
    """Compute the gauge and the operations, which are requested next."""
    session.counter.gauge()
    session.operations()
