"""The memory flush (S7): before a compaction, a model is asked what must last.

Once per compaction: the record says so itself. A `Flush` names the message up to which it looked; if that was said
after the newest `Compaction`, it is for the next one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from desktop_app.context.compact.make_room import due_shares
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
"""Characters of one message, and of a call's arguments, that a model is shown."""
MAX_UNWANTED = 100
"""Deleted memories that are looked at, the newest: a bound for the work."""
MAX_REPLY = 40_000
"""Characters: what is longer is no list of notes."""
VALUES_TRIED = 20
MAX_NESTING = 4
"""Lists and objects around a note: an object, its list, an object each, and one to spare."""

ASKED_FIRST = "[Something is asked before I go on.]"
"""Stands between results of tools and the question, as the assistant's."""
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
    """The words of the request. Each is a resource that the user may replace."""

    flush: str
    """What is to be noted; {most} is how many notes at most."""
    flush_tool: str
    """How, by calls."""


def is_flush_due(view: View, policy: ContextPolicy, budget: Budget, total: int, trigger: Trigger) -> bool:
    """Return whether a flush is to be made now. total: tokens of the request as it is now, in those of the budget.

    On the user's word and after an overflow the compaction comes next, so that it is now or never.
    """
    is_next = trigger in (Trigger.USER, Trigger.OVERFLOW)
    if not policy.flush_distance or not (is_next or total >= flush_at(policy, budget, trigger)):
        return False
    return not is_flushed(view.path) and any(message.role is Role.USER for message in _newest_first(view))


def flush_at(policy: ContextPolicy, budget: Budget, trigger: Trigger) -> int:
    """Return from how many tokens on a flush is due: a distance before the compaction of that phase."""
    distance = min(policy.flush_distance, round(budget.usable * policy.flush_share))
    return round(due_shares(trigger, policy, budget).compact_at * budget.usable) - distance


def is_flushed(entries: Sequence[AnyEntry]) -> bool:
    """Return whether the next compaction has had its flush, undone or not.

    That is one that looked at something said since the last compaction. Which of the two was recorded later does not
    say it, since a flush may end while room is made.
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
    """Return the messages that no flush has looked at, oldest first, archived ones too."""
    return tuple(_newest_first(view))[::-1]


def _newest_first(view: View) -> Iterator[Message]:
    looked_at = {entry.before or entry.id for entry in view.path if isinstance(entry, Flush)}
    imported = _imported_ids(view.entries)
    for entry in reversed(view.path):
        if entry.id in looked_at:  # by the newest flush, unless what it looked at is left behind by now
            return
        if isinstance(entry, Message) and entry.id not in imported:
            yield entry


def _imported_ids(entries: Iterable[AnyEntry]) -> frozenset[str]:
    """Return the ids of what came from another program's file: who is called the user there may be anybody."""
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

    That is up to which message it looked, and what it saved; None if there is none. memories: all of them, deleted ones
    too.
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
    """Return what the user does not want to be remembered: what he deleted, and the flushes that he took back.

    What was deleted because something else took its place may come back.
    """
    held = list(memories)
    kept = [memory for memory in held if not memory.is_deleted]
    deleted = sorted((m for m in held if m.is_deleted), key=lambda memory: memory.changed_at)[-MAX_UNWANTED:]
    own = [m.text for m in deleted if not any(is_replaced(m.text, k.text) or is_same(m.text, k.text) for k in kept)]
    entries = list(entries)
    holding = {entry.id for entry in active_entries(entries)}
    undone = [text for e in entries if isinstance(e, Flush) and e.id not in holding for text in e.texts]
    return tuple(dict.fromkeys([*own, *undone]))


def append_question(
    messages: Sequence[Message],
    prompts: FlushPrompts,
    known: Iterable[Memory],
    gone: Sequence[Message] = (),
    room: int = 0,
    count: Callable[[str], int] = len,
) -> tuple[Message, ...]:
    """Return the chat's own request with the question behind it: the provider has nearly all of it in its cache.

    gone: what has left the view since the last flush, and is quoted as a record, as far as it fits into `room` tokens.
    """
    pieces = _fitting_pieces(gone, room, count)
    quoted = [GONE, record_of(mark_for((), pieces), "conversation", pieces)] if pieces else []
    asked = "\n\n".join([*quoted, _question(prompts), _known_lines(known), prompts.flush_tool.strip()])
    if messages and messages[-1].role is Role.USER:  # two in a row are not taken everywhere
        return (*messages[:-1], replace(messages[-1], parts=(*messages[-1].parts, Text(asked))))
    if messages and messages[-1].role is Role.TOOL:  # nor is a user's behind a tool's result
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

    The user's words come first, the newest first.
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
    """Return the messages that fit in `free` tokens, in their order: the newest of the user's are chosen first."""
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
    """Return what a model wants to be kept: calls of `save_memory`, else JSON in its text.

    None if it answered something else. SILENT, however it is written, is nothing to keep.
    """
    saving = [call for call in calls if call.name == SAVE_MEMORY.name]
    if saving:
        return tuple(note for call in saving for note in _notes(_json(call.arguments)))
    said = without_thoughts(text[:MAX_REPLY])
    if not said or _SILENT.fullmatch(said):
        return ()
    starts = (match.start() for match in islice(re.finditer(r"[\[{]", said), VALUES_TRIED))
    value = next((found for start in starts if (found := _json(said[start:])) is not None), None)
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
        for one in cast("list[object]", value)[: 4 * MAX_FLUSHED_NOTES]:
            yield from _notes(one, depth + 1)
    elif isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        text, replaces = fields.get("text"), fields.get("replaces")
        if isinstance(text, str):
            yield Note(text, replaces if isinstance(replaces, str) else "")
        else:
            yield from _notes(fields.get("memories"), depth + 1)
