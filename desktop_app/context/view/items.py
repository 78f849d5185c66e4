"""The items of a view: messages as the model sees them."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.message import Attachment, Message, Role, Text, ToolCall, ToolResult


class ItemKind(StrEnum):
    """What an item is. All but MESSAGE stand for no message of the record."""

    MESSAGE = "message"
    SUMMARY = "summary"
    MEMORY = "memory"
    RECALLED = "recalled"
    SYNTHETIC = "synthetic"


class Repair(StrEnum):
    """What was wrong with a history, where the view differs from the record."""

    MISSING_RESULT = "missing result"
    ORPHAN_RESULT = "result without a call"
    REPEATED_ID = "repeated call id"
    BAD_CALL = "call that no provider would accept"
    EMPTY = "empty message"
    SECOND_SYSTEM = "second system message"
    ASSISTANT_FIRST = "beginning without a user's message"


class Item(msgspec.Struct, frozen=True):
    """One message as the model sees it; it may differ from the record's."""

    message: Message
    kind: ItemKind = ItemKind.MESSAGE
    is_pinned: bool = False
    pruned_by: str = ""
    is_joined: bool = False
    """Whether it is sent as the continuation of the item before it."""
    separators: int = 0
    """Blank lines that joining adds."""
    grown: tuple[Message, Message] | None = None
    """If it continues a stopped reply: that reply without it and with it, as it is sent."""
    repair: Repair | None = None


def describe_repairs(repairs: Counter[Repair]) -> str:
    """Return the repairs as text, such as "repeated call id (5), empty message (2)"; "" if nothing was wrong."""
    return ", ".join(f"{repair.value} ({count:,})" for repair, count in repairs.most_common())


_USER, _MESSAGE, _ORPHAN = Role.USER, ItemKind.MESSAGE, Repair.ORPHAN_RESULT  # looked up once: see cut_points.py


def is_of_user(item: Item) -> bool:
    """Return whether the user said that; a result without a call is only sent as if."""
    return item.message.role is _USER and item.kind is _MESSAGE and item.repair is not _ORPHAN


class OpenCall(msgspec.Struct, frozen=True):
    """A call that has no result yet, as it is sent."""

    call: ToolCall
    recorded_id: str
    """The id that its result will name."""


def has_written(message: Message) -> bool:
    """Return whether a message has parts that are sent as text."""
    for part in message.parts:
        if isinstance(part, Text | ToolResult) or (isinstance(part, Attachment) and not part.is_image):
            return True
    return False


def join_messages(messages: list[Message]) -> Message:
    """Return several messages of one role as the one that is sent."""
    first, *others = messages
    return replace(first, parts=tuple(part for message in messages for part in message.parts)) if others else first
