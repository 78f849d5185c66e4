"""Long-term memory (S7, S8): the flush before a compaction, and the user's changes to memories.

A flush is one request that is not part of the record. Its reply is not shown, and its tool calls are not run but read
as notes.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from desktop_app.context.memory.flush import (
    SAVE_MEMORY,
    FlushPrompts,
    append_question,
    find_interrupted_flush,
    is_flush_due,
    parse_notes,
    request_for_flush,
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
from desktop_app.context.memory.memory_rules import notes_by_rule, user_rules
from desktop_app.context.summary.asking_rests import notes_rest
from desktop_app.context.summary.model_summary import SIDE_REQUEST_SHARE, SIDE_REQUEST_SHARE_AGAIN
from desktop_app.conversation.events import Failure, TurnEvent
from desktop_app.conversation.memory import Memory, memories_in
from desktop_app.conversation.message import Message, Role, Usage
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import Flush, Trigger, Undo, active_entries
from desktop_app.conversation.words import translatable
from desktop_app.settings import Settings

from .operations import active_undo, not_found
from .ports import ChatModel, ModelCatalogue, ModelError, Price, WorldError
from .session import Session, stamp
from .side_requests import Unfinished, complete
from .tasks import NamedLocks, shielded

if TYPE_CHECKING:
    from desktop_app.archive.archive import Archive

MAX_REPLY = 2_000
"""Tokens of the reply. Eight notes take 500; the rest is for models that reason first."""
MAX_REPLY_SHARE = 0.25
"""Maximum reply, as a share of the model's window."""
MAX_GONE = 4_000
"""Tokens of archived messages that are sent again: about as many as come between a flush and its compaction."""


class FlushQuestion(msgspec.Struct, frozen=True):
    """A request for notes."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    reply_tokens: int
    seconds: int


async def question_for_flush(
    session: Session,
    messages: Sequence[Message],
    prompts: FlushPrompts,
    known: Sequence[Memory],
    is_too_long: bool = False,
) -> FlushQuestion | None:
    """Return the question for the chat's own model, or None if it does not fit.

    The question is appended to the current request, most of which the provider has cached. If that is too long, or many
    of the unflushed messages have left the view, it is asked about the unflushed messages alone. is_too_long: whether
    the provider has just refused the current request as too long.
    """
    model, counts, policy = session.model, session.counter.counts, session.counter.policy
    reply_tokens = _reply_tokens(model)
    if not is_too_long and (question := _append_question(session, messages, prompts, known, reply_tokens)) is not None:
        return question
    share = SIDE_REQUEST_SHARE_AGAIN if is_too_long else SIDE_REQUEST_SHARE
    room = round((model.info.window - reply_tokens - counts.tool(SAVE_MEMORY)) * share)
    asked = await asyncio.to_thread(request_for_flush, messages, prompts, known, room, counts.text)
    return FlushQuestion(asked, (SAVE_MEMORY,), reply_tokens, policy.flush_seconds) if asked else None


def _append_question(
    session: Session, unflushed: Sequence[Message], prompts: FlushPrompts, known: Sequence[Memory], reply_tokens: int
) -> FlushQuestion | None:
    """Append the question to the current request; None if that does not fit, or too much has left the view."""
    view, counts, policy = session.view, session.counter.counts, session.counter.policy
    in_view = {item.message.id for item in view.items}
    gone = [message for message in unflushed if message.id not in in_view and message.role is not Role.TOOL]
    if sum(map(counts.total, gone)) > MAX_GONE:
        return None  # the caller then asks about the unflushed messages alone
    assembled, tools = session.counter.assemble()
    messages = append_question(assembled, prompts, known, gone, 2 * MAX_GONE, counts.text)
    if session.counter.gauge().total + counts.text(messages[-1].text) + reply_tokens > session.model.info.window:
        return None
    has_it = any(tool.name == SAVE_MEMORY.name for tool in tools)
    return FlushQuestion(messages, tools if has_it else (*tools, SAVE_MEMORY), reply_tokens, policy.flush_seconds)


def _reply_tokens(model: ChatModel) -> int:
    info = model.info
    most = MAX_REPLY
    return min(most, round(info.window * MAX_REPLY_SHARE), info.max_output or most)


async def ask_for_notes(
    model: ChatModel, question: FlushQuestion, price: Price | None
) -> tuple[tuple[Note, ...] | None, str, Usage | None]:
    """Return the model's notes, or None and the reason (which completes "because …"); and the usage.

    This is a single request: a second round, in which the model could add notes, would cost as much again.
    """
    label = model.info.label
    try:
        reply = await complete(
            model,
            question.messages,
            max_tokens=question.reply_tokens,
            seconds=question.seconds,
            price=price,
            tools=question.tools,
        )
    except Unfinished as error:
        return None, error.failure.title, None
    except ModelError as error:
        return None, f"{label} failed ({error.failure.title})", None
    if reply.end.reason == "content_filter":
        return None, f"a filter stopped {label}", reply.end.usage
    notes = parse_notes(reply.text, reply.end.tool_calls)
    return notes, "" if notes is not None else f"{label} answered something else", reply.end.usage


MAX_KNOWN = 60
"""The newest memories, which are sent along so that the model does not note them again."""

log = logging.getLogger(__name__)


class MemoryFlusher:
    """Saves memories from messages before they leave the view.

    settings: returns the current settings. prompts: reads the prompts of the request; None to never ask a model.
    """

    def __init__(
        self,
        store: Archive,
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
        """Return the memories as the session's system prompt contains them. Raises ArchiveError."""
        if not self._settings().is_memory_on:
            return ""
        memories = memories_in(await self._store.memories(), session.id, session.folder, session.info.project)
        counter = session.counter
        return memory_text(memories, memory_room(counter.policy, counter.budget), counter.counts.text)

    def is_due(self, session: Session, trigger: Trigger) -> bool:
        """Return whether the session should be flushed now."""
        if not self._settings().is_memory_on:
            return False
        counter = session.counter
        return is_flush_due(counter.view, counter.policy, counter.budget, counter.gauge().total, trigger)

    async def flush(self, session: Session, trigger: Trigger) -> list[TurnEvent]:
        """Save memories and record the flush, if one is due. Return the events.

        Errors are only logged, since they must not hold up a compaction. Nothing is stored if the task is cancelled.
        """
        if not self.is_due(session, trigger):
            return []
        lock = self._locks.of(session.id)
        if lock.locked() and not session.counter.is_room_due(trigger):
            return []  # one is running in the background, and nothing needs to wait for it yet
        async with lock:
            if not self.is_due(session, trigger):
                return []  # another task has done it
            try:
                return await self._flush(session, trigger)
            except WorldError as error:
                log.warning("no memory was kept of conversation %s: %s", session.id, error)
            except Exception:  # a bug, which must not end the conversation
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
            return []  # switched off during the request
        now, author = time.time(), "model" if model else "rule"

        def check_notes() -> MemoryChanges:
            rules = user_rules(view.path, session.reading) if model else ()
            unwanted = unwanted_texts(memories, view.entries)
            origin = now, session.id, before, author
            where = folder, rules, project
            return changes_of(memories, notes, *origin, unwanted, MAX_FLUSHED_NOTES, *where)

        changes = await asyncio.to_thread(check_notes)
        for _, why in changes.refused:
            log.info("a note was not kept, since %s", why.value)
        flush = stamp(replace(flush_of(changes.saved, before, trigger), model=model, usage=usage))

        async def keep() -> list[TurnEvent]:
            # Memories first: if this is interrupted, `find_interrupted_flush` recognizes the flush by their ids.
            await self._store.store_memories(*changes.kept, replaced=changes.replaced)
            return [await session.record_operation(flush, cause=trigger)]

        return await shielded(keep())

    async def _notes(
        self, session: Session, messages: tuple[Message, ...], memories: tuple[Memory, ...], trigger: Trigger
    ) -> tuple[tuple[Note, ...], str, Usage | None]:
        """Return the notes to save, the model that wrote them ("" if rules did), and its usage."""
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
        """Return the question for the chat's own model, whose provider has most of the request in its cache.

        None if rules find the notes instead: by the settings, or because the model is built in, calls no tools, has too
        small a window, or wrote nothing usable the last times.
        """
        own = session.model.info
        is_able = not own.is_builtin and own.supports_tools
        if self._prompts is None or not is_able or self._settings().summaries == "extractive":
            return None
        if notes_rest(session.view.entries, own.record_name):
            return None
        prompts = await asyncio.to_thread(self._prompts)
        known = [memory for memory in memories if not memory.is_deleted][-MAX_KNOWN:]
        return await question_for_flush(session, messages, prompts, known, trigger is Trigger.OVERFLOW)


def flush_of(saved: Sequence[Memory], before: str, trigger: Trigger) -> Flush:
    """Return the entry for a flush that saved these memories from the messages up to `before`."""
    ids, texts = tuple(memory.id for memory in saved), tuple(memory.text for memory in saved)
    return Flush(memories=ids, texts=texts, before=before, trigger=trigger)


async def undo_flush(session: Session, store: Archive, flush_id: str) -> list[TurnEvent]:
    """Delete the memories that a flush saved and restore those that they replaced. Idempotent."""
    flush = _flush(session, flush_id)
    async with session.changes:
        if flush.id not in {entry.id for entry in active_entries(session.transcript.entries)}:
            return []
        await store.undo_memories(flush.memories, time.time())
        return [await session.record_operation(stamp(Undo(entry_id=flush.id)))]


async def redo_flush(session: Session, store: Archive, flush_id: str) -> list[TurnEvent]:
    """Undo the undo of a flush. Idempotent."""
    flush = _flush(session, flush_id)
    async with session.changes:
        if (undo := active_undo(session, flush.id)) is None:
            return []
        await store.redo_memories(flush.memories, time.time())
        return [await session.record_operation(stamp(Undo(entry_id=undo.id)))]


def _flush(session: Session, flush_id: str) -> Flush:
    flush = session.transcript.entry(flush_id)
    if not isinstance(flush, Flush):
        raise not_found(translatable("This entry"))
    return flush


async def write_memory(store: Archive, wanted: Memory) -> Memory:
    """Create or update a memory as the user has edited it, and return it with its times and author.

    Raises WorldError if the text is empty or too long.
    """
    now = time.time()
    fields = {"is_on": wanted.is_on, "is_deleted": wanted.is_deleted, **_where(wanted)}
    known = next((memory for memory in await store.memories(with_deleted=True) if memory.id == wanted.id), None)
    if known is not None and known.text == wanted.text:
        memory = replace(known, changed_at=now, **fields)
    else:
        first = replace(wanted, id=wanted.id or uuid.uuid4().hex, at=now) if known is None else known
        memory = replace(first, text=_text(wanted.text), author="user", changed_at=now, **fields)
    await store.store_memories(memory)
    return memory


def _where(wanted: Memory) -> dict[str, Any]:
    """Return the fields for the scope of a memory. Raises WorldError if the scope lacks its folder, project or chat."""
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
            Failure("bad_input", translatable("A memory cannot be empty"), kept=translatable("Nothing was changed."))
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
