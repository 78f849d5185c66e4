"""Which entries hold, where a message of the record stands, and what prunes left of it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.events import MessageState
from desktop_app.conversation.message import Message, Part, ToolCall, ToolResult
from desktop_app.conversation.transcript import AnyEntry, Undo


class MessageStatus(msgspec.Struct, frozen=True):
    """Where a message of the record stands, when it is not simply in the view."""

    state: MessageState
    operation_id: str = ""
    """The operation that put it there."""


ABANDONED = MessageStatus(MessageState.ABANDONED)


class Pruned(msgspec.Struct, frozen=True):
    """A message as prunes left it: the text of its result, and the arguments of its calls by their index."""

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

        return replace(message, parts=tuple(shorten(index, part) for index, part in enumerate(message.parts)))


def active_entries(entries: Iterable[AnyEntry]) -> list[AnyEntry]:
    """Return the entries that hold: without undone operations and the undoing. An undone `Undo` undoes nothing."""
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
