"""Items in a sequence that every provider accepts.

Providers refuse requests that break their rules, so the strictest ones (Anthropic's and Mistral's) apply to all:

- system messages first, as one; then a user's message; user and assistant alternate: neighbours of one role are joined
- results directly follow their calls, and no result comes without its call; call ids never repeat
- nothing is empty; a user's message never directly follows a tool's; all providers accept names, ids and arguments

Violations are repaired here, in the view; the record keeps the original.
"""

from __future__ import annotations

import re

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.message import (
    Attachment,
    Message,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    with_parts,
)
from desktop_app.conversation.transcript import GrowingSet, replace_surrogates_in_text

from .continuing import CUT_NOTE, is_continuation_of, join_continuation
from .items import Item, ItemKind, OpenCall, Repair, has_written
from .pairing import is_placeholder

NO_RESULT = "[No result was recorded for this call.]"
EMPTY = "[empty message]"
EMPTY_RESULT = "[no output]"
INTERJECTED = "[The user writes before I go on.]"
UNDERSTOOD = "Understood. I go on from this summary."
BEGINNING = "[The conversation begins with the assistant.]"
IN_TURN = frozenset(
    {
        (Role.SYSTEM, Role.USER),
        (Role.USER, Role.ASSISTANT),
        (Role.ASSISTANT, Role.USER),
        (Role.TOOL, Role.ASSISTANT),
    }
)
"""Pairs of successive roles that need no repair."""
_SYSTEM, _USER, _ASSISTANT, _TOOL = Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL
_SUMMARY, _MESSAGE = ItemKind.SUMMARY, ItemKind.MESSAGE
_ORPHAN, _AGAIN = Repair.ORPHAN_RESULT, Repair.RESULT_AGAIN
# Looked up once: see items.py
CALL_ID = re.compile(r"[a-zA-Z0-9_-]{1,40}")
"""Call ids that Anthropic accepts, at most as long as OpenAI's limit."""
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
NOT_IN_TOOL_NAMES = re.compile(r"[^a-zA-Z0-9_-]+")
NOT_IN_SPEAKERS = re.compile(r"[\s<|\\/>]+")
"""Characters that OpenAI refuses in a message's `name`."""
MAX_NAME = 64
UNREADABLE = "unreadable_arguments"
"""The key under which arguments are sent that are not a JSON object."""


class NormalizedSequence:
    """A list of items in which all rules are followed."""

    def __init__(
        self,
        last: Item | None = None,
        has_text: bool = False,
        open_calls: tuple[OpenCall, ...] = (),
        call_ids: GrowingSet | None = None,
    ) -> None:
        self.items: list[Item] = []
        self.open_calls = open_calls
        self.call_ids = call_ids or GrowingSet()
        self._last = last
        self._has_text = has_text
        self._had_text = False
        """Whether there was text before the last item."""

    def add(self, item: Item) -> None:
        """Append the item, preceded by items that the rules require."""
        message, last = item.message, self._last
        if message.role is _TOOL:
            self._add_result(item)
            return
        is_in_turn = last is not None and (last.message.role, message.role) in IN_TURN and not last.message.lost_call
        if is_in_turn and not self.open_calls and is_plain(message):
            self._last, self._has_text = item, True
            self.items.append(item)
            return
        if message.continues and last is not None and self._is_continuation(message, last):
            self._continue(item, last)
            return
        is_same_reply = message.role is _ASSISTANT and last is not None and last.message.role is _ASSISTANT
        if self.open_calls and not is_same_reply:
            self._close(message.id)
        self._insert_before(message)
        item = _fill(item)
        if message.role is _ASSISTANT and message.tool_calls:
            item = self._with_normalized_calls(item)
        if len(message.speaker) > MAX_NAME or NOT_IN_SPEAKERS.search(message.speaker):
            speaker = NOT_IN_SPEAKERS.sub("_", message.speaker)[:MAX_NAME]
            item = replace(item, message=replace(item.message, speaker=speaker))
        self._push(item)

    def _is_continuation(self, message: Message, last: Item) -> bool:
        return (
            last.kind is _MESSAGE
            and last.repair is not Repair.EMPTY
            and not self.open_calls
            and is_continuation_of(message, replace(last.so_far, id=last.message.id))
        )

    def _continue(self, item: Item, last: Item) -> None:
        """Append the item to the reply that it continues, in which even white space counts."""
        if item.message.tool_calls:
            item = self._with_normalized_calls(item)
        before = last.so_far
        self._last = replace(item, is_joined=True, grown=(before, join_continuation(before, item.message)))
        self._has_text = True
        self.items.append(self._last)

    def _insert_before(self, message: Message) -> None:
        """Append items that are required between the last item and the message."""
        last = self._last
        if message.role is _USER and last is not None:
            if last.kind is _SUMMARY:
                self._push(_synthetic_item(message, _ASSISTANT, UNDERSTOOD))
            elif last.message.role is _TOOL:
                self._push(_synthetic_item(message, _ASSISTANT, INTERJECTED))
            elif last.message.lost_call:
                self._push(_synthetic_item(message, _USER, CUT_NOTE.format(name=last.message.lost_call)))
        elif message.role is _ASSISTANT and (last is None or last.message.role is _SYSTEM):
            self._push(_synthetic_item(message, _USER, BEGINNING, Repair.ASSISTANT_FIRST))

    def _add_result(self, item: Item) -> None:
        result = item.message.tool_result or ToolResult("", "tool", item.message.text)
        position = self._answered_by(result)
        if position is None:
            self._add_orphan(item, result)
            return
        call = self.open_calls[position].call
        self.open_calls = self.open_calls[:position] + self.open_calls[position + 1 :]
        text = result.text if result.text and not result.text.isspace() else EMPTY_RESULT
        sent = (text, call.call_id, call.name)
        images = tuple(part for part in item.message.parts if isinstance(part, Attachment))
        if sent != (result.text, result.call_id, result.name) or len(item.message.parts) != 1 + len(images):
            normalized = replace(result, text=text, call_id=call.call_id, name=call.name)
            item = replace(item, message=replace(item.message, parts=(normalized, *images)))
        self._push(item)

    def add_again(self, item: Item) -> None:
        """Append a second result of a call, whose text is joined to the first one, the item before."""
        result, last = item.message.tool_result, self._last
        answered = last.message.tool_result if last is not None else None
        if result is None or answered is None:
            self.add(item)
            return
        text = "" if is_placeholder(result.text) else result.text
        again = replace(result, text=text, call_id=answered.call_id, name=answered.name)
        self._push(replace(item, message=replace(item.message, parts=(again,)), repair=_AGAIN))

    def answers(self, message: Message) -> bool:
        """Return whether the message, a result, answers an open call."""
        return self._answered_by(message.tool_result or ToolResult("", "", "")) is not None

    def _answered_by(self, result: ToolResult) -> int | None:
        """Return the index of the open call that a result answers: by its id, or the first one if it names none."""
        for position, call in enumerate(self.open_calls):
            if call.recorded_id == result.call_id:
                return position
        return 0 if self.open_calls and not result.call_id else None

    def _add_orphan(self, item: Item, result: ToolResult) -> None:
        """Append a result without a call to the result before it, or otherwise as a user's note."""
        self._close(item.message.id)
        text = f"[Result of {result.name}, whose call is not in this conversation]\n{result.text}"
        last = self._last
        if last is not None and last.message.role is _TOOL:
            note = replace(item.message, parts=(replace(result, text=text),))
            self._push(replace(item, message=note, repair=_ORPHAN))
        else:
            note = replace(item.message, role=_USER, parts=(Text(text),))
            self.add(replace(item, message=note, repair=_ORPHAN))

    def _close(self, before: str) -> None:
        """Append a result for each open call that says that none was recorded."""
        for call in self.open_calls:
            self._push(missing_result(call.call, before))
        self.open_calls = ()

    def _with_normalized_calls(self, item: Item) -> Item:
        """Open the item's calls in a valid form: with unique ids, legal names, and objects as arguments."""
        repair = item.repair
        parts = list(item.message.parts)
        for index, part in enumerate(parts):
            if not isinstance(part, ToolCall):
                continue
            normalized = normalize_call(part)
            if normalized is not part:
                repair = Repair.BAD_CALL
            if part.call_id in self.call_ids or not CALL_ID.fullmatch(part.call_id):
                repair = repair or (Repair.REPEATED_ID if part.call_id in self.call_ids else None)
                normalized = replace(normalized, call_id=self._unused_id())
            self.call_ids = self.call_ids.add(normalized.call_id)
            self.open_calls = (*self.open_calls, OpenCall(normalized, part.call_id))
            parts[index] = normalized
        message = with_parts(item.message, parts)
        return item if message is item.message else replace(item, message=message, repair=repair)

    def _unused_id(self) -> str:
        """Return an unused id of nine letters and digits, as Mistral requires."""
        number = len(self.call_ids) + 1
        while (unused := f"call{number:05}") in self.call_ids:
            number += 1
        return unused

    def _push(self, item: Item) -> None:
        last = self._last
        is_orphan = item.message.role is _TOOL and (item.repair is _ORPHAN or item.repair is _AGAIN)
        is_neighbour = last is not None and last.message.role is item.message.role is not _TOOL
        is_joined = last is not None and (is_orphan or is_neighbour)
        if last is not None and is_neighbour and is_thought_alone(last) and self.items:
            last = self._without_placeholder(last)
        if last is not None and is_joined:
            if item.message.role is _SYSTEM and item.kind is ItemKind.MESSAGE:
                item = replace(item, repair=item.repair or Repair.SECOND_SYSTEM)
            if item.message.speaker and item.message.speaker != last.message.speaker:
                # It is joined to a message with another speaker's name, so that its own is added to its text.
                named = (Text(f"{item.message.speaker}:"), *item.message.parts)
                item = replace(item, message=replace(item.message, parts=named))
        has_text = has_written(item.message)
        if is_joined:
            item = replace(item, is_joined=True, separators=int(has_text and self._has_text))
            has_text = has_text or self._has_text
        self._had_text, self._has_text = self._has_text, has_text
        self._last = item
        self.items.append(item)

    def _without_placeholder(self, last: Item) -> Item:
        """Return the last item, a thought without an answer, as the beginning of the reply that goes on."""
        thought = replace(last.message, parts=last.message.parts[:-1])
        last = replace(last, message=thought, repair=None, separators=0)
        self._has_text = last.is_joined and self._had_text
        self._last = self.items[-1] = last
        return last


def is_thought_alone(item: Item) -> bool:
    """Return whether an item of the model is a whole thought, with a placeholder for the missing answer."""
    message = item.message
    is_whole = message.role is _ASSISTANT and not message.is_interrupted and len(message.parts) > 1
    is_thought = all(isinstance(part, Reasoning) for part in message.parts[:-1])  # and no speaker's name
    return is_whole and is_thought and item.repair is Repair.EMPTY


def is_plain(message: Message) -> bool:
    """Return whether a message is one text, as most are, which by itself breaks no rule."""
    parts = message.parts
    return len(parts) == 1 and isinstance(parts[0], Text) and not _is_blank(parts[0]) and not message.speaker


def normalize_call(call: ToolCall) -> ToolCall:
    """Return the call with a name and arguments that every provider accepts; the call itself if it has them."""
    if not TOOL_NAME.fullmatch(call.name):
        call = replace(call, name=NOT_IN_TOOL_NAMES.sub("_", call.name)[:MAX_NAME] or "tool")
    if call.arguments == "{}" or _is_object(call.arguments):
        return call
    text = (
        msgspec.json.encode({UNREADABLE: replace_surrogates_in_text(call.arguments)}).decode()
        if call.arguments.strip()
        else "{}"
    )
    return replace(call, arguments=text)


def _is_object(arguments: str) -> bool:
    try:
        msgspec.json.decode(arguments, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return False
    return True


def missing_result(call: ToolCall, before: str) -> Item:
    """Return a result that says that none was recorded. Its id depends only on its position: the prefix is stable."""
    result = ToolResult(call.call_id, call.name, NO_RESULT, is_error=True)
    message = Message(id=f"{before}/{call.call_id}", role=_TOOL, parts=(result,))
    return Item(message, ItemKind.SYNTHETIC, repair=Repair.MISSING_RESULT)


def _synthetic_item(before: Message, role: Role, text: str, repair: Repair | None = None) -> Item:
    message = Message(id=f"{before.id}/{role.value}", role=role, parts=(Text(text),))
    return Item(message, ItemKind.SYNTHETIC, repair=repair)


def _fill(item: Item) -> Item:
    """Return the item without blank texts; a message without other parts says that it was empty.

    The assistant's images are only named, since no provider accepts them, and calls by others are texts, since only the
    model calls a tool; images that a user sent without text are also named, since Gemini requires a text there.
    """
    message = item.message
    kept = [part for part in message.parts if not _is_blank(part)]
    if message.role is _ASSISTANT:
        kept = [Text(f"[{p.name}, an image]") if isinstance(p, Attachment) and p.is_image else p for p in kept]
    else:
        kept = [Text(f"[{p.name}: {p.arguments}]") if isinstance(p, ToolCall) else p for p in kept]
        if kept and all(isinstance(part, Attachment) and part.is_image for part in kept):
            kept.append(Text(" ".join([f"[{part.name}]" for part in kept if isinstance(part, Attachment)])))
    if all(isinstance(part, Reasoning) for part in kept):
        return replace(item, message=replace(message, parts=(*kept, Text(EMPTY))), repair=Repair.EMPTY)
    filled = with_parts(message, kept)
    return item if filled is message else replace(item, message=filled)


def _is_blank(part: object) -> bool:
    return isinstance(part, Text) and (not part.text or part.text.isspace())
