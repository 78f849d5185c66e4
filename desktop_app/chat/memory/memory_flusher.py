"""Long-term memory (S7, S8): the flush before a compaction, and the user's changes to memories."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from msgspec.structs import replace

from desktop_app.chat.locks import NamedLocks
from desktop_app.chat.operations import not_found, undo_in_force
from desktop_app.chat.ports import ModelCatalogue, WorldError
from desktop_app.chat.session import Session
from desktop_app.chat.stamp import stamp
from desktop_app.chat.tasks import shielded
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
    MemoryChanges,
    Note,
    Refusal,
    changes_of,
    clean_note,
    memory_room,
    memory_text,
)
from desktop_app.context.memory.rules import notes_by_rule, user_rules
from desktop_app.conversation.events import Failure, TurnEvent
from desktop_app.conversation.memory import Memory, memories_in
from desktop_app.conversation.message import Message, Usage
from desktop_app.conversation.transcript import Flush, Trigger, Undo, active_entries
from desktop_app.conversation.words import translatable
from desktop_app.settings import Settings

from .flush import FlushQuestion, ask_for_notes, question_for_flush

MAX_KNOWN = 60
"""Memories that a model is shown, the newest, so that it does not note them again."""

log = logging.getLogger(__name__)


class MemoryStore(Protocol):
    """The archive's memories. Every method raises only ArchiveError, and is one transaction."""

    async def memories(self, with_deleted: bool = False) -> tuple[Memory, ...]:
        """Return the user's memories, oldest first; deleted ones only if `with_deleted`."""
        ...

    async def store_memories(self, *kept: Memory, replaced: Mapping[str, str] | None = None) -> None:
        """Store memories that are new or changed, as their ids say.

        replaced: from the id of each memory to be deleted to the id of the one that takes its place.
        """
        ...

    async def undo_memories(self, ids: Sequence[str], at: float) -> None:
        """Delete those memories, and restore what they had replaced. Repeating it changes nothing."""
        ...

    async def redo_memories(self, ids: Sequence[str], at: float) -> None:
        """Restore memories that were undone, and delete again what they had replaced."""
        ...


class MemoryFlusher:
    """Saves memories from messages before they leave the view.

    settings: returns the current ones. prompts: reads the prompts of the request; None if no model is to be asked.
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
        self._locks = NamedLocks()

    async def text(self, session: Session) -> str:
        """Return the memories as they stand in that session's system prompt. Raises ArchiveError."""
        if not self._settings().is_memory_on:
            return ""
        memories = memories_in(await self._store.memories(), session.id, session.folder, session.info.project)
        return memory_text(memories, memory_room(session.policy, session.budget), session.counts.text)

    def is_due(self, session: Session, trigger: Trigger) -> bool:
        """Whether a flush should be made in that session now."""
        if not self._settings().is_memory_on:
            return False
        return is_flush_due(session.view, session.policy, session.budget, session.gauge().total, trigger)

    async def flush(self, session: Session, trigger: Trigger) -> list[TurnEvent]:
        """Save and record memories, if a flush is due; return the events.

        Errors are logged only, since a compaction must not wait for them. Cancelling leaves no trace.
        """
        if not self.is_due(session, trigger):
            return []
        lock = self._locks.of(session.id)
        if lock.locked() and not is_due(session.view, session.gauge().total, session.policy, session.budget, trigger):
            return []  # one is being made in the background, and nothing has to wait for it yet
        async with lock:
            if not self.is_due(session, trigger):
                return []  # it was made meanwhile
            try:
                return await self._flush(session, trigger)
            except WorldError as error:
                log.warning("no memory was kept of conversation %s: %s", session.id, error)
            except Exception:  # a bug, and logged as one: the conversation goes on
                log.exception("no memory was kept of conversation %s", session.id)
            return []

    async def _flush(self, session: Session, trigger: Trigger) -> list[TurnEvent]:
        view = session.view
        memories = await self._store.memories(with_deleted=True)
        if (left := await asyncio.to_thread(find_interrupted_flush, view, memories, session.id)) is not None:
            before, saved = left
            return [await session.record_operation(stamp(flush_of(saved, before, trigger)), cause=trigger)]
        messages = unflushed_messages(view)
        before = messages[-1].id
        folder, project = session.folder, session.info.project
        memories = memories_in(memories, session.id, folder, project)
        notes, model, usage = await self._notes(session, messages, memories, trigger)
        if not self._settings().is_memory_on:
            return []  # it was switched off meanwhile
        now, author = time.time(), "model" if model else "rule"

        def check_notes() -> MemoryChanges:
            rules = user_rules(view.path, session.reading) if model else ()
            unwanted = unwanted_texts(memories, view.entries)
            said = now, session.id, before, author
            where = folder, rules, project
            return changes_of(memories, notes, *said, unwanted, MAX_FLUSHED_NOTES, *where)

        changes = await asyncio.to_thread(check_notes)
        for _, why in changes.refused:
            log.info("a note was not kept, since %s", why.value)
        flush = stamp(replace(flush_of(changes.saved, before, trigger), model=model, usage=usage))

        async def keep() -> list[TurnEvent]:
            # The memories come first: their ids tell of a flush that was cut off (see `find_interrupted_flush`).
            await self._store.store_memories(*changes.kept, replaced=changes.replaced)
            return [await session.record_operation(flush, cause=trigger)]

        return await shielded(keep())

    async def _notes(
        self, session: Session, messages: tuple[Message, ...], memories: tuple[Memory, ...], trigger: Trigger
    ) -> tuple[tuple[Note, ...], str, Usage | None]:
        """Return what is to be kept, the model that chose it ("" for code), and its usage."""
        usage = None
        if (question := await self._question(session, messages, memories, trigger)) is not None:
            price = self._models.price(session.model.info.id)
            notes, why, usage = await ask_for_notes(session.model, question, price)
            if notes is not None:
                return notes, session.model.info.record_name, usage
            log.warning("the memories of conversation %s were found by rule, because %s", session.id, why)
        return await asyncio.to_thread(notes_by_rule, messages, MAX_FLUSHED_NOTES), "", usage

    async def _question(
        self, session: Session, messages: tuple[Message, ...], memories: tuple[Memory, ...], trigger: Trigger
    ) -> FlushQuestion | None:
        """Return what the chat's own model is asked: its provider has read nearly all of that before.

        None if code finds what to keep: the settings want that, the model is the built-in one or calls no tools, or
        its window has no room for the question.
        """
        own = session.model.info
        is_able = not own.is_builtin and own.supports_tools
        if self._prompts is None or not is_able or self._settings().summaries == "extractive":
            return None
        prompts = await asyncio.to_thread(self._prompts)
        known = [memory for memory in memories if not memory.is_deleted][-MAX_KNOWN:]
        return await question_for_flush(session, messages, prompts, known, trigger is Trigger.OVERFLOW)


def flush_of(saved: Sequence[Memory], before: str, trigger: Trigger) -> Flush:
    """Return the entry for a flush that saved those memories from messages up to `before`."""
    ids, texts = tuple(memory.id for memory in saved), tuple(memory.text for memory in saved)
    return Flush(memories=ids, texts=texts, before=before, trigger=trigger)


async def undo_flush(session: Session, store: MemoryStore, flush_id: str) -> list[TurnEvent]:
    """Delete what a flush saved and restore what that replaced. Repeating it changes nothing."""
    flush = _flush(session, flush_id)
    async with session.changes:
        if flush.id not in {entry.id for entry in active_entries(session.transcript.entries)}:
            return []
        await store.undo_memories(flush.memories, time.time())
        return [await session.record_operation(stamp(Undo(entry_id=flush.id)))]


async def redo_flush(session: Session, store: MemoryStore, flush_id: str) -> list[TurnEvent]:
    """Undo the undoing of a flush. Repeating it changes nothing."""
    flush = _flush(session, flush_id)
    async with session.changes:
        if (undo := undo_in_force(session, flush.id)) is None:
            return []
        await store.redo_memories(flush.memories, time.time())
        return [await session.record_operation(stamp(Undo(entry_id=undo.id)))]


def _flush(session: Session, flush_id: str) -> Flush:
    flush = session.transcript.entry(flush_id)
    if not isinstance(flush, Flush):
        raise not_found(translatable("This entry"))
    return flush


async def write_memory(store: MemoryStore, wanted: Memory) -> Memory:
    """Store a memory as the user wants it, a new one if its id is unknown, and return it with times and author.

    Raises WorldError for a text that is empty or too long.
    """
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
    """Return the fields that say where a memory is sent. Raises WorldError if that is nowhere."""
    where = {"folder": wanted.folder, "project": wanted.project, "conversation": wanted.conversation}
    if not where.get(wanted.scope, "everywhere"):
        raise WorldError(
            Failure(
                "bad_input",
                translatable("This memory belongs to no {scope}").format(scope=wanted.scope),
                kept=translatable("Nothing was changed."),
            )
        )
    return {"scope": wanted.scope, **where}


def _text(text: str) -> str:
    line = clean_note(text, "user")
    if isinstance(line, Refusal):
        raise WorldError(
            Failure(
                "bad_input", translatable("A memory has to say something"), kept=translatable("Nothing was changed.")
            )
        )
    if len(" ".join(text.split())) > MAX_NOTE_CHARACTERS:
        title = translatable("A memory can have at most {max_note_characters} characters").format(
            max_note_characters=MAX_NOTE_CHARACTERS
        )
        raise WorldError(
            Failure(
                "bad_input",
                title,
                kept=translatable("Nothing was changed."),
                advice=translatable("Shorten it, or split it in two."),
            )
        )
    return line
