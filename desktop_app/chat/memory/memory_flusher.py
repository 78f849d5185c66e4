"""Long-term memory (S7, S8): the flush before a compaction, and what the user does with what is remembered.

Keeper.flushed(session, trigger)   saves what must last, if it is time, and records the `Flush`
Keeper.text(session)               what is remembered, as it stands in the system prompt
flush_undone, flush_redone         takes what a flush saved back, and brings it again
memory_written                     the user's own word: a new memory, an edit, a switch, a deletion, a restoring
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from msgspec.structs import replace

from desktop_app.chat.compaction.make_room import request_size
from desktop_app.chat.operations import not_found, undo_in_force
from desktop_app.chat.ports import ChatModel, ModelCatalogue, ModelError, WorldError
from desktop_app.chat.session import Session, stamped
from desktop_app.chat.shielded import shielded
from desktop_app.context.compact.make_room import is_due
from desktop_app.context.memory.flush import (
    FlushPrompts,
    find_interrupted_flush,
    is_flush_due,
    unflushed_messages,
    unwanted_texts,
)
from desktop_app.context.memory.memories import (
    MAX_FLUSHED_NOTES,
    MAX_NOTE_CHARACTERS,
    Note,
    Refusal,
    changes_of,
    clean_note,
    memory_room,
    memory_text,
)
from desktop_app.context.memory.rules import notes_by_rule, rules_said
from desktop_app.context.memory.scopes import memories_in
from desktop_app.context.view.view import active_entries
from desktop_app.conversation.events import Failure, TurnEvent
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.message import Message, Usage
from desktop_app.conversation.transcript import Flush, Trigger, Undo
from desktop_app.settings import Settings

from .flush import Asking, NoNotes, Question, question_by_calls, question_by_json

KNOWN_MOST = 60
"""Memories that a model is told, the newest: so many that it does not note them twice."""

log = logging.getLogger(__name__)


class MemoryStore(Protocol):
    """What is asked of the archive. Every method raises only ArchiveError, and is one transaction."""

    async def memories(self, with_deleted: bool = False) -> tuple[Memory, ...]:
        """What is remembered of the user, oldest first, without what was deleted unless that is asked for, too."""
        ...

    async def store_memories(self, *kept: Memory, replaced: Mapping[str, str] | None = None) -> None:
        """Stores memories that are new or changed: the id says which. replaced: ids of memories that are deleted since
        another one, whose id stands behind them, takes their place."""
        ...

    async def undo_memories(self, ids: Sequence[str], at: float) -> None:
        """Deletes those memories, and restores what they had replaced. Repeating it changes nothing."""
        ...

    async def redo_memories(self, ids: Sequence[str], at: float) -> None:
        """Restores memories that were taken back, and deletes again what they replaced."""
        ...


class MemoryFlusher:
    """Sees to it that what must last is kept before it leaves the window.

    settings: as they are now. prompts: reads the words of the request; None if no model is to be asked.
    """

    def __init__(
        self,
        store: MemoryStore,
        models: ModelCatalogue,
        settings: Callable[[], Settings],
        prompts: Callable[[], FlushPrompts] | None = None,
    ) -> None:
        self._store = store
        self._models = models
        self._settings = settings
        self._prompts = prompts
        self._locks: dict[str, asyncio.Lock] = {}

    async def text(self, session: Session) -> str:
        """What is remembered, as it would stand in that session's system prompt now. Raises ArchiveError."""
        if not self._settings().is_memory_on:
            return ""
        memories = memories_in(await self._store.memories(), session.id, session.info.folder)
        return memory_text(memories, memory_room(session.policy, session.budget), session.counts.text)

    def is_due(self, session: Session, trigger: Trigger) -> bool:
        """Whether a flush is to be made in that session now."""
        if not self._settings().is_memory_on:
            return False
        return is_flush_due(session.view, session.policy, session.budget, request_size(session), trigger)

    async def flushed(self, session: Session, trigger: Trigger) -> list[TurnEvent]:
        """Saves what must last and records it, if it is time; what that changed, and nothing if it is not.

        Whatever goes wrong is logged, since a compaction must not wait for it. Cancelling leaves no trace.
        """
        if not self.is_due(session, trigger):
            return []
        lock = self._locks.setdefault(session.id, asyncio.Lock())
        if lock.locked() and not is_due(session.view, request_size(session), session.policy, session.budget, trigger):
            return []  # one is being made, in the background: nobody has to wait for it yet
        async with lock:
            if not self.is_due(session, trigger):
                return []  # somebody else saw to it meanwhile
            try:
                return await self._flushed(session, trigger)
            except WorldError as error:
                log.warning("no memory was kept of conversation %s: %s", session.id, error)
            except Exception:  # a bug, and logged as one: the conversation goes on
                log.exception("no memory was kept of conversation %s", session.id)
            return []

    async def _flushed(self, session: Session, trigger: Trigger) -> list[TurnEvent]:
        view = session.view
        memories = await self._store.memories(with_deleted=True)
        if (left := await asyncio.to_thread(find_interrupted_flush, view, memories, session.id)) is not None:
            before, saved = left
            flush = Flush(
                memories=tuple(m.id for m in saved), texts=tuple(m.text for m in saved), before=before, trigger=trigger
            )
            return [await session.record_operation(stamped(flush), cause=trigger)]
        stretch = unflushed_messages(view)
        before = stretch[-1].id
        memories = memories_in(memories, session.id, session.info.folder)
        notes, model, usage = await self._notes(session, stretch, memories, trigger)
        if not self._settings().is_memory_on:
            return []  # it was switched off meanwhile
        author = "model" if model else "rule"
        rules = await asyncio.to_thread(rules_said, view.entries, session.reading) if model else ()
        unwanted = await asyncio.to_thread(unwanted_texts, memories, view.entries)
        changes = await asyncio.to_thread(
            partial(changes_of, unwanted=unwanted, folder=session.info.folder, rules=rules),
            memories,
            notes,
            time.time(),
            session.id,
            before,
            author,
        )
        for _, why in changes.refused:
            log.info("a note was not kept, since %s", why.value)
        saved = changes.saved
        flush = Flush(
            memories=tuple(memory.id for memory in saved),
            texts=tuple(memory.text for memory in saved),
            before=before,
            model=model,
            usage=usage,
            trigger=trigger,
        )

        async def kept() -> list[TurnEvent]:
            # First the memories, which say by their ids that they are of this flush: see `find_interrupted_flush`.
            await self._store.store_memories(*changes.kept, replaced=changes.replaced)
            return [await session.record_operation(stamped(flush), cause=trigger)]

        return await shielded(kept())

    async def _notes(
        self, session: Session, stretch: tuple[Message, ...], memories: tuple[Memory, ...], trigger: Trigger
    ) -> tuple[tuple[Note, ...], str, Usage | None]:
        """What is to be kept; the model that said so, or "" for code; and what that took."""
        usage = None
        if (asked := await self._question(session, stretch, memories, trigger)) is not None:
            model, question = asked
            asking = Asking(model, question, self._models.price(model.info.id))
            try:
                return await asking.notes(), model.info.record_name, asking.usage
            except NoNotes as reason:
                log.warning("what is remembered of conversation %s was found by rule, because %s", session.id, reason)
                usage = asking.usage
        return await asyncio.to_thread(notes_by_rule, stretch, MAX_FLUSHED_NOTES), "", usage

    async def _question(
        self, session: Session, stretch: tuple[Message, ...], memories: tuple[Memory, ...], trigger: Trigger
    ) -> tuple[ChatModel, Question] | None:
        model = self._asked(session)
        if model is None or self._prompts is None:
            return None
        prompts = await asyncio.to_thread(self._prompts)
        known = [memory for memory in memories if not memory.is_deleted][-KNOWN_MOST:]
        if model is session.model:
            question = await question_by_calls(session, stretch, prompts, known, trigger is Trigger.OVERFLOW)
        else:
            question = await asyncio.to_thread(question_by_json, model, stretch, prompts, known)
        return None if question is None else (model, question)

    def _asked(self, session: Session) -> ChatModel | None:
        """Who is asked: the utility role's model if there is one, else the chat's own. None: code alone does it, since
        that is wanted, or since the model is the built-in one or can call no tools."""
        settings, own = self._settings(), session.model
        if settings.summaries == "extractive":
            return None
        if settings.utility_model and settings.utility_model != own.info.id:
            try:
                model = self._models.model(settings.utility_model)
                return None if model.info.is_builtin else model
            except ModelError as error:
                log.info("the chat's own model is asked what must last: %s", error)
        return None if own.info.is_builtin or not own.info.supports_tools else own


async def flush_undone(session: Session, store: MemoryStore, flush_id: str) -> list[TurnEvent]:
    """Takes what a flush saved back, and what that replaced comes again. Repeating it changes nothing."""
    flush = _flush(session, flush_id)
    async with session.changes:
        if flush.id not in {entry.id for entry in active_entries(session.transcript.entries)}:
            return []
        await store.undo_memories(flush.memories, time.time())
        return [await session.record_operation(stamped(Undo(entry_id=flush.id)))]


async def flush_redone(session: Session, store: MemoryStore, flush_id: str) -> list[TurnEvent]:
    """Takes the undoing of a flush back: what it saved is remembered again. Repeating it changes nothing."""
    flush = _flush(session, flush_id)
    async with session.changes:
        if (undo := undo_in_force(session, flush.id)) is None:
            return []
        await store.redo_memories(flush.memories, time.time())
        return [await session.record_operation(stamped(Undo(entry_id=undo.id)))]


def _flush(session: Session, flush_id: str) -> Flush:
    flush = session.transcript.entry(flush_id)
    if not isinstance(flush, Flush):
        raise not_found("This flush")
    return flush


async def memory_written(store: MemoryStore, wanted: Memory) -> Memory:
    """The user's own word on a memory, and the memory as it is kept. An id that is not known yet is a new one; times
    and authors are seen to here. Raises WorldError for a text that says nothing or is too long."""
    now = time.time()
    shown = {"is_on": wanted.is_on, "is_deleted": wanted.is_deleted, **_where(wanted)}
    known = next((memory for memory in await store.memories(with_deleted=True) if memory.id == wanted.id), None)
    if known is not None and known.text == wanted.text:
        memory = replace(known, changed_at=now, **shown)
    else:
        first = replace(wanted, id=wanted.id or uuid.uuid4().hex, at=now) if known is None else known
        memory = replace(first, text=_text(wanted.text), author="user", changed_at=now, **shown)
    await store.store_memories(memory)
    return memory


def _where(wanted: Memory) -> dict[str, Any]:
    """Return where a memory is to be sent. Raises WorldError if that is nowhere."""
    names = {"user": "everywhere", "folder": wanted.folder, "conversation": wanted.conversation}
    if not names[wanted.scope]:
        raise WorldError(Failure("bad_input", f"This memory belongs to no {wanted.scope}", kept="Nothing was changed."))
    return {"scope": wanted.scope, "folder": wanted.folder, "conversation": wanted.conversation}


def _text(text: str) -> str:
    line = clean_note(text, "user")
    if isinstance(line, Refusal):
        raise WorldError(Failure("bad_input", "A memory has to say something", kept="Nothing was changed."))
    if len(" ".join(text.split())) > MAX_NOTE_CHARACTERS:
        title = f"A memory has {MAX_NOTE_CHARACTERS} characters at most"
        raise WorldError(
            Failure("bad_input", title, kept="Nothing was changed.", advice="Shorten it, or make two of it.")
        )
    return line
