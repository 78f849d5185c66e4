"""Trees of messages, as files of other programs have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignEntry, ForeignMessage
from desktop_app.conversation.message import Message, Role, Text

from .turns import turns_of_reply

AnyForeign = TypeVar("AnyForeign", bound=ForeignEntry)
SYSTEM_PROMPT = "system prompt"
"""The name of the message that a conversation's system prompt becomes."""


class Tree:
    """A tree of messages of a program whose replies hold their calls and results: these become messages of their own.

    system_prompt: where the program keeps it apart from the messages; it stands before all of them.
    """

    def __init__(self, system_prompt: str = "") -> None:
        self._messages: dict[str, ForeignMessage] = {}
        self._parents: dict[str, str] = {}
        self._ends: dict[str, str] = {}
        self._root = ""
        if system_prompt:
            self._root = self.add(SYSTEM_PROMPT, "", Message(role=Role.SYSTEM, parts=(Text(system_prompt),)))

    def add(self, name: str, parent: str, message: Message) -> str:
        """Add a message, one without parts too, and return its name: another one where that name stands already."""
        if not name or name in self._ends:
            name = f"{name}#{len(self._ends)}"
        end, before = name, parent
        for number, turn in enumerate(turns_of_reply(message)):
            end = f"{name}/{number}" if number else name
            self._messages[end] = ForeignMessage(end, "", turn)
            if number:
                self._parents[end] = before
            before = end
        self._parents[name] = parent
        self._ends[name] = end
        return name

    def end_of(self, name: str) -> str:
        """Return the last of the messages that the one of this name became; "" if there is none."""
        return self._ends.get(name, "")

    def in_order(self) -> tuple[ForeignMessage, ...]:
        """Return the messages, each behind the one that it follows."""
        linked = {
            name: self._ends.get(parent, self._root if name != self._root else "") if name in self._ends else parent
            for name, parent in self._parents.items()
        }
        return in_order(self._messages, linked)


def in_order(messages: Mapping[str, AnyForeign], parents: Mapping[str, str]) -> tuple[AnyForeign, ...]:
    """Return the messages so that each stands behind the one that it follows, else by their times.

    Compactions may be among them. parents: of all nodes, also of those that are no message, which are passed over. A
    parent that there is not, or a circle of parents, ends the way up: such a message is a first one.
    """
    linked = {name: replace(message, parent=_parent(name, messages, parents)) for name, message in messages.items()}
    ordered: dict[str, AnyForeign] = {}
    numbers = {name: number for number, name in enumerate(linked)}
    for name in sorted(linked, key=lambda name: (_at(linked[name]), numbers[name])):
        _add_with_parents(name, linked, ordered)
    return tuple(ordered.values())


def _at(entry: ForeignEntry) -> float:
    return entry.message.at if isinstance(entry, ForeignMessage) else entry.at


def _parent(name: str, messages: Mapping[str, ForeignEntry], parents: Mapping[str, str]) -> str:
    """Return the nearest message above a node; "" if there is none."""
    seen = {name}
    while (name := parents.get(name, "")) and name not in seen:
        if name in messages:
            return name
        seen.add(name)
    return ""


def _add_with_parents(name: str, linked: dict[str, AnyForeign], ordered: dict[str, AnyForeign]) -> None:
    """Add the message behind those above it. A circle is opened where it is entered."""
    way = {name: None}  # a dictionary, as it may be long
    while (parent := linked[name].parent) and parent not in ordered:
        if parent in way:
            linked[name] = replace(linked[name], parent="")
            break
        way[parent] = None
        name = parent
    for each in reversed(way):
        ordered.setdefault(each, linked[each])
