"""The memory flush (S7): before a compaction, a model is asked for facts that must last.

There is one per compaction, which the record shows: a `Flush` names the last message that it covers; if that message
follows the newest `Compaction`, the flush is for the next one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from desktop_app.context.compact.room_decision import due_shares
from desktop_app.context.masking import mask_secrets
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.summary.prompt import (
    AROUND,
    RECORD_ENDS,
    MessagePiece,
    label_of,
    mark_for,
    record_of,
    shorten,
    text_of,
)
from desktop_app.context.summary.summary_reply import without_thoughts
from desktop_app.context.view.view import View
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.message import Message, Role, Text, ToolCall, user_message
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import AnyEntry, Compaction, Flush, Imported, Trigger, active_entries

from .memories import MAX_FLUSHED_NOTES, Note, id_prefix, is_replaced, is_same, line_of

MAX_MESSAGE, MAX_ARGUMENTS = 4_000, 200
"""Characters of a message, and of a call's arguments, in the model's input."""
MAX_UNWANTED = 100
"""Newest deleted memories that are considered: a bound for the work."""
MAX_REPLY = 40_000
"""Characters; a longer reply is not a list of notes."""
VALUES_TRIED = 20
MAX_NESTING = 4
"""Levels of lists and objects around a note: an object, its list, an object for each, and one more."""

ASKED_FIRST = "[Something is asked before I go on.]"
"""Inserted as the assistant's message between tool results and the question."""
GONE = "Before the question, what was said after the last time and has left the window since, as a record:"

SAVE_MEMORY = ToolSpec(
    "save_memory",
    "Remembers a lasting fact about the user or their projects for later conversations. One sentence; no secrets.",
    '{"type":"object","properties":{"text":{"type":"string","description":"The fact, understandable alone"},'
    '"replaces":{"type":"string","description":"The remembered sentence that this one corrects, if any"}},'
    '"required":["text"],"additionalProperties":false}',
)

_SILENT = re.compile(r"[\W_]*silent[\W_]*", re.IGNORECASE)


class FlushPrompts(msgspec.Struct, frozen=True):
    """The texts of the request. Each is a resource that the user may replace."""

    flush: str
    """Instructions on facts worth noting; {most} is the maximum number of notes."""
    flush_tool: str
    """Instructions to save notes by calls."""


def is_flush_due(view: View, policy: ContextPolicy, budget: Budget, total: int, trigger: Trigger) -> bool:
    """Return whether a flush is due now. total: tokens of the present request, as counted for the budget.

    On the user's request and after an overflow, the compaction follows at once, so that a flush is due.
    """
    is_next = trigger in (Trigger.USER, Trigger.OVERFLOW)
    if not policy.flush_distance or not (is_next or total >= flush_at(policy, budget, trigger)):
        return False
    return not is_flushed(view.path) and any(message.role is Role.USER for message in _newest_first(view))


def flush_at(policy: ContextPolicy, budget: Budget, trigger: Trigger) -> int:
    """Return the tokens from which a flush is due: at a distance before the compaction of the phase."""
    distance = min(policy.flush_distance, round(budget.usable * policy.flush_share))
    return round(due_shares(trigger, policy, budget).compact_at * budget.usable) - distance


def is_flushed(entries: Sequence[AnyEntry]) -> bool:
    """Return whether the flush for the next compaction was made, undone or not.

    It is a flush that covers a message since the last compaction. The order of their entries does not show it, since a
    flush may end during a compaction.
    """
    looked_at: set[str] = set()
    for entry in reversed(entries):
        if isinstance(entry, Compaction):
            return False
        if isinstance(entry, Flush):
            looked_at.add(entry.before or entry.id)
        if entry.id in looked_at:
            return True
    return False


def unflushed_messages(view: View) -> tuple[Message, ...]:
    """Return the messages that no flush covers, oldest first, including archived ones."""
    return tuple(_newest_first(view))[::-1]


def _newest_first(view: View) -> Iterator[Message]:
    looked_at = {entry.before or entry.id for entry in view.path if isinstance(entry, Flush)}
    imported = _imported_ids(view.entries)
    for entry in reversed(view.path):
        if entry.id in looked_at:  # by the newest flush whose last message is on this branch
            return
        if isinstance(entry, Message) and entry.id not in imported:
            yield entry


def _imported_ids(entries: Iterable[AnyEntry]) -> frozenset[str]:
    """Return the ids of imported entries, since "the user" of another program's file may be anyone."""
    found: set[str] = set()
    left = 0
    for entry in entries:
        if isinstance(entry, Imported):
            left = entry.entries
        elif left:
            left -= 1
            found.add(entry.id)
    return frozenset(found)


def find_interrupted_flush(
    view: View, memories: Iterable[Memory], conversation: str
) -> tuple[str, tuple[Memory, ...]] | None:
    """Return a flush that saved its memories and was not recorded, since the program died in between.

    It is returned as the id of the last message that it covers and the memories that it saved; None if there is none.
    memories: all of them, including deleted ones.
    """
    saved: dict[str, list[Memory]] = {}
    for memory in memories:
        if memory.conversation == conversation:
            saved.setdefault(memory.id.partition("-")[0], []).append(memory)
    for message in _newest_first(view) if saved else ():
        if found := saved.get(id_prefix(conversation, message.id)):
            return message.id, tuple(memory for memory in found if not memory.is_deleted)
    return None


def unwanted_texts(memories: Iterable[Memory], entries: Iterable[AnyEntry]) -> tuple[str, ...]:
    """Return texts that the user does not want to be remembered: deleted memories, and memories of undone flushes.

    A memory that was deleted because another one replaced it may return.
    """
    held = list(memories)
    kept = [memory for memory in held if not memory.is_deleted]
    deleted = sorted((m for m in held if m.is_deleted), key=lambda memory: memory.changed_at)[-MAX_UNWANTED:]
    own = [m.text for m in deleted if not any(is_replaced(m.text, k.text) or is_same(m.text, k.text) for k in kept)]
    entries = list(entries)
    active = {entry.id for entry in active_entries(entries)}
    undone = [text for e in entries if isinstance(e, Flush) and e.id not in active for text in e.texts]
    return tuple(dict.fromkeys([*own, *undone]))


def append_question(
    messages: Sequence[Message],
    prompts: FlushPrompts,
    known: Iterable[Memory],
    left: Sequence[Message] = (),
    room: int = 0,
    count: Callable[[str], int] = len,
) -> tuple[Message, ...]:
    """Return the chat's own request followed by the question, since the provider has nearly all of it in its cache.

    gone: messages that have left the view since the last flush, which are quoted as a record as far as they fit into
    `room` tokens.
    """
    pieces = _fitting_pieces(left, room, count)
    quoted = [GONE, record_of(mark_for((), pieces), "conversation", pieces)] if pieces else []
    asked = "\n\n".join([*quoted, _question(prompts), _known_lines(known), prompts.flush_tool.strip()])
    if messages and messages[-1].role is Role.USER:  # some providers refuse two in a row
        return (*messages[:-1], replace(messages[-1], parts=(*messages[-1].parts, Text(asked))))
    if messages and messages[-1].role is Role.TOOL:  # or a user's message after a tool result
        between = Message(role=Role.ASSISTANT, parts=(Text(ASKED_FIRST),))
        return (*messages, between, user_message(asked))
    return (*messages, user_message(asked))


def request_for_flush(
    messages: Sequence[Message],
    prompts: FlushPrompts,
    known: Sequence[Memory],
    room: int,
    count: Callable[[str], int],
) -> tuple[Message, Message] | None:
    """Return the question with the messages as a record, in at most `room` tokens; None if no message fits.

    The user's messages are chosen first, the newest ones before older ones.
    """
    kept = _known_lines(known)
    free = room - sum(map(count, (prompts.flush, prompts.flush_tool, kept))) - 2 * AROUND
    pieces = _fitting_pieces(messages, free, count)
    if not pieces:
        return None
    mark = mark_for([kept], pieces)
    system = "\n\n".join([_question(prompts), kept])
    asked = [record_of(mark, "conversation", pieces), RECORD_ENDS, prompts.flush_tool.strip()]
    return Message(role=Role.SYSTEM, parts=(Text(system),)), user_message("\n\n".join(asked))


def _fitting_pieces(messages: Sequence[Message], free: int, count: Callable[[str], int]) -> list[MessagePiece]:
    """Return the messages that fit into `free` tokens, in order; the newest user messages are chosen first."""
    spoken = [(n, message) for n, message in enumerate(messages) if message.role in (Role.USER, Role.ASSISTANT)]
    spoken.sort(key=lambda pair: (pair[1].role is Role.USER, pair[0]), reverse=True)
    chosen: dict[int, MessagePiece] = {}
    for index, message in spoken:
        label, text = label_of(message), shorten(mask_secrets(text_of(message, MAX_ARGUMENTS)), MAX_MESSAGE)
        tokens = AROUND + count(label) + count(text)
        if tokens <= free:
            free -= tokens
            chosen[index] = MessagePiece(label, text, tokens)
    return [chosen[index] for index in sorted(chosen)]


def _question(prompts: FlushPrompts) -> str:
    return prompts.flush.strip().replace("{most}", str(MAX_FLUSHED_NOTES))


def _known_lines(known: Iterable[Memory]) -> str:
    lines = [f"- {line_of(memory.text)}" for memory in known]
    return "\n".join(["Remembered already:", *lines]) if lines else "Nothing is remembered yet."


def parse_notes(text: str, calls: Sequence[ToolCall] = ()) -> tuple[Note, ...] | None:
    """Return the notes that a model wants to save: by calls of `save_memory`, otherwise by JSON in its text.

    None if it answered something else. SILENT, in any spelling, means no notes.
    """
    saving = [call for call in calls if call.name == SAVE_MEMORY.name]
    if saving:
        return tuple(note for call in saving for note in _notes(_json(call.arguments)))
    reply = without_thoughts(text[:MAX_REPLY])
    if not reply or _SILENT.fullmatch(reply):
        return ()
    starts = (match.start() for match in islice(re.finditer(r"[\[{]", reply), VALUES_TRIED))
    value = next((found for start in starts if (found := _json(reply[start:])) is not None), None)
    return None if value is None or isinstance(value, str | int | float) else tuple(_notes(value))


def _json(text: str) -> object:
    """Return the JSON value with which the text begins; None if there is none."""
    try:
        return json.JSONDecoder(strict=False).raw_decode(text.strip())[0]
    except (ValueError, RecursionError):
        return None


def _notes(value: object, depth: int = 0) -> Iterator[Note]:
    """Yield the notes in a value: {"memories": [...]}, a list, {"text": ...}, or a string."""
    if depth > MAX_NESTING:
        return
    if isinstance(value, str):
        yield Note(value)
    elif isinstance(value, list):
        for element in cast("list[object]", value)[: 4 * MAX_FLUSHED_NOTES]:
            yield from _notes(element, depth + 1)
    elif isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        text, replaces = fields.get("text"), fields.get("replaces")
        if isinstance(text, str):
            yield Note(text, replaces if isinstance(replaces, str) else "")
        else:
            yield from _notes(fields.get("memories"), depth + 1)
