"""Which entries hold, where a message of the record stands in a view, and what prunes left of it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.events import MessageState
from desktop_app.conversation.message import Message, Part, ToolCall, ToolResult
from desktop_app.conversation.transcript import AnyEntry, Undo


class MessageStatus(msgspec.Struct, frozen=True):
    """Where a message of the record stands, when it is not simply in the view. operation_id: what put it there."""

    state: MessageState
    operation_id: str = ""


ABANDONED = MessageStatus(MessageState.ABANDONED)


class Pruned(msgspec.Struct, frozen=True):
    """A message as prunes left it. text: of its result; arguments: of its calls, by their place among the parts."""

    operation_id: str
    text: str | None = None
    arguments: tuple[tuple[int, str], ...] = ()

    def apply_to(self, message: Message) -> Message:
        """The message as it is sent."""
        arguments = dict(self.arguments)

        def shortened(place: int, part: Part) -> Part:
            if isinstance(part, ToolResult) and self.text is not None:
                return replace(part, text=self.text)
            if isinstance(part, ToolCall) and place in arguments:
                return replace(part, arguments=arguments[place])
            return part

        return replace(message, parts=tuple(shortened(place, part) for place, part in enumerate(message.parts)))


def active_entries(entries: Iterable[AnyEntry]) -> list[AnyEntry]:
    """The entries that hold: without undone operations and without the undoing. An undone `Undo` undoes nothing."""
    newest_first = list(entries)[::-1]
    undone: set[str] = set()
    holding: list[AnyEntry] = []
    for entry in newest_first:
        if entry.id in undone:
            continue
        if isinstance(entry, Undo):
            undone.add(entry.entry_id)
        else:
            holding.append(entry)
    return holding[::-1]
