"""The items of a view: messages in the form for the model, including ones that are not in the record, and their blocks.

Each block leaves or stays entirely. In a view's items, results directly follow their calls
(`normalize.NormalizedSequence`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import pairwise

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.message import Attachment, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.message_rows import MessageState
from desktop_app.conversation.transcript import Compaction, Recalled, RequestContext
from desktop_app.conversation.words import translatable

from .continuing import continuation_prompt

INSTRUCTIONS_HEADING = "Instructions for all conversations of this project:"
SUMMARY_HEADING = "[Summary of the earlier conversation. The messages themselves are archived.]"


class ItemKind(StrEnum):
    """The kind of an item. Only MESSAGE is a message of the record."""

    MESSAGE = "message"
    SUMMARY = "summary"
    INSTRUCTIONS = "instructions"
    MEMORY = "memory"
    RECALLED = "recalled"
    SYNTHETIC = "synthetic"


class Repair(StrEnum):
    """The fault of a history that is repaired in an item, which therefore differs from the record."""

    MISSING_RESULT = translatable("missing result")
    ORPHAN_RESULT = translatable("result without a call")
    MOVED_RESULT = translatable("result apart from its call")
    RESULT_AGAIN = translatable("second result of a call")
    REPEATED_ID = translatable("repeated call id")
    BAD_CALL = translatable("call that no provider would accept")
    EMPTY = translatable("empty message")
    SECOND_SYSTEM = translatable("second system message")
    ASSISTANT_FIRST = translatable("beginning without a user's message")


class Item(msgspec.Struct, frozen=True, gc=False):
    """A message in the form for the model, which may differ from the record's."""

    message: Message
    kind: ItemKind = ItemKind.MESSAGE
    is_pinned: bool = False
    pruned_by: str = ""
    is_joined: bool = False
    """Whether it is sent as the continuation of the item before it."""
    separators: int = 0
    """Blank lines that are added by joining."""
    grown: tuple[Message, Message] | None = None
    """If it continues a stopped reply: the reply without it and with it, as sent."""
    repair: Repair | None = None

    @property
    def so_far(self) -> Message:
        """The complete reply up to this item, as sent."""
        return self.grown[1] if self.grown else self.message

    @property
    def text_so_far(self) -> str:
        """The text of the reply up to this item; "" if the reply is empty."""
        return "" if self.repair is Repair.EMPTY else self.so_far.text


def describe_repairs(repairs: Counter[Repair]) -> str:
    """Return the repairs as text, such as "repeated call id (5), empty message (2)"; "" if nothing was wrong."""
    return ", ".join(f"{repair.value} ({count:,})" for repair, count in repairs.most_common())


_USER, _MESSAGE, _ORPHAN = Role.USER, ItemKind.MESSAGE, Repair.ORPHAN_RESULT
# Looked up once: a look-up of an enumeration's member takes 0.4 µs, as long as all other work with an item here.


def is_of_user(item: Item) -> bool:
    """Return whether the item is a user's message; a result without a call is only sent as one."""
    return item.message.role is _USER and item.kind is _MESSAGE and item.repair is not _ORPHAN


class OpenCall(msgspec.Struct, frozen=True):
    """A call that has no result yet, as sent."""

    call: ToolCall
    recorded_id: str
    """The id in the record, which its result will name."""


def has_written(message: Message) -> bool:
    """Return whether a message has parts that are sent as text."""
    for part in message.parts:
        if (isinstance(part, Text | ToolResult) and part.text) or (isinstance(part, Attachment) and not part.is_image):
            return True
    return False


def ends_in_text(items: Sequence[Item]) -> bool:
    """Return whether the last message that would be sent has text, so that joining another one adds a blank line."""
    for item in reversed(items):
        if has_written(item.message):
            return True
        if not item.is_joined:
            break
    return False


def messages_of(items: Iterable[Item]) -> list[Message]:
    """Return the messages in which the items are sent."""
    runs: list[list[Message]] = []
    for item in items:
        if item.grown is not None:
            runs[-1][-1] = item.grown[1]
        elif item.is_joined:
            runs[-1].append(item.message)
        else:
            runs.append([item.message])
    return [replace(run[0], parts=tuple(p for m in run for p in m.parts)) if run[1:] else run[0] for run in runs]


class MessageStatus(msgspec.Struct, frozen=True, gc=False):
    """The status of a recorded message that is not in the view."""

    state: MessageState
    operation_id: str = ""
    """The operation that removed it from the view."""


class Pruned(msgspec.Struct, frozen=True):
    """A message's pruned content: the text of its result or reply, and the arguments of its calls by their index."""

    operation_id: str
    text: str | None = None
    arguments: tuple[tuple[int, str], ...] = ()

    def apply_to(self, message: Message) -> Message:
        arguments = dict(self.arguments)

        def shorten(index: int, part: Part) -> Part:
            if isinstance(part, ToolResult) and self.text is not None:
                return replace(part, text=self.text)
            if isinstance(part, ToolCall) and index in arguments:
                return replace(part, arguments=arguments[index])
            return part

        parts = tuple(shorten(index, part) for index, part in enumerate(message.parts))
        if self.text is not None and message.role is _TOOL:  # images of a result go with it
            parts = tuple(part for part in parts if not isinstance(part, Attachment))
        if self.text is not None and message.role is _ASSISTANT:
            parts = _with_text(parts, self.text)
        return replace(message, parts=parts)


def _with_text(parts: tuple[Part, ...], text: str) -> tuple[Part, ...]:
    """Return the parts of a reply with one text, in the position of its last one."""
    last = max((index for index, part in enumerate(parts) if isinstance(part, Text)), default=-1)
    others = (part for index, part in enumerate(parts) if index == last or not isinstance(part, Text))
    return tuple(Text(text) if isinstance(part, Text) else part for part in others)


def summary_message(compaction: Compaction) -> Message:
    """Return the summary as a user message, so that every provider accepts it as the first one.

    If its provider wrote it, the part has that form as well: the dialect of each model decides which one is sent.
    """
    text, own = f"{SUMMARY_HEADING}\n\n{compaction.summary}", compaction.by_provider
    part = Text(text) if own is None else replace(own, text=text)
    return Message(id=compaction.id, at=compaction.at, role=Role.USER, parts=(part,))


def recalled_item(recalled: Recalled) -> Item:
    """Return recalled messages as a user message, which precedes the one for which they were recalled."""
    message = Message(id=recalled.id, at=recalled.at, role=Role.USER, parts=(Text(recalled.text),))
    return Item(message, ItemKind.RECALLED)


def memory_item(context: RequestContext) -> Item:
    """Return the memories of the user as a part of the system prompt."""
    message = Message(id=context.id, at=context.at, role=Role.SYSTEM, parts=(Text(context.memory),))
    return Item(message, ItemKind.MEMORY)


def instructions_item(context: RequestContext) -> Item:
    """Return the instructions of the project as a part of the system prompt."""
    text = Text(f"{INSTRUCTIONS_HEADING}\n\n{context.instructions}")
    message = Message(id=f"{context.id}/instructions", at=context.at, role=Role.SYSTEM, parts=(text,))
    return Item(message, ItemKind.INSTRUCTIONS)


def prompt_item(context: RequestContext) -> Item:
    """Return the system prompt that replaces the recorded one."""
    text = Text(context.system_prompt or "")
    return Item(Message(id=f"{context.id}/prompt", at=context.at, role=Role.SYSTEM, parts=(text,)))


def continuation_item(reply: Message, so_far: str, lost_call: str = "") -> Item:
    """Return the request to continue a reply after `so_far`. reply: its last message."""
    line = continuation_prompt(so_far, lost_call or reply.lost_call, is_cut=reply.ending == "length")
    return Item(Message(id=f"{reply.id}/go on", role=Role.USER, parts=(Text(line),)), ItemKind.SYNTHETIC)


_TOOL, _ASSISTANT = Role.TOOL, Role.ASSISTANT
_WITH_NEXT = (ItemKind.SYNTHETIC, ItemKind.RECALLED)


def is_inseparable(before: Item, item: Item) -> bool:
    """Return whether two neighbours must not be separated."""
    role, parts = item.message.role, before.message.parts
    return (
        # A call and all of its results, including results of parallel calls, stay together.
        role is _TOOL
        # Messages that are sent as one reply stay together. Joined user messages may be separated.
        or (role is _ASSISTANT and item.is_joined)
        # Reasoning stays with the calls that it led to, if they were recorded after it.
        or (role is _ASSISTANT and bool(parts) and isinstance(parts[-1], Reasoning))
        # A pinned answer stays with the user's message that it directly answers.
        or (item.is_pinned and is_of_user(before) and not is_of_user(item))
        # Items that the view inserts before a message stay with it; a missing result belongs to its call.
        or (before.kind in _WITH_NEXT and before.message.role is not _TOOL)
    )


def cut_points(items: Sequence[Item]) -> list[int]:
    """Return the indices before which the items may be cut, always including both ends."""
    inner = (index for index, pair in enumerate(pairwise(items), 1) if not is_inseparable(*pair))
    return [0, *inner, len(items)] if items else [0]


def blocks(items: Sequence[Item]) -> list[range]:
    """Return the runs of items between neighbouring cut points, each of which leaves or stays entirely."""
    return [range(start, end) for start, end in pairwise(cut_points(items))]
